// Package library checks a libnvJitLink against recorded answers of NVIDIA's, of CUDA 13.0.88.
//
// A [Case] is a script of calls for one handle, with what the real library answered to each:
// the result, what the call added to the error log and to the info log, and of an image its
// contents, its tool note, its PTX. Cases are text (docs/nvjitlink.md); [Recorded] holds them.
// A [Player] plays a case on a library: [InProcess] on package linker/jitlink, [Child] on a shared
// library that another process loads, so that a crash ends only that process. [Judge] compares,
// facet by facet.
package library

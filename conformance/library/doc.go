// Package library checks a libnvJitLink against recorded answers of NVIDIA's library of CUDA 13.0.88.
//
// A [Case] is a script of calls for one handle, with the real library's answer to each call: the result, the additions
// to the error log and to the info log, and for an image its contents, its tool note and its PTX. Cases are text
// (docs/nvjitlink.md); [Recorded] holds them. A [Player] plays a case on a library: [InProcess] on package
// linker/jitlink, [Child] on a shared library in another process, so that a crash ends only that process. [Judge]
// compares the answers facet by facet.
package library

// Package library checks a libnvJitLink against recorded answers of NVIDIA's library of CUDA 13.0.88.
//
// A [Case] is a script of calls for one handle, with the real library's answer to each call. An answer has the result
// and the additions to the error log and the info log. For an image it also has the contents, the tool note and the PTX.
// Cases are text (docs/nvjitlink.md), and [Recorded] holds them.
//
// A [Player] plays a case on a library. [InProcess] plays it on package linker/jitlink. [Child] plays it on a shared
// library in another process, so that a crash ends only that process. [Judge] compares the answers facet by facet.
package library

// Package conformance checks a linker of CUDA device code against recorded results of nvlink 13.0.88.
//
// [Run] runs a linker (package sandbox) as a child process on the stored inputs of cases (package suite). It judges each outcome
// on independent facets: exit, messages, file, sound, image and bytes (package judge). Known differences are waivers with a
// reason (package plan). The result is a report (package report). Package record makes the recordings with nvlink itself.
package conformance

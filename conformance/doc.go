// Package conformance checks a linker of CUDA device code against recorded
// results of nvlink 13.0.88.
//
// A [Case] says how inputs are made and which command lines are run. [Record]
// runs them with the real tool and stores what it did. [Run]
// runs any [Linker] as a child process on the stored inputs and judges each
// [Outcome] on independent facets: exit, messages, file, sound, image and bytes. What
// is known to differ stands in a list of [Waiver]s, with a reason.
package conformance

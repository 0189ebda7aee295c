// Package jitlibrary calls NVIDIA's libnvJitLink, which links device code and compiles
// intermediate code while a program runs. The library is loaded when [Open] is called;
// nothing of it is needed to build this package. A process that loads it can crash with
// it, so that only commands which do nothing else use this package.
package jitlibrary

import (
	"errors"
	"fmt"
)

// A Kind is the library's number for a kind of input.
type Kind int32

// The kinds of inputs.
const (
	Cubin   Kind = 1
	PTX     Kind = 2
	LTOIR   Kind = 3
	Fatbin  Kind = 4
	Object  Kind = 5
	Archive Kind = 6
	Any     Kind = 10
)

// An Input is something to link.
type Input struct {
	Name string // in the library's messages
	Kind Kind
	Data []byte
}

// Statuses that callers look at; all but 0 are errors.
const (
	BadOption       = 1  // an option that the library does not have
	InvalidInput    = 3  // an input that cannot be used
	CompilerRefuses = 5  // the program cannot be compiled
	BadInput        = 12 // an input is not of its kind
	UnknownVersion  = 14 // intermediate code of another version
)

// A StatusError is a call that the library ended with an error.
type StatusError struct {
	Call   string // "nvJitLinkComplete", with the input's name where there is one
	Status int32
}

func (e *StatusError) Error() string { return fmt.Sprintf("%s: status %d", e.Call, e.Status) }

// ErrUnsupported says that the library cannot be loaded on this system.
var ErrUnsupported = errors.New("only Linux has the library")

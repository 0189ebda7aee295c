// Package jitlibrary calls NVIDIA's libnvJitLink, which links device code and compiles intermediate code at run time.
// [Open] loads the library. Building this package does not need it. The library can crash the process that loads it, so
// only commands with no other purpose use this package.
package jitlibrary

import (
	"errors"
	"fmt"
)

// A Kind is the library's number for a type of input.
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

// An Input is an input of a link.
type Input struct {
	Name string // name in the library's messages
	Kind Kind
	Data []byte
}

// Statuses that callers check. All except 0 are errors.
const (
	BadOption       = 1  // the library does not have the option
	InvalidInput    = 3  // the input cannot be used
	CompilerRefuses = 5  // the program cannot be compiled
	BadInput        = 12 // the input is not of the stated type
	UnknownVersion  = 14 // intermediate code of another version
)

// A StatusError is the error of a failed call of the library.
type StatusError struct {
	Call   string // "nvJitLinkComplete", with the input's name where there is one
	Status int32
}

func (e *StatusError) Error() string { return fmt.Sprintf("%s: status %d", e.Call, e.Status) }

// ErrUnsupported means that the library cannot be loaded on this system.
var ErrUnsupported = errors.New("only Linux and Windows have the library")

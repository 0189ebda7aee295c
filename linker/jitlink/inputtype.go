package jitlink

import (
	"fmt"

	"github.com/culink/culink/linker/input"
)

// An InputType is the type of an input as the caller states it. Its number is part of the interface. The
// contents are checked against it: an input that begins differently is refused (JIT-040).
type InputType int32

// The types of inputs.
const (
	InputNone    InputType = 0
	InputCubin   InputType = 1
	InputPTX     InputType = 2
	InputLTOIR   InputType = 3
	InputFatbin  InputType = 4
	InputObject  InputType = 5
	InputLibrary InputType = 6
	InputIndex   InputType = 7
	InputAny     InputType = 10
)

var inputTypes = []struct {
	kind InputType
	name string
	data input.DataKind
}{
	{InputCubin, "CUBIN", input.CubinData},
	{InputPTX, "PTX", input.PTXData},
	{InputLTOIR, "LTOIR", input.LTOData},
	{InputFatbin, "FATBIN", input.FatbinData},
	{InputObject, "OBJECT", input.ObjectData},
	{InputLibrary, "LIBRARY", input.LibraryData},
	{InputIndex, "INDEX", input.UnknownData},
}

// String returns the name of t in the public header.
func (t InputType) String() string {
	for _, row := range inputTypes {
		if row.kind == t {
			return "NVJITLINK_INPUT_" + row.name
		}
	}
	return fmt.Sprintf("input type %d", int32(t))
}

// data returns the kind of data for t. If t leaves the kind open, it depends on how data begins. ok is false
// if t is not a type of an input.
func (t InputType) data(data []byte) (input.DataKind, bool) {
	if t == InputAny {
		return input.KindOf(data), true
	}
	for _, row := range inputTypes {
		if row.kind == t {
			return row.data, true
		}
	}
	return input.UnknownData, false
}

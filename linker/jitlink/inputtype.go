package jitlink

import (
	"fmt"

	"github.com/culink/culink/linker/input"
)

// An InputType says what the caller takes an input for; its number is part of the interface. An
// input is looked at all the same, and refused if it begins otherwise (JIT-040).
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

// String is the name that the public header has for t.
func (t InputType) String() string {
	for _, row := range inputTypes {
		if row.kind == t {
			return "NVJITLINK_INPUT_" + row.name
		}
	}
	return fmt.Sprintf("input type %d", int32(t))
}

// data is the kind of data that t stands for, by how data begins where t leaves it open; false
// when t is no type of an input.
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

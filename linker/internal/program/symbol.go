package program

import (
	"github.com/culink/culink/linker/cubin"
)

// A Symbol of the merged program.
type Symbol struct {
	ID      int32 // unique in the program, from 1; 0 for the null symbol
	Name    string
	Bind    cubin.Binding
	Type    cubin.SymbolType
	Other   uint8
	Section *Section // nil while undefined
	Value   uint64
	Size    uint64
	Slot    uint64 // of a texture, sampler or surface, in constant bank 0
	Addend  uint64 // that the symbol table adds to value

	Mercury   MercurySymbol // what the Mercury half says otherwise
	Fn        *Function     // of an STT_FUNC symbol
	Shared    *SharedObject
	Common    bool // .common, not allocated yet
	Alias     *Symbol
	Hidden    bool   // not in the output's symbol table
	Unnamed   bool   // nor its name in .strtab
	IsSection bool   // stands for its section; its name is only in .strtab
	Missing   bool   // was a variable that no input had defined, nor the linker or the driver will
	Mentioned string // first input that names it
	DefinedIn string // input that defines it
	FirstIn   string // input that defined this function first, though its code may have given way (MERGE-036)
	Input     uint8  // st_other as the first input has it
}

// A MercurySymbol is what the Mercury half says of a symbol that may differ from the
// plain half: its code has other places, and types stay those of relocatable files.
type MercurySymbol struct {
	Type        cubin.SymbolType
	Other       uint8
	Value, Size uint64
}

// InDeadCode reports whether y went away with the code that it is a part of.
func (y *Symbol) InDeadCode() bool {
	return y.Section != nil && y.Section.Group == GroupText && y.Section.Dead()
}

// IsUndefinedVariable reports whether y is a variable that no input defines.
func (y *Symbol) IsUndefinedVariable() bool {
	space := y.Input & cubin.OtherSpaceMask
	if y.Shared != nil {
		return y.Shared.Missing
	}
	return y.Section == nil && y.Fn == nil && !y.Common && (space == cubin.OtherGlobal || space == cubin.OtherConstant)
}

// IsExternShared reports whether y is an extern __shared__ array.
func (y *Symbol) IsExternShared() bool { return y.Shared != nil && y.Shared.Extern }

package program

import (
	"github.com/culink/culink/linker/cubin"
)

// A Symbol is a symbol of the merged program.
type Symbol struct {
	ID    int32            // unique in the program, from 1; 0 for the null symbol
	Bind  cubin.Binding    // set by merge, layout
	Type  cubin.SymbolType // set by merge, layout
	Other uint8            // set by merge, layout
	Input uint8            // st_other as the first input has it; set by merge

	Common    bool // .common, not allocated yet; set by merge, layout
	Overtaken bool // beside Common: a weak definition with contents was merged (MERGE-973); set by merge
	Met       bool // beside Common: a strong definition without contents was merged (MERGE-016); set by merge
	Hidden    bool // not in the output's symbol table; set by merge, reach, layout
	Unnamed   bool // nor its name in .strtab; set by merge, reach, layout
	IsSection bool // stands for its section; its name is only in .strtab
	Missing   bool // was a variable that no input had defined, nor the linker or the driver will; set by merge

	MercuryType  cubin.SymbolType // in the Mercury half, where types stay those of relocatable files; set by merge
	MercuryOther uint8            // and there; set by merge

	Name    string   // set by merge, layout
	Section *Section // nil while undefined; set by merge, layout
	Value   uint64   // set by merge, layout, finalize
	Size    uint64   // set by merge, finalize
	Addend  uint64   // that the symbol table adds to value; set by layout

	Mercury   MercurySymbol // its place in the Mercury half; set by merge
	Fn        *Function     // of an STT_FUNC symbol
	Shared    *SharedObject // set by merge
	Alias     *Symbol       // set by merge
	Mentioned string        // first input that names it; set by merge
	DefinedIn string        // input that defines it; set by merge
}

// A MercurySymbol is the place of a symbol in the Mercury half. Code there has other offsets.
type MercurySymbol struct {
	Value uint64 // set by merge, layout
	Size  uint64 // set by merge
}

// InDeadCode reports whether y was dropped together with the code that it belongs to.
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

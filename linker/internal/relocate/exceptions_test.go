package relocate

import (
	"sync/atomic"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/finalize"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/reloc"
)

// TestExceptions checks each exception, next to a relocation that follows the table (RELOC-404, MERC-223,
// RELOC-400, MERGE-303).
func TestExceptions(t *testing.T) {
	bank := &program.Section{Side: program.Side{Name: ".nv.constant3", Type: cubin.SectionConstant0 + 3}, Bank: 3, State: program.Kept}
	code := &program.Section{Side: program.Side{Name: ".text.f", Type: cubin.SectionProgBits}, Bank: program.NoBank, Group: program.GroupText}
	array := func(hidden bool) program.Symbol {
		return program.Symbol{Shared: &program.SharedObject{Extern: true, LeftOver: true}, Hidden: hidden}
	}
	for _, tt := range []struct {
		name   string
		opt    program.Options
		form   program.Form
		symbol program.Symbol
		want   reloc.Disposition
	}{
		{"constant", program.Options{}, 0, program.Symbol{Section: bank}, reloc.Resolve},
		{"constant with -r", program.Options{Relocatable: true}, 0, program.Symbol{Section: bank}, reloc.Resolve},
		{"weak constant with -r", program.Options{Relocatable: true}, 0, program.Symbol{Section: bank, Bind: cubin.BindWeak}, reloc.Keep},
		{"weak constant", program.Options{}, 0, program.Symbol{Section: bank, Bind: cubin.BindWeak}, reloc.Resolve},
		{"missing weak variable with -r", program.Options{Relocatable: true}, 0, program.Symbol{Missing: true, Bind: cubin.BindWeak}, reloc.Keep},
		{"texture with -r", program.Options{Relocatable: true}, program.MachineCode, program.Symbol{Type: cubin.SymTexture}, reloc.ResolveNull},
		{"texture with -r in both halves", program.Options{Relocatable: true}, program.BothHalves, program.Symbol{Type: cubin.SymTexture}, reloc.Keep},
		{"extern array that is shown", program.Options{PreserveRelocs: true}, 0, array(false), reloc.Resolve},
		{"extern array that is not", program.Options{PreserveRelocs: true}, 0, array(true), reloc.Deleted},
	} {
		d := &Settled{targets: make([]atomic.Uint32, 2), Finalized: &finalize.Finalized{Placed: &layout.Placed{Propagated: &reach.Propagated{
			Reached: &reach.Reached{Program: &program.Program{Options: &tt.opt, Form: tt.form}},
		}}}}
		tt.symbol.ID = 1
		typ, _ := reloc.Lookup(constField)
		if got := d.dispositionOf(code, &code.Side, &program.Relocation{Symbol: &tt.symbol}, typ); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestUselessOfWeak checks that -r keeps relocations without a use against weak variables no longer than others (RELOC-980).
func TestUselessOfWeak(t *testing.T) {
	const none, clear64, address = 0, 73, 2
	for typ, want := range map[uint32]reloc.Disposition{none: reloc.Drop, clear64: reloc.Drop, address: reloc.Keep} {
		d := &Settled{targets: make([]atomic.Uint32, 2), Finalized: &finalize.Finalized{Placed: &layout.Placed{Propagated: &reach.Propagated{
			Reached: &reach.Reached{Program: &program.Program{Options: &program.Options{Relocatable: true}}},
		}}}}
		code := &program.Section{Bank: program.NoBank, Group: program.GroupText}
		found, _ := reloc.Lookup(typ)
		y := &program.Symbol{ID: 1, Missing: true, Bind: cubin.BindWeak}
		if got := d.dispositionOf(code, &code.Side, &program.Relocation{Type: typ, Symbol: y}, found); got != want {
			t.Errorf("type %d: %v, want %v", typ, got, want)
		}
	}
}

// constField is R_CUDA_CONST_FIELD21_38, an operand.
const constField = 66

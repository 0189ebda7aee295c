package object

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

// Relocations of Mercury code against numbers of the system have no plain form (MERC-443).
func TestRelocationsOfMercuryCodeAlone(t *testing.T) {
	o := &Object{Symbols: []cubin.Symbol{{}, {Name: "f"}, {Name: cubin.TensorMemoryColumns}, {Name: ".nv.reservedSmem.cap"}}}
	const abs32, ownCode = reloc.MercuryBase + 3, reloc.MercuryBase + 8
	for _, tt := range []struct {
		typ, symbol uint32
		want        bool
	}{{abs32, 1, false}, {abs32, 2, true}, {abs32, 3, true}, {abs32, 9, false}, {ownCode, 1, true}} {
		if got := o.isOfMercuryCode(cubin.Relocation{Type: tt.typ, Symbol: tt.symbol}); got != tt.want {
			t.Errorf("type %#x against symbol %d: %v", tt.typ, tt.symbol, got)
		}
	}
}

package testscripts

import (
	"encoding/binary"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/reloc"
)

// Worked examples in the documents that describe nvlink contain arithmetic. These tests check the arithmetic that is
// right, even if a link does something else. The links of the examples are scenarios (example-*.txtar).

// Document 000: 0x100 bytes are 0x40 words at bit 28. For bank 0 the bank bits are zero. Document 003: there are 32 bits
// at bit 26, and 47 bits at bit 34, which are 30 bits of one word and 17 of the next.
func TestDocumentFields(t *testing.T) {
	lookup := func(name string) *reloc.Type {
		for typ := range reloc.Types() {
			if typ.Name == name {
				return typ
			}
		}
		t.Fatalf("no %s", name)
		return nil
	}
	wide := &reloc.Type{Name: "47 bits at 34", Actions: reloc.Actions{{At: 34, Width: 47, Op: reloc.Abs}}}
	for _, c := range []struct {
		typ      *reloc.Type
		symbol   uint64
		low, old [2]uint64
	}{
		{lookup("R_CUDA_CONST_FIELD19_28"), 0x100, [2]uint64{0x000000040000F900, 0}, [2]uint64{0x000000000000F900, 0}},
		{lookup("R_CUDA_ABS32_26"), 0xDEADBEEF, [2]uint64{0x037AB6FBBC000000, 0}, [2]uint64{0, 0}},
		{wide, 1<<47 - 1, [2]uint64{0xFFFFFFFC00000000, 0x1FFFF}, [2]uint64{0, 0}},
		{wide, 1 << 30, [2]uint64{0x00000003FFFFFFFF, 0xFFFFFFFFFFFE0001}, [2]uint64{^uint64(0), ^uint64(0)}},
	} {
		var word [16]byte
		binary.LittleEndian.PutUint64(word[:], c.old[0])
		binary.LittleEndian.PutUint64(word[8:], c.old[1])
		if err := c.typ.Apply(word[:], 0, reloc.Value{Symbol: c.symbol, HasAddend: true}); err != nil {
			t.Fatal(err)
		}
		got := [2]uint64{binary.LittleEndian.Uint64(word[:]), binary.LittleEndian.Uint64(word[8:])}
		if got != c.low {
			t.Errorf("%s of %#x: %#016x, not %#016x", c.typ.Name, c.symbol, got, c.low)
		}
	}
}

// Document 001, step 4: the file offsets follow from the order and the alignments of the sections. The text form
// computes offsets in the same way. The document has an error: it pads 8 bytes before .symtab, although 7352 is already
// a multiple of 8.
func TestDocumentOffsets(t *testing.T) {
	text := `cutext 1
header sm=80
section .text.kernel_a
	zero 2048
section .text.kernel_b
	zero 1024
section .nv.constant0.kernel_a align=8
	zero 24
section .nv.constant0.kernel_b align=8
	zero 20
section .nv.constant2 align=16
	zero 3984
section .nv.shared nobits align=16 size=160
section .nv.shared.kernel_a align=16 size=288
section names strtab
	str ""
	zero 119
section .symtab
`
	data, err := cubintext.Parse("example", text)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	table := le.Uint64(data[40:])
	for i, want := range []uint64{0, 128, 2176, 3200, 3224, 3248, 7232, 7232, 7232, 7352} {
		if got := le.Uint64(data[table+uint64(i)*cubin.SectionHeaderSize+24:]); got != want {
			t.Errorf("section %d at %d, not %d", i, got, want)
		}
	}
}

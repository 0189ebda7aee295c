package sound_test

import (
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
)

// A relocatable file has a symbol for each slot of position independent code, so several slots are no finding (MERC-442). It is
// one if two slots hold the address of each other's function, or if their symbols are exchanged.
func TestSlotsOfRelocatableFiles(t *testing.T) {
	text, err := os.ReadFile("testdata/slots/slots.txt")
	if err != nil {
		t.Fatal(err)
	}
	input, err := cubintext.Parse("a.cubin", string(text))
	if err != nil {
		t.Fatal(err)
	}
	link, _, err := sound.FromCommand(context.Background(), map[string][]byte{"a.cubin": input}, []string{"-arch=sm_100", "-r", "a.cubin", "-o", "out.cubin"})
	if err != nil {
		t.Fatal(err)
	}
	output := linker.Link(context.Background(), linker.Options{Arch: "sm_100", Relocatable: true}, []linker.Input{{Name: "a.cubin", Data: input}}).Output
	if findings := sound.Check(*link, output); len(findings) > 0 {
		t.Errorf("%v", findings)
	}
	f, err := cubin.Open("out.cubin", output)
	if err != nil {
		t.Fatal(err)
	}
	const relocationSize, symbolSize, symbolValue = 24, 24, 8
	slots := f.Section(".rela.nv.constant4").Offset
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var values []uint64
	for i := range symbols {
		if strings.HasPrefix(symbols[i].Name, "$ADDRESS$") {
			values = append(values, f.Section(".symtab").Offset+uint64(i)*symbolSize+symbolValue)
		}
	}
	if len(values) != 2 {
		t.Fatalf("%d slots", len(values))
	}
	for what, places := range map[string][2]uint64{"addresses": {slots, slots + relocationSize}, "symbols": {values[0], values[1]}} {
		spoiled := append([]byte(nil), output...)
		a, b := spoiled[places[0]:], spoiled[places[1]:]
		x, y := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		binary.LittleEndian.PutUint64(a, y)
		binary.LittleEndian.PutUint64(b, x)
		if len(sound.Check(*link, spoiled)) == 0 {
			t.Errorf("exchanged %s: no finding", what)
		}
	}
}

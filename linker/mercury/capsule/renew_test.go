package capsule

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// Renew converts capsules of 12.8 to the later form, in which CALL and RET have records and loads from shared
// memory have none. Capsules of 12.9 do not change (MERC-106, MERC-107).
func TestRenew(t *testing.T) {
	for name, wantEarly := range map[string]bool{"a": true, "b": false, "c": false} {
		file := "mercury/objects-of-12/sm_100/in/" + name + ".cubin"
		f := machinetest.Must(cubin.Open(file, machinetest.Must(corpus.Files.ReadFile(file))(t)))(t)
		for i := range f.Sections {
			code, ok := strings.CutPrefix(f.Sections[i].Name, ".nv.capmerc")
			if !ok {
				continue
			}
			text := machinetest.Must(f.Data(f.Section(code).Index))(t)
			renewed, early := Renew(machinetest.Must(f.Data(uint32(i)))(t), text)
			if early != wantEarly {
				t.Errorf("%s%s: early %v, want %v", name, code, early, wantEarly)
			}
			if !early {
				continue
			}
			c := machinetest.Must(Open(renewed, Place{}))(t)
			for _, m := range c.Instructions() {
				switch x := machine.Decode(text[m.First*machine.Size:]); x.Low & 0xfff {
				case 0x943, 0x950:
					if len(m.Record) != shortRecord {
						t.Errorf("%s%s: instruction %d has the record %x", name, code, m.First, m.Record)
					}
				case 0x984:
					if m.size != 0 {
						t.Errorf("%s%s: instruction %d has the record %x", name, code, m.First, m.Record)
					}
				}
			}
		}
	}
}

// Damaged capsules of any length are not repaired (MERC-106).
func TestRenewDamaged(t *testing.T) {
	whole := binary.LittleEndian.AppendUint32(make([]byte, 4), earlyForm|3)
	whole = append(whole, 3, 0, 0, 0, countAlone, 7) // two instructions, and the padding of the function
	text := bytes.Repeat(machine.NOP.Append(nil), 16)
	for n := range len(whole) + 1 {
		renewed, early := Renew(whole[:n], text)
		if want := n >= earlyHeader; early != want {
			t.Errorf("%d bytes: early %v, want %v", n, early, want)
		}
		if _, err := Open(renewed, Place{}); (err == nil) != (n == len(whole)) {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
	if renewed, _ := Renew(whole, nil); !bytes.HasSuffix(renewed, whole[earlyHeader:]) {
		t.Errorf("without code the capsule became %x", renewed)
	}
}

// TestConversionOfEarlyInteger checks I2F of 8 bits and of uniform registers, whose short records in 12.8 later compilers have for
// results of half precision only (MERC-107).
func TestConversionOfEarlyInteger(t *testing.T) {
	const single, uniform = 2 << (75 - 64), 0xc00
	for of, form := range map[byte]uint64{0x48: 0x200, 0x4a: uniform, 0x3e: uniform, 0x46: uniform} {
		early := []byte{0x41, 0x12, of, 0x0a}
		for high, want := range map[uint64][]byte{0: early, single: nil} {
			if got := laterRecord(machine.Word(form|sass.OpI2F, high), early); !bytes.Equal(got, want) {
				t.Errorf("%#x, bits %#x: record %x, want %x", of, high, got, want)
			}
		}
	}
}

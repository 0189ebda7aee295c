package codemap

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/nvinfo"
)

// A map preserves the order of places, and maps the end to the new end.
func TestMap(t *testing.T) {
	m := Map{dropped: []edit{{at: 0x10}, {at: 0x20}, {at: 0x50}}, size: 0x100, after: 0x80}
	for _, c := range []struct{ old, want uint64 }{
		{0, 0}, {0x10, 0x10}, {0x20, 0x10}, {0x30, 0x10}, {0x34, 0x14}, {0x50, 0x30}, {0x60, 0x30}, {0x100, 0x80},
	} {
		if got := m.Offset(c.old); got != c.want {
			t.Errorf("Offset(%#x) is %#x, want %#x", c.old, got, c.want)
		}
	}
	if got := (Map{}).Offset(0x123); got != 0x123 {
		t.Errorf("the zero map moves 0x123 to %#x", got)
	}
}

// Words of truncated tables do not change (MERC-116).
func TestWordsAtTheEnd(t *testing.T) {
	m := New(3, 4*machine.Size, []Step{{Instr: machine.NOP, Old: 0}, {Instr: machine.NOP, Old: 2}})
	words := func(list ...uint32) (b []byte) {
		for _, w := range list {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	if !m.Moved() || m.Offset(32) != 16 {
		t.Fatal("nothing moved")
	}
	data := words(32, 32, 32)
	if m.Words(data, []uint64{0, 8, 9, 1<<64 - 2}); !bytes.Equal(data, words(16, 32, 16)) {
		t.Errorf("% x", data)
	}
	for _, tt := range []struct{ in, want []byte }{
		{words(32, 0, 1, 32, 32, 0, 0), words(16, 0, 1, 16, 16, 0, 0)},
		{words(32, 0, 2, 32, 32, 32, 0, 0), words(16, 0, 2, 16, 16, 16, 0, 0)},
		{words(32, 0, 0), words(16, 0, 0)},
		{words(32, 0, 9, 32), words(16, 0, 9, 16)},
		{words(32, 0), words(32, 0)},
		{append(words(32, 0, 1), 32, 0, 0), append(words(16, 0, 1), 32, 0, 0)},
	} {
		if m.branches(tt.in); !bytes.Equal(tt.in, tt.want) {
			t.Errorf("% x, want % x", tt.in, tt.want)
		}
	}
}

// Only the first word of each entry of an attribute is an offset (MERC-116).
func TestOffsetsOfAttributes(t *testing.T) {
	m := New(3, 4*machine.Size, []Step{{Instr: machine.NOP, Old: 0}, {Instr: machine.NOP, Old: 2}})
	payload := func(list ...byte) (b []byte) {
		for _, w := range list {
			b = append(b, w, 0, 0, 0)
		}
		return b
	}
	for code, want := range map[nvinfo.Code][]byte{
		nvinfo.ExitOffsets:      payload(16, 16, 16, 16, 16, 16),
		nvinfo.EmulatedAtomics:  payload(16, 32, 16, 32, 16, 32),
		nvinfo.PatchedRegisters: payload(16, 32, 32, 16, 32, 32),
		nvinfo.MBarrierOffsets:  payload(16, 32, 32, 32, 16, 32),
		nvinfo.RegCount:         payload(32, 32, 32, 32, 32, 32),
	} {
		if got := m.Record(nvinfo.Record{Code: code, Payload: payload(32, 32, 32, 32, 32, 32)}).Payload; !bytes.Equal(got, want) {
			t.Errorf("attribute %#x: % x, want % x", code, got, want)
		}
	}
}

// The record of a dropped machine instruction represents no instruction of the new code (MERC-102).
func TestRecordOfDroppedCode(t *testing.T) {
	record := append([]byte{1}, make([]byte, 15)...)
	c, err := capsule.Open(machinetest.Capsule(record, record), capsule.Place{})
	if err != nil {
		t.Fatal(err)
	}
	steps := []Step{{Instr: machinetest.End, Old: 1}}
	_, err = New(2, padded(2)*machine.Size, steps).Capsule(c, steps, capsule.Place{})
	if err == nil || !strings.Contains(err.Error(), "nothing but dropped code") {
		t.Errorf("error %v", err)
	}
}

// Branches and lines map to the place after the NOP of a fence, and call frames to the place before it
// (MERC-160).
func TestPlacesBehindFences(t *testing.T) {
	steps := []Step{{Instr: machinetest.Asm("[B------:R-:W-:-:S06] MEMBAR.ALL.CTA")}, {Instr: machine.NOP, Inserted: true, Behind: true}, {Instr: machine.NOP, Old: 1}}
	m := New(3, 8*machine.Size, steps)
	if to, frame := m.Offset(machine.Size), m.beforeParts(machine.Size); to != 2*machine.Size || frame != machine.Size {
		t.Errorf("what comes behind a fence is at %#x, for call frames at %#x", to, frame)
	}
}

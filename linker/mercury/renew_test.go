package mercury

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// MERC-106, MERC-107: capsules of 12.8 become those of later compilers, in which CALL and RET have records and
// loads from shared memory have none; capsules of 12.9 stay.
func TestRenew(t *testing.T) {
	for name, wantEarly := range map[string]bool{"a": true, "b": false, "c": false} {
		file := "mercury/objects-of-12/sm_100/in/" + name + ".cubin"
		f := must(cubin.Open(file, must(corpus.Files.ReadFile(file))(t)))(t)
		for i := range f.Sections {
			code, ok := strings.CutPrefix(f.Sections[i].Name, ".nv.capmerc")
			if !ok {
				continue
			}
			text := bytesOf(t, f, code)
			renewed, early := Renew(must(f.Data(uint32(i)))(t), text)
			if early != wantEarly {
				t.Errorf("%s%s: early %v, want %v", name, code, early, wantEarly)
			}
			if !early {
				continue
			}
			c := must(OpenCapsule(renewed, Place{}))(t)
			for _, m := range c.Instructions() {
				switch x := decode(text[m.First*InstructionSize:]); x.low & 0xfff {
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

// MERC-106: what is damaged stays so, whatever its length.
func TestRenewDamaged(t *testing.T) {
	whole := binary.LittleEndian.AppendUint32(make([]byte, 4), earlyForm|3)
	whole = append(whole, 3, 0, 0, 0, countAlone, 7) // two instructions, and what fills the function
	text := bytes.Repeat(nop.append(nil), 16)
	for n := range len(whole) + 1 {
		renewed, early := Renew(whole[:n], text)
		if want := n >= earlyHeader; early != want {
			t.Errorf("%d bytes: early %v, want %v", n, early, want)
		}
		if _, err := OpenCapsule(renewed, Place{}); (err == nil) != (n == len(whole)) {
			t.Errorf("%d bytes: error %v", n, err)
		}
	}
	if renewed, _ := Renew(whole, nil); !bytes.HasSuffix(renewed, whole[earlyHeader:]) {
		t.Errorf("without code the capsule became %x", renewed)
	}
}

// MERC-108: the NOP behind a WARPSYNC leaves its time where that is more than a cycle, or needed; a NOP that
// waits stays.
func TestWithoutNOPs(t *testing.T) {
	warpsync := instruction{low: 0x7948, high: 0x03800000_00000000 >> 8}.stalls(5)
	double := instruction{low: 0x7228 | 6<<16, high: 0x000fe20000000000}.stalls(1) // DMUL R6
	user := instruction{low: 0x7986 | 2<<24 | 6<<32, high: 0x000fe20000000000 | 0xc101900}.stalls(1)
	waiting := nop.stalls(2)
	waiting.high |= 1 << waitMask
	record := make([]byte, 16)
	record[0] = 1
	end := []byte{countAlone, 1}
	two := append([]byte{countBefore, 1}, record...)
	c := must(OpenCapsule(capsuleOf(record, two, record, end), Place{}))(t)
	tests := []struct {
		name          string
		before, after instruction
		nop           instruction
		want          uint64 // 0: the NOP stays
	}{
		{"a cycle", nop.stalls(1), nop.stalls(1), nop.stalls(1), 5},
		{"two cycles", nop.stalls(1), nop.stalls(1), nop.stalls(2), 7},
		{"a cycle that a result needs", double, user, nop.stalls(1), 6},
		{"too many cycles", nop.stalls(1), nop.stalls(1), nop.stalls(11), 0},
		{"a wait", nop.stalls(1), nop.stalls(1), waiting, 0},
	}
	for _, test := range tests {
		var steps []step
		for i, x := range []instruction{test.before, warpsync, test.nop, test.after} {
			steps = append(steps, step{instruction: x, old: i})
		}
		got := c.withoutNOPs(steps, 100)
		switch {
		case test.want == 0:
			if len(got) != 4 {
				t.Errorf("%s: the NOP went", test.name)
			}
		case len(got) != 3 || got[1].stall() != test.want || !got[1].absorbs:
			t.Errorf("%s: %d instructions, a stall of %d, want 3 and %d", test.name, len(got), got[1].stall(), test.want)
		}
	}
}

// MERC-109: the shortest of several NOPs comes last; where it is last, and where others wait, all stay.
func TestRemainderLast(t *testing.T) {
	long, short := nop.stalls(15), nop.stalls(3)
	tests := []struct {
		is, want []instruction
	}{
		{[]instruction{short, long, long}, []instruction{long, long, short}},
		{[]instruction{long, long, short}, nil},
		{[]instruction{short}, nil},
		{[]instruction{short, short}, nil},
		{[]instruction{long, short, long}, []instruction{long, long, short}},
	}
	for _, test := range tests {
		var steps []step
		for i, x := range test.is {
			steps = append(steps, step{instruction: x, old: i})
		}
		changed := remainderLast(steps)
		want := test.want
		if want == nil {
			want = test.is
		}
		if changed != (test.want != nil) {
			t.Errorf("%v: changed %v", test.is, changed)
		}
		for i := range steps {
			if steps[i].stall() != want[i].stall() {
				t.Errorf("%v: instruction %d stalls %d, want %d", test.is, i, steps[i].stall(), want[i].stall())
			}
		}
	}
}

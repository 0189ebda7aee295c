package sass

import (
	"bufio"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// parse is the inverse of Registers.String.
func parse(t testing.TB, text string) (s Registers) {
	t.Helper()
	for _, name := range strings.Fields(text) {
		digits := strings.IndexAny(name, "0123456789")
		n, err := strconv.ParseUint(name[digits:], 10, 8)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(map[string]File{"R": General, "UR": Uniform, "P": Predicate, "UP": UniformPredicate}[name[:digits]], uint(n), 1)
	}
	return s
}

// visible removes the registers that the disassembler's life ranges do not show: UR0 to UR3 and those after
// UR62.
func visible(s Registers) Registers {
	s.UR = [4]uint64{s.UR[0] &^ (0xf | 1<<63)}
	return s
}

func lines(t *testing.T, name string) (list []string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		list = append(list, s.Text())
	}
	return list
}

// testdata/compiled.txt contains instructions that the compiler generated from our own sources for sm_100 and
// sm_120. Each line has the high and low half, and the registers that the instruction writes and reads
// according to the disassembler.
func TestCompiled(t *testing.T) {
	n := 0
	for _, line := range lines(t, "testdata/compiled.txt") {
		part := strings.Split(line, "|")
		var x Instruction
		if _, err := fmt.Sscanf(part[0], "%x %x", &x.High, &x.Low); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		wantWrites, wantReads := parse(t, part[1]), parse(t, part[2])
		right, text := false, "not known"
		for _, sm := range []int{100, 120} {
			writes, reads, ok := Uses(x, sm)
			switch {
			case !ok:
			case usesEveryPredicate(x, sm):
				right = true
			case visible(writes) == visible(wantWrites) && visible(reads) == visible(wantReads):
				right = true
			default:
				text = fmt.Sprintf("sm_%d: writes %v, reads %v", sm, writes, reads)
			}
		}
		if !right {
			t.Errorf("%016x %016x: %s; want %s and %s", x.High, x.Low, text, part[1], part[2])
		}
		n++
	}
	if n < 1000 {
		t.Errorf("only %d instructions", n)
	}
}

// testdata/generated.txt, for sm_100 and later, and generated_75_90.txt contain random valid encodings. Each
// line has the SM, the high and low half, the registers that the instruction writes and reads, and its text.
// The table was learned from these and many more. It knows most of them, and contradicts none.
func TestGenerated(t *testing.T) {
	known, unknown := 0, 0
	for _, line := range append(lines(t, "testdata/generated.txt"), lines(t, "testdata/generated_75_90.txt")...) {
		part := strings.SplitN(line, "|", 4)
		var x Instruction
		var sm int
		if _, err := fmt.Sscanf(part[0], "%d %x %x", &sm, &x.High, &x.Low); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		writes, reads, ok := Uses(x, sm)
		if !ok {
			unknown++
			continue
		}
		known++
		if usesEveryPredicate(x, sm) {
			continue
		}
		if visible(writes) != visible(parse(t, part[1])) || visible(reads) != visible(parse(t, part[2])) {
			t.Errorf("%s: writes %v, reads %v", line, writes, reads)
		}
	}
	if known < 300 || unknown > known {
		t.Errorf("%d instructions are known, %d are not", known, unknown)
	}
	t.Logf("%d instructions are known, %d are not", known, unknown)
}

// usesEveryPredicate reports whether x uses all predicates together. The disassembler's life ranges do not
// show such a use.
func usesEveryPredicate(x Instruction, sm int) bool {
	f, ok := FormOf(x, sm)
	return ok && slices.ContainsFunc(f.Operands(), func(o Operand) bool { return o.At == EveryPredicate })
}

// If an instruction uses all predicates together, only those that its mask selects count.
func TestEveryPredicate(t *testing.T) {
	for _, test := range []struct {
		name          string
		x             Instruction
		writes, reads string
	}{
		{"P2R R17, PR, RZ, 0x1", Instruction{Low: 0x00000001ff117803}, "R17", "P0"},
		{"R2P PR, R0.B2, 0x7", Instruction{Low: 0x0000000700007804, High: 0x2000}, "P0 P1 P2", "R0"},
		{"P2R R24, PR, R16, R40", Instruction{Low: 0x6010302810187203, High: 0x584068}, "R24", "R16 R40 P0 P1 P2 P3 P4 P5 P6"},
	} {
		writes, reads, ok := Uses(test.x, 90)
		if !ok || writes.String() != test.writes || reads.String() != test.reads {
			t.Errorf("%s: %v, %v, %v", test.name, writes, reads, ok)
		}
	}
}

// The forms are sorted, and have no bits outside the mask.
func TestForms(t *testing.T) {
	if !sort.SliceIsSorted(forms[:], func(i, j int) bool { return forms[i].Opcode < forms[j].Opcode }) {
		t.Error("not sorted by opcode")
	}
	for _, f := range forms {
		if f.Bits.Low&^f.Mask.Low != 0 || f.Bits.High&^f.Mask.High != 0 || f.Since > f.Until {
			t.Errorf("%#x: bits outside the mask, or no SM: %+v", f.Opcode, f)
		}
		for _, o := range f.Operands() {
			if o.At != EveryPredicate && (o.At < 12 || o.At > 97) || o.Count == 0 {
				t.Errorf("%#x: operand %+v", f.Opcode, o)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, x := range []Instruction{{}, {Low: 0xfff}, {Low: 0x7fff}} {
		if f, ok := FormOf(x, 100); ok {
			t.Errorf("%x: %+v", x, f)
		}
	}
	if _, ok := FormOf(Instruction{Low: 0x7210, High: 0x000fe200_07ffe0ff}, 70); ok {
		t.Error("sm_70 was never measured")
	}
}

// The union of two sets contains the registers of both. Sets overlap if they share a register.
func TestRegisters(t *testing.T) {
	var s, none Registers
	s.Add(General, 254, 4) // there is no R255
	s.Add(Predicate, 7, 1)
	if got := s.String(); got != "R254" {
		t.Errorf("got %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		var a, b Registers
		file, n := File(rapid.IntRange(0, 3).Draw(t, "file")), uint(rapid.IntRange(0, 6).Draw(t, "n"))
		a.Add(file, n, 1)
		b.Add(File(rapid.IntRange(0, 3).Draw(t, "other file")), uint(rapid.IntRange(0, 6).Draw(t, "other")), 1)
		if !a.Union(b).Has(file, n) || !a.Union(b).Overlaps(b) || a.Overlaps(none) || (a == b) != a.Overlaps(b) {
			t.Fatal(a, b)
		}
	})
}

// Each register has one bit in the result of Marks. Registers of a file have different bits as long as there
// are enough.
func TestMarks(t *testing.T) {
	for file, n := range map[File]uint{General: 255, Uniform: 63, Predicate: 7, UniformPredicate: 7} {
		seen := map[uint64]bool{}
		for i := range n {
			var s Registers
			s.Add(file, i, 1)
			marks := s.Marks()
			if bits.OnesCount64(marks) != 1 {
				t.Fatalf("%v has marks %#x", s, marks)
			}
			seen[marks] = true
		}
		if want := min(int(n), 64); len(seen) != want {
			t.Errorf("%d marks for a file of %d registers, want %d", len(seen), n, want)
		}
	}
	for _, tt := range []struct {
		file  File
		n     uint
		marks uint64
	}{
		{General, 70, 1 << 6}, {General, 135, 1 << 7}, {General, 200, 1 << 8}, {Uniform, 0, 1 << 32}, {Uniform, 40, 1 << 8}, {Uniform, 70, 1 << 38},
		{Predicate, 1, 1 << 49}, {UniformPredicate, 2, 1 << 58},
	} {
		var s Registers
		if s.Add(tt.file, tt.n, 1); s.Marks() != tt.marks {
			t.Errorf("%v has marks %#x, want %#x", s, s.Marks(), tt.marks)
		}
	}
}

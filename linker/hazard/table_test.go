package hazard

import (
	"bytes"
	"fmt"
	"github.com/google/go-cmp/cmp"
	"go/format"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// WriteTable reproduces the tables if nothing new is learned.
func TestWriteTable(t *testing.T) {
	want, err := os.ReadFile("least_table.go")
	if err != nil {
		t.Fatal(err)
	}
	var surveys []*Survey
	for i := range generations {
		surveys = append(surveys, Known(int(generations[i].since)))
	}
	var b bytes.Buffer
	WriteTable(&b, surveys)
	got, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(gotLines), len(wantLines)) {
			if gotLines[i] != wantLines[i] {
				t.Fatalf("line %d is %s\nwant %s", i+1, gotLines[i], wantLines[i])
			}
		}
		t.Errorf("%d lines, want %d", len(gotLines), len(wantLines))
	}
}

// The table has, for all operations in ranges: the unit that orders results, the unit that orders operands, and
// the time when operands are read.
func TestUnits(t *testing.T) {
	unit := func(of func(op uint16) queue) func(op uint16) string {
		names := [...]string{"", "shared memory", "conversion", "doubles", "special", "matrices", "tensor memory", "textures", "surfaces", "reductions", "barriers", "memory"}
		return func(op uint16) string { return names[of(op)] }
	}
	for name, tt := range map[string]struct {
		got, want map[string]string
	}{
		"results": {ranges(unit(queueOf)), map[string]string{
			"barriers": "11c", "conversion": "100-102 104-109 110-113", "doubles": "28-2b", "matrices": "37 3c 3f", "reductions": "1c4",
			"shared memory": "3a-3b 44 184 188-189 18c-18d 18f 1aa", "special": "119 1c3", "surfaces": "197-19a", "tensor memory": "1ee",
			"textures": "160-161 163-164 166-167 169-16a 16c-16d 16f-170",
		}},
		"operands": {ranges(unit(readerOf)), map[string]string{
			"barriers": "11c", "conversion": "100-102 104-109 110-113", "doubles": "28-2b", "matrices": "37 3c 3f",
			"memory": "3a-3b 44 17e-181 183-18f 1a3 1a6-1aa 1ae 1b1-1b2 1bd-1be 1c4", "special": "119 1c3", "surfaces": "197-19a 19d", "tensor memory": "1ee",
			"textures": "160-161 163-164 166-167 169-16a 16c-16d 16f-170",
		}},
		"class": {ranges(func(op uint16) string { return classOf(op).String() }), map[string]string{
			"control": "140-15f", "double": "28-2b", "half": "30-35 40", "logic": "0-1f 2c-2f 36 38-39 3b 3d-3e 41-7f", "multiply": "20-24 26-27",
			"tensor": "37 3a 3c 3f", "uniform": "80-ff", "variable": "100-13f 160-1ff", "wide": "25",
		}},
	} {
		if d := cmp.Diff(tt.want, tt.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// ranges lists the operations that have the same name, as ranges of their numbers.
func ranges(of func(op uint16) string) map[string]string {
	all := map[string]string{}
	const operations = 0x200
	for from := uint16(0); from < operations; {
		to := from
		for to+1 < operations && of(to+1) == of(from) {
			to++
		}
		if name := of(from); name != "" {
			text := fmt.Sprintf("%x", from)
			if to > from {
				text += fmt.Sprintf("-%x", to)
			}
			all[name] = strings.TrimSpace(all[name] + " " + text)
		}
		from = to + 1
	}
	return all
}

// The table has the operations after which control does not go on to the next instruction, or whose successor
// is unknown (MERC-141).
func TestFlowOfOperations(t *testing.T) {
	nop := sasstest.Asm("NOP")
	got := ranges(func(op uint16) string {
		switch f := flowOf([]sass.Instruction{{Low: 0x7000 | uint64(op), High: exit.High}, nop, exit}, 100, nil); {
		case len(f.lost) > 0:
			return "lost"
		case len(f.next[0]) == 0:
			return "ends"
		case len(f.next[0]) > 1:
			return "goes two ways"
		}
		return ""
	})
	want := map[string]string{"lost": "149-14a 14c 158-159", "ends": "14d 14f-150 15b", "goes two ways": "147"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// The target of a branch is found in the encoding of each SM, forwards and backwards, but not outside the
// function or inside an instruction. Indirect branches follow a table (MERC-141).
func TestTargets(t *testing.T) {
	nop := sasstest.Asm("NOP")
	branch := sasstest.Asm("[B------:R-:W-:-:S05] BRA 0x0")
	for _, sm := range []int{75, 80, 89, 90, 100, 120} {
		for distance, want := range map[int64]int{-32: 0, -16: 1, 0: 2, 16: 3, 32: -1, -48: -1, 8: -1, -8: -1, -1 << 33: -1, 1 << 33: -1} {
			x, words := branch, uint64(distance/4)
			if sm < 90 {
				put(&x, 34, 48, words)
			} else {
				put(&x, 16, 8, words)
				put(&x, 34, 47, words>>8)
			}
			f := flowOf([]sass.Instruction{nop, x, nop, exit}, sm, nil)
			to := -1
			if len(f.next[1]) == 1 {
				to = f.next[1][0].to
			}
			if to != want || (len(f.bad) == 1) != (want < 0) {
				t.Errorf("sm_%d, %d bytes: to %d, want %d; %d bad", sm, distance, to, want, len(f.bad))
			}
		}
	}
	indirect := sass.Instruction{Low: 0x7949, High: exit.High} // BRX
	guarded := indirect
	guarded.Low = 0x1949
	for _, tt := range []struct {
		x      sass.Instruction
		table  []int
		want   []edge
		bad    int
		begins string // starts of blocks
	}{
		{indirect, []int{2, 0}, []edge{{2, always}, {0, always}}, 0, "1010"},
		{indirect, []int{-1, 3, 2}, []edge{{2, always}}, 2, "1010"},
		{guarded, []int{2}, []edge{{2, always}, {1, always}}, 0, "1110"},
		{setField(exit, 87, 4, 2), nil, []edge{{1, always}}, 0, "1000"},
		{exit, nil, nil, 0, "1000"},
	} {
		f := flowOf([]sass.Instruction{tt.x, nop, exit}, 100, map[int][]int{0: tt.table})
		begins := ""
		for _, leads := range f.leader {
			begins += map[bool]string{false: "0", true: "1"}[leads]
		}
		if !slices.Equal(f.next[0], tt.want) || len(f.bad) != tt.bad || len(f.lost) > 0 || begins != tt.begins {
			t.Errorf("table %v: %v, want %v; %d bad, %d lost, blocks at %s", tt.table, f.next[0], tt.want, len(f.bad), len(f.lost), begins)
		}
	}
	if f := flowOf(nil, 100, nil); len(f.next) > 0 || f.leader[0] {
		t.Error("nothing begins a block")
	}
}

// put sets a field of an instruction, in either word.
func put(x *sass.Instruction, at, width uint, v uint64) {
	for i := range width {
		half, place := &x.Low, at+i
		if place >= 64 {
			half, place = &x.High, place-64
		}
		*half = *half&^(1<<place) | v>>i&1<<place
	}
}

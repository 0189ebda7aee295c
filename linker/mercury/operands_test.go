package mercury

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// String lists registers as nvdisasm names them.
func (s registers) String() string {
	var names []string
	for i := range uint(256) {
		if s.r[i/64]>>(i%64)&1 == 1 {
			names = append(names, fmt.Sprint("R", i))
		}
	}
	for i := range uint(256) {
		if s.ur[i/64]>>(i%64)&1 == 1 {
			names = append(names, fmt.Sprint("UR", i))
		}
	}
	for i := range uint(8) {
		if s.p>>i&1 == 1 {
			names = append(names, fmt.Sprint("P", i))
		}
	}
	for i := range uint(8) {
		if s.up>>i&1 == 1 {
			names = append(names, fmt.Sprint("UP", i))
		}
	}
	return strings.Join(names, " ")
}

// parseRegisters is the inverse of String.
func parseRegisters(t testing.TB, text string) (s registers) {
	t.Helper()
	for _, name := range strings.Fields(text) {
		digits := strings.IndexAny(name, "0123456789")
		n, err := strconv.ParseUint(name[digits:], 10, 8)
		if err != nil {
			t.Fatal(err)
		}
		s.add(map[string]registerFile{"R": general, "UR": uniform, "P": predicate, "UP": uniformPredicate}[name[:digits]], uint(n), 1)
	}
	return s
}

// visible leaves out UR0-UR3 and those behind UR62, which nvdisasm's life ranges never show.
func (s registers) visible() registers {
	s.ur = [4]uint64{s.ur[0] &^ (0xf | 1<<63)}
	return s
}

// testdata/operands.txt has a line for each instruction: high and low half, the registers
// that it writes and those that it reads, as nvdisasm showed them for code of our own
// sources.
func TestOperandsRecorded(t *testing.T) {
	f := must(os.Open("testdata/operands.txt"))(t)
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for ; lines.Scan(); n++ {
		part := strings.Split(lines.Text(), "|")
		var x instruction
		if _, err := fmt.Sscanf(part[0], "%x %x", &x.high, &x.low); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		checkOperands(t, x, parseRegisters(t, part[1]), parseRegisters(t, part[2]), true)
	}
	if n < 1000 {
		t.Errorf("only %d instructions", n)
	}
}

func checkOperands(t *testing.T, x instruction, wantWrites, wantReads registers, mustKnow bool) (known bool) {
	t.Helper()
	writes, reads, ok := x.operands()
	switch {
	case !ok && mustKnow:
		t.Errorf("%016x %016x: not known", x.high, x.low)
	case ok && (writes.visible() != wantWrites.visible() || reads.visible() != wantReads.visible()):
		t.Errorf("%016x %016x: writes %v, reads %v; want %v and %v", x.high, x.low, writes, reads, wantWrites, wantReads)
	}
	return ok
}

// The forms of an opcode must not contradict each other, and a word can be all they name.
func TestOperandForms(t *testing.T) {
	word := regexp.MustCompile(`^[wr][RUPQ]\d+(x\d+)?$`)
	for op, forms := range operandForms {
		for _, f := range forms {
			if f.bits.low&^f.mask.low != 0 || f.bits.high&^f.mask.high != 0 {
				t.Errorf("%#x: bits outside the mask: %+v", op, f)
			}
			for _, w := range strings.Fields(f.operands) {
				if !word.MatchString(w) {
					t.Errorf("%#x: operand %q", op, w)
				}
			}
		}
	}
}

func TestOperandsUnknown(t *testing.T) {
	for _, x := range []instruction{
		{}, {low: 0xfff}, {low: 0x7944}, {low: 0x7950}, // nothing, nothing, CALL, RET
		{low: 0x7981, high: 7 << (73 - 64)}, // LDG of no size
	} {
		if w, r, ok := x.operands(); ok {
			t.Errorf("%x: writes %v, reads %v", x, w, r)
		}
	}
}

func TestRegisters(t *testing.T) {
	var s, none registers
	s.add(general, 254, 4) // there is no R255
	s.add(predicate, 7, 1)
	if got := s.String(); got != "R254" {
		t.Errorf("got %s", got)
	}
	s.add(uniform, 62, 2)
	if got := s.union(none).String(); got != "R254 UR62 UR63" {
		t.Errorf("got %s", got)
	}
	if s.overlaps(none) || !s.overlaps(s) || s == none {
		t.Error("a set that is empty and one that is not are mixed up")
	}
}

// TestOperandsLive compares with the life ranges of the toolkit's disassembler.
func TestOperandsLive(t *testing.T) {
	dir := os.Getenv("CULINK_ORACLE")
	if dir == "" {
		t.Skip("CULINK_ORACLE does not name a toolkit")
	}
	for _, sm := range []string{"sm_100", "sm_103", "sm_110", "sm_120", "sm_121"} {
		file := filepath.Join(t.TempDir(), "a.cubin")
		run := func(name string, args ...string) string {
			t.Helper()
			out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", name), args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, out)
			}
			return string(out)
		}
		run("nvcc", "-w", "-arch="+sm, "-rdc=true", "-cubin", "-o", file, "testdata/small.cu")
		words := map[string]instruction{} // by section and offset
		section := ""
		code := regexp.MustCompile(`/\*([0-9a-f]{4,})\*/.*/\* 0x([0-9a-f]{16}) \*/`)
		half := regexp.MustCompile(`^\s*/\* 0x([0-9a-f]{16}) \*/`)
		last := ""
		for line := range strings.Lines(run("nvdisasm", "-c", "-hex", file)) {
			if strings.HasPrefix(line, "//-----") {
				section = strings.Fields(line)[1]
			} else if m := code.FindStringSubmatch(line); m != nil {
				last = section + m[1]
				low, _ := strconv.ParseUint(m[2], 16, 64)
				words[last] = instruction{low: low}
			} else if m := half.FindStringSubmatch(line); m != nil {
				high, _ := strconv.ParseUint(m[1], 16, 64)
				words[last] = instruction{low: words[last].low, high: high}
			}
		}
		n, known := 0, 0
		for place, l := range lifeRanges(t, run("nvdisasm", "-c", "-plr", "-lrm", "narrow", file)) {
			x, ok := words[place]
			if !ok {
				t.Fatalf("%s: no instruction at %s", sm, place)
			}
			if checkOperands(t, x, l[0], l[1], false) {
				known++
			}
			n++
		}
		t.Logf("%s: %d of %d instructions known", sm, known, n)
		if n == 0 || known*100 < n*90 {
			t.Errorf("%s: %d of %d instructions known", sm, known, n)
		}
	}
}

// lifeRanges reads nvdisasm's table: a column for each register, in it ^ where it is
// written, v where it is read, x where both.
func lifeRanges(t *testing.T, text string) (all map[string][2]registers) {
	all = map[string][2]registers{} // by section and offset
	section, offset := "", regexp.MustCompile(`/\*([0-9a-f]{4,})\*/`)
	files := map[string]registerFile{"GPR": general, "UGPR": uniform, "PRED": predicate, "UPRED": uniformPredicate}
	type column struct {
		file   registerFile
		number uint
	}
	var columns map[int]column
	var head []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "//-----") {
			columns, head, section = nil, nil, strings.Fields(line)[1]
		}
		at := strings.LastIndex(line, "// |")
		if at < 0 {
			continue
		}
		body, table := line[:at], line[at+3:]
		place := offset.FindStringSubmatch(body)
		if place == nil {
			if columns == nil && strings.TrimSpace(body) == "" {
				head = append(head, table)
			}
			continue
		}
		if columns == nil {
			columns = map[int]column{}
			start := 1
			for _, title := range strings.Split(strings.Trim(strings.TrimSpace(head[0]), "|"), "|") {
				past := false // the count of live registers
				for i := start; i < start+len(title); i++ {
					digits := ""
					for _, h := range head[1:] {
						digits += strings.TrimSpace(h[i : i+1])
					}
					if n, err := strconv.Atoi(digits); err == nil && past {
						columns[i] = column{files[strings.TrimSpace(title)], uint(n)}
					}
					past = past || digits == "#"
				}
				start += len(title) + 1
			}
		}
		var l [2]registers
		for i, c := range columns {
			if mark := table[i]; mark == '^' || mark == 'x' {
				l[0].add(c.file, c.number, 1)
			}
			if mark := table[i]; mark == 'v' || mark == 'x' {
				l[1].add(c.file, c.number, 1)
			}
		}
		all[section+place[1]] = l
	}
	return all
}

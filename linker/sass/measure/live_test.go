package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/sass"
)

// TestLive changes random bits of compiled instructions and determines their registers with the
// toolkit's disassembler. It compares the result with the table.
func TestLive(t *testing.T) {
	dir := toolstest.Oracle(t)
	file, err := os.Open("../testdata/compiled.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var compiled []sass.Instruction
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var x sass.Instruction
		if _, err := fmt.Sscanf(lines.Text(), "%x %x", &x.High, &x.Low); err != nil {
			t.Fatal(err)
		}
		compiled = append(compiled, x)
	}
	const seed, tries = 78, 1
	for _, sm := range []int{75, 80, 90, 100, 103, 110, 120, 121} {
		e := &explorer{Rand: rand.New(rand.NewPCG(seed, uint64(sm))),
			disassembler: disassembler{bin: filepath.Join(dir, "bin"), work: t.TempDir(), sm: sm, suffix: suffixOf(sm)},
			found:        map[uint16][]sass.Instruction{}, texts: map[sass.Instruction]string{}}
		if err := e.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		var words []sass.Instruction
		for _, x := range compiled {
			x.High = x.High&(1<<(105-64)-1) | schedule
			for range tries {
				words = append(words, straight(e.mutated(x)))
			}
		}
		added, err := e.try(t.Context(), words)
		if err != nil {
			t.Fatal(err)
		}
		all, err := e.measureAll(t.Context(), added)
		if err != nil {
			t.Fatal(err)
		}
		unknown, wrong := 0, 0
		for _, s := range all {
			f, known := sass.FormOf(s.x, sm)
			if !known {
				unknown++
				continue
			}
			l := leaf{operands: f.Operands()}
			if !l.explains(s) {
				if wrong++; wrong <= 5 {
					writes, reads, _ := sass.Uses(s.x, sm)
					t.Logf("sm_%d: %016x %016x %s: writes %v, reads %v, and the table has %v and %v", sm, s.x.High, s.x.Low, s.text, s.writes, s.reads, writes, reads)
				}
			}
		}
		t.Logf("sm_%d: of %d instructions %d are of no known form, and %d are wrong", sm, len(all), unknown, wrong)
		if len(all) < 300 || unknown*4 > len(all) || wrong*100 > len(all) {
			t.Errorf("sm_%d: too many", sm)
		}
	}
}

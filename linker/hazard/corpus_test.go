package hazard

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/sass"
)

// outputs calls use for the functions in nvlink's outputs in the corpus. It reads one file of every n, where n
// is every.
func outputs(t *testing.T, every int, use func(file string, f Function)) {
	t.Helper()
	n := 0
	err := fs.WalkDir(corpus.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".cubin") || !strings.Contains(name, ".out/") || strings.HasPrefix(name, "damaged/") {
			return err
		}
		if n++; n%every != 0 {
			return nil
		}
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			return err
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			return nil // cases about damage
		}
		functions, err := Functions(f)
		if err != nil {
			return nil
		}
		for _, fn := range functions {
			use(name, fn)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// No function in nvlink's outputs is unsafe. Most functions for sm_100 and later are known to be safe
// (MERC-141).
func TestOutputsAreSafe(t *testing.T) {
	count := map[Verdict]int{}
	outputs(t, 1, func(file string, f Function) {
		if generationOf(f.SM) == nil {
			return
		}
		r := Check(f)
		count[r.Verdict]++
		if r.Verdict == Unsafe {
			t.Errorf("%s, %s: %v", file, f.Name, r.Findings)
		}
	})
	t.Logf("%d safe, %d unknown, %d unsafe", count[Safe], count[Unknown], count[Unsafe])
	if count[Safe] < 1000 || count[Unknown]*5 > count[Safe] {
		t.Errorf("%d functions are safe, of %d it is not known", count[Safe], count[Unknown])
	}
}

// setField returns x with a changed field.
func setField(x sass.Instruction, at, width uint, v uint64) sass.Instruction {
	mask := (uint64(1)<<width - 1) << (at - 64)
	x.High = x.High&^mask | v<<(at-64)
	return x
}

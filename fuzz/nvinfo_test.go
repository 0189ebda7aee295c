package fuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/nvinfo"
)

// addSections adds the named section of compiled cubins to the seeds of f.
func addSections(f *testing.F, name string) {
	f.Helper()
	files, err := filepath.Glob("../linker/nvinfo/testdata/*.cubin")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		c, err := cubin.Open(path, data)
		if err != nil {
			f.Fatal(err)
		}
		if s := c.Section(name); s != nil {
			if section, err := c.Data(s.Index); err == nil {
				f.Add(bytes.Clone(section))
			}
		}
	}
}

// FuzzInfo reads any bytes as .nv.info. Records before the first damage are returned. Mapping each symbol to itself
// changes only records without a symbol. Propagating records does not panic.
func FuzzInfo(f *testing.F) {
	addSections(f, ".nv.info")
	f.Add([]byte("\x04\x0f\x08\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x4c\x03\x00\x01\x04\x00\x00\x04\x4f\x04\x00\x07\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := nvinfo.Decode(data)
		end := len(data)
		var damage *nvinfo.FormatError
		if errors.As(err, &damage) {
			end = damage.Offset
		}
		if got := nvinfo.Encode(records); !bytes.Equal(got, data[:end]) {
			t.Fatalf("%x is written as %x", data[:end], got)
		}
		for _, r := range records {
			mapped, kept := r.MapSymbols(func(i uint32) uint32 { return i })
			if kept && r.Code != nvinfo.Externs && !bytes.Equal(nvinfo.Append(nil, mapped), nvinfo.Append(nil, r)) {
				t.Fatalf("%v became %v", r, mapped)
			}
		}
		half := len(records) / 2
		functions := []nvinfo.FunctionInfo{
			{Records: slices.Clone(records[:half])},
			{Kernel: true, Records: slices.Clone(records[half:])},
			{Kernel: true},
		}
		nvinfo.RaiseKernels(functions, func(int) []int { return []int{2, 1} })
		only := []nvinfo.FunctionInfo{{Records: slices.Clone(records[:half])}, {Kernel: true, Lone: true, Records: slices.Clone(records[half:])}}
		nvinfo.RaiseKernels(only, func(int) []int { return []int{1} })
		for _, fn := range append(functions, only...) {
			for _, r := range fn.Records {
				if r.Empty() {
					t.Fatalf("%v stays", r)
				}
			}
		}
	})
}

// FuzzCompat reads any bytes as two .nv.compat sections and merges them. The result has each code once, in a format of
// the table. Merging it again does not change it.
func FuzzCompat(f *testing.F) {
	addSections(f, ".nv.compat")
	target, _ := arch.Parse("sm_90")
	f.Fuzz(func(t *testing.T, data []byte) {
		cut := len(data) / 8 * 4
		first, _ := nvinfo.Decode(data[:cut])
		second, _ := nvinfo.Decode(data[cut:])
		merged, missing := nvinfo.MergeCompat(target, [][]nvinfo.Record{first, second})
		if len(missing) != 2 {
			t.Fatalf("missing: %v", missing)
		}
		seen := map[nvinfo.Code]bool{}
		for _, r := range merged {
			if seen[r.Code] || nvinfo.Compats[r.Code].Format != r.Format {
				t.Fatalf("%v in %v", r, merged)
			}
			seen[r.Code] = true
		}
		again, _ := nvinfo.MergeCompat(target, [][]nvinfo.Record{merged, merged})
		if !bytes.Equal(nvinfo.Encode(again), nvinfo.Encode(merged)) {
			t.Fatalf("%v becomes %v", merged, again)
		}
	})
}

// FuzzNotes reads any bytes as notes. Notes that can be read can be written and read again.
func FuzzNotes(f *testing.F) {
	addSections(f, ".note.nv.tkinfo")
	addSections(f, ".note.nv.cuinfo")
	f.Fuzz(func(t *testing.T, data []byte) {
		const toolkit = 130
		o := nvinfo.DecodeOrigin(data, toolkit)
		if again := nvinfo.DecodeOrigin(o.Append(nil, false), toolkit); again != o {
			t.Fatalf("%v is read as %v", o, again)
		}
		if len(data) < 24 {
			return
		}
		tool, err := nvinfo.DecodeToolInfo(data[24:])
		if err != nil {
			return
		}
		record := tool.Append(nil)
		again, err := nvinfo.DecodeToolInfo(record[24:])
		if err != nil || again != tool {
			t.Fatalf("%+v is read as %+v, %v", tool, again, err)
		}
		if size := binary.LittleEndian.Uint32(record[4:]); int(size) != len(record)-24 {
			t.Fatalf("record of %d bytes says %d", len(record), size)
		}
	})
}

// FuzzWhatIsIn reads any bytes as a file of device code.
func FuzzWhatIsIn(f *testing.F) {
	for folder, pattern := range map[fs.FS]string{
		os.DirFS("../linker/nvinfo/testdata"): "plain.*.cubin",
		corpus.Files:                          "host/references/sm_90/in/*.o",
	} {
		files, err := fs.Glob(folder, pattern)
		if err != nil || len(files) == 0 {
			f.Fatal("no seeds", pattern, err)
		}
		for _, name := range files {
			data, err := fs.ReadFile(folder, name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p := inspect.Read("x", data); p.Kind == "" {
			t.Fatal("no kind")
		}
	})
}

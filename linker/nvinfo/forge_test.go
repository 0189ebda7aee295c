package nvinfo

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/cubin"
)

// forge returns a copy of f in which the named sections have new contents. These are at the end of
// the file.
func forge(t testing.TB, f *cubin.File, sections map[string][]byte) []byte {
	t.Helper()
	b := append([]byte(nil), f.Bytes()...)
	for name, data := range sections {
		s := f.Section(name)
		if s == nil {
			t.Fatalf("%s has no section %s", f.Name, name)
		}
		b = append(b, make([]byte, -len(b)&127)...)
		head := b[f.ShOff+uint64(s.Index)*cubin.SectionHeaderSize:]
		binary.LittleEndian.PutUint64(head[24:], uint64(len(b)))
		binary.LittleEndian.PutUint64(head[32:], uint64(len(data)))
		b = append(b, data...)
	}
	return b
}

// An oracle runs nvlink. Tests that need it are skipped if nvlink is not installed.
type oracle struct {
	nvlink, folder string
}

func newOracle(t testing.TB) *oracle {
	t.Helper()
	return &oracle{toolstest.NVLink(t), t.TempDir()}
}

// A fataler is a *testing.T or a *rapid.T.
type fataler interface{ Fatalf(string, ...any) }

// link links inputs for arch with nvlink. It returns the messages and the output, which is nil if
// there is none.
func (o *oracle) link(t fataler, arch string, inputs ...[]byte) (messages string, f *cubin.File) {
	out := filepath.Join(o.folder, "out.cubin")
	args := []string{"-arch=" + arch, "-o", out}
	os.Remove(out)
	for i, in := range inputs {
		path := filepath.Join(o.folder, string(rune('a'+i))+".cubin")
		if err := os.WriteFile(path, in, 0o644); err != nil {
			t.Fatalf("%v", err)
		}
		args = append(args, path)
	}
	text, _ := exec.Command(o.nvlink, args...).CombinedOutput()
	data, err := os.ReadFile(out)
	if err != nil {
		return string(text), nil
	}
	if f, err = cubin.Open(out, data); err != nil {
		t.Fatalf("%v", err)
	}
	return string(text), f
}

// recordsOf reads the records of a section.
func recordsOf(t fataler, f *cubin.File, name string) []Record {
	s := f.Section(name)
	if s == nil {
		return nil
	}
	data, err := f.Data(s.Index)
	if err != nil {
		t.Fatalf("%v", err)
	}
	records, err := Decode(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return records
}

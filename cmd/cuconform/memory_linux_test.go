package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// manyRecords are sections of small records, and one record of each.
var manyRecords = []struct {
	section string
	record  []byte
}{
	{".note.nv.cuinfo", []byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}},
	{".note.nv.tkinfo", []byte{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}},
	{".nv.info", []byte{1, 1, 0, 0}},
	{".symtab", append(make([]byte, 20), 1, 0, 0, 0)},
	{".strtab", []byte{'a', 0}},
	{".nv.callgraph", []byte{1, 0, 0, 0, 2, 0, 0, 0}},
	{".nv.prototype", []byte{1, 0, 0, 0, 2, 0, 0, 0}},
	{".rel.debug_frame", []byte{8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0}},
	{".debug_frame", []byte{1, 2, 3, 4}},
	{".text._Z1kPi", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
}

// The memory of dump, diff and info is at most 64 MiB, and 8 times their files (CONF-016).
func TestMemoryOfReaders(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(corpus.Files, "basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const size = 4 << 20
	dir := t.TempDir()
	for _, m := range manyRecords {
		var files [2]string
		for i := range files {
			files[i] = filepath.Join(dir, fmt.Sprint(i))
			contents := bytes.Repeat(m.record, size/len(m.record))
			contents[len(contents)-1-i*len(m.record)] ^= 2
			if err := os.WriteFile(files[i], withSection(t, data, m.section, contents), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"dump", files[0]}, {"info", files[0]}, {"diff", files[0], files[1]}} {
			cmd := exec.Command(self, args...)
			cmd.Env = append(os.Environ(), asCuconform+"="+peakOnly)
			out, err := cmd.Output()
			_, peak, found := strings.Cut(string(out), "\nVmHWM:")
			if err != nil || !found {
				t.Fatalf("%s: %v: %v, %s", m.section, args, err, out)
			}
			took, _ := strconv.Atoi(strings.Fields(peak)[0])
			if most := 64<<10 + 8*(len(args)-1)*size>>10; took > most {
				t.Errorf("%s: %v takes %d KiB of %d", m.section, args, took, most)
			}
		}
	}
}

// The memory of a run does not grow with the number of links that fail, whatever they print and write (CONF-065). A run of
// 1,000 links of 10 MB each takes as much.
func TestMemoryOfFailingLinks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	noisy := writeScript(t, "noisy", `yes "nvlink error   : no" | head -c 4000000 >&2
yes "no cubin" | head -c 4000000 > out.cubin
exit 3`)
	peakOf := func(links int) int {
		cmd := exec.Command(self, "run", "-linker", noisy, "-run", "basic", "-j", "2", "-max-failures", strconv.Itoa(links))
		cmd.Env = append(os.Environ(), asCuconform+"="+peakOnly)
		out, err := cmd.Output()
		_, peak, found := strings.Cut(string(out), "\nVmHWM:")
		if err != nil || !found {
			t.Fatalf("%v, %s", err, out)
		}
		kilobytes, _ := strconv.Atoi(strings.Fields(peak)[0])
		return kilobytes
	}
	few, many := peakOf(4), peakOf(24)
	t.Logf("%d and %d KiB", few, many)
	if most := 300_000; many > most || many > few+few/2 {
		t.Errorf("%d KiB after 4 links, %d after 24; at most %d", few, many, most)
	}
}

// withSection replaces a section's contents, which move to the end of the cubin.
func withSection(t *testing.T, data []byte, name string, contents []byte) []byte {
	t.Helper()
	f, err := cubin.Open("k", data)
	if err != nil {
		t.Fatal(err)
	}
	image := cubin.Image{Header: f.Header, Size: uint64(len(data) + len(contents))}
	for i, s := range f.Sections {
		old, err := f.Data(uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		if s.Name == name {
			s.Offset, s.Size = uint64(len(data)), uint64(len(contents))
			old = contents
		}
		image.Sections = append(image.Sections, cubin.ImageSection{Section: s, Data: old})
	}
	encoded, err := image.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

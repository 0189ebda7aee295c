package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// manyRecords lists sections that consist of small records, with one record of each.
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

// allMemory is the environment variable that makes TestMemoryOfReaders try every section.
const allMemory = "CULINK_ALL_MEMORY"

// The commands dump, diff and info use at most 64 MiB plus 8 times the size of their files (CONF-016). The test tries a third
// of the sections, chosen by their names alone, or all of them if CULINK_ALL_MEMORY is set.
func TestMemoryOfReaders(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const size = 4 << 20
	for _, m := range manyRecords {
		if os.Getenv(allMemory) == "" && crc32.ChecksumIEEE([]byte(m.section))%3 != 0 {
			continue
		}
		var files [2][]byte
		for i := range files {
			contents := bytes.Repeat(m.record, size/len(m.record))
			contents[len(contents)-1-i*len(m.record)] ^= 2
			files[i] = withSections(t, data, map[string][]byte{m.section: contents})
		}
		checkMemory(t, m.section, files)
	}
}

// Long names take as little: those of many symbols that lie in one place, and that of one symbol in many relocations.
func TestMemoryOfLongNames(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("k", data)
	if err != nil {
		t.Fatal(err)
	}
	contents := func(name string) []byte {
		data, err := f.Data(f.Section(name).Index)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(data)
	}
	long := append(append(contents(".strtab"), bytes.Repeat([]byte{'n'}, 1<<20)...), 0)
	symbol := binary.LittleEndian.AppendUint32(nil, uint32(len(contents(".strtab"))))
	symbol = append(symbol, make([]byte, cubin.SymbolSize-4)...)
	number := len(contents(".symtab")) / cubin.SymbolSize
	relocation := []byte{8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, byte(number), 0, 0, 0}
	for name, sections := range map[string]map[string][]byte{
		"one place": {".strtab": long, ".symtab": append(contents(".symtab"), bytes.Repeat(symbol, 20_000)...)},
		"relocations": {
			".strtab": long, ".symtab": append(contents(".symtab"), symbol...), ".rel.debug_frame": bytes.Repeat(relocation, 60_000),
		},
	} {
		other := maps.Clone(sections)
		other[".strtab"] = bytes.Replace(long, []byte("nn"), []byte("mn"), 1)
		checkMemory(t, name, [2][]byte{withSections(t, data, sections), withSections(t, data, other)})
	}
}

// checkMemory runs dump, info and diff on two files.
func checkMemory(t *testing.T, what string, contents [2][]byte) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var files [2]string
	for i := range files {
		files[i] = filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(files[i], contents[i], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"dump", files[0]}, {"info", files[0]}, {"diff", files[0], files[1]}} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Env = append(os.Environ(), asCuconform+"="+peakOnly)
		out, err := cmd.Output()
		cancel()
		_, peak, found := strings.Cut(string(out), "\nVmHWM:")
		if err != nil || !found {
			t.Fatalf("%s: %v: %v, %.1000s", what, args, err, out)
		}
		took, _ := strconv.Atoi(strings.Fields(peak)[0])
		if most := 64<<10 + 8*(len(args)-1)*len(contents[0])>>10; took > most {
			t.Errorf("%s: %v takes %d KiB of %d", what, args, took, most)
		}
	}
}

// The memory of a run does not grow with the number of links that fail, whatever they print and write (CONF-065). A run
// of 1,000 links of 10 MB each uses as much memory as a smaller one.
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
	// A run that keeps the streams or the outputs of its links keeps at least 4 MB of each.
	if most, growth := 300_000, 20*3_900; many > most || many > few+growth {
		t.Errorf("%d KiB after 4 links, %d after 24; at most %d, and %d more than before", few, many, most, growth)
	}
}

// withSections replaces the contents of sections. The new contents are at the end of the cubin.
func withSections(t *testing.T, data []byte, replaced map[string][]byte) []byte {
	t.Helper()
	f, err := cubin.Open("k", data)
	if err != nil {
		t.Fatal(err)
	}
	image := cubin.Image{Header: f.Header, Size: uint64(len(data))}
	for i, s := range f.Sections {
		contents, err := f.Data(uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := replaced[s.Name]; ok {
			s.Offset, s.Size, contents = image.Size, uint64(len(other)), other
			image.Size += s.Size
		}
		image.Sections = append(image.Sections, cubin.ImageSection{Section: s, Data: contents})
	}
	encoded, err := image.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

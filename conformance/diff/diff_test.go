package diff

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/cubin"
)

// linked returns nvlink 13.0.88's output for testdata/a.ptx and testdata/b.ptx (ptxas -c -arch=sm_80, then nvlink
// -arch=sm_80 a.cubin b.cubin).
func linked(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/linked.cubin")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A spoiler changes a copy of linked.cubin. The helpers below find places in it.
type spoiler struct {
	t    *testing.T
	data []byte
	file *cubin.File
}

func (s *spoiler) section(name string) *cubin.Section {
	s.t.Helper()
	section := s.file.Section(name)
	if section == nil {
		s.t.Fatalf("no section %s", name)
	}
	return section
}

// in returns the bytes of a section from an offset on.
func (s *spoiler) in(section string, at uint64) []byte {
	return s.data[s.section(section).Offset+at:]
}

// header returns the section header of a section.
func (s *spoiler) header(section string) []byte {
	return s.data[s.file.ShOff+64*uint64(s.section(section).Index):]
}

// symbol is the table entry of a symbol.
func (s *spoiler) symbol(name string) []byte {
	s.t.Helper()
	symbols, err := s.file.Symbols()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, y := range symbols {
		if y.Name == name && y.Type != cubin.SymSection {
			return s.in(".symtab", 24*uint64(y.Index))
		}
	}
	s.t.Fatalf("no symbol %s", name)
	return nil
}

func put16(b []byte, v uint16) { binary.LittleEndian.PutUint16(b, v) }
func put32(b []byte, v uint32) { binary.LittleEndian.PutUint32(b, v) }
func put64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }

func swap(a, b []byte, n int) {
	for i := range n {
		a[i], b[i] = b[i], a[i]
	}
}

// Compare finds every kind of change in a file. The first difference describes the change itself, and not a consequence
// of it.
func TestSpoiled(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(s *spoiler)
		first string // key of the first difference
	}{
		{"file type", func(s *spoiler) { put16(s.data[16:], 1) }, "header.type"},
		{"architecture", func(s *spoiler) { s.data[49] = 90 }, "header.flags"},
		{"cuinfo index in flags", func(s *spoiler) { s.data[51]++ }, "header.flags.cuinfo"},
		{"section name", func(s *spoiler) {
			copy(s.in(".shstrtab", 0)[bytes.Index(s.in(".shstrtab", 0), []byte(".nv.constant3\x00")):], ".nv.constant4")
		}, "section.nv.constant3"},
		{"section size", func(s *spoiler) { put64(s.header(".nv.shared.k")[32:], 0x44) }, "section.nv.shared.k.size"},
		{"section alignment", func(s *spoiler) { put64(s.header(".nv.global")[48:], 8) }, "section.nv.global.align"},
		{"section type", func(s *spoiler) { put32(s.header(".nv.constant3")[4:], 0x70000067) }, "section.nv.constant3.type"},
		{"section flags", func(s *spoiler) { put64(s.header(".nv.global")[8:], 1) }, "section.nv.global.flags"},
		{"register count of code", func(s *spoiler) { s.header(".text.leaf")[44+3] = 25 }, "section.text.leaf.info"},
		{"target of relocations", func(s *spoiler) { s.header(".rel.text.k")[44] = 22 }, "section.rel.text.k.info"},
		{"symbol value", func(s *spoiler) { put64(s.symbol("factor")[8:], 4) }, "sym.factor.value"},
		{"symbol size", func(s *spoiler) { put64(s.symbol("table")[16:], 8) }, "sym.table.size"},
		{"symbol binding", func(s *spoiler) { s.symbol("leaf")[4] = 0x22 }, "sym.leaf.bind"},
		{"symbol space", func(s *spoiler) { s.symbol("counter")[5] = 4 }, "sym.counter.other"},
		{"symbol section", func(s *spoiler) { put16(s.symbol("counter")[6:], 23) }, "sym.counter"},
		{"order of symbols", func(s *spoiler) { swap(s.symbol("counter"), s.symbol("factor"), 24) }, "order.symbols"},
		{"string", func(s *spoiler) {
			b := s.in(".strtab", 0)
			copy(b[bytes.Index(b, []byte("#ii\x00")):], "#il")
		}, "strtab.#ii"},
		{"register attribute", func(s *spoiler) { s.in(".nv.info", 12+8)[0]++ }, "info.k2.REGCOUNT"},
		{"parameter bank", func(s *spoiler) {
			b := s.in(".nv.info.k", 0)
			b[bytes.Index(b, []byte{4, 0x0a, 8, 0})+4] = 12
		}, "info.k.PARAM_CBANK"},
		{"order of attributes", func(s *spoiler) { swap(s.in(".nv.info", 0), s.in(".nv.info", 24), 12) }, "order.nv.info"},
		{"relocation offset", func(s *spoiler) { put64(s.in(".rel.text.k", 0), 0x60) }, "reloc.text.k.58.0x50"},
		{"relocation symbol", func(s *spoiler) { put32(s.in(".rela.text.k", 12), 16) }, "reloc.text.k.56.0x30"},
		{"relocation addend", func(s *spoiler) { put64(s.in(".rela.text.k", 16), 97) }, "reloc.text.k.56.0x30"},
		{"order of relocations", func(s *spoiler) { swap(s.in(".rel.nv.global.init", 0), s.in(".rel.nv.global.init", 16), 16) }, "order.rel.nv.global.init"},
		{"call", func(s *spoiler) { put32(s.in(".nv.callgraph", 12), 20) }, "callgraph.calls.k -> leaf"},
		{"instruction", func(s *spoiler) { s.in(".text.leaf", 0x25)[0] ^= 0x10 }, "section.text.leaf.bytes"},
		{"data", func(s *spoiler) { s.in(".nv.constant3", 4)[0]++ }, "section.nv.constant3.bytes"},
		{"tool note", func(s *spoiler) {
			b := s.in(".note.nv.tkinfo", 0)
			copy(b[bytes.Index(b, []byte("nvlink")):], "culink")
		}, "note.tkinfo.0.tool"},
		{"note of the input", func(s *spoiler) { s.in(".note.nv.cuinfo", 0x1c)[0]++ }, "note.cuinfo.0.bytes"},
		{"segment", func(s *spoiler) { put64(s.data[s.file.PhOff+56*2+40:], 0x58) }, "segment.2.memsz"},
		{"padding", func(s *spoiler) { s.data[s.section(".nv.constant0.k2").Offset+0x164] = 1 }, "file.bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			good := linked(t)
			bad := bytes.Clone(good)
			file, err := cubin.Open("linked.cubin", good)
			if err != nil {
				t.Fatal(err)
			}
			tt.spoil(&spoiler{t, bad, file})
			r, err := Compare(good, bad, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.First() == nil {
				t.Fatalf("nothing noticed:\n%s", r)
			}
			if got := r.First().Key; got != tt.first {
				t.Errorf("first difference is %s, want %s:\n%s", got, tt.first, r)
			}
		})
	}
}

// A file has no difference from itself. If any byte is changed, there is a difference.
func TestEveryByteCounts(t *testing.T) {
	good := linked(t)
	r, err := Compare(good, bytes.Clone(good), Options{})
	if err != nil || !r.Identical || r.First() != nil {
		t.Fatalf("a copy differs: %v, %v", r, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := bytes.Clone(good)
		at := rapid.IntRange(0, len(bad)-1).Draw(t, "at")
		bad[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		r, err := Compare(good, bad, Options{})
		if err != nil {
			return // the file is no longer a cubin, which is an error
		}
		if r.Identical || r.First() == nil {
			t.Fatalf("byte %#x: nothing noticed", at)
		}
	})
}

// For a damaged file on either side, Compare returns an error or a report.
func TestDamagedFiles(t *testing.T) {
	good := linked(t)
	rapid.Check(t, func(t *rapid.T) {
		bad := bytes.Clone(good[:rapid.IntRange(0, len(good)).Draw(t, "length")])
		for range rapid.IntRange(0, 8).Draw(t, "edits") {
			if len(bad) > 0 {
				bad[rapid.IntRange(0, len(bad)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			}
		}
		for _, pair := range [][2][]byte{{good, bad}, {bad, good}, {bad, bad[:len(bad)/2]}} {
			if r, err := Compare(pair[0], pair[1], Options{}); err == nil && r.Identical != bytes.Equal(pair[0], pair[1]) {
				t.Fatal("Identical is wrong")
			}
		}
	})
}

func TestOnlyAndIgnore(t *testing.T) {
	good := linked(t)
	bad := bytes.Clone(good)
	file, err := cubin.Open("linked.cubin", good)
	if err != nil {
		t.Fatal(err)
	}
	s := &spoiler{t, bad, file}
	put64(s.symbol("factor")[8:], 4)
	s.in(".text.leaf", 0x25)[0] ^= 0x10
	for _, tt := range []struct {
		opt     Options
		keys    string
		ignored int
	}{
		{Options{}, "sym.factor.value section.text.leaf.bytes", 0},
		{Options{Only: []string{"sym"}}, "sym.factor.value", 1},
		{Options{Only: []string{"*.bytes"}}, "section.text.leaf.bytes", 1},
		{Options{Ignore: []string{"sym.factor"}}, "section.text.leaf.bytes", 1},
		{Options{Ignore: []string{"sym.*", "section.text.*"}}, "", 2},
	} {
		r, err := Compare(good, bad, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, d := range r.Differences {
			keys = append(keys, d.Key)
		}
		if got := strings.Join(keys, " "); got != tt.keys || r.Ignored != tt.ignored {
			t.Errorf("%+v: %q, %d left out; want %q, %d", tt.opt, got, r.Ignored, tt.keys, tt.ignored)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, key string
		want         bool
	}{
		{"sym.g.value", "sym.g.value", true},
		{"sym.g", "sym.g.value", true},
		{"sym.g", "sym.gh.value", false},
		{"sym.*.value", "sym._ZN1BC1Ev.value", true},
		{"*", "anything", true},
		{"section.text.?.bytes", "section.text.k.bytes", true},
		{"section.text.?.bytes", "section.text.kk.bytes", false},
		{"*.57", "reloc.text.k.57.0x40", true},
		{"reloc.text.k.5", "reloc.text.k.57.0x40", false},
	} {
		if got := Match(tt.pattern, tt.key); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.key, got)
		}
	}
}

func TestClass(t *testing.T) {
	for name, want := range map[string]string{
		".text.k": "text.*", ".nv.info": "nv.info", ".nv.info.k": "nv.info.*", ".nv.constant0.k": "nv.constant0.*",
		".nv.constant3": "nv.constant3", ".nv.constant": "nv.constant", ".nv.constant.": "nv.constant.", ".rela.nv.constant": "rela.nv.constant", ".rela.text.k": "rela.text.*", ".rel.nv.global.init": "rel.nv.global.init",
		".rel.nv.constant0.k": "rel.nv.constant0.*", ".nv.resolvedrela.text.k": "nv.resolvedrela.text.*",
	} {
		if _, class := sectionKey(name); class != want {
			t.Errorf("%s is of class %s, want %s", name, class, want)
		}
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	bad := linked(t)
	bad[len(bad)-1] ^= 1
	other := dir + "/other.cubin"
	if err := os.WriteFile(other, bad, 0o666); err != nil {
		t.Fatal(err)
	}
	dump, dump2 := dir+"/a.txt", dir+"/b.txt"
	for name, text := range map[string]string{dump: "file\nsection\n", dump2: "file\nsymbol\nsection\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args   []string
		status int
		stdout string
	}{
		{[]string{"testdata/linked.cubin", "testdata/linked.cubin"}, commandline.OK, "the same bytes"},
		{[]string{"testdata/linked.cubin", other}, commandline.Differs, "segment.3.align"},
		{[]string{"-q", "testdata/linked.cubin", other}, commandline.Differs, "segment.3.align"},
		{[]string{"-ignore", "segment", "testdata/linked.cubin", other}, commandline.OK, "1 difference left out"},
		{[]string{dump, dump}, commandline.OK, "the same bytes"},
		{[]string{dump, dump2}, commandline.Differs, "--- " + dump + "\n+++ " + dump2 + "\n@@ -1,2 +1,3 @@\n file\n+symbol\n section\n"},
		{[]string{"-q", dump, dump2}, commandline.Differs, "line 2: \"section\\n\" | \"symbol\\n\"\n"},
		{[]string{"testdata/linked.cubin"}, commandline.Misuse, ""},
		{[]string{"testdata/linked.cubin", dir + "/none"}, commandline.Misuse, ""},
		{[]string{"testdata/linked.cubin", "testdata/a.ptx"}, commandline.Misuse, ""},
	} {
		var stdout, stderr strings.Builder
		if got := Command().Run(t.Context(), tt.args, &stdout, &stderr); got != tt.status || !strings.Contains(stdout.String(), tt.stdout) {
			t.Errorf("%v: status %d, want %d\n%s%s", tt.args, got, tt.status, &stdout, &stderr)
		}
	}
}

// If only the schedules of two instructions differ, the difference describes the schedules (MERC-142).
func TestSchedule(t *testing.T) {
	a := make([]byte, 32)
	b := bytes.Clone(a)
	a[8+5] |= 4 << 1 // four cycles
	b[8+5] |= 2 << 1
	b[8+6] |= 1 << 4 << 0 // waits for scoreboard 0
	_, _, differ := compareBytes(a, a, 16, true)
	left, right, also := compareBytes(a, b, 16, true)
	if differ || !also {
		t.Errorf("equal code differs: %v, other code does not: %v", differ, !also)
	}
	if !strings.Contains(left, "schedule: stall 4") || !strings.Contains(right, "schedule: stall 2, waits 0") {
		t.Errorf("%s\n%s", left, right)
	}
	b[0] ^= 1 << 3 // another operation
	copy(b[8:], a[8:])
	if left, right, _ := compareBytes(a, b, 16, true); strings.Contains(left+right, "schedule") {
		t.Errorf("equal schedules differ: %s\n%s", left, right)
	}
}

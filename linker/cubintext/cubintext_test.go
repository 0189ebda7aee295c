package cubintext

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func cubins(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.cubin")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	return names
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func checkLossless(t testing.TB, name string, data []byte) string {
	t.Helper()
	text := Format(data)
	got, err := Parse(name, text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if !bytes.Equal(got, data) {
		t.Fatalf("%s: %d bytes come back as %d others", name, len(data), len(got))
	}
	return text
}

// Parsing a printed cubin returns the same bytes. A valid cubin is printed without raw bytes and without
// blocks (TEXT-001).
func TestLossless(t *testing.T) {
	for _, name := range cubins(t) {
		text := checkLossless(t, name, read(t, name))
		if strings.Contains(text, "\nraw\n") || strings.Contains(text, "\nat ") {
			t.Errorf("%s: not all of it has a structure", name)
		}
	}
}

// Everything in a valid cubin has a name, including relocations and attributes.
func TestNames(t *testing.T) {
	for _, name := range cubins(t) {
		for l := range linesOf(Format(read(t, name)), 1) {
			at := map[string]int{"rel": 2, "attr": 1}[l.keyword()]
			if _, number := parseNumber(l.words[at].text); at > 0 && number {
				t.Errorf("%s: %s", name, l.line)
			}
			if l.has("format") {
				t.Errorf("%s: not the usual format: %s", name, l.line)
			}
		}
	}
}

// Files of sm_100 and later have plain relocation numbers in .rela.text and Mercury numbers in
// .nv.merc.rela. They also have constants that the link has resolved, Mercury data sections that use the
// bytes of the plain ones, and two reserved symbols.
func TestMercury(t *testing.T) {
	input, output := Format(read(t, "testdata/lab_b.120.cubin")), Format(read(t, "testdata/l.120.cubin"))
	for _, c := range []struct {
		text, what string
		want       bool
	}{
		{input, "section .rela.text._Z2k2Pf\n\trel 0x60 R_CUDA_ABS55_16_34 ", true},
		{input, "R_CUDA_CONST_FIELD22_37", true},
		{output, "R_CUDA_CONST_FIELD22_37", false},
		{input, "R_MERCURY_ABS64", true},
		{output, "section .nv.merc.nv.constant.user same=.nv.constant3\n", true},
		{output, "symbol .nv.reservedSmem.cap ", true},
		{output, "symbol .nv.reservedSmem.offset0 ", true},
		{output, "symbol .nv.reservedSmem.begin ", false},
	} {
		if strings.Contains(c.text, c.what) != c.want {
			t.Errorf("%q: want %v", c.what, c.want)
		}
	}
}

// TestLosslessLive prints and parses the output of the installed tools, for several architectures
// (TEXT-001).
func TestLosslessLive(t *testing.T) {
	oracle := toolstest.Oracle(t)
	dir := t.TempDir()
	tool := func(name string, args ...string) {
		c := exec.Command(filepath.Join(oracle, "bin", name), args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	source := `.version 9.0
.target sm_75
.address_size 64
.extern .func g(.param .b64 p);
.global .u32 n = 7;
.const .u32 c[4] = {1,2,3,4};
.visible .entry k(.param .u64 p) {
 .reg .b64 %d<3>;
 ld.param.u64 %d1, [p];
 { .param .b64 a; st.param.b64 [a], %d1; call g, (a); }
 ret;
}
`
	other := `.version 9.0
.target sm_75
.address_size 64
.shared .align 4 .b8 s[64];
.visible .func g(.param .b64 p) {
 .reg .b32 %r<2>;
 ld.shared.u32 %r1, [s];
 st.shared.u32 [s+4], %r1;
 ret;
}
`
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "a.ptx"), []byte(source), 0o666), os.WriteFile(filepath.Join(dir, "b.ptx"), []byte(other), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, sm := range []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"} {
		tool("ptxas", "-c", "-arch", sm, "a.ptx", "-o", "a.cubin")
		tool("ptxas", "-c", "-g", "-arch", sm, "b.ptx", "-o", "b.cubin")
		tool("nvlink", "-arch", sm, "a.cubin", "b.cubin", "-o", "l.cubin")
		tool("nvlink", "-r", "-arch", sm, "a.cubin", "b.cubin", "-o", "r.cubin")
		for _, name := range []string{"a", "b", "l", "r"} {
			data := read(t, filepath.Join(dir, name+".cubin"))
			if text := checkLossless(t, sm+" "+name, data); strings.Contains(text, "\nat ") || strings.Contains(text, "\nraw\n") {
				t.Errorf("%s %s: not all of it has a structure", sm, name)
			}
		}
	}
}

// TestLosslessDamaged prints and parses damaged files, in which bytes were changed, removed or added
// (TEXT-001).
func TestLosslessDamaged(t *testing.T) {
	var files [][]byte
	for _, name := range cubins(t) {
		files = append(files, read(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(rapid.SampledFrom(files).Draw(t, "file"))
		for range rapid.IntRange(0, 20).Draw(t, "changes") {
			where := rapid.IntRange(0, len(data)-1).Draw(t, "where")
			if rapid.Bool().Draw(t, "in the tables") {
				f, err := cubin.Open("x", data)
				if err == nil && f.ShOff != 0 && f.ShNum != 0 {
					where = int(f.ShOff) + where%int(f.ShNum*cubin.SectionHeaderSize)
				}
			}
			data[where] = rapid.Byte().Draw(t, "byte")
		}
		switch rapid.IntRange(0, 3).Draw(t, "end") {
		case 0:
			data = data[:rapid.IntRange(0, len(data)).Draw(t, "length")]
		case 1:
			data = append(data, rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "more")...)
		}
		if got, err := Parse("x", Format(data)); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("does not come back: %v", err)
		}
	})
}

func TestLosslessAnyBytes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(rnd.Uint32() & rnd.Uint32())
		}
		checkLossless(t, "random", data)
		if n > 6 {
			copy(data, "\x7fELF\x02\x01")
			checkLossless(t, "random ELF", data)
		}
	}
}

// Values that are missing in a hand-written text are derived (TEXT-002).
func TestDerived(t *testing.T) {
	data, err := Parse("k.txt", small)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("k", data)
	if err != nil {
		t.Fatal(err)
	}
	if f.SM() != 80 || f.Flags != 0x05005004 || f.ShNum != 9 || f.ShStrNdx != 1 || len(data) != int(f.ShOff)+9*64 {
		t.Errorf("header %+v", f.Header)
	}
	text := f.Section(".text.k")
	if text.Type != 1 || text.Flags != 6 || text.AddrAlign != 128 || text.Offset%128 != 0 || text.Link != 3 || text.Info != 8<<24|2 {
		t.Errorf(".text.k %+v", text)
	}
	rel := f.Section(".rela.text.k")
	if rel.Info != text.Index || rel.Flags != 0x40 || rel.EntSize != 24 {
		t.Errorf(".rela.text.k %+v", rel)
	}
	got, err := f.Relocations(rel.Index)
	if diff := cmp.Diff([]cubin.Relocation{{Offset: 16, Type: 56, Symbol: 3, Addend: 4}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if out := Format(data); out != small {
		t.Errorf("printed:\n%s", cmp.Diff(small, out))
	}
	symbols, err := f.Symbols()
	if err != nil || len(symbols) != 5 {
		t.Fatal(symbols, err)
	}
	wantKernel(t, symbols[2], text.Index)
}

// wantKernel checks the symbol of the kernel k.
func wantKernel(t *testing.T, k cubin.Symbol, section uint32) {
	if k.Name != "k" || k.Size != 32 || k.Section != section || !k.IsEntry() || k.Bind != cubin.BindGlobal {
		t.Errorf("symbol k %+v", k)
	}
}

const small = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol k global func .text.k other=entry
	symbol v global data undef other=global size=4
	symbol far local notype abs value=0x10
section .nv.info
	attr REGCOUNT @k 8
section .note.nv.cuinfo
	cuinfo
section .rela.text.k
	rel 0x10 R_CUDA_ABS32_LO_32 v +4
section .text.k regs=8
	u64 0x0000000000000000 0x0000000000000001
	u64 0x0000000000000002 0x0000000000000003
section .nv.shared.k size=0x100
`

// Every field of every record can be overridden (TEXT-003).
func TestOverride(t *testing.T) {
	check := func(statement string, kind []field, at func(*cubin.File) int) {
		for _, f := range kind {
			value := uint64(0x5a5a5a5a5a5a5a5a) >> (64 - 8*f.width)
			text := strings.Replace(small, statement+"\n", statement+" "+f.name+"="+number(value).text+"\n", 1)
			whole, err := Parse("x", small)
			if err != nil {
				t.Fatal(err)
			}
			opened, err := cubin.Open("x", whole)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(statement, "symbol") && f.name == "shndx" || strings.HasPrefix(statement, "section") && f.name == "offset" {
				value = 2
				text = strings.Replace(small, statement+"\n", statement+" "+f.name+"=2\n", 1)
			}
			data, err := Parse("x", text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			r := newRecord(kind)
			copy(r.bytes, data[at(opened):])
			if got := r.get(f.name); got != value {
				t.Errorf("%s %s=%#x: got %#x", statement, f.name, value, got)
			}
		}
	}
	check("header sm=80", headerFields, func(*cubin.File) int { return 0 })
	check("section .nv.shared.k size=0x100", without(sectionFields, "size"), func(f *cubin.File) int { return int(f.ShOff) + 8*64 })
	check("\tsymbol far local notype abs value=0x10", without(symbolFields, "value"), func(f *cubin.File) int { return int(f.Section(".symtab").Offset) + 4*24 })
}

func without(fields []field, name string) []field {
	var out []field
	for _, f := range fields {
		if f.name != name {
			out = append(out, f)
		}
	}
	return out
}

// An error is reported with file, line and column (TEXT-004).
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x:1:1: the first line must be: cutext 1"},
		{"cutext 2", "x:1:8: version 2 is not known; this is version 1"},
		{"cutext 1\nfoo", "x:2:1: unknown keyword foo"},
		{"cutext 1\nhex 00", "x:2:1: hex stands in no section"},
		{"cutext 1\nheader sm=x", "x:2:8: number expected, not sm=x"},
		{"cutext 1\nheader colour=1", "x:2:8: header has no field colour"},
		{"cutext 1\nheader abi=300", "x:2:8: abi=300 does not fit"},
		{"cutext 1\nheader abi=3 abi=4", "x:2:14: abi is given twice"},
		{"cutext 1\nsection a\n\thex 0", "x:3:6: pairs of hex digits expected, not 0"},
		{"cutext 1\nsection a\n\tstr \"a", "x:3:6: string without end, or with a bad escape"},
		{"cutext 1\nsection a\n\tstr \"a\"b", "x:3:9: blank expected after a string"},
		{"cutext 1\nsection a colour", "x:2:11: section type expected, not colour"},
		{"cutext 1\nsection a link=b", "x:2:11: no section link=b"},
		{"cutext 1\nsection a\nsection a\nsection .rela.x info=a", "x:4:17: more than one section info=a; use %index"},
		{"cutext 1\nsection .symtab\n\tsymbol a b c d", "x:3:11: local, global or weak expected, not b"},
		{"cutext 1\nsection .symtab\nsection .rela.x\n\trel 0 1 v", "x:4:10: no symbol v in .symtab"},
		{"cutext 1\nsection .nv.callgraph\n\tproto %1 \"a\"", "x:3:2: proto needs a symbol table, whose strings have the prototype"},
		{"cutext 1\nsection .symtab\nsection .rela.x\n\trel 0 R_CUDA_X %1", "x:4:8: relocation type expected, not R_CUDA_X"},
		{"cutext 1\nsection .nv.info\n\tattr NO 1", "x:3:7: attribute name expected, not NO"},
		{"cutext 1\nsection .nv.info\n\tattr KPARAM_INFO 0 size=0x4000", "x:3:21: size=0x4000 does not fit into 14 bits"},
		{"cutext 1\nsection .nv.info\n\tattr REGCOUNT size=4", "x:3:16: attr REGCOUNT does not take size=4"},
		{"cutext 1\nsection a\n\tu8 256", "x:3:5: 256 does not fit into 1 bytes"},
		{"cutext 1\nsection a\n\tzero 0x100000000", "x:3:7: more than 1073741824 bytes"},
		{"cutext 1\nsegment load Q", "x:2:14: R, W, X or a number expected, not Q"},
		{"cutext 1\nraw\nheader", "x:3:1: raw must be the only statement"},
		{"cutext 1\nsection a same=a", "x:2:11: same takes an earlier section"},
	} {
		_, err := Parse("x", c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %T", c.text, err)
		}
	}
}

// The name of a section determines its header as ptxas and nvlink write it. No statement of a real file
// overrides a type, a link, or flags (TEXT-002).
func TestKinds(t *testing.T) {
	for _, name := range cubins(t) {
		for l := range linesOf(Format(read(t, name)), 1) {
			if l.keyword() != "section" {
				continue
			}
			for _, key := range []string{"flags", "link", "entsize", "type"} {
				if l.has(key) || len(l.positional()) > 1 {
					t.Errorf("%s: %s", name, l.line)
				}
			}
		}
	}
}

// With more sections than 16 bits can count, the counts are in section header 0.
func TestManySections(t *testing.T) {
	var b strings.Builder
	b.WriteString("cutext 1\nheader sm=80\nsection .strtab\nsection .symtab\n\tsymbol f local notype x0xff20\nsection .symtab_shndx\n")
	for i := 4; i < 0xff80; i++ {
		b.WriteString("section x" + number(uint64(i)).text + "\n")
	}
	b.WriteString("section .shstrtab\n")
	data, err := Parse("many", b.String())
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("many", data)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil || f.ShNum != 0xff81 || f.ShStrNdx != 0xff80 || symbols[1].Section != 0xff20 {
		t.Errorf("%d sections, names in %#x, symbol in %+v, %v", f.ShNum, f.ShStrNdx, symbols, err)
	}
	checkLossless(t, "many", data)
}

// Sections 65,521 and 65,522 are not treated as absolute and common. A symbol of a section that needs
// .symtab_shndx is refused if there is none.
func TestSpecialSections(t *testing.T) {
	text := func(table string) string {
		var b strings.Builder
		b.WriteString("cutext 1\nheader sm=80\nsection .shstrtab\nsection .strtab\nsection .symtab\n" +
			"\tsymbol a local notype x65521\n\tsymbol b local notype x65522\n\tsymbol c local notype abs\n\tsymbol d local notype common\n" + table)
		for i := 3 + 1 + strings.Count(table, "section"); i < 65530; i++ {
			fmt.Fprintf(&b, "section x%d\n", i)
		}
		return b.String()
	}
	data, err := Parse("special", text("section .symtab_shndx\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("special", data)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{65521, 65522, cubin.ShnAbs, cubin.ShnCommon} {
		if got := symbols[i+1].Section; got != want {
			t.Errorf("%s is of section %#x, want %#x", symbols[i+1].Name, got, want)
		}
	}
	checkLossless(t, "special", data)
	if _, err := Parse("special", text("")); err == nil || !strings.Contains(err.Error(), "section 65521 has a number that needs a section .symtab_shndx") {
		t.Errorf("without .symtab_shndx: %v", err)
	}
}

// The example of docs/cubintext.md is a valid cubin, and its damaged variants have the described effects.
func TestPage(t *testing.T) {
	page := string(read(t, "../../docs/cubintext.md"))
	_, rest, _ := strings.Cut(page, "## An example\n")
	example, _, ok := strings.Cut(rest, "This is a whole")
	if !ok {
		t.Fatal("no example")
	}
	data, err := Parse("page", example)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cubin.Open("page", data); err != nil {
		t.Error(err)
	}
	outside, err := Parse("page", strings.Replace(example, "header sm=80", "header sm=80 shoff=0xffffff", 1))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := cubin.Open("page", outside); err == nil {
		t.Errorf("opens with %d sections", f.ShNum)
	}
	odd, err := Parse("page", strings.Replace(example, "section .nv.info", "section .nv.info type=0x12345 size=0xffff", 1))
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("page", odd)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Section(".nv.info"); s.Type != 0x12345 || s.Size != 0xffff {
		t.Errorf("%+v", s)
	}
	// The page describes every keyword of the language.
	for _, keyword := range items {
		if !strings.Contains(page, "`"+keyword) {
			t.Errorf("docs/cubintext.md does not tell of %s", keyword)
		}
	}
}

// A symbol with a long name is referred to by its number. So the text contains the name only a few times, however many
// references there are.
func TestLongNames(t *testing.T) {
	data, err := corpus.Files.ReadFile("basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for length, want := range map[int]string{longName: "\tattr REGCOUNT @nn", longName + 1: "\tattr REGCOUNT 8 8\n"} {
		long := strings.Repeat("n", length)
		renamed, err := Parse("k", strings.ReplaceAll(Format(data), "_Z1kPi", long))
		if err != nil {
			t.Fatal(err)
		}
		if text := checkLossless(t, "k", renamed); !strings.Contains(text, want) {
			t.Errorf("%d bytes: no %q in\n%.30000s", length, want, strings.ReplaceAll(text, long, "NAME"))
		}
	}
}

// TEXT-001 for a quarter of the distinct cubins of the corpus, inputs and outputs. CULINK_ALL_LOSSLESS=1 tries every one.
func TestLosslessCorpus(t *testing.T) {
	whole := os.Getenv("CULINK_ALL_LOSSLESS") != ""
	n, seen := 0, map[[sha256.Size]byte]bool{}
	err := fs.WalkDir(corpus.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".cubin" {
			return err
		}
		data, err := corpus.Files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		if seen[sum] || !whole && sum[0]%4 != 0 {
			return nil
		}
		seen[sum] = true
		text := checkLossless(t, name, data)
		if strings.HasPrefix(name, "damaged/") {
			n++
			return nil // its tables describe structures that do not exist
		}
		if _, err := cubin.Open(name, data); err == nil && (strings.Contains(text, "\nat ") || strings.Contains(text, "\nraw\n")) {
			t.Errorf("%s: not all of it has a structure", name)
		}
		n++
		return nil
	})
	if err != nil || n < 500 && whole || n < 100 {
		t.Errorf("%d cubins, %v", n, err)
	}
}

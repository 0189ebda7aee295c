package linker

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/mercury"
)

func gunzip(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A capsule whose code has the name of an undefined symbol belongs to no function, because the symbol is data
// (MERC-310).
func TestCapsuleOfData(t *testing.T) {
	whole, err := corpus.Files.ReadFile("basic/one-kernel/sm_100/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	data, err := cubintext.Parse("a", strings.ReplaceAll(cubintext.Format(whole), " .text._Z1kPi", " .nv.reservedSmem.offset0"))
	if err != nil {
		t.Fatal(err)
	}
	for _, partial := range []bool{false, true} {
		r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", AllowUndefinedGlobals: true, Relocatable: partial}, []Input{{Name: "a.cubin", Data: data}})
		if r.Output != nil || len(r.Log.Diagnostics) == 0 || !strings.Contains(r.Log.Diagnostics[0].Error(), "section .nv.capmerc.text._Z1kPi: capsule of no function at 0x") {
			t.Errorf("-r %t: %d bytes, %v", partial, len(r.Output), r.Log.Diagnostics)
		}
	}
}

// nvlink makes the plain .debug_frame again from the Mercury half (E-680). culink keeps that of the input.
// Entries without a CIE are omitted, and the link succeeds as with nvlink.
func TestFramesWithoutCommonEntry(t *testing.T) {
	whole, err := corpus.Files.ReadFile("basic/one-kernel/sm_100/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("a", whole)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(cubin.DebugFrameName)
	const identifier = 12 // place of the mark of a CIE in its entry
	for at := range identifier + 8 {
		data := bytes.Clone(whole)
		copy(data[s.Offset+uint64(at):s.Offset+s.Size], data[s.Offset+identifier+8:])
		r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100"}, []Input{{Name: "a.cubin", Data: data}})
		if r.Output == nil {
			t.Errorf("%d bytes of the first CIE are missing: %v", identifier+8-at, r.Log.Diagnostics)
		}
	}
}

// TestDamagedMercury checks that every message has the file, the section and the offset (MERC-310, MERC-314).
func TestDamagedMercury(t *testing.T) {
	whole := gunzip(t, "../fuzz/testdata/mercury_a.sm_100.cubin.gz")
	f, err := cubin.Open("a", whole)
	if err != nil {
		t.Fatal(err)
	}
	const flags, size = 8, 32 // places in a section header
	first := f.Sections[slices.IndexFunc(f.Sections, func(s cubin.Section) bool { return s.Flags&cubin.FlagMercury != 0 })].Name
	le := binary.LittleEndian
	header := func(data []byte, section string) []byte {
		return data[int(f.ShOff)+int(f.Section(section).Index)*cubin.SectionHeaderSize:]
	}
	for _, tt := range []struct {
		name   string
		damage func(data []byte)
		want   string
	}{
		{"none", func([]byte) {}, ""},
		{"no symbol table", func(b []byte) { le.PutUint32(header(b, ".nv.merc.symtab")[4:], 1) }, "no Mercury symbol table"},
		{"fewer symbols", func(b []byte) { le.PutUint64(header(b, ".symtab")[size:], 2*cubin.SymbolSize) }, ".nv.merc.symtab: more symbols than in .symtab at 0x"},
		{"no capsule", func(b []byte) { le.PutUint64(header(b, first)[flags:], 0) }, ".symtab: function choose without a capsule at 0x"},
		{"not a capsule", func(b []byte) { le.PutUint32(header(b, ".nv.capmerc.text.run")[4:], 1) }, ".symtab: symbol run in the Mercury half at 0x"},
		{"capsule cut short", func(b []byte) { le.PutUint64(header(b, ".nv.capmerc.text.run")[size:], 8) }, "section .nv.capmerc.text.run: "},
		{"constants of no function", func(b []byte) { le.PutUint32(header(b, ".nv.constant2.choose")[44:], 1) }, "section .nv.merc.nv.constant.optimizer.choose: compiler's constants of no function at 0x"},
	} {
		data := bytes.Clone(whole)
		tt.damage(data)
		r := Link(context.Background(), Options{ToolName: "nvlink", Arch: "sm_100", AllowUndefinedGlobals: true}, []Input{{Name: "a.cubin", Data: data},
			{Name: "b.cubin", Data: gunzip(t, "../fuzz/testdata/mercury_b.sm_100.cubin.gz")}})
		var said []string
		for _, d := range r.Log.Diagnostics {
			said = append(said, d.Error())
		}
		text := strings.Join(said, "|")
		if tt.want == "" && text != "" || !strings.Contains(text, tt.want) || tt.want != "" && !strings.Contains(text, "'a.cubin'") {
			t.Errorf("%s: %q, want %q", tt.name, text, tt.want)
		}
	}
}

// TestOtherTarget checks that code that would have to be generated for sm_103 is refused, also with -r
// (MERC-306).
func TestOtherTarget(t *testing.T) {
	data := gunzip(t, "mercury/testdata/small.sm_100.sm_103.in.cubin.gz")
	for _, relocatable := range []bool{false, true} {
		for _, target := range []string{"sm_100", "sm_103"} {
			r := Link(context.Background(), Options{ToolName: "nvlink", Arch: target, Relocatable: relocatable}, []Input{{Name: "a.cubin", Data: data}})
			const said = "fatal: Function 'adds' in 'a.cubin' is for sm_100; for 'sm_103' it needs NVIDIA's code generator: compile it for that target"
			refused := len(r.Log.Diagnostics) == 1 && r.Log.Diagnostics[0].Error() == said
			if refused != (target == "sm_103") {
				t.Errorf("%s, -r %v: %v", target, relocatable, r.Log.Diagnostics)
			}
		}
	}
}

// TestDebugLink checks that fences are kept with -g (MERC-119).
func TestDebugLink(t *testing.T) {
	data := gunzip(t, "mercury/testdata/debug.sm_120-G.in.cubin.gz")
	sizes := map[bool]int{}
	for _, debug := range []bool{false, true} {
		r := Link(context.Background(), Options{ToolName: "nvlink", Arch: "sm_120", Debug: debug}, []Input{{Name: "a.cubin", Data: data}})
		f, err := cubin.Open("out", r.Output)
		if err != nil {
			t.Fatal(err)
		}
		sizes[debug] = int(f.Section(".text.closed").Size)
	}
	in, err := cubin.Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	if whole := int(in.Section(".text.closed").Size); sizes[true] != whole || sizes[false] >= whole {
		t.Errorf("%d bytes of code with -g, %d without, of %d", sizes[true], sizes[false], whole)
	}
}

// TestCopiesOfCode checks a program that has the same code twice. Both copies get the result of the finalizer,
// although it runs only once.
func TestCopiesOfCode(t *testing.T) {
	changed := 0
	for _, name := range []string{"mercury/testdata/small.sm_100.in.cubin.gz", "mercury/testdata/small.sm_110-lineinfo.in.cubin.gz", "mercury/testdata/debug.sm_120-G.in.cubin.gz"} {
		data := gunzip(t, name)
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		copied := bytes.Clone(data)
		symbols, err := f.SymbolsOf(f.Section(".symtab").Index)
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range symbols {
			if y.Bind == cubin.BindGlobal && y.Defined() {
				copied = bytes.ReplaceAll(copied, []byte(y.Name+"\x00"), []byte("#"+y.Name[1:]+"\x00"))
			}
		}
		inputs := []Input{{Name: "a.cubin", Data: data}, {Name: "b.cubin", Data: copied}}
		asked := 0
		opt := Options{ToolName: "nvlink", Arch: fmt.Sprintf("sm_%d", f.SM())}
		once := Link(context.Background(), opt, inputs)
		l := newLink(opt, inputs)
		l.finalizer = func(f mercury.Function) (mercury.Result, error) {
			asked++
			result, err := mercury.Finalize(f)
			if result.Changes != 0 {
				changed++
			}
			return result, err
		}
		l.run(t.Context())
		each := l.result
		if asked == 0 || once.Output == nil || !bytes.Equal(once.Output, each.Output) {
			t.Errorf("%s: %d bytes, %d where each of %d functions is finalized: %v", name, len(once.Output), len(each.Output), asked, once.Err())
		}
	}
	if changed == 0 {
		t.Error("no code changes")
	}
}

// TestMercuryRecordOfNoSymbol checks that the attributes of the Mercury half that name a symbol beyond the end of the
// table are left out, as nvlink does (DIAG-302).
func TestMercuryRecordOfNoSymbol(t *testing.T) {
	const text = "cutext 1\nheader sm=120\nsection .shstrtab\nsection .symtab\nsection .nv.merc.nv.info\n%ssection .nv.merc.symtab\n"
	link := func(attribute string) []byte {
		data, err := cubintext.Parse("a", fmt.Sprintf(text, attribute))
		if err != nil {
			t.Fatal(err)
		}
		r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_120"}, []Input{{Name: "a.cubin", Data: data}})
		if r.Err() != nil {
			t.Fatalf("%s: %v", attribute, r.Err())
		}
		return r.Output
	}
	without := link("")
	for _, attribute := range []string{"KPARAM_INFO 0x101", "KPARAM_INFO 0x15", "PARAM_CBANK 0x101", "PARAM_CBANK 0x101 0x8"} {
		if !bytes.Equal(link("\tattr "+attribute+"\n"), without) {
			t.Errorf("%s is in the output", attribute)
		}
	}
}

// TestBanksOfOtherNames checks that the name of a parameter bank in the plain half does not matter (MERC-975).
func TestBanksOfOtherNames(t *testing.T) {
	whole, err := corpus.Files.ReadFile("basic/one-kernel/sm_100/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const own = ".nv.constant0._Z1kPi"
	for _, toolkit := range []string{"13.0.88", "13.5.37"} {
		link := func(data []byte) []byte {
			r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", Toolkit: toolkit}, []Input{{Name: "a.cubin", Data: data}})
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			return r.Output
		}
		want := link(whole)
		for _, name := range []string{".nv.constant0.zz", ".nv.constant0", ".nv.constant0.", ".nv.constant3", "x"} {
			data := bytes.ReplaceAll(whole, []byte(own), []byte(name+strings.Repeat("\x00", len(own)-len(name))))
			if bytes.Equal(data, whole) || !bytes.Equal(link(data), want) {
				t.Errorf("%s: a bank named %s has another output", toolkit, name)
			}
		}
	}
}

// A plain section without bytes can stand behind the sections of the Mercury half, another one cannot (LOAD-980).
func TestMemoryBehindMercury(t *testing.T) {
	whole, err := corpus.Files.ReadFile("basic/one-kernel/sm_100/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		kind   string
		linked bool
	}{
		{"8", true}, {"0x70000007", true}, {"0x70000009", true}, {"0x7000000a", false}, {"1", false},
	} {
		text := strings.Replace(cubintext.Format(whole), "section .nv.merc.symtab\n", "section .nv.merc.nv.global type="+tt.kind+" flags=3 size=64 align=4\nsection .nv.merc.symtab\n", 1)
		data, err := cubintext.Parse("a", text)
		if err != nil {
			t.Fatal(err)
		}
		r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100"}, []Input{{Name: "a.cubin", Data: data}})
		if r.Output != nil != tt.linked {
			t.Errorf("type %s: %v", tt.kind, r.Log.Diagnostics)
		}
	}
}

// A damaged line table shows only in the output. The message has its input (DIAG-120).
func TestDamagedLines(t *testing.T) {
	whole, err := corpus.Files.ReadFile("basic/one-kernel/sm_100/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	lines := "\nsection .debug_line\n\tu32 13 0x10002\nsection .nv.capmerc"
	inner := "section .nv.merc.debug_line same=.debug_line\nsection .nv.merc.symtab\n"
	text := strings.NewReplacer("\nsection .nv.capmerc", lines, "section .nv.merc.symtab\n", inner).Replace(cubintext.Format(whole))
	data, err := cubintext.Parse("a", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, partial := range []bool{false, true} {
		r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", Relocatable: partial}, []Input{{Name: "a.cubin", Data: data}})
		const want = "Input file 'a.cubin' is damaged: section .debug_line: "
		if len(r.Log.Diagnostics) == 0 || !strings.Contains(r.Log.Diagnostics[0].Error(), want) {
			t.Errorf("-r %t: %v, want %s", partial, r.Log.Diagnostics, want)
		}
	}
}

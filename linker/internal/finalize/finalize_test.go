package finalize

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/nvinfo"
)

// A fake is a finalizer for tests. It records its inputs, and moves the code of the functions in results.
type fake struct {
	asked   []mercury.Function
	results map[string]mercury.Result // by the section of the code
	err     error
}

func (f *fake) run(asked mercury.Function) (mercury.Result, error) {
	f.asked = append(f.asked, asked)
	return f.results[strings.TrimPrefix(asked.TextAt.Part, "section .text.")], f.err
}

// addCapsule adds a Mercury form to code.
func addCapsule(f *program.Function) {
	f.Text.Mercury = &program.Side{Name: cubin.MercuryName(f.Text.Name), Type: cubin.SectionCapMerc, Flags: cubin.FlagMercury}
	f.Text.Mercury.SetBytes([]byte("capsule"))
}

func newProgram(t *testing.T, opt program.Options, f *fake) *programtest.Program {
	t.Helper()
	if opt.Arch == "" {
		opt.Arch = "sm_100"
	}
	p := programtest.New(t, opt)
	p.Finalizer = f.run
	if p.Target.Mercury() {
		p.Form = program.BothHalves
	}
	return p
}

func placed(p *programtest.Program) *layout.Placed {
	return layout.Memory(reach.Kernels(reach.Functions(p.Finish())), &diag.Log{})
}

// TestWhatIsFinalized checks for which functions the finalizer is called, and its inputs (MERC-110, MERC-123,
// MERC-306).
func TestWhatIsFinalized(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opt   program.Options
		set   func(p *programtest.Program, k *program.Function)
		asked string // section: partial, debug, waits
	}{
		{"a kernel", program.Options{}, nil, ".text.k false false false"},
		{"no Mercury half", program.Options{}, func(p *programtest.Program, _ *program.Function) { p.Form = program.MachineCode }, ""},
		{"another target", program.Options{Arch: "sm_90"}, nil, ""},
		{"without a capsule", program.Options{}, func(_ *programtest.Program, k *program.Function) { k.Text.Mercury = nil }, ""},
		{"-g", program.Options{Debug: true}, nil, ".text.k false true true"},
		{"-g without symbols", program.Options{Debug: true, SuppressDebugInfo: true}, nil, ".text.k false false false"},
		{"-G somewhere", program.Options{}, func(p *programtest.Program, k *program.Function) { p.About(k, nvinfo.GenErrbarAtExit, 0) }, ".text.k false false true"},
		{"-r", program.Options{Relocatable: true}, nil, ".text.k true false false"},
		{"-r of code that waits", program.Options{Relocatable: true}, func(p *programtest.Program, k *program.Function) { p.About(k, nvinfo.GenErrbarAtExit, 0) }, ".text.k true false true"},
		{"a function that nothing reaches", program.Options{}, func(p *programtest.Program, _ *program.Function) { addCapsule(p.Device("dead")) }, ".text.k false false false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			p := newProgram(t, tt.opt, f)
			k := p.Kernel("k")
			addCapsule(k)
			if tt.set != nil {
				tt.set(p, k)
			}
			log := &diag.Log{}
			if _, ok := Code(placed(p), log); !ok {
				t.Fatal(programtest.Said(log))
			}
			var asked []string
			for _, a := range f.asked {
				asked = append(asked, fmt.Sprintf("%s %v %v %v", strings.TrimPrefix(a.TextAt.Part, "section "), a.Partial, a.Debug, a.WaitsAtExit))
				if string(a.Capsule) != "capsule" || len(a.Text) != programtest.CodeSize || !a.Entry || a.Input != 100 || a.Target != 100 {
					t.Errorf("asked with %+v", a)
				}
			}
			if got := strings.Join(asked, ", "); got != tt.asked {
				t.Errorf("asked for %q, want %q", got, tt.asked)
			}
		})
	}
}

// TestResults checks that code is replaced by the finalizer's result if that changes anything.
func TestResults(t *testing.T) {
	moved := programtest.Moved(t)
	for _, tt := range []struct {
		name          string
		result        mercury.Result
		text, capsule string
		size          uint64
	}{
		{"unchanged", mercury.Result{Text: []byte("new")}, strings.Repeat("\x00", programtest.CodeSize), "capsule", programtest.CodeSize},
		{"of the same length", mercury.Result{Changes: mercury.Reallocated, Text: []byte("new"), Capsule: []byte("n")}, "new", "n", programtest.CodeSize},
		{"moved", mercury.Result{Map: moved, Text: []byte("new code"), Capsule: []byte("new capsule")}, "new code", "new capsule", 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProgram(t, program.Options{}, &fake{results: map[string]mercury.Result{"k": tt.result}})
			k := p.Kernel("k")
			addCapsule(k)
			log := &diag.Log{}
			l, ok := Code(placed(p), log)
			if !ok {
				t.Fatal(programtest.Said(log))
			}
			if got := string(k.Text.Bytes()); got != tt.text {
				t.Errorf("code %q, want %q", got, tt.text)
			}
			if got := string(k.Text.Mercury.Bytes()); got != tt.capsule || k.Symbol.Size != tt.size {
				t.Errorf("capsule %q, size of the symbol %d; want %q, %d", got, k.Symbol.Size, tt.capsule, tt.size)
			}
			if l.Places(k).Moved() != tt.result.Map.Moved() {
				t.Errorf("moved: %v", l.Places(k).Moved())
			}
		})
	}
}

// TestRelocationsFollow checks that offsets, and addends that refer to places in the same code, are updated
// (MERC-116).
func TestRelocationsFollow(t *testing.T) {
	p := newProgram(t, program.Options{}, &fake{results: map[string]mercury.Result{"k": {Map: programtest.Moved(t), Text: []byte("new"), Capsule: []byte("new")}}})
	k, f := p.Kernel("k"), p.Device("f")
	p.Call(k, f)
	addCapsule(k)
	k.Text.Relocations = []program.Relocation{
		{Offset: 0x20, Symbol: f.Symbol, Addend: 0x50},
		{Offset: 0x90, Symbol: k.Symbol, Addend: 0xa0},
		{Offset: 0xa0, Symbol: k.Symbol, Addend: 0},
		{Offset: 0xa0, Symbol: k.Symbol, Addend: -8},
	}
	Code(placed(p), &diag.Log{})
	for i, want := range [][2]int64{{0x20, 0x50}, {0x40, 0x50}, {0x50, 0}, {0x50, -8}} {
		if r := k.Text.Relocations[i]; int64(r.Offset) != want[0] || r.Addend != want[1] {
			t.Errorf("relocation %d at %#x with addend %#x, want %#x", i, r.Offset, r.Addend, want)
		}
	}
}

// TestPartsFollow checks functions that are a part of another function's code (MERC-270).
func TestPartsFollow(t *testing.T) {
	p := newProgram(t, program.Options{}, &fake{results: map[string]mercury.Result{"k": {Map: programtest.Moved(t), Text: []byte("new"), Capsule: []byte("new")}}})
	k, other := p.Kernel("k"), p.Kernel("other")
	addCapsule(k)
	part := p.Local(program.Symbol{Name: "part", Type: cubin.SymFunc, Section: k.Text, Value: 0x90, Size: 0x10})
	still := p.Local(program.Symbol{Name: "still", Type: cubin.SymFunc, Section: other.Text, Value: 0x90, Size: 0x10})
	Code(placed(p), &diag.Log{})
	if part.Value != 0x40 || part.Size != 0x10 || still.Value != 0x90 {
		t.Errorf("a part at %#x of %#x bytes, another at %#x", part.Value, part.Size, still.Value)
	}
}

// TestRefusals checks for which results of the finalizer the link ends.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name string
		fake *fake
		set  func(k *program.Function)
		said string
	}{
		{"a damaged capsule", &fake{err: errors.New("capsule is bent")}, nil, "Input file 'in.cubin' is damaged: capsule is bent"},
		{"a code generator is needed", &fake{results: map[string]mercury.Result{"k": {Changes: mercury.Target}}}, nil, "Function 'k' in 'in.cubin' is for sm_100; for 'sm_100' it needs"},
	} {
		p := newProgram(t, program.Options{}, tt.fake)
		k := p.Kernel("k")
		addCapsule(k)
		log := &diag.Log{}
		if _, ok := Code(placed(p), log); ok || !strings.HasPrefix(programtest.Said(log), tt.said) {
			t.Errorf("%s: said %q", tt.name, programtest.Said(log))
		}
	}
}

// tables returns a bank of jump tables with the same words in both halves, and relocations for them.
func tables(p *programtest.Program, f *program.Function, words ...uint32) *program.Section {
	data := make([]byte, 4*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint32(data[4*i:], w)
	}
	s := p.Bank(f, 2, data)
	s.Mercury = &program.Side{Name: cubin.MercuryName(s.Name), Type: cubin.SectionMercOptimizer}
	s.Mercury.SetBytes(make([]byte, len(data)))
	return s
}

func wordsOf(s *program.Section) (words []uint32) {
	for data := s.Bytes(); len(data) >= 4; data = data[4:] {
		words = append(words, binary.LittleEndian.Uint32(data))
	}
	return words
}

// TestTablesFollow checks that jump tables follow their code, and that each word is changed once.
func TestTablesFollow(t *testing.T) {
	for _, tt := range []struct {
		name  string
		set   func(s *program.Section, k, other *program.Symbol)
		after []uint32
	}{
		{"all of the moved code", func(s *program.Section, k, _ *program.Symbol) {
			s.Mercury.Relocations = []program.Relocation{{Offset: 0, Symbol: k}, {Offset: 4, Symbol: k}, {Offset: 8, Symbol: k}}
		}, []uint32{0x20, 0x40, 0x50}},
		{"one of other code", func(s *program.Section, k, other *program.Symbol) {
			s.Mercury.Relocations = []program.Relocation{{Offset: 4, Symbol: other}, {Offset: 8, Symbol: k}}
		}, []uint32{0x20, 0x90, 0x50}},
		{"two of one word", func(s *program.Section, k, _ *program.Symbol) {
			s.Mercury.Relocations = []program.Relocation{{Offset: 4, Symbol: k}, {Offset: 4, Symbol: k}}
		}, []uint32{0x20, 0x40, 0xa0}},
		{"a word that nothing names", func(s *program.Section, _, _ *program.Symbol) {}, []uint32{0x20, 0x90, 0xa0}},
		{"no Mercury half of it", func(s *program.Section, k, _ *program.Symbol) {
			s.Mercury = nil
			s.Relocations = []program.Relocation{{Offset: 4, Symbol: k}}
		}, []uint32{0x20, 0x90, 0xa0}},
		{"another bank", func(s *program.Section, k, _ *program.Symbol) {
			s.Bank = 3
			s.Mercury.Relocations = []program.Relocation{{Offset: 4, Symbol: k}}
		}, []uint32{0x20, 0x90, 0xa0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProgram(t, program.Options{}, &fake{results: map[string]mercury.Result{"k": {Map: programtest.Moved(t), Text: []byte("new"), Capsule: []byte("new")}}})
			k, other := p.Kernel("k"), p.Kernel("other")
			addCapsule(k)
			s := tables(p, k, 0x20, 0x90, 0xa0)
			tt.set(s, k.Symbol, other.Symbol)
			Code(placed(p), &diag.Log{})
			if got := wordsOf(s); !slices.Equal(got, tt.after) {
				t.Errorf("words %#x, want %#x", got, tt.after)
			}
		})
	}
}

// TestFillTables checks jump tables of code that is not linked. They get the places that tables of the linked
// code have for the same labels, and 0 for other labels (MERC-226, E-349).
func TestFillTables(t *testing.T) {
	const stale = true
	label := func(offset uint64, addend int64, stale bool) program.Relocation {
		return program.Relocation{Offset: offset, Addend: addend, Stale: stale}
	}
	for _, tt := range []struct {
		name        string
		relocations []program.Relocation
		after       []uint32
	}{
		{"none is stale", []program.Relocation{label(0, 1, !stale), label(4, 2, !stale)}, []uint32{10, 20, 30}},
		{"a known label", []program.Relocation{label(0, 1, !stale), label(4, 1, stale)}, []uint32{10, 10, 30}},
		{"an unknown label", []program.Relocation{label(0, 1, !stale), label(4, 2, stale)}, []uint32{10, 0, 30}},
		{"the linked code has the word", []program.Relocation{label(0, 1, !stale), label(4, 2, !stale), label(4, 1, stale)}, []uint32{10, 20, 30}},
		{"several stale ones: the first pushed is written last", []program.Relocation{label(0, 1, !stale), label(4, 2, !stale), label(8, 1, stale), label(8, 2, stale)}, []uint32{10, 20, 10}},
		{"after the end", []program.Relocation{label(0, 1, !stale), label(10, 1, stale)}, []uint32{10, 20, 30}},
	} {
		p := newProgram(t, program.Options{}, &fake{})
		k := p.Kernel("k")
		s := tables(p, k, 10, 20, 30)
		for _, r := range tt.relocations {
			r.Symbol = k.Symbol
			s.Mercury.Relocations = append(s.Mercury.Relocations, r)
		}
		fillTables(s)
		if got := wordsOf(s); !slices.Equal(got, tt.after) {
			t.Errorf("%s: words %d, want %d", tt.name, got, tt.after)
		}
	}
}

// TestInner checks that an unreadable capsule has no result, and is read once.
func TestInner(t *testing.T) {
	p := newProgram(t, program.Options{}, &fake{})
	k, f := p.Kernel("k"), p.Undefined("f")
	l := &Finalized{inner: map[*program.Function]*capsule.Code{}}
	if l.Inner(k) != nil || l.Inner(f) != nil || len(l.inner) != 0 {
		t.Error("code without a Mercury form has one")
	}
	k.Text.Mercury = &program.Side{}
	k.Text.Mercury.SetBytes([]byte{1})
	if code := l.Inner(k); code != nil {
		t.Error("a damaged capsule says something")
	}
	if _, known := l.inner[k]; !known {
		t.Error("the capsule is read again each time")
	}
}

// TestBorrowedCapsule checks that a capsule in the memory of the input is copied before values are written to
// it.
func TestBorrowedCapsule(t *testing.T) {
	results := map[string]mercury.Result{}
	p := newProgram(t, program.Options{}, &fake{results: results})
	k := p.Kernel("k")
	addCapsule(k)
	input := []byte("capsule")
	k.Text.Mercury.SetBytes(nil)
	k.Text.Mercury.Add(program.Piece{Size: uint64(len(input)), Data: input})
	results["k"] = mercury.Result{Changes: mercury.Replaced, Text: []byte("new"), Capsule: input}
	log := &diag.Log{}
	if _, ok := Code(placed(p), log); !ok {
		t.Fatal(programtest.Said(log))
	}
	if &k.Text.Mercury.Writable()[0] == &input[0] {
		t.Error("the input's capsule would be written into")
	}
}

// TestPatchCapsule checks that no capsule is needed if nothing is written, and that a damaged capsule is
// reported.
func TestPatchCapsule(t *testing.T) {
	p := newProgram(t, program.Options{}, &fake{})
	k := p.Kernel("k")
	if err := PatchCapsule(k.Text, nil); err != nil {
		t.Error(err)
	}
	addCapsule(k)
	err := PatchCapsule(k.Text, []capsule.Operand{{Machine: 1, Size: 4}})
	if damage := (*cubin.FormatError)(nil); !errors.As(err, &damage) || !strings.Contains(err.Error(), ".nv.capmerc.text.k") {
		t.Errorf("error %v", err)
	}
}

package linker

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/diag"
)

// TestBesideWholeProgram links other code together with an extensible whole program. The test makes that
// program by changing the type of a cubin (MERGE-090).
func TestBesideWholeProgram(t *testing.T) {
	k, err := os.ReadFile("input/testdata/k.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	w, err := os.ReadFile("input/testdata/w.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.Clone(k)
	binary.LittleEndian.PutUint16(whole[16:], cubin.TypeEWP)
	const said = "'w': -ewp compiled objects should only link with libcudadevrt"
	for _, tt := range []struct {
		name   string
		inputs []Input
		werror bool
		want   string
	}{
		{"alone", []Input{{Name: "k", Data: whole}}, false, ""},
		{"none", []Input{{Name: "k", Data: k}, {Name: "w", Data: w}}, false, ""},
		{"before", []Input{{Name: "k", Data: whole}, {Name: "w", Data: w}}, false, "warning: " + said},
		{"behind", []Input{{Name: "w", Data: w}, {Name: "k", Data: whole}}, false, "warning: " + said},
		{"-Werror", []Input{{Name: "w", Data: w}, {Name: "k", Data: whole}}, true, "error: " + said + " | fatal: merge_elf failed"},
		{"libcudadevrt", []Input{{Name: "k", Data: whole}, {Name: "w", Data: w, System: true}}, false, ""},
	} {
		r := Link(context.Background(), Options{ToolName: "nvlink", Arch: "sm_90", Note: "-arch sm_90 ", WarningsAreErrors: tt.werror}, tt.inputs)
		var got []string
		for _, d := range r.Log.Diagnostics {
			got = append(got, d.Error())
		}
		if text := strings.Join(got, " | "); text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, text, tt.want)
		}
		if (r.Output != nil) != (r.Log.Worst() < diag.Error) {
			t.Errorf("%s: %d bytes of output", tt.name, len(r.Output))
		}
	}
}

// Code of an extensible whole program that replaces a weak kernel with slots of other textures is refused, once
// (LAYOUT-841).
func TestReplacedSlots(t *testing.T) {
	strong, err := fs.ReadFile(corpus.Files, "texture/whole-program/sm_100/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(cubintext.Format(strong), " global func ", " weak func ")
	same, err := cubintext.Parse("same", text)
	if err != nil {
		t.Fatal(err)
	}
	weak, err := cubintext.Parse("weak", strings.NewReplacer(" t0", " t2", " t1", " t3").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	const want = "has a second definition in 'strong'; one of the two is of an extensible whole program, and their slots of textures get no place"
	link := func(first []byte) *Result {
		return Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", Note: "-arch sm_100 "}, []Input{{Name: "weak", Data: first}, {Name: "strong", Data: strong}})
	}
	if r := link(same); r.Err() != nil {
		t.Errorf("the same textures: %v", r.Err())
	}
	r := link(weak)
	if text := fmt.Sprint(r.Err()); strings.Count(text, want) != 1 || r.Output != nil {
		t.Errorf("%s, %d bytes of output; want %q", text, len(r.Output), want)
	}
}

// A parameter bank with slots that belongs to no kernel, as no compiler writes it, is a section of its name in two inputs.
func TestSlotsOfNoKernel(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "texture/whole-program/sm_100/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("a", data)
	if err != nil {
		t.Fatal(err)
	}
	const info = 44 // place in a section header
	data = bytes.Clone(data)
	banks := 0
	for i := range f.Sections {
		if s := &f.Sections[i]; strings.HasPrefix(s.Name, cubin.ParameterPrefix) {
			binary.LittleEndian.PutUint32(data[int(f.ShOff)+i*cubin.SectionHeaderSize+info:], 0)
			banks++
		}
	}
	r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100"}, []Input{{Name: "a", Data: data}, {Name: "b", Data: data}})
	if banks == 0 || r.Output != nil || !strings.Contains(fmt.Sprint(r.Err()), "Multiple definition") {
		t.Errorf("%d banks, %d bytes of output: %v", banks, len(r.Output), r.Err())
	}
}

// A lone kernel has the slots of all code beside a Mercury half. If its compiler has placed slots in its bank already, the
// link is refused (LAYOUT-842).
func TestLoneKernelWithSlots(t *testing.T) {
	read := func(name string) Input {
		data, err := fs.ReadFile(corpus.Files, "texture/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return Input{Name: name, Data: data}
	}
	whole, other := read("whole-program/sm_100/in/c.cubin"), read("two-files/sm_100/in/a.cubin")
	const want = "Kernel 'k2' in 'whole-program/sm_100/in/c.cubin' is of an extensible whole program and has slots of textures"
	for _, used := range [][]string{{"k2"}, {"k2", "k1"}} {
		r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", KernelsUsed: used}, []Input{whole, other})
		if text := fmt.Sprint(r.Err()); strings.Contains(text, want) != (len(used) == 1) {
			t.Errorf("%v: %s", used, text)
		}
	}
}

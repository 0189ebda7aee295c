package linker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
	"github.com/culink/culink/linker/trace"
)

// These are two inputs whose constants follow each other, in either order. The kernel of the first one calls
// itself, so that a link warns.
const (
	readsConstant = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol k global func .text.k other=entry
	symbol c global data .nv.constant3 other=constant value=0 size=4
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @k 8
	attr FRAME_SIZE @k 0
section .nv.callgraph
	calls direct
	edge k k
	calls taken
	calls indirect
	calls references
section .rela.text.k
	rel 0 R_CUDA_CONST_FIELD21_38 c
section .nv.constant3 align=4
	hex 01020304
section .text.k regs=8
	u64 0x0000000000007918 0x000fc00000000000
`
	otherConstant = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol d global data .nv.constant3 other=constant value=0 size=8
section .note.nv.cuinfo
	cuinfo
section .nv.constant3 align=4
	hex 0506070801020304
`
)

// messages returns a link's messages in order.
func messages(r *linker.Result) (all []string) {
	for _, d := range r.Log.Diagnostics {
		all = append(all, d.Error())
	}
	return all
}

// TestStream checks that a link with Options.Stream returns no bytes, but writes the same ones.
func TestStream(t *testing.T) {
	inputs := []linker.Input{build("k.cubin", caller), build("f.cubin", callee)}
	for _, n := range []int{2, 1} { // without the second one a function is missing
		var phases [2][]any
		var written [2]bytes.Buffer
		for i, stream := range []bool{false, true} {
			r := linker.Link(t.Context(), linker.Options{Arch: "sm_80", Stream: stream, Trace: func(e trace.Event) {
				if e.Phase() == trace.Time {
					phases[i] = append(phases[i], e.Args[0])
				}
			}}, inputs[:n])
			if r.Linked() != (n == 2) || (r.Output != nil) != (n == 2 && !stream) {
				t.Errorf("%d inputs, stream %v: linked %v, %d bytes", n, stream, r.Linked(), len(r.Output))
			}
			if _, err := r.WriteTo(&written[i]); err != nil {
				t.Error(err)
			}
		}
		if !bytes.Equal(written[0].Bytes(), written[1].Bytes()) || (written[0].Len() > 0) != (n == 2) || !slices.Equal(phases[0], phases[1]) {
			t.Errorf("%d inputs: %d bytes, streamed %d; phases %v, streamed %v", n, written[0].Len(), written[1].Len(), phases[0], phases[1])
		}
	}
}

// endsAfter is a context that ends after left checks.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestEndedContext checks that a link whose context ends after any step has no output and takes no other step.
func TestEndedContext(t *testing.T) {
	inputs := []linker.Input{build("k.cubin", caller), build("f.cubin", callee)}
	for _, stream := range []bool{false, true} {
		steps := 0
		for ; ; steps++ {
			ctx := &endsAfter{t.Context(), steps}
			r := linker.Link(ctx, linker.Options{Arch: "sm_80", Stream: stream}, inputs)
			if r.Err() == nil {
				break
			}
			if !errors.Is(r.Err(), context.Canceled) || r.Linked() || ctx.left != -1 {
				t.Errorf("after step %d: %v, linked %v, asked %d times more", steps+1, r.Err(), r.Linked(), -1-ctx.left)
			}
		}
		if steps < 20 {
			t.Errorf("%d steps", steps)
		}
	}
}

// TestLinkAnew checks a link in which constants have moved although an earlier link has already applied their
// relocations. The relocations are applied again from the records of the earlier link, unless these are
// damaged. No message appears twice (RELOC-405).
func TestLinkAnew(t *testing.T) {
	const at = 5 // the byte of the instruction in which the offset of its constant begins
	opt := linker.Options{ToolName: "nvlink", Arch: "sm_80", Relocatable: true, PreserveRelocs: true}
	part := linker.Link(t.Context(), opt, []linker.Input{build("a.cubin", readsConstant)})
	if part.Err() != nil {
		t.Fatal(part.Err())
	}
	f, err := cubin.Open("part.cubin", part.Output)
	if err != nil {
		t.Fatal(err)
	}
	notes := f.Section(".nv.resolvedrela.text.k")
	if notes == nil {
		t.Fatal("no notes")
	}
	damaged := bytes.Clone(part.Output)
	binary.LittleEndian.PutUint32(damaged[notes.Offset+12:], 0x10000) // the symbol of the first one
	for _, tt := range []struct {
		name  string
		data  []byte
		first bool // input of the link
		loads int
		says  string
		code  byte
	}{
		{"in its place", part.Output, true, 1, "Stack size for entry function 'k' cannot be statically determined", 0},
		{"moved", part.Output, false, 2, "Stack size for entry function 'k' cannot be statically determined", 2},
		{"moved, with damaged notes", damaged, false, 1, "'part.cubin' is damaged: ", 0},
	} {
		inputs := []linker.Input{build("b.cubin", otherConstant), {Name: "part.cubin", Data: tt.data}}
		if tt.first {
			slices.Reverse(inputs)
		}
		loads := 0
		r := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_80", Trace: func(e trace.Event) {
			if e.Phase() == trace.Time && e.Args[0] == "load" {
				loads++
			}
		}}, inputs)
		said := messages(r)
		if loads != tt.loads || (r.Output == nil) != (r.Err() != nil) || len(said) != 1 || !strings.Contains(strings.Join(said, ""), tt.says) {
			t.Errorf("%s: it loads %d times, %d bytes, %q", tt.name, loads, len(r.Output), said)
			continue
		}
		if r.Output == nil {
			continue
		}
		linked, err := cubin.Open("out.cubin", r.Output)
		if err != nil {
			t.Fatal(err)
		}
		code, err := linked.Data(linked.Section(".text.k").Index)
		if err != nil {
			t.Fatal(err)
		}
		if code[at] != tt.code {
			t.Errorf("%s: %x", tt.name, code)
		}
	}
}

// TestHostKernels checks that the link keeps only kernels that host code refers to, or that the options name
// (REACH-010).
func TestHostKernels(t *testing.T) {
	data, err := corpus.Files.ReadFile("host/references/sm_90/in/a.o")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.o")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	const used, unused = "_Z4usedPi", "_Z6unusedPi"
	for _, tt := range []struct {
		name string
		opt  linker.Options
		want []string
	}{
		{"what host code names", linker.Options{}, []string{used}},
		{"all", linker.Options{HostKernels: linker.AllKernels}, []string{used, unused}},
		{"others", linker.Options{HostKernels: func(int) linker.HostKernel { return func(name string, _ bool) bool { return name == unused } }}, []string{unused}},
		{"those with a word", linker.Options{KernelsUsed: []string{"unused"}}, []string{unused}},
		{"none, by variables", linker.Options{VariablesUsed: []string{"nothing"}}, nil},
	} {
		tt.opt.Arch, tt.opt.Map = "sm_90", true
		r := linker.LoadAndLink(t.Context(), tt.opt, input.Options{Platform: platform.Linux.Name, Files: []string{file}})
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		var got []string
		for _, k := range r.Map.Kernels {
			got = append(got, r.Map.Functions[k.Function].Name)
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestMatchesLimit checks a link in which it takes too long to compare kernels with the names in host code. The
// link has no output, and the error contains the name of the file.
func TestMatchesLimit(t *testing.T) {
	k, err := os.ReadFile("input/testdata/k.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	object := craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: k}), "_id",
		craft.Section{Name: ".nvHRKE", Data: []byte("*x\x00*y\x00*z\x00")}, craft.Section{Name: ".nvHRKI", Data: []byte{0}})
	file := filepath.Join(t.TempDir(), "a.o")
	if err := os.WriteFile(file, object, 0o666); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[uint64]string{100: "", 2: "Input file '" + file + "' takes more than 2 " + limit.Matches.Row().Help + "; --limit matches=<number> allows more"} {
		budget := &limit.Budget{Limits: limit.Limits{limit.Matches: most}}
		r := linker.LoadAndLink(t.Context(), linker.Options{Arch: "sm_90"}, input.Options{Platform: platform.Linux.Name, Files: []string{file}, Budget: budget})
		said := ""
		for _, d := range r.Log.Diagnostics {
			said += d.Text()
		}
		if said != want || r.Linked() != (want == "") || (r.Err() == nil) != (want == "") {
			t.Errorf("%d bytes: %q, want %q; linked %v", most, said, want, r.Linked())
		}
	}
}

// TestWarningsOfLoading checks that warnings during loading, with -Werror, end a link before anything is linked, and
// that no other library is then searched (LOAD-022, LOAD-041).
func TestWarningsOfLoading(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"k.cubin": build("k.cubin", caller).Data, "f.cubin": build("f.cubin", callee).Data, "libx.a": []byte("text")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, fails := range []bool{false, true} {
		files := input.Options{Platform: platform.Linux.Name, Folder: dir, Files: []string{"k.cubin", "f.cubin"}, Libraries: []string{"x"}, SearchPaths: []string{dir}}
		r := linker.LoadAndLink(t.Context(), linker.Options{Arch: "sm_80", WarningsAreErrors: fails, Map: true}, files)
		if said := messages(r); len(said) != 1 || !strings.Contains(said[0], "libx.a") || r.Linked() == fails || (r.Map == nil) != fails || (r.Err() != nil) != fails {
			t.Errorf("warnings are errors %v: %q, linked %v", fails, said, r.Linked())
		}
		files.SearchPaths = append(files.SearchPaths, dir)
		want := []string{"Skipping", "Skipping"}
		if fails {
			want[1] = "elfLink internal error"
		}
		r = linker.LoadAndLink(t.Context(), linker.Options{Arch: "sm_80", WarningsAreErrors: fails}, files)
		if said := messages(r); !slices.EqualFunc(said, want, strings.Contains) {
			t.Errorf("two folders, warnings are errors %v: %q", fails, said)
		}
	}
}

// TestMapOfFailure checks the map and the explanations of a link that fails. They show the reason, and what is
// known by then. The map has the names of the source. Without a target there is no map (LAYOUT-500, REACH-500).
func TestMapOfFailure(t *testing.T) {
	k, f := build("k.cubin", caller), build("f.cubin", callee)
	refused := linker.Input{Name: "refused.cubin", Data: []byte("no cubin")}
	for _, tt := range []struct {
		name, arch string
		inputs     []linker.Input
		says       string
		functions  string // of the map, and their names in the source
		kernels    int    // how many kernels the map has with their needs
	}{
		{"linked", "sm_80", []linker.Input{k, f}, "", "f=f() k=k()", 1},
		{"after layout", "sm_80", []linker.Input{k}, "Undefined reference to 'f'", "k=k()", 1},
		{"before layout", "sm_80", []linker.Input{k, k}, "Multiple definition of 'k'", "k=k()", 0},
		{"before an input is read", "sm_80", []linker.Input{refused, k}, "Input file 'refused.cubin' is damaged", "k=k()", 0},
		{"an unknown target", "sm_1", []linker.Input{k, f}, "Unknown arch name", "", 0},
	} {
		r := linker.Link(t.Context(), linker.Options{Arch: tt.arch, Map: true, Explain: []string{"k"}, Demangle: func(name string) string { return name + "()" }}, tt.inputs)
		if len(r.Explanations) != 1 {
			t.Errorf("%s: %d explanations", tt.name, len(r.Explanations))
		}
		if (r.Err() == nil) != (tt.says == "") || r.Err() != nil && !strings.Contains(r.Err().Error(), tt.says) {
			t.Errorf("%s: %v", tt.name, r.Err())
		}
		if r.Map == nil {
			if tt.functions != "" {
				t.Errorf("%s: no map", tt.name)
			}
			continue
		}
		var names []string
		for _, fn := range r.Map.Functions {
			names = append(names, fn.Name+"="+fn.Source)
		}
		slices.Sort(names)
		failed := ""
		if r.Err() != nil {
			failed = r.Err().Error()
		}
		if got := strings.Join(slices.Compact(names), " "); got != tt.functions || r.Map.Failed != failed || len(r.Map.Kernels) != tt.kernels {
			t.Errorf("%s: functions %s, %d kernels, failed: %q", tt.name, got, len(r.Map.Kernels), r.Map.Failed)
		}
	}
}

// TestLinkLoadedProgram checks that the output of a program with -lto is the output of the link. It is an error
// if libcudadevrt is missing; -keep-system-libraries is not an error. A link for a virtual target has no output
// (LTO-005).
func TestLinkLoadedProgram(t *testing.T) {
	for _, tt := range []struct {
		noRuntime, keeps bool
		says             string
	}{{false, false, ""}, {false, true, ""}, {true, false, diag.New(diag.NoDeviceRuntime).Error()}, {true, true, ""}} {
		r := linker.LinkLoaded(t.Context(), linker.Options{Arch: "sm_80", KeepSystem: tt.keeps}, &input.Loaded{Program: &input.Program{Output: []byte("made"), NoRuntime: tt.noRuntime}})
		if said := strings.Join(messages(r), "|"); string(r.Output) != "made" || !bytes.Equal(r.Dot, linker.EmptyDot()) || r.System != tt.keeps || said != tt.says {
			t.Errorf("%+v: %q, %v, %q", tt, r.Output, r.System, said)
		}
	}
	if r := linker.LinkLoaded(t.Context(), linker.Options{Arch: "compute_80"}, &input.Loaded{}); r.Linked() || !r.System || !bytes.Equal(r.Dot, linker.EmptyDot()) || len(r.Log.Diagnostics) > 0 {
		t.Errorf("a virtual target: %+v", r)
	}
	const want = "fatal: Unknown arch name 'sm_1'"
	if r := linker.LinkFiles(t.Context(), linker.Options{Arch: "sm_1"}, "nowhere.cubin"); fmt.Sprint(messages(r)) != "["+want+"]" {
		t.Errorf("%q, want %s", messages(r), want)
	}
}

// TestInputsStay checks that a link never writes to its inputs, even when it finalizes their code: large files
// are mapped for reading only.
func TestInputsStay(t *testing.T) {
	t.Parallel()
	cases, err := fs.Glob(corpus.Files, "mercury/*/sm_1*/in")
	if err != nil || len(cases) == 0 {
		t.Fatal(cases, err)
	}
	for _, folder := range cases {
		names, err := fs.Glob(corpus.Files, folder+"/*.cubin")
		if err != nil {
			t.Fatal(err)
		}
		target := strings.Split(folder, "/")[2]
		for _, toolkit := range []string{"13.1", "13.5"} {
			var inputs []linker.Input
			var want [][]byte
			for _, name := range slices.Backward(names) {
				data, err := corpus.Files.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				inputs, want = append(inputs, linker.Input{Name: name, Data: bytes.Clone(data)}), append(want, data)
			}
			linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: target, Toolkit: toolkit}, inputs)
			for i, in := range inputs {
				if !bytes.Equal(in.Data, want[i]) {
					t.Errorf("%s: the link of %s has changed it", in.Name, toolkit)
				}
			}
		}
	}
}

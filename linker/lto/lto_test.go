package lto

import (
	"context"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/diag"
	"github.com/google/go-cmp/cmp"
)

// If the environment variable fakeVariable is set, this test program acts as a compiler. The value of the
// variable selects the behaviour.
const fakeVariable = "CULINK_FAKE_COMPILER"

func TestMain(m *testing.M) {
	if doing := os.Getenv(fakeVariable); doing != "" {
		os.Exit(fake(doing, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fake acts as a compiler. Its PTX lists its options and inputs as comments.
func fake(doing string, args []string) int {
	switch doing {
	case "refuse":
		fmt.Fprint(os.Stderr, "a.o: link error: multiply defined!\n\nSTATUS\n")
		return ExitRefused
	case "no code":
		fmt.Fprintln(os.Stderr, "b.o")
		return ExitNoCode
	case "damaged":
		return ExitDamaged
	case "fail":
		fmt.Fprintln(os.Stderr, "no licence\n\na stack")
		return ExitFailed
	case "fail silently":
		return ExitFailed
	case "warn":
		fmt.Fprintln(os.Stderr, "a warning")
	case "nothing":
		return ExitCompiled
	case "no byte", "one byte", "too much":
		f, err := os.Create(args[slices.Index(args, "-o")+1])
		if err != nil || f.Truncate(map[string]int64{"one byte": 1, "too much": MaxPTX + 1}[doing]) != nil || f.Close() != nil {
			return ExitFailed
		}
		return ExitCompiled
	case "flood":
		fmt.Fprint(os.Stderr, strings.Repeat("x", 3*maxSaid))
		return ExitRefused
	}
	var ptx strings.Builder
	out := ""
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-o":
			out, i = args[i+1], i+1
		case "-linked", "-log":
			if i++; doing != "warn" && os.WriteFile(args[i], []byte(args[i-1][1:]), 0o600) != nil {
				return ExitFailed
			}
		case "-input":
			data, err := os.ReadFile(args[i+2])
			if err != nil {
				return ExitFailed
			}
			if info, err := os.Stat(args[i+2]); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
				return ExitFailed // other users may read the code
			}
			fmt.Fprintf(&ptx, "// %s holds %s\n", args[i+1], data)
			i += 2
		default:
			fmt.Fprintf(&ptx, "// %s\n", args[i])
		}
	}
	if doing == "link and refuse" {
		return ExitRefused
	}
	if os.WriteFile(out, []byte(ptx.String()), 0o666) != nil {
		return ExitFailed
	}
	return ExitCompiled
}

// The compiler may write linked code and messages next to the PTX, even if the program does not compile (LTO-040, JIT-065).
func TestCompileProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for doing, want := range map[string]struct {
		code, said string
		compiles   bool
	}{"link": {"linked", "log", true}, "link and refuse": {"linked", "log", false}, "warn": {"", "", true}, "refuse": {"", "", false}} {
		t.Setenv(fakeVariable, doing)
		p, err := CompileProgram(t.Context(), Compiler{Command: []string{self}}, &Options{Arch: "sm_90"}, []Input{{"a.o", []byte("one")}}, true)
		var refused *RefusedError
		if string(p.Code) != want.code || p.Said != want.said || (len(p.PTX) > 0) != want.compiles || errors.As(err, &refused) == want.compiles {
			t.Errorf("%s: %q, %q, %d bytes of PTX, %v", doing, p.Code, p.Said, len(p.PTX), err)
		}
	}
	t.Setenv(fakeVariable, "link")
	p, err := CompileProgram(t.Context(), Compiler{Command: []string{self}}, &Options{Arch: "sm_90"}, []Input{{"a.o", []byte("one")}}, false)
	if err != nil || p.Code != nil {
		t.Errorf("not asked for linked code: %q, %v", p.Code, err)
	}
}

func compileWithFake(t *testing.T, doing string, opt *Options) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(fakeVariable, doing)
	ptx, err := Compile(t.Context(), Compiler{Command: []string{self, "-first"}}, opt, []Input{{"lib.a:x y.o", []byte("one")}, {"-b.o", []byte("two")}})
	return string(ptx), err
}

// A compiler gets the arguments of its command, the options, and the inputs in order. Compile returns its PTX
// (LTO-040).
func TestCompile(t *testing.T) {
	got, err := compileWithFake(t, "compile", &Options{Arch: "sm_90", Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := "// -first\n// -arch=sm_90\n// -partial\n// lib.a:x y.o holds one\n// -b.o holds two\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if warned, err := compileWithFake(t, "warn", &Options{Arch: "sm_90", Partial: true}); err != nil || warned != got {
		t.Errorf("with a warning: %q, %v", warned, err)
	}
	if got, err := compileWithFake(t, "one byte", &Options{Arch: "sm_90"}); err != nil || len(got) != 1 {
		t.Errorf("one byte: %q, %v", got, err)
	}
}

// Intermediate code is compiled also if TMPDIR names no folder (LOAD-460).
func TestCompileWithoutTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", "/no/such/folder")
	if _, err := compileWithFake(t, "compile", &Options{Arch: "sm_90"}); err != nil {
		t.Error(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := CompileProgram(t.Context(), Compiler{Command: []string{self}}, &Options{Arch: "sm_90"}, []Input{{"a.o", []byte("one")}}, false); err != nil || len(p.PTX) == 0 {
		t.Errorf("%d bytes of PTX, %v", len(p.PTX), err)
	}
}

// The output and the exit status of a compiler determine the error (LTO-030, LTO-040).
func TestCompileFails(t *testing.T) {
	_, err := compileWithFake(t, "refuse", &Options{Arch: "sm_90"})
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Said != "a.o: link error: multiply defined!\n\nSTATUS" {
		t.Errorf("refused: %v", err)
	}
	if _, err := compileWithFake(t, "flood", &Options{Arch: "sm_90"}); !errors.As(err, &refused) || len(refused.Said) != maxSaid {
		t.Errorf("flood: %T", err)
	}
	if _, err := compileWithFake(t, "no code", &Options{Arch: "sm_90"}); !errors.Is(err, ErrNoCode) {
		t.Errorf("no code: %v", err)
	}
	if _, err := compileWithFake(t, "damaged", &Options{Arch: "sm_90"}); !errors.Is(err, ErrDamaged) {
		t.Errorf("damaged: %v", err)
	}
	if _, err := compileWithFake(t, "fail silently", &Options{Arch: "sm_90"}); err == nil || !strings.HasSuffix(err.Error(), ": exit status 2") {
		t.Errorf("fail silently: %v", err)
	}
	if MaxPTX != 1_073_741_824 || maxSaid != 1_048_576 {
		t.Errorf("%d bytes of PTX, %d of messages", MaxPTX, maxSaid)
	}
	for doing, want := range map[string]string{
		"fail": "no licence", "nothing": "wrote no PTX", "no byte": "wrote 0 bytes of PTX", "too much": "wrote 1073741825 bytes of PTX",
	} {
		if _, err := compileWithFake(t, doing, &Options{Arch: "sm_90"}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "stack") {
			t.Errorf("%s: %v", doing, err)
		}
	}
	var large *SizeError
	if _, err := compileWithFake(t, "compile", &Options{Arch: "sm_90", MostPTX: 20}); !errors.As(err, &large) || large.Size <= 20 {
		t.Errorf("more than 20 bytes of PTX: %v", err)
	}
	if _, err := Compile(t.Context(), Compiler{Command: []string{"/nonexistent/compiler"}}, &Options{Arch: "sm_90"}, nil); err == nil {
		t.Error("a compiler that is not there compiles")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compile(ctx, Compiler{Command: []string{"true"}}, &Options{Arch: "sm_90"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Arch: "sm_90"}, "-arch=sm_90"},
		{Options{Arch: "sm_90", SplitCompile: 1, SplitExtended: -3, MaxRegisters: 0}, "-arch=sm_90"},
		{Options{Arch: "sm_90", MaxRegisters: 1, SplitCompile: 2}, "-arch=sm_90 -maxrregcount=1 -split-compile=2"},
		{Options{Arch: "sm_75", Externs: true}, "-arch=sm_75 -externs"},
		{Options{Arch: "sm_120", Partial: true, Debug: true, LineInfo: true, Arithmetic: []string{"-ftz=1"}, MaxRegisters: 32, FastCompile: "max",
			SplitCompile: 4, SplitExtended: 2, OptimiserFlags: []string{"-opt=0", "a"}},
			"-arch=sm_120 -partial -g -lineinfo -ftz=1 -maxrregcount=32 -Ofc=max -split-compile=4 -split-compile-extended=2 -Xnvvm=-opt=0 -Xnvvm=a"},
		{Options{Arch: "sm_90", KernelsUsed: []string{"a", "b"}, VariablesUsed: []string{"v"}}, "-arch=sm_90 -kernels-used=a,b -variables-used=v"},
		{Options{Arch: "sm_90", NVVMVersion: "nvvm-latest", JumpTables: "10"}, "-arch=sm_90 -nvvm-version=nvvm-latest -jump-table-density=10"},
		{Options{Arch: "sm_90", DropVariables: true}, "-arch=sm_90 -optimize-unused-variables"},
		{Options{Arch: "sm_90", HostReferences: &References{ExternalKernels: []string{"_Z1k*", "l"}, InternalConstants: []string{"c"}}},
			"-arch=sm_90 -host-ref-ek=_Z1k*,l -host-ref-ic=c"},
		{Options{Arch: "sm_90", HostReferences: &References{InternalKernels: []string{"k"}, ExternalVariables: []string{"v", "w"}, InternalVariables: []string{"x"},
			ExternalConstants: []string{"c"}}}, "-arch=sm_90 -host-ref-ik=k -host-ref-eg=v,w -host-ref-ig=x -host-ref-ec=c"},
	} {
		if got := strings.Join(tt.opt.Args(), " "); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// The page about the protocol has a row for every option that a compiler may get, and for every exit status
// (LTO-040).
func TestProtocolPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/lto.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := ""
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") {
			first, _, _ := strings.Cut(line[2:], " | ")
			rows += first + "\n"
		}
	}
	names := []string{"a"}
	all := Options{
		Arch: "sm_90", Partial: true, Externs: true, Debug: true, LineInfo: true, MaxRegisters: 1, FastCompile: "0", SplitCompile: 2, SplitExtended: 2,
		OptimiserFlags: names, NVVMVersion: "a", JumpTables: "1", KernelsUsed: names, VariablesUsed: names, DropVariables: true,
		HostReferences: &References{names, names, names, names, names, names},
	}
	for _, flag := range arithmetic {
		all.Arithmetic = append(all.Arithmetic, flag.option+"1")
	}
	for _, word := range all.Args() {
		if name, _, _ := strings.Cut(word, "="); !strings.Contains(rows, "`"+name) {
			t.Errorf("no row for %s", word)
		}
	}
	for _, status := range []int{ExitCompiled, ExitRefused, ExitNoCode, ExitDamaged} {
		if !strings.Contains(rows, fmt.Sprintf("%d\n", status)) {
			t.Errorf("no row for exit status %d", status)
		}
	}
	if strings.Contains(rows, fmt.Sprintf("%d\n", ExitFailed)) {
		t.Errorf("exit status %d says more than that the compiler failed", ExitFailed)
	}
}

// TestAgree links objects that were compiled with different options (LTO-020).
func TestAgree(t *testing.T) {
	noted := func(texts ...string) (all []Flags) {
		for _, text := range texts {
			all = append(all, Flags{Text: text, Noted: true})
		}
		return all
	}
	const differ = "Cicc option values for '%s' do not match"
	for _, tt := range []struct {
		name  string
		flags []Flags
		limit int
		want  Options
		said  []string
	}{
		{"all the same", noted("-ftz=1 -prec_div=0 -prec_sqrt=1 -fmad=1 ", "-fmad=1 -ftz=1 -prec_sqrt=1 -prec_div=0"), 0,
			Options{Arithmetic: []string{"-ftz=1", "-prec-div=0", "-prec-sqrt=1", "-fma=1"}}, nil},
		{"one says nothing", noted("-ftz=1 ", ""), 0, Options{}, nil},
		{"one stands in no fat binary", append(noted("-ftz=1 -maxreg 24"), Flags{}), 0, Options{MaxRegisters: 24}, nil},
		{"the first value counts", noted("-ftz=0 -ftz=1", "-ftz=0"), 0, Options{Arithmetic: []string{"-ftz=0"}}, nil},
		{"numbers are read as by atoi", noted("-ftz=1x", "-ftz= 01"), 0, Options{Arithmetic: []string{"-ftz=1"}}, nil},
		{"a word is no number", noted("-ftz=true", "-ftz=0"), 0, Options{Arithmetic: []string{"-ftz=0"}}, nil},
		{"ftz differs", noted("-ftz=1", "-ftz=0"), 0, Options{}, []string{fmt.Sprintf(differ, "-ftz")}},
		{"ftz before the others", noted("-ftz=0 -prec_div=1", "-ftz=0 -prec_div=0", "-ftz=1"), 0, Options{}, []string{fmt.Sprintf(differ, "-ftz")}},
		{"prec-div differs", noted("-prec_div=2", "-prec_div=1"), 0, Options{}, []string{fmt.Sprintf(differ, "-prec-div")}},
		{"fmad differs", noted("-fmad=0", "-fmad=1"), 0, Options{}, []string{fmt.Sprintf(differ, "-fmad")}},
		{"lines and registers", noted("-generate-line-info -maxreg 24", ""), 0, Options{LineInfo: true, MaxRegisters: 24}, []string{
			"Some objects do not have '-lineinfo' specified but others do; will build everything with '-lineinfo'",
			"Some objects do not have '-maxrregcount' specified but others do; will build everything with '-maxrregcount=24'"}},
		{"registers differ", noted("-maxreg 24 -ftz=1", "-maxreg 16 -ftz=0"), 0, Options{}, []string{fmt.Sprintf(differ, "-maxrregcount")}},
		{"the command line has registers", noted("-maxreg 24", "-maxreg 16"), 40, Options{MaxRegisters: 40}, nil},
		{"and a negative count", noted("-maxreg 24", "-maxreg 16"), -1, Options{}, nil},
		{"registers with =", noted("-maxreg=24", ""), 0, Options{}, nil},
		{"negative registers", noted("-maxreg -3"), 0, Options{}, nil},
	} {
		var opt Options
		var log diag.Log
		opt.Agree(tt.flags, tt.limit, &log)
		var said []string
		for _, d := range log.Diagnostics {
			said = append(said, d.Text())
		}
		if diff := cmp.Diff(tt.said, said); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if log.Worst() == diag.Fatal {
			continue
		}
		if diff := cmp.Diff(tt.want, opt); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Numbers are parsed as by C's atoi. A number of more than 32 bits becomes the largest one.
func TestLeadingNumber(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "x": 0, "7": 7, "0": 0, "9": 9, "10x2": 10, "-3": -3, "+3": 3, "-": 0, "--3": 0, "+-3": 0, "3-4": 3, "3+4": 3, "/1": 0, ":1": 0, "1/": 1, "1:": 1,
		" \t\n\v\f\r8 9": 8, "x1": 0, "2147483647": 2147483647, "2147483648": 2147483647, "-2147483649": -2147483648,
	} {
		if got := leadingNumber(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestExterns(t *testing.T) {
	ptx := ".version 9.0\n.extern .func  (.param .b32 func_retval0) _Z3onei\n(\n.param .b32 p\n)\n;\n.extern .func two\n(\n)\n;\n" +
		".extern .func three();\n.extern .func f();\n.extern .func ;\n.extern .func (.param .b64 r);\n.extern .func\n.extern .global .u32 v;\n.visible .func four()\n\t.extern .func (.param .b64 r) five(.param .b64 x);\n"
	if got, want := Externs([]byte(ptx)), []string{"_Z3onei", "two", "three", "f", "five"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFind checks the places where the compiler is looked for, and their order (LTO-041).
func TestFind(t *testing.T) {
	root := t.TempDir()
	t.Setenv("PATH", filepath.Join(root, "path"))
	t.Setenv(Variable, "")
	library := func(name string, symbols ...string) string {
		name = filepath.Join(root, name)
		writeFile(t, name, sharedObject(symbols...))
		return name
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	helper := filepath.Join(root, "beside", HelperName+suffix)
	writeFile(t, helper, nil)
	writeFile(t, filepath.Join(root, "toolkit/bin/ptxas"+suffix), []byte("#!/bin/sh\n"))
	search := Search{
		NVVMPath: filepath.Join(root, "cuda/nvvm"), PTXAS: filepath.Join(root, "toolkit/bin/ptxas"), Beside: filepath.Join(root, "beside"), system: "linux",
	}

	none := func() *NotFoundError {
		t.Helper()
		c, err := Find(search)
		var missing *NotFoundError
		if !errors.As(err, &missing) {
			t.Fatalf("found %s, %v", c, err)
		}
		return missing
	}
	found := func(want ...string) {
		t.Helper()
		c, err := Find(search)
		if err != nil || !slices.Equal(c.Command, want) {
			t.Fatalf("%q, %v; want %q", c.Command, err, want)
		}
	}
	missing := none()
	for _, place := range []string{"cuda/nvvm", "cuda/nvvm/lib64", "cuda", "cuda/lib", "cuda/targets/*/lib", "toolkit/lib", "toolkit/lib64", "toolkit/targets/*/lib"} {
		if !slices.Contains(missing.Looked, filepath.Join(root, place)) {
			t.Errorf("not looked for in %s: %s", place, missing)
		}
	}
	// Each new place takes precedence over the previous ones.
	library("toolkit/targets/x/lib/libnvJitLink.so.12", "nvJitLinkCreate") // of another release
	none()
	found0 := library("toolkit/targets/x/lib/libnvJitLink.so.13", "nvJitLinkCreate")
	found(helper, found0)
	found(helper, library("toolkit/lib/libnvJitLink.so", "nvJitLinkCreate"))
	found(helper, library("toolkit/lib/libnvJitLink.so.13", "nvJitLinkCreate"))
	found1 := library("cuda/lib64/libnvJitLink.so.13", "nvJitLinkCreate")
	found(helper, found1)
	library("cuda/nvvm/lib64/libnvJitLink.so.13", "nvJitLinkCreate", OwnSymbol) // ours
	library("cuda/lib/libnvJitLink.so.13", OwnSymbol)
	writeFile(t, filepath.Join(root, "cuda/nvvm/libnvJitLink.so.13"), []byte("text"))
	found(helper, found1)
	found(helper, library("cuda/nvvm/lib64/libnvJitLink.so", "nvJitLinkCreate"))

	t.Setenv(Variable, "other compiler")
	found("other", "compiler")
	search.Named = found0
	found(helper, found0)
	search.Named = filepath.Dir(found0)
	found(helper, found0)
	search.Named = "my compiler -x"
	found("my", "compiler", "-x")
	search.Named = filepath.Join(root, "cuda/lib/libnvJitLink.so.13") // named explicitly, but it is ours
	none()

	search.Named = found0
	search.Beside = root
	if missing := none(); !missing.Helper || !strings.Contains(missing.Error(), HelperName) {
		t.Errorf("without the helper: %v", missing)
	}
}

// On Windows the library is a DLL, in other folders of a toolkit (LTO-041).
func TestFindDLL(t *testing.T) {
	root := t.TempDir()
	t.Setenv("PATH", "")
	t.Setenv(Variable, "")
	name := HelperName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	helper := filepath.Join(root, name)
	writeFile(t, helper, nil)
	search := Search{NVVMPath: filepath.Join(root, "cuda/nvvm"), Beside: root, system: "windows"}
	for _, c := range []struct {
		file  string
		data  []byte
		named string
		want  string
	}{
		{"cuda/bin/x64/nvJitLink_120_0.dll", dll("nvJitLinkCreate"), "", ""}, // of another release
		{"cuda/bin/x86_64/nvJitLink_130_0.dll", dll("nvJitLinkCreate"), "", "cuda/bin/x86_64/nvJitLink_130_0.dll"},
		{"cuda/bin/x64/nvJitLink_130_0.dll", dll("nvJitLinkCreate", "nvJitLinkDestroy"), "", "cuda/bin/x64/nvJitLink_130_0.dll"},
		{"cuda/bin/nvJitLink_130_0.dll", dll("nvJitLinkCreate", OwnSymbol), "", "cuda/bin/x64/nvJitLink_130_0.dll"}, // ours
		{"cuda/nvvm/nvJitLink_130_0.dll", []byte("text"), "", "cuda/bin/x64/nvJitLink_130_0.dll"},
		{"mine/copy.dll", dll("nvJitLinkCreate"), "mine/copy.dll", "mine/copy.dll"},
		{"mine/ours.dll", dll(OwnSymbol), "mine/ours.dll", ""},
	} {
		writeFile(t, filepath.Join(root, c.file), c.data)
		if search.Named = ""; c.named != "" {
			search.Named = filepath.Join(root, c.named)
		}
		got, err := Find(search)
		if want := []string{helper, filepath.Join(root, c.want)}; (err == nil) != (c.want != "") || err == nil && !slices.Equal(got.Command, want) {
			t.Errorf("with %s: %q, %v; want %q", c.file, got.Command, err, want)
		}
	}
}

// The exports of a DLL are those of its first directory, whether or not there are others. A DLL without directories has none.
func TestDLLDirectories(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.dll")
	header := pe.OptionalHeader64{}
	begins := 0x40 + 4 + binary.Size(pe.FileHeader{})
	first := begins + binary.Size(header) - binary.Size(header.DataDirectory)
	for directories, want := range map[int][]string{16: {"nvJitLinkCreate"}, 1: {"nvJitLinkCreate"}, 0: nil} {
		data, end := dll("nvJitLinkCreate"), first+8*directories
		binary.LittleEndian.PutUint32(data[first-4:], uint32(directories))
		binary.LittleEndian.PutUint16(data[begins-4:], uint16(end-begins)) // the size of the header
		copy(data[end:], data[begins+binary.Size(header):0x200])           // the sections follow
		writeFile(t, name, data)
		if got, err := exportsOfDLL(name); !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%d directories: %q, %v; want %q", directories, got, err, want)
		}
	}
}

// Damage in the header of a DLL never ends the program.
func TestDamagedDLL(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.dll")
	whole := dll("nvJitLinkCreate", OwnSymbol)
	for at := range whole {
		for _, b := range []byte{0, 0xff, whole[at] + 1} {
			data := slices.Clone(whole)
			data[at] = b
			writeFile(t, name, data)
			exportsOfDLL(name)
		}
	}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o777); err != nil {
		t.Fatal(err)
	}
}

// If there is no compiler, or its path is empty, there are no toolkit folders to search.
func TestNoPlaces(t *testing.T) {
	for _, ptxas := range []string{"", filepath.Join(t.TempDir(), "ptxas")} {
		if got := (&Search{PTXAS: ptxas}).places(); len(got) > 0 {
			t.Errorf("PTXAS %q: looked for in %q", ptxas, got)
		}
	}
}

// If a symbolic link leads to a compiler, the folders of the compiler itself are searched too, each once. If
// nothing is found, the error lists the places (LTO-041).
func TestPlaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links to files need a privilege, and programs a suffix")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, "")
	t.Setenv("PATH", filepath.Join(root, "path"))
	program := filepath.Join(root, "toolkit/bin/ptxas")
	writeFile(t, program, []byte("#!/bin/sh\n"))
	around := func(folder string) []string {
		folder = filepath.Join(root, folder)
		return []string{filepath.Join(folder, "lib"), filepath.Join(folder, "lib64"), filepath.Join(folder, "targets", "*", "lib")}
	}
	if got, want := (&Search{PTXAS: program}).places(), around("toolkit"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	link := filepath.Join(root, "other/bin/ptxas")
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o777), os.Symlink(program, link)); err != nil {
		t.Skip(err)
	}
	if got, want := (&Search{PTXAS: link}).places(), append(around("other"), around("toolkit")...); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_, err = Find(Search{NVVMPath: filepath.Join(root, "toolkit"), PTXAS: program})
	folders := append([]string{filepath.Join(root, "toolkit")}, around("toolkit")...)
	folders = append(append(folders, root), around(".")...)
	if want := "NVIDIA's libnvJitLink is not in " + strings.Join(folders, ", "); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err = Find(Search{}); err == nil || err.Error() != "NVIDIA's libnvJitLink is nowhere: neither CULINK_LTO nor a ptxas of its toolkit is there" {
		t.Error(err)
	}
	library := filepath.Join(root, "toolkit/lib/libnvJitLink.so.13")
	writeFile(t, library, sharedObject("nvJitLinkCreate"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Find(Search{PTXAS: program})
	if want := fmt.Sprintf("culink-lto, the program that loads libnvJitLink is not in %s, PATH (%s)", filepath.Dir(self), filepath.Join(root, "path")); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	onPath := filepath.Join(root, "path", HelperName)
	writeFile(t, onPath, []byte("#!/bin/sh\n"))
	if c, err := Find(Search{PTXAS: program}); err != nil || !slices.Equal(c.Command, []string{onPath, library}) {
		t.Errorf("%q, %v", c.Command, err)
	}
}

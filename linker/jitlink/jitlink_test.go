package jitlink_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/jitlink"
	"github.com/culink/culink/linker/lto"
)

// Package conformance/library compares with recorded answers of NVIDIA's library. The tests here cover properties that no
// recording shows, and the interaction with other programs.

// testCubins returns a caller and its callee, for sm_90.
func testCubins(t testing.TB) [][]byte {
	t.Helper()
	var cubins [][]byte
	for _, name := range []string{"caller", "callee"} {
		data, err := fs.ReadFile(corpus.Files, "basic/two-files/sm_90/in/"+name+".cubin")
		if err != nil {
			t.Fatal(err)
		}
		cubins = append(cubins, data)
	}
	return cubins
}

// link performs one link and returns the image.
func link(t testing.TB, l *jitlink.Library, cubins [][]byte) []byte {
	t.Helper()
	h, r := l.Create([]string{"-arch=sm_90"})
	if r != jitlink.Success {
		t.Fatal(r)
	}
	for _, data := range cubins {
		buffer := bytes.Clone(data)
		if r := l.AddData(h, jitlink.InputCubin, buffer, "input"); r != jitlink.Success {
			t.Fatal(r)
		}
		clear(buffer) // the caller may reuse it (JIT-004)
	}
	if r := l.Complete(h); r != jitlink.Success {
		log, _ := l.ErrorLog(h)
		t.Fatalf("%v: %s", r, log)
	}
	image, r := l.LinkedCubin(h)
	if r != jitlink.Success {
		t.Fatal(r)
	}
	if r := l.Destroy(h); r != jitlink.Success {
		t.Fatal(r)
	}
	return image
}

// 64 threads link at the same time, each with its own handles. All of them get equal images. (JIT-005)
func TestManyAtOnce(t *testing.T) {
	library, cubins := &jitlink.Library{}, testCubins(t)
	want := link(t, library, cubins)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			runtime.LockOSThread()
			for range 4 {
				if got := link(t, library, cubins); !bytes.Equal(got, want) {
					t.Error("another image")
				}
			}
		})
	}
	group.Wait()
}

// Answer gets the messages of each call, also in nvlink's form, with the inputs of the link. The logs and images are the same
// as without Answer. (JIT-088)
func TestQuestions(t *testing.T) {
	cubins := testCubins(t)
	executable := link(t, &jitlink.Library{}, cubins)
	var told []string
	calls := func(l *jitlink.Library) (log string) {
		for _, target := range []string{"sm_90", "sm_80"} {
			h, _ := l.Create([]string{"-arch=" + target})
			l.AddData(h, jitlink.InputCubin, executable, "linked")
			l.AddData(h, jitlink.InputCubin, cubins[0], "caller")
			l.Complete(h)
			l.Complete(h) // logs nothing
			text, _ := l.ErrorLog(h)
			log += string(text)
			l.Destroy(h)
		}
		return log
	}
	want := calls(&jitlink.Library{})
	got := calls(&jitlink.Library{Answer: func(q *jitlink.Question) {
		for _, m := range q.Messages {
			told = append(told, fmt.Sprintf("remark %t, %s %d inputs, %d objects: %s%s", m.Remark, q.Settings.Target.Name, len(q.Inputs), len(q.Objects), m.Text, m.Means.Text()))
		}
	}})
	if got != want {
		t.Errorf("the logs are %q, want %q", got, want)
	}
	if d := cmp.Diff([]string{
		"remark true, sm_90 1 inputs, 0 objects: info    : Nothing was taken from input file 'linked'\nNothing was taken from input file 'linked'",
		"remark false, sm_90 2 inputs, 1 objects: error   : Undefined reference to '_Z6calleei' in 'caller'\nUndefined reference to '_Z6calleei' in 'caller'",
		"remark true, sm_80 1 inputs, 0 objects: info    : Nothing was taken from input file 'linked'\nNothing was taken from input file 'linked'",
		"remark false, sm_80 2 inputs, 0 objects: ERROR 4: bad input:caller\nInput file 'caller' arch does not match target 'sm_80'",
	}, told); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// One handle accepts calls from many threads in turn. (JIT-005)
func TestOneHandleOfManyThreads(t *testing.T) {
	library, cubins := &jitlink.Library{}, testCubins(t)
	h, _ := library.Create([]string{"-arch=sm_90"})
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			library.AddData(h, jitlink.InputAny, cubins[1], "callee")
			library.ErrorLog(h)
			library.LinkedCubin(h)
			library.Complete(h)
		})
	}
	group.Wait()
	if r := library.Destroy(h); r != jitlink.Success {
		t.Error(r)
	}
	if r := library.Complete(h); r != jitlink.InvalidInput {
		t.Errorf("after Destroy: %v", r)
	}
}

// A number that is not a handle has the same result in every call, and no effect. (JIT-002)
func TestGarbageHandles(t *testing.T) {
	library := &jitlink.Library{}
	kept, _ := library.Create([]string{"-arch=sm_90"})
	rapid.Check(t, func(t *rapid.T) {
		h := jitlink.Handle(rapid.Uint64().Draw(t, "handle"))
		want := jitlink.InvalidInput
		switch h {
		case kept:
			return
		case 0:
			want = jitlink.NullInput
		}
		_, cubin := library.LinkedCubin(h)
		_, ptx := library.LinkedPTX(h)
		_, errs := library.ErrorLog(h)
		_, infos := library.InfoLog(h)
		for i, r := range []jitlink.Result{
			library.AddData(h, jitlink.InputAny, []byte("x"), "x"), library.AddFile(h, jitlink.InputAny, "x"),
			library.Complete(h), cubin, ptx, errs, infos, library.Destroy(h),
		} {
			if r != want {
				t.Fatalf("call %d on %#x: %v, want %v", i, h, r, want)
			}
		}
	})
	if log, r := library.ErrorLog(kept); r != jitlink.Success || len(log) > 0 {
		t.Errorf("the other handle: %v, %q", r, log)
	}
}

// Any options, inputs and order of calls lead to a valid result and no panic, and logs only grow. (JIT-001,
// JIT-020)
func TestAnyCalls(t *testing.T) {
	library, cubins := &jitlink.Library{}, testCubins(t)
	words := []string{
		"-arch=sm_90", "-arch=sm_100a", "-arch=", "-r", "-g", "-verbose", "-time", "-lto", "-ptx", "-O3", "-O2", "-Xptxas=-v",
		"-kernels-used=k", "-split-compile=2", "-split-compile-extended=3", "-maxrregcount=x", "--trace", "-uidx=nosuch", "x", "",
	}
	rapid.Check(t, func(t *rapid.T) {
		option := rapid.OneOf(rapid.SampledFrom(words), rapid.StringMatching(`-[a-zA-Z=0-9_ -]{0,20}`))
		h, r := library.Create(rapid.SliceOfN(option, 0, 4).Draw(t, "options"))
		check := func(r jitlink.Result) {
			if r < 0 || r > jitlink.LTONotEnabled {
				t.Fatalf("result %d", r)
			}
		}
		check(r)
		var errs []byte
		for range rapid.IntRange(0, 6).Draw(t, "calls") {
			data := rapid.OneOf(rapid.SampledFrom(cubins), rapid.SliceOf(rapid.Byte()),
				rapid.Map(rapid.IntRange(0, len(cubins[0])), func(n int) []byte { return cubins[0][:n] })).Draw(t, "data")
			switch rapid.IntRange(0, 2).Draw(t, "call") {
			case 0, 1:
				check(library.AddData(h, jitlink.InputType(rapid.IntRange(-1, 11).Draw(t, "type")), data, "input"))
			case 2:
				check(library.Complete(h))
			}
			log, r := library.ErrorLog(h)
			check(r)
			if !bytes.HasPrefix(log, bytes.TrimSuffix(errs, []byte{0})) || len(log) > 0 && log[len(log)-1] != 0 {
				t.Fatalf("log %q after %q", log, errs)
			}
			if errs = log; bytes.Contains(log, []byte("goroutine")) {
				t.Fatalf("a fault of ours: %s", log)
			}
		}
		check(library.Destroy(h))
	})
}

// Destroyed links do not leak memory. (JIT-007)
func TestNoLeak(t *testing.T) {
	library, cubins := &jitlink.Library{}, testCubins(t)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	link(t, library, cubins)
	before := heap()
	for range 200 {
		link(t, library, cubins)
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d bytes on the heap after 200 links, %d before", after, before)
	}
}

// Without a compiler PTX and intermediate code are refused, and the log describes what is missing. (JIT-050,
// JIT-060)
func TestMissingCompilers(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []string
		kind    jitlink.InputType
		data    string
		call    jitlink.Result // of AddData
		done    jitlink.Result // of Complete
		log     string
	}{
		{"PTX", []string{"-arch=sm_90"}, jitlink.InputPTX, ".version 8.0\n.target sm_90\n", jitlink.PTXCompile, jitlink.Success, "needs the compiler ptxas of CUDA 13.0"},
		{"LTO", []string{"-arch=sm_90", "-lto"}, jitlink.InputLTOIR, string(codeFor(90)), jitlink.Success, jitlink.NVVMCompile, "no compiler for it is here"},
	} {
		library := &jitlink.Library{}
		h, _ := library.Create(c.options)
		if r := library.AddData(h, c.kind, []byte(c.data), "in"); r != c.call {
			t.Errorf("%s: AddData: %v, want %v", c.name, r, c.call)
		}
		if r := library.Complete(h); r != c.done {
			t.Errorf("%s: Complete: %v, want %v", c.name, r, c.done)
		}
		if log, _ := library.ErrorLog(h); !strings.Contains(string(log), c.log) {
			t.Errorf("%s: log %q, want %q in it", c.name, log, c.log)
		}
	}
}

// The compiler for intermediate code gets the inputs in order. With -ptx the result is its PTX with a zero byte at the end.
// Its messages go to the log. (JIT-060, JIT-061)
func TestLTOCompiler(t *testing.T) {
	code := string(codeFor(90))
	var got []string
	var fails error
	library := &jitlink.Library{CompileLTO: func(_ context.Context, inputs []lto.Input, s *jitlink.Settings) (jitlink.LTOProgram, error) {
		for _, in := range inputs {
			got = append(got, in.Name+string(in.Data))
		}
		got = append(got, s.Words...)
		return jitlink.LTOProgram{PTX: []byte("ptx"), Said: "said\n"}, fails
	}}
	run := func() (jitlink.Result, []byte, []byte, []byte) {
		h, _ := library.Create([]string{"-arch=sm_90", "-lto", "-ptx"})
		library.AddData(h, jitlink.InputLTOIR, []byte(code+"1"), "a")
		library.AddData(h, jitlink.InputAny, []byte(code+"2"), "b")
		r := library.Complete(h)
		ptx, _ := library.LinkedPTX(h)
		errs, _ := library.ErrorLog(h)
		infos, _ := library.InfoLog(h)
		library.Destroy(h)
		return r, ptx, errs, infos
	}
	r, ptx, errs, infos := run()
	if r != jitlink.Success || string(ptx) != "ptx\x00" || string(errs) != "said\n\x00" || infos != nil {
		t.Errorf("%v, PTX %q, errors %q, infos %q", r, ptx, errs, infos)
	}
	if want := "a" + code + "1 b" + code + "2 -arch=sm_90 -lto -ptx"; strings.Join(got, " ") != want {
		t.Errorf("compiled %q, want %q", got, want)
	}
	fails = errors.New("NVVM_ERROR_COMPILATION")
	r, ptx, errs, _ = run()
	if r != jitlink.NVVMCompile || ptx != nil || string(errs) != "said\n\x00" {
		t.Errorf("%v, PTX %q, errors %q", r, ptx, errs)
	}
}

// A script in place of ptxas shows the arguments of the compiler: the target as typed, no -m64, and the options in the given
// order. (JIT-050)
func TestPTXASCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake compiler is a shell script")
	}
	dir := t.TempDir()
	program, said := filepath.Join(dir, "ptxas"), filepath.Join(dir, "args")
	script := "#!/bin/sh\necho \"$@\" >" + said + "\necho 'ptxas fatal   : no'\nexit 1\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	library := &jitlink.Library{PTXAS: program}
	h, _ := library.Create([]string{"-maxrregcount=40", "-arch=sm_90x", "-O0", "-lineinfo", "-verbose", "-Xptxas=-a b", "-Ofc=min", "--device-stack-protector=true"})
	if r := library.AddData(h, jitlink.InputPTX, []byte(".version 8.0\n"), "dir/in.ptx"); r != jitlink.PTXCompile {
		t.Error(r)
	}
	args, err := os.ReadFile(said)
	if want := "-arch=sm_90x -c -maxrregcount 40 -O0 -lineinfo -v -a b -Ofc min -device-stack-protector true "; err != nil || !strings.HasPrefix(string(args), want) {
		t.Errorf("%v: %q, want %q", err, args, want)
	}
	if log, _ := library.ErrorLog(h); string(log) != "ptxas fatal   : no\nERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (dir/in.ptx)\n\x00" {
		t.Errorf("log %q", log)
	}
	// The options in a fat binary's entry are ignored (JIT-050). -g has the same meaning as for nvlink of the
	// release (KIT-203).
	container := craft.Fatbin(craft.Entry{Kind: 1, Arch: 80, Options: "-O1", Payload: []byte(".version 8.0\n")})
	for version, want := range map[string]string{"13.4": "-arch=sm_90 -c -g ", "13.5": "-arch=sm_90 -c -no-bb-merge -ret-end -g "} {
		toolkit, err := arch.Find(version)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{PTXAS: program, Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_90", "-g"})
		library.AddData(h, jitlink.InputFatbin, container, "in.fatbin")
		if args, err := os.ReadFile(said); err != nil || !strings.HasPrefix(string(args), want) || strings.Contains(string(args), "-O1") {
			t.Errorf("%s: %v: %q, want %q", version, err, args, want)
		}
	}
}

// The compiler's linked intermediate code is returned even if the program does not compile. For lto_90 it is the only result.
// (JIT-065)
func TestLinkedCode(t *testing.T) {
	latest := codeFor(100)
	latest[10] |= 0x10
	for _, c := range []struct {
		release, options string
		made             jitlink.LTOProgram
		fails            bool
		completed, got   jitlink.Result
		infos            string
	}{
		{"13.4", "-arch=sm_90 -ptx", jitlink.LTOProgram{PTX: []byte("ptx"), Code: codeFor(90)}, false, jitlink.Success, jitlink.Success, "SUCCESS: NVVM70 LTOIR Container created (40 bytes)\n\x00"},
		{"13.5", "-arch=sm_90 -ptx", jitlink.LTOProgram{PTX: []byte("ptx"), Code: latest}, false, jitlink.Success, jitlink.Success, "INFO: Solid LTOIR Container created (40 bytes)\n\x00"},
		{"13.5", "-arch=sm_90", jitlink.LTOProgram{Code: codeFor(90)}, true, jitlink.NVVMCompile, jitlink.Success, "INFO: NVVM70 LTOIR Container created (40 bytes)\n\x00"},
		{"13.5", "-arch=lto_90", jitlink.LTOProgram{Code: codeFor(90)}, true, jitlink.Success, jitlink.Success, "INFO: NVVM70 LTOIR Container created (40 bytes)\n\x00"},
		{"13.5", "-arch=lto_90", jitlink.LTOProgram{PTX: []byte("ptx")}, false, jitlink.NVVMCompile, jitlink.Internal, ""},
		{"13.3", "-arch=sm_90 -ptx", jitlink.LTOProgram{PTX: []byte("ptx")}, false, jitlink.Success, jitlink.Internal, ""},
	} {
		toolkit, err := arch.Find(c.release)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit, CompileLTO: func(context.Context, []lto.Input, *jitlink.Settings) (jitlink.LTOProgram, error) {
			if c.fails {
				return c.made, errors.New("refused")
			}
			return c.made, nil
		}}
		h, _ := library.Create(append(strings.Fields(c.options), "-lto"))
		library.AddData(h, jitlink.InputLTOIR, codeFor(90), "code")
		completed := library.Complete(h)
		code, got := library.LinkedLTOIR(h)
		infos, _ := library.InfoLog(h)
		if completed != c.completed || got != c.got || !bytes.Equal(code, c.made.Code) || string(infos) != c.infos {
			t.Errorf("%s %s: %v, code %v of %d bytes, %q", c.release, c.options, completed, got, len(code), infos)
		}
	}
}

// Intermediate code is compiled to a cubin. If it is the only input, the image is the output of the PTX compiler. Otherwise
// the cubin is linked after the machine code. (JIT-060)
func TestLTOToCubin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake compiler is a shell script")
	}
	cubins, dir := testCubins(t), t.TempDir()
	program, made, said := filepath.Join(dir, "ptxas"), filepath.Join(dir, "made.cubin"), filepath.Join(dir, "args")
	script := "#!/bin/sh\necho \"$@\" >" + said + "\nwhile [ \"$1\" != -o ]; do shift; done\ncp " + made + " \"$2\"\n"
	if err := errors.Join(os.WriteFile(program, []byte(script), 0o700), os.WriteFile(made, cubins[1], 0o600)); err != nil {
		t.Fatal(err)
	}
	library := &jitlink.Library{PTXAS: program, CompileLTO: func(context.Context, []lto.Input, *jitlink.Settings) (jitlink.LTOProgram, error) {
		return jitlink.LTOProgram{PTX: []byte(".version 9.0\n")}, nil
	}}
	for _, pieces := range []int{1, 2, 3} {
		for _, beside := range []bool{false, true} {
			h, _ := library.Create([]string{"-arch=sm_90", "-lto"})
			for range pieces {
				library.AddData(h, jitlink.InputLTOIR, codeFor(90), "code")
			}
			if beside {
				library.AddData(h, jitlink.InputCubin, cubins[0], "caller")
			}
			r := library.Complete(h)
			image, _ := library.LinkedCubin(h)
			log, _ := library.ErrorLog(h)
			args, _ := os.ReadFile(said)
			if r != jitlink.Success || log != nil || len(image) == 0 {
				t.Errorf("%d pieces, beside machine code %v: %v, %d bytes, log %q", pieces, beside, r, len(image), log)
			}
			if strings.HasPrefix(string(args), "-arch=sm_90 -c ") != beside {
				t.Errorf("%d pieces, beside machine code %v: ptxas %s", pieces, beside, args)
			}
		}
	}
	// With -r no other input is required (KIT-209).
	for version, relocatable := range map[string]bool{"13.2": false, "13.3": true} {
		toolkit, err := arch.Find(version)
		if err != nil {
			t.Fatal(err)
		}
		library.Toolkit = toolkit
		h, _ := library.Create([]string{"-arch=sm_90", "-lto", "-r"})
		library.AddData(h, jitlink.InputLTOIR, codeFor(90), "code")
		r := library.Complete(h)
		args, _ := os.ReadFile(said)
		if r != jitlink.Success || strings.HasPrefix(string(args), "-arch=sm_90 -c ") != relocatable {
			t.Errorf("%s: -r: %v, ptxas %s", version, r, args)
		}
	}
}

// PTX that does not compile changes the last line of a failed link. The compiler's warnings are dropped. (JIT-108, JIT-050)
func TestAfterRefusedPTX(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake compiler is a shell script")
	}
	program := filepath.Join(t.TempDir(), "ptxas")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho 'ptxas warning : odd' >&2\necho 'ptxas fatal   : refused' >&2\nexit 255\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	library := &jitlink.Library{PTXAS: program}
	for _, ptx := range []bool{false, true} {
		h, _ := library.Create([]string{"-arch=sm_90"})
		want := "ERROR 9: finish\n\x00"
		if ptx {
			want = "ERROR 1: finish\n\x00"
			if r := library.AddData(h, jitlink.InputPTX, []byte(".version 9.0\n"), "k.ptx"); r != jitlink.PTXCompile {
				t.Errorf("PTX: %v", r)
			}
		}
		library.AddData(h, jitlink.InputCubin, testCubins(t)[0], "caller")
		r := library.Complete(h)
		log, _ := library.ErrorLog(h)
		infos, _ := library.InfoLog(h)
		if r != jitlink.Internal || !strings.HasSuffix(string(log), want) || infos != nil {
			t.Errorf("after PTX %v: %v, %q, %q", ptx, r, log, infos)
		}
	}
}

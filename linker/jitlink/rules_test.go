package jitlink_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/jitlink"
	"github.com/culink/culink/linker/lto"
)

// Each rule has one or more rows. The recorded answers cover all of them.

func TestCreate(t *testing.T) {
	for _, c := range []struct {
		rule, options string // separated by semicolons
		want          jitlink.Result
		log           string // errors, or other messages
	}{
		{"JIT-010", "-arch=sm_90;-verbosely", jitlink.Success, ""},
		{"JIT-010", "-arch=sm_90;-gx", jitlink.UnrecognizedOption, "unrecognized option: -gx\n"},
		{"JIT-010", "-a;-arch=sm_77", jitlink.UnrecognizedOption, "unrecognized option: -a\n"},
		{"JIT-010", "-arch=sm_77;-a", jitlink.UnrecognizedArch, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_77)\n"},
		{"JIT-010", "-arch=sm_90;", jitlink.UnrecognizedOption, "unrecognized option: \n"},
		{"JIT-011", "-arch=sm_90;-Xptxas=", jitlink.UnrecognizedOption, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-Xptxas=)\n"},
		{"JIT-011", "-arch=sm_90;-ftz=", jitlink.Success, ""},
		{"JIT-011", "-arch=sm_90;-O2", jitlink.UnrecognizedOption, "unsupported value of -O: 2. Only 0 and 3 are supported.\n"},
		{"JIT-011", "-arch=sm_90;-Ofc=ma", jitlink.UnrecognizedOption, "unsupported value of --Ofast-compile (-Ofc): ma. Only 0, min, mid, and max are supported.\n"},
		{"JIT-011", "-arch=sm_90;-split-compile=-1", jitlink.UnrecognizedOption, "argument for -split-compile must be non-negative.\n"},
		{"JIT-011", "-arch=sm_90;-split-compile=4294967295", jitlink.UnrecognizedOption, "argument for -split-compile must be non-negative.\n"},
		{"JIT-012", "-arch=sm_+90", jitlink.Success, ""},
		{"JIT-012", "-arch=sm_4294967386", jitlink.Success, ""}, // 2^32 + 90
		{"JIT-012", "-arch=sm_--90", jitlink.UnrecognizedOption, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=sm_--90)\n"},
		{"JIT-012", "-arch=sm_70xa", jitlink.UnsupportedArch, "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_70a)\n"},
		{"JIT-012", "-arch=sm_1000", jitlink.UnsupportedArch, "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (-arch=sm_1000)\n"},
		{"JIT-013", "-g", jitlink.MissingArch, ""},
		{"JIT-013", "-arch=compute_90", jitlink.IncompatibleOptions, "ERROR: virtual arch requires -ptx\n"},
		{"JIT-013", "-arch=sm_90;-ptx", jitlink.IncompatibleOptions, "ERROR: -ptx requires -lto\n"},
		{"JIT-013", "-arch=sm_90;-split-compile=2;-split-compile-extended=2", jitlink.Success, "'-split-compile' is not compatible with '-split-compile-extended', using '-split-compile-extended'\n"},
		{"JIT-015", "-arch=sm_90;-uidx=no/such/file", jitlink.InvalidInput, "ERROR: File 'no/such/file' does not exist\n"},
		{"JIT-015", "-arch=sm_90;-uidx=rules_test.go", jitlink.Success, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_INDEXrules_test.go\n"},
	} {
		library := &jitlink.Library{}
		h, r := library.Create(strings.Split(c.options, ";"))
		errs, _ := library.ErrorLog(h)
		infos, _ := library.InfoLog(h)
		if log := strings.TrimSuffix(string(errs)+string(infos), "\x00"); r != c.want || log != c.log {
			t.Errorf("%s: %s: %v, %q; want %v, %q", c.rule, c.options, r, log, c.want, c.log)
		}
	}
}

// TestCreateByRelease checks the effects of options in each release. (JIT-101, JIT-103, JIT-104, JIT-116,
// JIT-117, JIT-118, JIT-943)
func TestCreateByRelease(t *testing.T) {
	for _, c := range []struct {
		toolkit, options string // separated by semicolons
		want             jitlink.Result
		log              string // of errors
	}{
		{"12.4", "-arch=sm_90;-Ofc=max", jitlink.UnrecognizedOption, "unrecognized option: -Ofc=max\n"},
		{"12.0", "-arch=sm_90;-dlto", jitlink.UnrecognizedOption, "unrecognized option: -dlto\n"},
		{"12.1", "-arch=sm_90;-dlto;--no-cache", jitlink.Success, ""},
		{"12.1", "-arch=sm_90;-uidx=x", jitlink.UnrecognizedOption, "unrecognized option: -uidx=x\n"},
		{"12.2", "-arch=sm_90;-uidx=x", jitlink.InvalidInput, "ERROR: File 'x' does not exist\n"},
		{"12.2", "-arch=sm_90;-O10;-O3x;-O2", jitlink.Success, ""},
		{"12.2", "-arch=sm_90;-O", jitlink.UnrecognizedOption, "unrecognized option: -O\n"},
		{"12.2", "-arch=sm_90;-jump-table-density=5", jitlink.UnrecognizedOption, "unrecognized option: -jump-table-density=5\n"},
		{"12.3", "-arch=sm_90;-O2", jitlink.UnrecognizedOption, "unsupported value of -O: 2. Only 0 and 3 are supported.\n"},
		{"12.3", "-arch=sm_90;-split-compile=-1;-jump-table-density=5", jitlink.Success, ""},
		{"12.4", "-arch=sm_90;-split-compile=-1", jitlink.UnrecognizedOption, "argument for -split-compile must be non-negative.\n"},
		{"12.5", "-arch=sm_90;-Ofc=max;-no-cache;-nvvm-version=nvvm", jitlink.Success, ""},
		{"12.5", "-arch=sm_90;-no-opt", jitlink.UnrecognizedOption, "unrecognized option: -no-opt\n"},
		{"12.5", "-arch=sm_90;--device-stack-protector=", jitlink.UnrecognizedOption, "unrecognized option: --device-stack-protector=\n"},
		{"12.6", "-arch=sm_90;-Ofc=max;-no-opt", jitlink.Success, ""},
		{"12.8", "-arch=sm_90;-Ofc=mid", jitlink.UnrecognizedOption, "unsupported value of --Ofast-compile (-Ofc): mid. Only 0 and max are supported.\n"},
		{"12.9", "-arch=sm_90;-Ofc=mid", jitlink.Success, ""},
		{"12.9", "-arch=sm_90;-r", jitlink.UnrecognizedOption, "unrecognized option: -r\n"},
		{"12.9", "-arch=sm_60", jitlink.Success, ""},
		{"12.9", "-arch=sm_130;-bogus", jitlink.UnrecognizedOption, "unrecognized option: -bogus\n"},
		{"12.9", "-arch=sm_130", jitlink.Internal, "ERROR 1: Start\n"},
		{"12.9", "-arch=compute_90", jitlink.InvalidInput, "ERROR: virtual arch requires -ptx\n"},
		{"13.0", "-arch=sm_90;--trace", jitlink.Success, ""},
		{"13.1", "-arch=sm_90;--trace", jitlink.UnrecognizedOption, "unrecognized option: --trace\n"},
		{"13.1", "-arch=sm_72", jitlink.UnrecognizedArch, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_72)\n"},
		{"13.2", "-arch=sm_72", jitlink.UnsupportedArch, "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_72)\n"},
		{"13.2", "-arch=sm_90f", jitlink.Success, ""},
		{"13.3", "-arch=sm_90f", jitlink.UnsupportedArch, "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_90f)\n"},
		{"13.3", "-arch=sm_107", jitlink.UnrecognizedArch, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_107)\n"},
		{"13.5", "-arch=sm_107f", jitlink.Success, ""},
		{"13.3", "-arch=lto_90;-lto", jitlink.IncompatibleOptions, "ERROR: virtual arch requires -ptx\n"},
		{"13.4", "-arch=lto_90;-lto", jitlink.Success, ""},
		{"13.4", "-arch=lto_90;-lto;-ptx", jitlink.IncompatibleOptions, "ERROR: -arch=lto_90 conflicts with -ptx\n"},
		{"13.4", "-arch=sm_90;-g;-O3", jitlink.Success, ""},
		{"13.5", "-g;-O0;-O3", jitlink.IncompatibleOptions, "ERROR: optimized debugging not supported; use -O0 with -g\n"},
		{"13.5", "-arch=sm_90;-g;-O3;-O0", jitlink.Success, ""},
		{"13.4", "-arch=sm_90;-nvvm-version=nvvm;-nvvm-version=nvvm-next", jitlink.Success, ""},
		{"13.5", "-arch=sm_90;-nvvm-version=nvvm;-nvvm-version=nvvm-next", jitlink.UnrecognizedOption, "conflicting NVVM mode options: choose exactly one NVVM mode.\n"},
		{"13.5", "-arch=sm_90;-nvvm-version=nvvm-latest;-nvvm-version=nvvm-next", jitlink.Success, ""},
		{"13.5", "-arch=sm_90;-nvvm-version=x", jitlink.UnrecognizedOption, "argument for -nvvm-version must be either \"nvvm\" or \"nvvm70\" or \"nvvm-latest\" or \"nvvm-next\"."},
	} {
		toolkit, err := arch.Find(c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, r := library.Create(strings.Split(c.options, ";"))
		errs, _ := library.ErrorLog(h)
		if log := strings.TrimSuffix(string(errs), "\x00"); r != c.want || log != c.log {
			t.Errorf("%s: %s: %v, %q; want %v, %q", c.toolkit, c.options, r, log, c.want, c.log)
		}
	}
}

// Up to 12.5 an executable cubin is refused, and up to 12.6 code for a complete link as code for another target. An
// executable is judged before the state of the link, up to 12.5 always, and by 12.6 after Complete. (JIT-850)
func TestRefusalsOfEarlyReleases(t *testing.T) {
	code := testCubins(t)[1]
	executable := bytes.Clone(code)
	executable[16] = 2 // e_type
	for _, c := range []struct {
		toolkit, executable, after string
		result                     jitlink.Result
		late, unstarted            string // for an executable after Complete, and after a Create that failed
	}{
		{"12.5", "ERROR 3: bad input:x\n", "ERROR 4: bad input:c\n", jitlink.InvalidInput, "ERROR 3: bad input:x\n", "ERROR 3: bad input:x\n"},
		{"12.6", "", "ERROR 4: bad input:c\n", jitlink.InvalidInput, "", "ERROR 4: bad input:x\n"},
		{"12.8", "", "ERROR 1: empty elfw when adding cubinc\n", jitlink.Internal, "ERROR 1: empty elfw when adding cubinx\n", "ERROR 1: empty elfw when adding cubinx\n"},
		{"13.0", "", "ERROR 1: empty elfw when adding cubinc\n", jitlink.Internal, "ERROR 1: empty elfw when adding cubinx\n", "ERROR 1: empty elfw when adding cubinx\n"},
	} {
		toolkit, err := arch.Find(c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_90"})
		library.AddData(h, jitlink.InputCubin, executable, "x")
		library.Complete(h)
		r := library.AddData(h, jitlink.InputFatbin, craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: code}), "c")
		library.AddData(h, jitlink.InputCubin, executable, "x")
		log, _ := library.ErrorLog(h)
		if got, want := strings.TrimSuffix(string(log), "\x00"), c.executable+c.after+c.late; got != want || r != c.result {
			t.Errorf("%s: %v, %q, want %v, %q", c.toolkit, r, got, c.result, want)
		}
		h, _ = library.Create([]string{"-arch=sm_90", "-ptx"})
		library.AddData(h, jitlink.InputCubin, executable, "x")
		log, _ = library.ErrorLog(h)
		if got, want := strings.TrimSuffix(string(log), "\x00"), "ERROR: -ptx requires -lto\n"+c.unstarted; got != want {
			t.Errorf("%s: %q, want %q", c.toolkit, got, want)
		}
	}
}

// The libraries of 12.8 and 12.9 say that a link that Create did not start has no program (JIT-030). Those of earlier releases
// compile its intermediate code. They crash if nothing else was added (JIT-942).
func TestEmptyProgram(t *testing.T) {
	for _, c := range []struct {
		release string
		result  jitlink.Result
		log     string
	}{
		{"12.0", jitlink.Internal, "ERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_PROGRAM\nERROR 5: nvvmGetProgramLogSize:\n"},
		{"12.2", jitlink.Internal, "ERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_PROGRAM\nERROR 1 in nvvmGetProgramLogSize\n"},
		{"12.4", jitlink.NVVMCompile, "ERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_PROGRAM\nERROR 5 in nvvmGetProgramLogSize\n"},
		{"12.6", jitlink.NVVMCompile, "ERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_PROGRAM\nERROR 5 in nvvmGetProgramLogSize\n"},
		{"12.8", jitlink.Internal, "ERROR NVJITLINK_ERROR_INTERNAL: empty elfw ()\n"},
		{"12.9", jitlink.Internal, "ERROR NVJITLINK_ERROR_INTERNAL: empty elfw ()\n"},
		{"13.0", jitlink.Internal, ""},
	} {
		toolkit, err := arch.Find(c.release)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_90", "-lto", "-bogus"})
		r := library.Complete(h)
		if log, _ := library.ErrorLog(h); string(log) != "unrecognized option: -bogus\n"+c.log+"\x00" || r != c.result {
			t.Errorf("%s: %v, %q, want %v, %q", c.release, r, log, c.result, c.log)
		}
	}
}

// The flags of an image of CUDA 12 show that the name of the target ends in 'a', even if there is no such target (JIT-117).
// An image without inputs has no .nv.compat, to which the note of its origin could refer (KIT-162).
func TestImagesOfEarlyReleases(t *testing.T) {
	for _, c := range []struct {
		release, arch string
		flags         uint32
		refers        bool
	}{
		{"12.9", "-arch=sm_80", 0x500550, false}, {"12.9", "-arch=sm_80a", 0x500d50, false}, {"12.4", "-arch=sm_75a", 0x4b0d4b, false},
		{"12.9", "-arch=sm_80f", 0x500550, false}, {"12.9", "-arch=sm_100", 0x05006402, false}, {"13.0", "-arch=sm_80a", 0x05005004, false}, {"13.0", "-arch=sm_90", 0x05005a04, true},
	} {
		toolkit, err := arch.Find(c.release)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{c.arch})
		library.Complete(h)
		image, _ := library.LinkedCubin(h)
		file, err := cubin.Open("image", image)
		if err != nil {
			t.Fatal(err)
		}
		refers := false
		for _, s := range file.Sections {
			refers = refers || strings.HasPrefix(s.Name, ".note.nv.cu") && s.Flags&cubin.FlagInfoLink != 0
		}
		if file.Header.Flags != c.flags || refers != c.refers {
			t.Errorf("%s %s: flags %#x, the note refers to .nv.compat: %v; want %#x, %v", c.release, c.arch, file.Header.Flags, refers, c.flags, c.refers)
		}
	}
}

// Up to 12.2 the content of an input is not compared with its type, and up to 12.3 a cubin is judged by its header first.
// (JIT-941, JIT-960, JIT-961, JIT-962, JIT-963, JIT-964)
func TestContentsOfEarlyReleases(t *testing.T) {
	code := earlyCubin(t)
	with := func(at int, value byte) []byte {
		data := bytes.Clone(code)
		data[at] = value
		return data
	}
	const text = "hello, this is not an input of any kind"
	fatbin := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: code})
	intermediate := []byte("\xed\x43\x4e\x7f\x01\x43\x02\x83\x03\x02\x07\x00")
	for _, c := range []struct {
		toolkit, options string
		kind             jitlink.InputType
		data             []byte
		result           jitlink.Result
		log              string
	}{
		{"12.2", "", jitlink.InputCubin, []byte(text), jitlink.InvalidInput, "ERROR 2: bad input:x\n"},
		{"12.3", "", jitlink.InputCubin, []byte(text), jitlink.InvalidInput, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINx\n"},
		{"12.2", "", jitlink.InputCubin, nil, jitlink.InvalidInput, "ERROR 2: bad input:x\n"},
		{"12.3", "", jitlink.InputCubin, nil, jitlink.InvalidInput, ""},
		{"12.2", "", jitlink.InputCubin, with(18, 62), jitlink.Success, ""},                                  // machine
		{"12.2", "", jitlink.InputCubin, with(16, 3), jitlink.InvalidInput, "ERROR 3: bad input:x\n"},        // type
		{"12.3", "", jitlink.InputCubin, with(16, 3), jitlink.Success, ""},                                   // type
		{"12.3", "", jitlink.InputCubin, with(5, 2), jitlink.Success, ""},                                    // byte order
		{"12.3", "", jitlink.InputCubin, with(48, 0), jitlink.InvalidInput, "ERROR 1: bad input:x\n"},        // architecture
		{"12.3", "", jitlink.InputCubin, code[:300], jitlink.InvalidInput, "ERROR 1: bad input:x\n"},         // sections
		{"12.3", "", jitlink.InputCubin, with(48, 80)[:300], jitlink.InvalidInput, "ERROR 4: bad input:x\n"}, // not for this target
		{"12.3", "", jitlink.InputCubin, with(20, 9), jitlink.Success, ""},                                   // release 0.9
		{"12.9", "", jitlink.InputCubin, with(20, 9), jitlink.Success, ""},                                   // release 0.9
		{"12.0", "", jitlink.InputCubin, with(20, 121), jitlink.InvalidInput, "ERROR 4: bad input:x\n"},      // release 12.1
		{"12.3", "", jitlink.InputFatbin, fatbin[:500], jitlink.InvalidInput, "ERROR 1: bad input:x\n"},
		{"12.2", "", jitlink.InputFatbin, code, jitlink.Success, ""},
		{"12.2", "", jitlink.InputFatbin, with(18, 62), jitlink.InvalidInput, "ERROR 5: bad input:x\n"},
		{"12.2", "", jitlink.InputFatbin, []byte(text), jitlink.InvalidInput, "ERROR 5: bad input:x\n"},
		{"12.2", "", jitlink.InputFatbin, craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: []byte(text)}), jitlink.InvalidInput, "ERROR 2: bad input:x\n"},
		{"12.3", "", jitlink.InputFatbin, craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: []byte(text)}), jitlink.InvalidInput, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINx\n"},
		{"12.3", "", jitlink.InputFatbin, craft.Fatbin(craft.Entry{Kind: 1, Arch: 90, Payload: []byte(text)}), jitlink.InvalidInput, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_PTXx\n"},
		{"13.5", "", jitlink.InputFatbin, craft.Fatbin(craft.Entry{Kind: 1, Arch: 90, Payload: []byte(text)}), jitlink.IncorrectInputType, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_PTXx\n"},
		{"12.2", "", jitlink.InputObject, code, jitlink.Success, ""},
		{"12.2", "", jitlink.InputObject, code[:4], jitlink.Success, ""},
		{"12.2", "", jitlink.InputObject, []byte(text), jitlink.InvalidInput, "ERROR 1: no fatbin:x\n"},
		{"12.2", "", jitlink.InputLibrary, []byte("a"), jitlink.Success, ""},
		{"12.2", "", jitlink.InputLibrary, []byte(text), jitlink.Internal, "ERROR 1: library processing:x\n"},
		{"12.2", "", jitlink.InputLibrary, []byte(text + "/"), jitlink.Success, ""},
		{"12.0", "", jitlink.InputPTX, nil, jitlink.Internal, "ERROR 2: ptxjit:x\n"},
		{"12.1", "", jitlink.InputPTX, nil, jitlink.Internal, "ERROR 2: ptxjit:x\nERROR NVJITLINK_ERROR_INTERNAL: JIT the PTX (x)\n"},
		{"12.1", "-lto", jitlink.InputLTOIR, []byte(text), jitlink.Internal, "ERROR 4: nvvmAddNVVMContainerToProgram:\n"},
		{"12.2", "-lto", jitlink.InputLTOIR, []byte(text), jitlink.Internal, "ERROR 4 in nvvmGetArch:\n"},
		{"12.3", "-lto", jitlink.InputLTOIR, []byte(text), jitlink.Internal, "ERROR 4 in nvvmGetArch: No architecture detected, may be incorrect file type\n"},
		{"12.1", "-lto", jitlink.InputLTOIR, intermediate, jitlink.Internal, "ERROR 4: nvvmAddNVVMContainerToProgram:\n"},
		{"12.2", "-lto", jitlink.InputLTOIR, intermediate, jitlink.Internal, "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library\n"},
		{"12.2", "-lto;-no", jitlink.InputLTOIR, intermediate, jitlink.Internal, "unrecognized option: -no\nERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library\n"},
		{"12.3", "-lto;-no", jitlink.InputLTOIR, intermediate, jitlink.Internal, "unrecognized option: -no\nERROR 5 in nvvmGetProgramLogSize\n"},
		{"12.2", "-no", jitlink.InputCubin, []byte(text), jitlink.InvalidInput, "unrecognized option: -no\nERROR 2: bad input:x\n"},
	} {
		toolkit, err := arch.Find(c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create(strings.Split("-arch=sm_90;"+cmp.Or(c.options, "-g"), ";"))
		r := library.AddData(h, c.kind, c.data, "x")
		log, _ := library.ErrorLog(h)
		if got := strings.TrimSuffix(string(log), "\x00"); got != c.log || r != c.result {
			t.Errorf("%s %s: %v of %.20q: %v, %q; want %v, %q", c.toolkit, c.options, c.kind, c.data, r, got, c.result, c.log)
		}
	}
}

// earlyCubin returns a cubin with a header of CUDA 12.
func earlyCubin(t *testing.T) []byte {
	code := bytes.Clone(testCubins(t)[1])
	code[7], code[8] = 0x33, 7 // OSABI, ABI version
	binary.LittleEndian.PutUint32(code[20:], 120)
	binary.LittleEndian.PutUint32(code[48:], 0x5a055a)
	return code
}

// The library of 12.0 reports the status of the compiler for PTX that does not compile (JIT-965).
func TestStatusOfPTX(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the compiler is a script")
	}
	for _, c := range []struct{ toolkit, said, want string }{
		{"12.0", "ptxas x.ptx, line 1; fatal   : Unsupported .version 9.0; current version is '8.0'", "ERROR 7: ptxjit:x\n"},
		{"12.0", "ptxas x.ptx, line 4; fatal   : Parsing error near 'foo': syntax error", "ERROR 3: ptxjit:x\n"},
		{"12.1", "ptxas x.ptx, line 4; fatal   : Parsing error near 'foo': syntax error", "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (x)\n"},
	} {
		toolkit, err := arch.Find(c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(t.TempDir(), "ptxas")
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho \""+c.said+"\" >&2\nexit 255\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit, PTXAS: program}
		h, _ := library.Create([]string{"-arch=sm_90"})
		library.AddData(h, jitlink.InputPTX, []byte(".version 8.0\n"), "x")
		if log, _ := library.ErrorLog(h); !strings.HasSuffix(string(log), "\n"+c.want+"\x00") {
			t.Errorf("%s: %q, want %q at the end", c.toolkit, log, c.want)
		}
	}
}

// The libraries of early releases accept code of CUDA 13 and zstd frames that their nvlink refuses, and have fewer types of
// inputs. (JIT-940, JIT-941)
func TestInputsOfEarlyReleases(t *testing.T) {
	later := testCubins(t)[1] // OSABI 0x41, ABI version 8
	packed := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: later, Compress: "zstd"})
	const bad, index = "ERROR 4: bad input:x\n", "unsupported input type: x\n"
	for _, c := range []struct {
		toolkit string
		kind    jitlink.InputType
		data    []byte
		result  jitlink.Result
		log     string
	}{
		{"12.3", jitlink.InputAny, later, jitlink.InvalidInput, index},
		{"12.3", jitlink.InputLTOIR, later, jitlink.Internal, "ERROR 1: TODO: nvvm input without LTO\n"},
		{"12.4", jitlink.InputLTOIR, later, jitlink.InvalidInput, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_LTOIRx\n"},
		{"12.3", jitlink.InputFatbin, packed, jitlink.InvalidInput, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINx\n"},
		{"12.4", jitlink.InputCubin, later, jitlink.InvalidInput, bad},
		{"12.5", jitlink.InputCubin, later, jitlink.Success, ""},
		{"12.4", jitlink.InputFatbin, packed, jitlink.InvalidInput, bad},
		{"12.5", jitlink.InputFatbin, packed, jitlink.Success, ""},
		{"12.5", jitlink.InputIndex, later, jitlink.InvalidInput, index},
		{"12.6", jitlink.InputIndex, later, jitlink.InvalidInput, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_INDEXx\n"},
	} {
		toolkit, err := arch.Find(c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_90"})
		r := library.AddData(h, c.kind, c.data, "x")
		log, _ := library.ErrorLog(h)
		if got := strings.TrimSuffix(string(log), "\x00"); got != c.log || r != c.result {
			t.Errorf("%s, %v: %v, %q, want %v, %q", c.toolkit, c.kind, r, got, c.result, c.log)
		}
	}
}

// A link that has no program because an option was refused is INTERNAL up to 12.3, and so is intermediate code for it. (JIT-942)
func TestLinkWithoutProgram(t *testing.T) {
	for version, want := range map[string]struct {
		added, completed jitlink.Result
		log              string
	}{
		"12.3": {jitlink.Internal, jitlink.Internal, "ERROR 5 in nvvmGetProgramLogSize\nERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_PROGRAM\nERROR 1 in nvvmGetProgramLogSize\n"},
		"12.4": {jitlink.Internal, jitlink.NVVMCompile, "ERROR 5 in nvvmGetProgramLogSize\n"},
	} {
		toolkit, err := arch.Find(version)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_90", "-lto", "-uidx="})
		added, completed := library.AddData(h, jitlink.InputLTOIR, codeFor(90), "x"), library.Complete(h)
		log, _ := library.ErrorLog(h)
		if got := strings.TrimSuffix(string(log), "\x00"); added != want.added || completed != want.completed || !strings.HasSuffix(got, want.log) {
			t.Errorf("%s: %v, %v, %q", version, added, completed, got)
		}
	}
}

// The library says nothing of a cubin of an early form without the flag for addresses of 64 bits. (JIT-945)
func TestEarlyFormWithoutFlag(t *testing.T) {
	const osABI, early, flags = 7, 0x33, 48
	data := bytes.Clone(testCubins(t)[0])
	data[osABI] = early
	binary.LittleEndian.PutUint32(data[flags:], 90)
	for _, version := range []string{"12.4", "12.5", "13.0", "13.5"} {
		toolkit, err := arch.Find(version)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_90"})
		library.AddData(h, jitlink.InputCubin, data, "x")
		if log, _ := library.InfoLog(h); strings.Contains(string(log), "warning") {
			t.Errorf("%s: %q", version, log)
		}
	}
}

// In 12.8 and 12.9 the info log says once that the last target is deprecated, if no option is invalid. (JIT-117)
func TestDeprecatedTargets(t *testing.T) {
	const note = "Architectures prior to '<compute/sm>_75' are deprecated and may be removed in a future release\n"
	for _, c := range []struct{ toolkit, options, log string }{
		{"12.9", "-arch=sm_52", note},
		{"12.9", "-arch=sm_72;-arch=sm_52", note},
		{"12.9", "-arch=sm_52;-arch=sm_90", ""},
		{"12.9", "-arch=sm_90;-arch=sm_52", note},
		{"12.9", "-arch=sm_52;-bogus", ""},
		{"12.8", "-arch=sm_52;-arch=sm_0", ""},
		{"12.8", "-arch=sm_52;-ptx", note},
		{"12.8", "-arch=sm_75", ""},
		{"12.6", "-arch=sm_52", ""},
		{"13.0", "-arch=sm_52", ""},
	} {
		toolkit, err := arch.Find(c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create(strings.Split(c.options, ";"))
		infos, _ := library.InfoLog(h)
		if log := strings.TrimSuffix(string(infos), "\x00"); log != c.log {
			t.Errorf("%s: %s: %q, want %q", c.toolkit, c.options, log, c.log)
		}
	}
}

// The release of a library is the newest one or the selected one. An invalid selection makes links fail.
// (JIT-008, JIT-009)
func TestRelease(t *testing.T) {
	for _, c := range []struct {
		major             int
		named, want, said string
	}{
		{13, "", "13.5.37", ""}, {13, "auto", "13.5.37", ""}, {13, "13.1", "13.1.115", ""}, {13, "13.0.88", "13.0.88", ""},
		{13, "12.4", "13.5.37", ""}, {12, "", "13.0.88", ""}, {12, "12.4", "12.4.131", ""}, {12, "13.2", "13.0.88", ""},
		{13, "9.9", "13.5.37", `CULINK_TOOLKIT: toolkit "9.9" is not one of 13.0.88, `},
	} {
		p, err := jitlink.Release(c.major, c.named)
		if p == nil || p.Version != c.want || (err != nil) != (c.said != "") || err != nil && !strings.HasPrefix(err.Error(), c.said) {
			t.Errorf("%d, %q: %v, %v", c.major, c.named, p, err)
		}
		if err == nil {
			continue
		}
		library := &jitlink.Library{Toolkit: p, Unusable: err}
		h, r := library.Create([]string{"-arch=sm_90"})
		if log, _ := library.ErrorLog(h); r != jitlink.UnrecognizedOption || !strings.HasPrefix(string(log), "fatal   : "+c.said) {
			t.Errorf("%q: %v, %q", c.named, r, log)
		}
	}
}

// TestFailuresByRelease checks the messages of a failed link in each release. (JIT-100, JIT-101, JIT-065)
func TestFailuresByRelease(t *testing.T) {
	for named, want := range map[string][2]string{
		"13.0": {"ERROR 9: finish\n", "ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM\n"},
		"13.3": {"ERROR 9: complete\n", "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram: no input files compiled with LTO support (-dlto or -lto) found, cannot proceed with -lto option\n"},
		"13.5": {"ERROR 9: complete\n", "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram callback\n"},
	} {
		toolkit, err := jitlink.Release(13, named)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		for i, options := range [][]string{{"-arch=sm_90"}, {"-arch=sm_90", "-lto"}} {
			h, _ := library.Create(options)
			library.AddData(h, jitlink.InputCubin, testCubins(t)[0], "caller")
			r := library.Complete(h)
			if log, _ := library.ErrorLog(h); r == jitlink.Success || !strings.HasSuffix(string(log), want[i]+"\x00") {
				t.Errorf("%s %s: %v, %q; want %q", named, options, r, log, want[i])
			}
			if _, r := library.LinkedLTOIR(h); r != []jitlink.Result{jitlink.InvalidInput, jitlink.Internal}[i] {
				t.Errorf("%s %s: linked intermediate code: %v", named, options, r)
			}
		}
	}
}

// TestSequencesByRelease checks the results of calls after other calls in each release. The recorded sequences
// are those of 13.0. (JIT-015, JIT-030, JIT-063, JIT-105, JIT-106, JIT-109)
func TestSequencesByRelease(t *testing.T) {
	const noCode = "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram"
	const noProgram = "ERROR NVVM_ERROR_INVALID_PROGRAM (5) in nvvmGetProgramLogSize\nERROR NVVM_ERROR_INVALID_PROGRAM (5) in nvvmCompileProgram"
	cut := "!<arch>\n" + fmt.Sprintf("%-16s%-12s%-6s%-6s%-8s%-10d`\n", "a.o/", "0", "0", "0", "644", 100) + "short"
	cutCubin := string(testCubins(t)[0][:300])
	ptxFatbin := string(craft.Fatbin(craft.Entry{Kind: 1, Arch: 90, Payload: []byte(".version 9.0\n.target sm_90\n.address_size 64\n\x00")}))
	for _, c := range []struct {
		rule, toolkit, options string
		add                    jitlink.InputType // 0: INVALID_INPUT
		data                   string
		code                   []byte // what the compiler links before it refuses
		added, completed       jitlink.Result
		again                  jitlink.Result // of a second Complete
		log                    string         // end of the error log
	}{
		{"JIT-030", "13.3", "-lto", jitlink.InputLTOIR, string(codeFor(90)), nil, jitlink.Success, jitlink.NVVMCompile, jitlink.NVVMCompile, "refused\n"},
		{"JIT-030", "13.4", "-lto", jitlink.InputLTOIR, string(codeFor(90)), nil, jitlink.Success, jitlink.NVVMCompile, jitlink.NVVMCompile, "refused\n"},
		{"JIT-030", "13.4", "-lto", jitlink.InputLTOIR, string(codeFor(90)), []byte("linked"), jitlink.Success, jitlink.NVVMCompile, jitlink.Internal, "refused\n"},
		{"JIT-030", "13.4", "-lto", jitlink.InputLTOIR, "", nil, jitlink.InvalidInput, jitlink.NVVMCompile, jitlink.NVVMCompile, noCode + " callback\n"},
		{"JIT-015", "13.0", "-lto -uidx=", jitlink.InputCubin, string(testCubins(t)[0]), nil, jitlink.Success, jitlink.NVVMCompile, jitlink.NVVMCompile, "ERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_PROGRAM\nERROR 5 in nvvmGetProgramLogSize\n"},
		{"JIT-015", "13.3", "-lto -uidx=", jitlink.InputCubin, string(testCubins(t)[0]), nil, jitlink.Success, jitlink.NVVMCompile, jitlink.NVVMCompile, noProgram + " callback\n"},
		{"JIT-015", "13.5", "-lto -uidx=", jitlink.InputCubin, string(testCubins(t)[0]), nil, jitlink.Success, jitlink.NVVMCompile, jitlink.NVVMCompile, noProgram + " callback\n"},
		{"JIT-063", "13.0", "-lto -arch=sm_52", jitlink.InputLTOIR, string(codeFor(90)), nil, jitlink.ArchMismatch, jitlink.Internal, jitlink.Internal, "ERROR 90 in LTOIR arch newer than target arch\n"},
		{"JIT-063", "13.5", "-lto -arch=any", jitlink.InputLTOIR, string(codeFor(90)), nil, jitlink.ArchMismatch, jitlink.Internal, jitlink.Internal, "ERROR NVVM_ERROR not found (90) in LTOIR arch newer than target arch\n"},
		{"JIT-063", "13.0", "-lto -arch=sm_99", jitlink.InputLTOIR, string(codeFor(90)), nil, jitlink.Success, jitlink.Internal, jitlink.Internal, "unrecognized architecture (compute_99)\n"},
		{"JIT-063", "13.0", "-lto -arch=sm_-5", jitlink.InputLTOIR, string(codeFor(90)), nil, jitlink.Success, jitlink.Internal, jitlink.Internal, "unsupported architecture (-arch=sm_-5)\n"},
		{"JIT-105", "13.2", "-lto -ptx -r", jitlink.InputLTOIR, "", nil, jitlink.InvalidInput, jitlink.NVVMCompile, jitlink.NVVMCompile, "cannot proceed with -lto option\n"},
		{"JIT-105", "13.3", "-lto -ptx -r", jitlink.InputLTOIR, "", nil, jitlink.InvalidInput, jitlink.IncorrectInputType, jitlink.IncorrectInputType, "ERROR: -ptx requires that all inputs have LTOIR\n"},
		{"JIT-105", "13.0", "-lto -ptx", jitlink.InputFatbin, ptxFatbin, nil, jitlink.PTXCompile, jitlink.IncorrectInputType, jitlink.IncorrectInputType, "ERROR: -ptx requires that all inputs have LTOIR\n"},
		{"JIT-106", "13.3", "-bogus", jitlink.InputCubin, cutCubin, nil, jitlink.Internal, jitlink.Internal, jitlink.Internal, "ERROR 1: empty elfw when adding cubinin\n"},
		{"JIT-106", "13.4", "-bogus", jitlink.InputCubin, cutCubin, nil, jitlink.InvalidInput, jitlink.Internal, jitlink.Internal, "ERROR 1: bad input: malformed cubin ELFin\n"},
		{"JIT-109", "13.3", "-time", jitlink.InputLibrary, cut, nil, jitlink.Success, jitlink.Success, jitlink.Internal, ""},
		{"JIT-109", "13.4", "-time", jitlink.InputLibrary, cut, nil, jitlink.Internal, jitlink.Success, jitlink.Internal, "ERROR 1: library processing:in\n"},
	} {
		if c.add == jitlink.InputLibrary && runtime.GOOS == "windows" {
			continue // there, a library that is cut off is no error
		}
		toolkit, err := jitlink.Release(13, c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit, CompileLTO: func(context.Context, []lto.Input, *jitlink.Settings) (jitlink.LTOProgram, error) {
			return jitlink.LTOProgram{Said: "refused\n", Code: c.code}, errors.New("refused")
		}}
		h, _ := library.Create(strings.Fields("-arch=sm_90 " + c.options))
		added, completed, again := library.AddData(h, c.add, []byte(c.data), "in"), library.Complete(h), library.Complete(h)
		log, _ := library.ErrorLog(h)
		if added != c.added || completed != c.completed || again != c.again || !strings.HasSuffix(strings.TrimSuffix(string(log), "\x00"), c.log) {
			t.Errorf("%s: %s %s: %v, %v, %v, %q; want %v, %v, %v, %q", c.rule, c.toolkit, c.options, added, completed, again, log, c.added, c.completed, c.again, c.log)
		}
	}
}

// TestMalformedByRelease checks a damaged cubin in each release (JIT-102, JIT-115), and code that is added
// after a failed link (JIT-084). The judge covers JIT-085.
func TestMalformedByRelease(t *testing.T) {
	whole := testCubins(t)[0]
	file, err := cubin.Open("caller", whole)
	if err != nil {
		t.Fatal(err)
	}
	unknown := bytes.Clone(whole) // has an attribute of a format that does not exist
	for i := range file.Sections {
		if s := &file.Sections[i]; s.Type == cubin.SectionInfo {
			unknown[s.Offset] = 5
		}
	}
	const malformed = "ERROR 1: bad input: malformed cubin ELFin\n\x00"
	for _, c := range []struct {
		toolkit string
		add     jitlink.InputType
		data    []byte
		want    string
	}{
		{"13.3", jitlink.InputCubin, whole[:300], "ERROR 4: bad input:in\n\x00"},
		{"13.4", jitlink.InputCubin, whole[:300], malformed},
		{"13.3", jitlink.InputCubin, unknown, ""},
		{"13.4", jitlink.InputCubin, unknown, malformed},
		{"13.4", jitlink.InputFatbin, craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: unknown}), malformed},
	} {
		toolkit, err := jitlink.Release(13, c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_90"})
		r := library.AddData(h, c.add, c.data, "in")
		if log, _ := library.ErrorLog(h); (r == jitlink.InvalidInput) != (c.want != "") || !strings.HasSuffix(string(log), c.want) {
			t.Errorf("%s, %v: %v, %q; want %q", c.toolkit, c.add, r, log, c.want)
		}
		h, _ = library.Create([]string{"-arch=sm_90"})
		library.AddData(h, jitlink.InputCubin, testCubins(t)[0], "caller")
		library.Complete(h)
		executable := bytes.Clone(testCubins(t)[1])
		executable[16] = 2 // e_type
		if r := library.AddData(h, jitlink.InputCubin, executable, "executable"); r != jitlink.Success {
			t.Errorf("%s: an executable after a link that failed: %v (JIT-106)", c.toolkit, r)
		}
		if r := library.AddData(h, jitlink.InputCubin, testCubins(t)[1], "callee"); r != jitlink.Internal {
			t.Errorf("%s: after a link that failed: %v", c.toolkit, r)
		}
	}
}

// TestAddData checks how inputs are treated: by kind (JIT-040), by target (JIT-041, JIT-042), and by the state
// of the link (JIT-030).
func TestAddData(t *testing.T) {
	read := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	plain, other := read("basic/two-files/sm_90/in/callee.cubin"), read("basic/two-files/sm_80/in/callee.cubin")
	mercury := read("basic/two-files/sm_100/in/callee.cubin")
	legacy, none := read("fatbin/undecodable/sm_80/in/legacy.fatbin"), read("fatbin/nothing-compressed/sm_80/in/none.fatbin")
	otherVersion := codeFor(90)
	otherVersion[4]++
	for _, c := range []struct {
		rule, arch string
		completed  bool
		kind       jitlink.InputType
		data       []byte
		want       jitlink.Result
		log        string
	}{
		{"JIT-040", "sm_90", false, jitlink.InputCubin, plain, jitlink.Success, ""},
		{"JIT-040", "sm_90", false, jitlink.InputAny, plain, jitlink.Success, ""},
		{"JIT-040", "sm_90", false, jitlink.InputPTX, plain, jitlink.IncorrectInputType, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_PTXin\n"},
		{"JIT-040", "sm_90", false, jitlink.InputObject, plain, jitlink.Success, ""}, // without device code
		{"JIT-040", "sm_90", false, jitlink.InputAny, []byte("text"), jitlink.UnrecognizedInput, "unrecognized input type: in\n"},
		{"JIT-040", "sm_90", false, 8, plain, jitlink.IncorrectInputType, "unsupported input type: in\n"},
		{"JIT-040", "sm_90", false, jitlink.InputCubin, nil, jitlink.InvalidInput, ""},
		{"JIT-041", "sm_90", false, jitlink.InputCubin, other, jitlink.InvalidInput, "ERROR 4: bad input:in\n"},
		{"JIT-041", "sm_100", false, jitlink.InputCubin, plain, jitlink.InvalidInput, "Mercury or Capmerc target was requested, but SASS input in was found.\n"},
		{"JIT-042", "sm_103", false, jitlink.InputCubin, mercury, jitlink.InvalidInput, "ERROR 4: bad input:in\n"},
		{"JIT-042", "sm_100f", false, jitlink.InputCubin, mercury, jitlink.Success, ""},
		{"JIT-043", "sm_80", false, jitlink.InputFatbin, legacy, jitlink.IncorrectInputType, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINin\n"},
		{"JIT-043", "sm_80", false, jitlink.InputFatbin, none, jitlink.IncorrectInputType, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINin\n"},
		{"JIT-030", "sm_90", true, jitlink.InputCubin, plain, jitlink.Internal, "ERROR 1: empty elfw when adding cubinin\n"},
		{"JIT-030", "sm_90", true, jitlink.InputCubin, other, jitlink.Internal, "ERROR 1: empty elfw when adding cubinin\n"},
		{"JIT-064", "sm_90 -lto", false, jitlink.InputLTOIR, otherVersion, jitlink.OutdatedLibrary, "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library\n"},
		{"JIT-064", "sm_90", false, jitlink.InputLTOIR, otherVersion, jitlink.LTONotEnabled, "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)\n"},
		{"JIT-064", "sm_80 -lto", false, jitlink.InputLTOIR, otherVersion, jitlink.ArchMismatch, "ERROR 90 in LTOIR arch newer than target arch\n"},
		{"JIT-030", "sm_90", true, jitlink.InputCubin, []byte("text"), jitlink.IncorrectInputType, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_CUBINin\n"},
	} {
		library := &jitlink.Library{}
		h, _ := library.Create(strings.Fields("-arch=" + c.arch))
		if c.completed {
			library.Complete(h)
		}
		r := library.AddData(h, c.kind, c.data, "in")
		log, _ := library.ErrorLog(h)
		if text := strings.TrimSuffix(string(log), "\x00"); r != c.want || text != c.log {
			t.Errorf("%s: type %v into %s: %v, %q; want %v, %q", c.rule, c.kind, c.arch, r, text, c.want, c.log)
		}
	}
}

// Options affect the link: a kernel that is not in -kernels-used is dropped, and a list counts as one name.
// (JIT-014) Destroy does not affect other handles. (JIT-031)
func TestKernelsUsed(t *testing.T) {
	library := &jitlink.Library{}
	sizes := map[string]int{}
	witness, _ := library.Create([]string{"-arch=sm_90"})
	for _, used := range []string{"", "-kernels-used=_Z6caller", "-kernels-used=_Z6caller,_Z1k"} {
		options := []string{"-arch=sm_90"}
		if used != "" {
			options = append(options, used)
		}
		h, _ := library.Create(options)
		for _, data := range testCubins(t) {
			library.AddData(h, jitlink.InputCubin, data, "in")
		}
		if r := library.Complete(h); r != jitlink.Success {
			t.Fatal(r)
		}
		image, _ := library.LinkedCubin(h)
		sizes[used] = len(image)
		library.Destroy(h)
	}
	if all, one, list := sizes[""], sizes["-kernels-used=_Z6caller"], sizes["-kernels-used=_Z6caller,_Z1k"]; list >= one || one > all {
		t.Errorf("images of %d, %d and %d bytes", all, one, list)
	}
	if r := library.Complete(witness); r != jitlink.Success {
		t.Errorf("the other handle: %v", r)
	}
}

// A cubin for sm_90 without .nv.compat is linked. NVIDIA's library skips it. (JIT-083)
func TestWithoutCompatibility(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "reloc/descriptor-takes-address/sm_90/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	sections := func(data []byte) map[string]bool {
		t.Helper()
		f, err := cubin.Open("a.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, s := range f.Sections {
			names[s.Name] = true
		}
		return names
	}
	if sections(data)[".nv.compat"] {
		t.Fatal("the input has .nv.compat")
	}
	linked := sections(link(t, &jitlink.Library{}, [][]byte{data}))
	for _, name := range []string{".text.k", ".text.f", ".text.q", ".nv.global.init"} {
		if !linked[name] {
			t.Errorf("no %s in the image", name)
		}
	}
}

// TestOtherThanLinker checks cases in which the library of a release is less strict than its nvlink, or has
// other messages. (JIT-111, JIT-112, JIT-113)
func TestOtherThanLinker(t *testing.T) {
	for _, c := range []struct {
		options, input   string
		added, completed jitlink.Result
		log              string
	}{
		{"-arch=sm_90", "merge/function-inside-another/sm_90/in/a.cubin", jitlink.Success, jitlink.Success, ""},
		{"-arch=sm_100 -r", "relocatable/unified-functions/sm_100/in/a.cubin", jitlink.Success, jitlink.Internal, "error   : Finalization failed: 'unsupported elf type'\nERROR 13: finalize\n\x00"},
		{"-arch=sm_100", "mercury/suffixes/sm_100/in/k.cubin", jitlink.InvalidInput, jitlink.Success, "ERROR 4: bad input:in\n\x00"},
	} {
		toolkit, err := jitlink.Release(13, "13.5")
		if err != nil {
			t.Fatal(err)
		}
		data, err := fs.ReadFile(corpus.Files, c.input)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create(strings.Fields(c.options))
		added, completed := library.AddData(h, jitlink.InputCubin, data, "in"), library.Complete(h)
		if log, _ := library.ErrorLog(h); added != c.added || completed != c.completed || string(log) != c.log {
			t.Errorf("%s: %v, %v, %q; want %v, %v, %q", c.input, added, completed, log, c.added, c.completed, c.log)
		}
	}
}

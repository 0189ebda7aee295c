package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/culink/culink/cmd/internal/jitlibrary"
	"github.com/culink/culink/linker/lto"
)

// libraryOptions translates the options of the protocol to the library's options (LTO-040).
func TestLibraryOptions(t *testing.T) {
	for args, want := range map[string]string{
		"-arch=sm_90":                       "-arch=sm_90",
		"-arch=sm_90 -partial -g -lineinfo": "-arch=sm_90 -Xnvvm=--force-device-c -g -lineinfo",
		"-arch=sm_90 -externs":              "-arch=sm_90 -Xnvvm=--force-device-c -Xnvvm=-opt=0",
		"-ftz=1 -prec-div=0 -prec-sqrt=0 -fma=0 -maxrregcount=16 -Ofc=max -Xnvvm=-opt=0": "-maxrregcount=16 -Ofc=max -Xnvvm=-opt=0",
		"-nvvm-version=nvvm70 -jump-table-density=10":                                    "-nvvm-version=nvvm70 -jump-table-density=10",
		"-kernels-used=a,b":                            "-kernels-used=a -kernels-used=b",
		"-kernels-used=a -variables-used=v,w":          "-kernels-used=a -variables-used=v -variables-used=w",
		"-host-ref-ek=_Z1k*,l -host-ref-ic=c -partial": "-Xnvvm=-host-ref-ek=_Z1k*,l -Xnvvm=-host-ref-ic=c -Xnvvm=--force-device-c -Xnvvm=-has-global-host-info",
	} {
		if got := strings.Join(libraryOptions(strings.Fields(args)), " "); got != "-lto -ptx "+want {
			t.Errorf("%s: %s, want -lto -ptx %s", args, got, want)
		}
	}
}

func TestMisuse(t *testing.T) {
	for _, args := range []string{"", "lib.so", "lib.so -o", "lib.so -o x -linked", "lib.so -o x -log", "lib.so -o x -input a", "lib.so -o x word -input a b", "/nonexistent/lib.so -o x -input a main_test.go"} {
		var stderr bytes.Buffer
		if exit := run(strings.Fields(args), &stderr); exit != lto.ExitFailed || stderr.Len() == 0 {
			t.Errorf("%q: exit %d, %q", args, exit, &stderr)
		}
	}
}

// judge translates the library's log to nvlink's messages (LTO-030).
func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		log    string
		status int32
		exit   int
		said   string
	}{
		{"ERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_OPTION\nlibnvvm : error: -bogus is an unsupported option\x00", jitlibrary.CompilerRefuses, lto.ExitRefused,
			"libnvvm : error: -bogus is an unsupported optionNVVM_ERROR_INVALID_OPTION"},
		{"ERROR in nvvmCompileProgram: NVVM_ERROR_COMPILATION\na.o: link error: twice!\n\n\x00", jitlibrary.CompilerRefuses, lto.ExitRefused, "a.o: link error: twice!\n\nNVVM_ERROR_COMPILATION"},
		{"INFO: NVVM70 LTOIR Container created (2272 bytes)\n\x00libnvvm : error: -bogus is an unsupported optionERROR NVVM_ERROR_INVALID_OPTION (7) in nvvmCompileProgram\n\x00", jitlibrary.CompilerRefuses, lto.ExitRefused,
			"libnvvm : error: -bogus is an unsupported optionNVVM_ERROR_INVALID_OPTION"},
		{"ERROR 1: bad input\n\x00", jitlibrary.BadInput, lto.ExitNoCode, "call: status 12: ERROR 1: bad input"},
		{"ERROR 5: bad input:a.o\n\x00", jitlibrary.InvalidInput, lto.ExitDamaged, "call: status 3: ERROR 5: bad input:a.o"},
		{"ERROR 3: bad input: a.o\n\x00", jitlibrary.InvalidInput, lto.ExitFailed, "call: status 3: ERROR 3: bad input: a.o"},
		{"", jitlibrary.UnknownVersion, lto.ExitNoCode, "call: status 14: "},
		{"unrecognized option: -x\n\x00", jitlibrary.BadOption, lto.ExitFailed, "call: status 1: unrecognized option: -x"},
	} {
		exit, err := judge([]byte(tt.log), &jitlibrary.StatusError{Call: "call", Status: tt.status})
		if exit != tt.exit || err.Error() != tt.said {
			t.Errorf("%q: exit %d, %q; want %d, %q", tt.log, exit, err, tt.exit, tt.said)
		}
	}
	if exit, _ := judge(nil, errors.New("made nothing")); exit != lto.ExitFailed {
		t.Errorf("an error without status: exit %d", exit)
	}
}

// Only this command and cmd/nvjitlink can load NVIDIA's library. culink, cuconform and culink's shared library cannot
// (LTO-041).
func TestWhoLoadsTheLibrary(t *testing.T) {
	for command, want := range map[string]bool{"culink": false, "cuconform": false, "../linker/jitlink/libnvjitlink": false, "culink-lto": true, "nvjitlink": true} {
		cmd := exec.Command("go", "list", "-deps", "../"+command)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(out), "culink/cmd/internal/jitlibrary\n"); got != want {
			t.Errorf("%s has the package that loads it: %v, want %v", command, got, want)
		}
	}
}

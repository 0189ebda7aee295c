package jitlink_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/jitlink"
	"github.com/culink/culink/linker/lto"
)

// codeFor returns the start of a file of intermediate code for an architecture.
func codeFor(number int) []byte {
	data := make([]byte, 40)
	copy(data, "\xed\x43\x4e\x7f\x01\x41\x02\x62\x03\x02\x07")
	binary.LittleEndian.PutUint16(data[12:], 24)
	binary.LittleEndian.PutUint16(data[26:], uint16(10*number))
	return data
}

// linkCode links two files of intermediate code as a release does, with a shell script as the compiler. It
// returns the result, the PTX and the error log.
func linkCode(t *testing.T, release, script string, options ...string) (jitlink.Result, string, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake compiler is a shell script")
	}
	program := filepath.Join(t.TempDir(), "compiler")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	toolkit, err := arch.Find(release)
	if err != nil {
		t.Fatal(err)
	}
	library := &jitlink.Library{Toolkit: toolkit, CompileLTO: jitlink.AskCompiler(lto.Search{Named: program + " -first"})}
	h, r := library.Create(append([]string{"-lto", "-ptx"}, options...))
	if r != jitlink.Success {
		t.Fatal(r)
	}
	for _, name := range []string{"a", "b"} {
		if r := library.AddData(h, jitlink.InputLTOIR, codeFor(90), name); r != jitlink.Success {
			t.Fatal(r)
		}
	}
	r = library.Complete(h)
	ptx, _ := library.LinkedPTX(h)
	log, _ := library.ErrorLog(h)
	return r, string(bytes.TrimSuffix(ptx, []byte{0})), string(bytes.TrimSuffix(log, []byte{0}))
}

// echo writes its arguments as PTX, without paths.
const echo = `words=
while [ $# -gt 0 ]; do
  case $1 in
  -o) out=$2; shift ;;
  -log) shift ;;
  /*) ;;
  *) words="$words $1" ;;
  esac
  shift
done
echo "$words" >"$out"
`

// A compiler is called according to its protocol, with the options of the link. (JIT-062, JIT-107)
func TestAskCompiler(t *testing.T) {
	for options, want := range map[string]string{
		"-arch=sm_90a":                   "-arch=sm_90",
		"-arch=compute_100 -g -lineinfo": "-arch=sm_100 -g -lineinfo",
		"-arch=sm_90 -maxrregcount=40 -Ofc=mid -split-compile=3 -split-compile-extended=2": "-arch=sm_90 -maxrregcount=40 -Ofc=mid -split-compile=3 -split-compile-extended=2",
		"-arch=sm_90 -ftz=1 -Xnvvm=-x=y -O0 -O3":                                           "-arch=sm_90 -Xnvvm=-ftz=1 -Xnvvm=-x=y -Xnvvm=-opt=0 -Xnvvm=-opt=3",
		"-arch=sm_90 -g -g -lineinfo -lineinfo -Ofc=min -Ofc=0":                            "-arch=sm_90 -g -lineinfo -Ofc=min -Xnvvm=-g -Xnvvm=-generate-line-info -Xnvvm=-Ofast-compile=0",
		"-arch=sm_90 -kernels-used=k -kernels-used=l -variables-used=v":                    "-arch=sm_90 -kernels-used=k,l -variables-used=v",
		"-arch=sm_80 -arch=sm_90a":                                                         "-arch=sm_90 -Xnvvm=-arch=compute_90",
		"-arch=sm_90 -nvvm-version=nvvm-next -jump-table-density= -jump-table-density=9":   "-arch=sm_90 -nvvm-version=nvvm-latest -jump-table-density=0",
		"-arch=sm_90 -maxrregcount=16 -maxrregcount=32":                                    "-arch=sm_90 -maxrregcount=32 -Xnvvm=-maxreg=32",
		"-arch=sm_90 -optimize-unused-variables":                                           "-arch=sm_90 -optimize-unused-variables",
		"13.4 -arch=sm_90 -O3 -O0 -O0":                                                     "-arch=sm_90 -Xnvvm=-opt=3 -Xnvvm=-opt=0 -Xnvvm=-opt=0 -linked",
		"13.5 -arch=sm_90 -O3 -O0 -O0":                                                     "-arch=sm_90 -Xnvvm=-opt=0 -linked",
	} {
		release, words := "13.0", strings.Fields(options)
		if !strings.HasPrefix(words[0], "-") {
			release, words = words[0], words[1:]
		}
		r, ptx, log := linkCode(t, release, echo, words...)
		if want := " -first " + want + " -input a -input b\n"; r != jitlink.Success || ptx != want || log != "" {
			t.Errorf("%s: %v, called with %q, want %q; log %q", options, r, ptx, want, log)
		}
	}
}

// The compiler's message about a program goes to the error log in the format of the release. (JIT-062, JIT-101)
func TestCompilerRefuses(t *testing.T) {
	for script, want := range map[string]string{
		`printf 'libnvvm : error: -x is unsupportedNVVM_ERROR_INVALID_OPTION\n' >&2; exit 1`: "ERROR in nvvmCompileProgram: NVVM_ERROR_INVALID_OPTION\nlibnvvm : error: -x is unsupported",
		`printf 'twice!\n\nNVVM_ERROR_COMPILATION\n' >&2; exit 1`:                            "ERROR in nvvmCompileProgram: NVVM_ERROR_COMPILATION\ntwice!\n\n",
		`echo no such function >&2; exit 1`:                                                  "no such function\n",
		`echo b >&2; exit 3`:                                                                 "ERROR in nvvmCompileProgram: not intermediate code that the compiler reads: b\n",
	} {
		if r, _, log := linkCode(t, "13.0", script, "-arch=sm_90"); r != jitlink.NVVMCompile || log != want {
			t.Errorf("%s: %v, log %q, want %q", script, r, log, want)
		}
	}
	for script, want := range map[string]string{
		`printf 'libnvvm : error: -x is unsupportedNVVM_ERROR_INVALID_OPTION\n' >&2; exit 1`: "libnvvm : error: -x is unsupportedERROR NVVM_ERROR_INVALID_OPTION (7) in nvvmCompileProgram\n",
		`printf 'Error encountered while compiling\nNVVM_ERROR_COMPILATION\n' >&2; exit 1`:   "Error encountered while compiling\nERROR NVVM_ERROR_COMPILATION (9) in nvvmCompileProgram\n",
		`printf 'twice!\n\nNVVM_ERROR_COMPILATION\n' >&2; exit 1`:                            "twice!\n\nERROR NVVM_ERROR_COMPILATION (9) in nvvmCompileProgram callback\n",
	} {
		if r, _, log := linkCode(t, "13.5", script, "-arch=sm_90"); r != jitlink.NVVMCompile || log != want {
			t.Errorf("by 13.5: %s: %v, log %q, want %q", script, r, log, want)
		}
	}
}

// If there is no compiler, the log of Complete lists the places where it was looked for. (JIT-062)
func TestNoCompiler(t *testing.T) {
	t.Setenv(lto.Variable, "")
	library := &jitlink.Library{CompileLTO: jitlink.AskCompiler(lto.Search{})}
	h, _ := library.Create([]string{"-arch=sm_90", "-lto"})
	library.AddData(h, jitlink.InputLTOIR, codeFor(90), "a")
	r := library.Complete(h)
	if log, _ := library.ErrorLog(h); r != jitlink.NVVMCompile || !strings.Contains(string(log), lto.Variable) {
		t.Errorf("%v, log %q", r, log)
	}
}

// Code for an architecture later than the target is refused as soon as it is added. (JIT-063)
func TestLaterCode(t *testing.T) {
	for _, c := range []struct {
		target string
		data   []byte
		want   jitlink.Result
		log    string
	}{
		{"sm_90", codeFor(90), jitlink.Success, ""},
		{"sm_90a", codeFor(89), jitlink.Success, ""},
		{"sm_80", codeFor(90), jitlink.ArchMismatch, "ERROR 90 in LTOIR arch newer than target arch\n\x00"},
		{"sm_100", codeFor(103), jitlink.ArchMismatch, "ERROR 103 in LTOIR arch newer than target arch\n\x00"},
		{"sm_80", codeFor(90)[:24], jitlink.Success, ""}, // the compiler refuses it
	} {
		library := &jitlink.Library{}
		h, _ := library.Create([]string{"-arch=" + c.target, "-lto"})
		r := library.AddData(h, jitlink.InputLTOIR, c.data, "a")
		if log, _ := library.ErrorLog(h); r != c.want || string(log) != c.log {
			t.Errorf("%d bytes into %s: %v, log %q; want %v, %q", len(c.data), c.target, r, log, c.want, c.log)
		}
	}
}

// In a link with machine code, a program is compiled as a part in two cases: it has no kernel, or it calls a
// function that neither it nor the driver defines. The link then handles -kernels-used and -variables-used.
// (JIT-110)
func TestPartOfAProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake compiler is a shell script")
	}
	dir := t.TempDir()
	program, said := filepath.Join(dir, "compiler"), filepath.Join(dir, "said")
	script := "#!/bin/sh\ncase \"$*\" in *-externs*) cp " + filepath.Join(dir, "externs") + " \"$4\";; *) echo \"$*\" >" + said + "; exit 1;; esac\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	const kernel, function, calls, prints = ".visible .entry k()\n", ".visible .func g()\n", ".extern .func f();\n", ".extern .func malloc();\n"
	for _, c := range []struct {
		options, release, ptx string
		want                  string // the options of the compiler
	}{
		{"", "13.0", kernel, "-arch=sm_90 -log"},
		{"", "13.3", kernel + function, "-arch=sm_90 -log"},
		{"", "13.0", kernel + prints, "-arch=sm_90 -log"},
		{"", "13.0", function, "-arch=sm_90 -partial -log"},
		{"", "13.0", "\t.weak .entry k(\n", "-arch=sm_90 -log"},
		{"", "13.0", "// .entry k\n", "-arch=sm_90 -partial -log"},
		{"", "13.0", kernel + calls, "-arch=sm_90 -partial -log"},
		{"-kernels-used=k -variables-used=v", "13.0", kernel, "-arch=sm_90 -log"},
		{"-r", "13.2", kernel, "-arch=sm_90 -log"},
		{"-r", "13.3", kernel, "-arch=sm_90 -partial -log"},
	} {
		toolkit, err := arch.Find(c.release)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "externs"), []byte(c.ptx), 0o600); err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit, CompileLTO: jitlink.AskCompiler(lto.Search{Named: program})}
		h, _ := library.Create(append([]string{"-arch=sm_90", "-lto"}, strings.Fields(c.options)...))
		library.AddData(h, jitlink.InputLTOIR, codeFor(90), "code")
		library.AddData(h, jitlink.InputCubin, testCubins(t)[0], "caller")
		library.Complete(h)
		if args, err := os.ReadFile(said); err != nil || !strings.HasPrefix(string(args), c.want) {
			t.Errorf("%s by %s of %q: called with %q, want %q: %v", c.options, c.release, c.ptx, args, c.want, err)
		}
	}
}

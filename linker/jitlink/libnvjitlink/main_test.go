//go:build linux && cgo

package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/culink/culink/conformance/cleanenv"
	judge "github.com/culink/culink/conformance/library"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/jitlink"
	"github.com/culink/culink/linker/lto"
	"github.com/culink/culink/linker/option"
)

// inputs are two cubins of conformance/library/recorded for sm_90. One of them calls the other.
var inputs = []string{"a.90.cubin", "b.90.cubin"}

// A release is the library for one major version, built once for all tests.
type release struct {
	minors int      // number of releases whose names it exports
	later  []string // calls introduced after the first release
	once   sync.Once
	dir    string
	failed string
}

var releases = map[int]*release{13: {minors: 6, later: []string{"GetLinkedLTOIRSize", "GetLinkedLTOIR"}}, 12: {minors: 10}}

func TestMain(m *testing.M) {
	cleanenv.Unset()
	code := m.Run()
	for _, r := range releases {
		if r.dir != "" {
			os.RemoveAll(r.dir)
		}
	}
	os.Exit(code)
}

// build builds the library and client.c, and returns their folder, which also contains the inputs. The test is
// skipped if there is no C compiler.
func build(t *testing.T, major int) string {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("no C compiler: the shared library is not built: %v", err)
	}
	r := releases[major]
	r.once.Do(func() {
		var err error
		if r.dir, err = os.MkdirTemp("", "libnvjitlink"); err != nil {
			r.failed = err.Error()
			return
		}
		for _, command := range [][]string{
			{"go", "build", "-o", filepath.Join(r.dir, "culink-lto"), "../../../cmd/culink-lto"}, // with the packages that tests have compiled
			{"./build.sh", r.dir, fmt.Sprint(major), "library"},
			{cc, "-Wall", "-Werror", fmt.Sprintf("-DNVJITLINK_MAJOR=%d", major), "-I" + r.dir, "testdata/client.c", "-o", filepath.Join(r.dir, "client"),
				filepath.Join(r.dir, soname(major)), "-Wl,-rpath," + r.dir, "-lpthread"},
		} {
			if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
				r.failed += strings.Join(command, " ") + "\n" + string(out)
			}
		}
		cases, err := judge.Load(judge.Recorded)
		if err == nil {
			err = judge.WriteInputs(r.dir, cases, judge.Recorded, corpus.Files)
		}
		if err != nil {
			r.failed += err.Error()
		}
	})
	if r.failed != "" {
		t.Fatal(r.failed)
	}
	return r.dir
}

// soname returns the name of the library.
func soname(major int) string { return fmt.Sprintf("libnvJitLink.so.%d", major) }

// client runs testdata/client.c with the library of CUDA 13, and returns its output before "ok".
func client(t *testing.T, args ...string) string {
	t.Helper()
	return clientOf(t, 13, args...)
}

func clientOf(t *testing.T, major int, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "./client", args...)
	cmd.Dir = build(t, major)
	out, err := cmd.CombinedOutput()
	said, ok := strings.CutSuffix(string(out), "ok\n")
	if err != nil || !ok {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return said
}

// The library has its soname. It exports every entry point under its plain name, and under the names of all releases with its
// major number. It has one symbol version, which equals the soname. (JIT-003)
func TestEntryPoints(t *testing.T) {
	for major, r := range releases {
		f, err := elf.Open(filepath.Join(build(t, major), soname(major)))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if names, err := f.DynString(elf.DT_SONAME); err != nil || !slices.Equal(names, []string{soname(major)}) {
			t.Errorf("soname %q, %v", names, err)
		}
		symbols, err := f.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range symbols {
			if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
				got = append(got, s.Name)
				if s.Version != soname(major) {
					t.Errorf("%s has version %q", s.Name, s.Version)
				}
			}
		}
		want := []string{"nvJitLinkVersion"}
		for _, name := range append([]string{
			"Create", "Destroy", "AddData", "AddFile", "Complete", "GetLinkedCubinSize", "GetLinkedCubin", "GetLinkedPtxSize",
			"GetLinkedPtx", "GetErrorLogSize", "GetErrorLog", "GetInfoLogSize", "GetInfoLog",
		}, r.later...) {
			want = append(want, "nvJitLink"+name)
			for minor := range r.minors {
				want = append(want, fmt.Sprintf("__nvJitLink%s_%d_%d", name, major, minor))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("exports %q, want %q", got, want)
		}
	}
}

// A program that was built for CUDA 12 links with libnvJitLink.so.12, even if it uses the names of an earlier release than the
// library's. (JIT-008)
func TestClientOfRelease12(t *testing.T) { clientOf(t, 12, append([]string{"links"}, inputs...)...) }

// A C program links through both sets of names. It may reuse its buffers after each call. (JIT-004)
func TestClient(t *testing.T) { client(t, append([]string{"links"}, inputs...)...) }

// 64 threads link at the same time, and each link makes the same image. (JIT-005)
func TestThreads(t *testing.T) { client(t, append([]string{"threads", "64"}, inputs...)...) }

// Calls with invalid handles return a result and do not crash. (JIT-002)
func TestGarbageHandles(t *testing.T) { client(t, "garbage") }

// A null argument leads to the result of the library's major version. CUDA 12 and 13 have different ones. (JIT-118)
func TestNullArguments(t *testing.T) {
	for major := range releases {
		clientOf(t, major, "null")
	}
}

// The environment counts as it is at the first call. Programs such as Python scripts set variables while they run. (JIT-119)
func TestPresentEnvironment(t *testing.T) {
	for release, major := range map[string]int{"13.0": 13, "13.2": 13, "12.4": 12} {
		if said := clientOf(t, major, "release", release); said != release+"\n" {
			t.Errorf("with CULINK_TOOLKIT=%s the release is %s", release, said)
		}
	}
}

// If the limits of a process prevent Go from reserving address space or creating threads, the process continues. Calls then
// return why they cannot link. (JIT-087)
func TestSmallProcess(t *testing.T) {
	dir := build(t, 13)
	var user *syscall.SysProcAttr
	if os.Geteuid() == 0 { // the system does not limit the processes of root
		const nobody = 65534
		user = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for limit, reason := range map[string]string{
		"ulimit -v 400000": "address space",
		"ulimit -v 200000": "address space",
		"{ ulimit -u 1 2>/dev/null || ulimit -p 1; }": "threads", // in bash, and in dash
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", limit+" && exec ./client refused '"+reason+"'")
		cmd.Dir, cmd.SysProcAttr = dir, user
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ok\n" {
			t.Errorf("%s: %v\n%s", limit, err, out)
		}
	}
}

// CULINK_ADVICE chooses where answers go: nowhere, below the messages on stderr, or into a file. The error log is the same. (JIT-088)
func TestAnswers(t *testing.T) {
	dir := build(t, 13)
	file := filepath.Join(t.TempDir(), "advice.txt")
	const message = "error   : Undefined reference to '_Z1fi' in 'a.cubin'\n"
	log := message + "ERROR 9: complete\nok\n"
	const answer = message + "  means     f(int)\n  named by  k(int *) in a.cubin\n  try       link the file"
	for value, want := range map[string]string{"": "", "0": "", "advice.txt": "", "1": answer, file: ""} {
		cmd := exec.CommandContext(t.Context(), "./client", append([]string{"missing"}, inputs...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), option.AdviceVariable+"="+value)
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil || stdout.String() != log || (want == "") != (stderr.Len() == 0) || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("%q: %v, stdout %q, stderr\n%s", value, err, &stdout, &stderr)
		}
	}
	text, err := os.ReadFile(file)
	if want := "== a link by libnvJitLink for sm_90 in " + dir + "\n" + answer; err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("the file: %v\n%s\nwant\n%s", err, text, want)
	}
}

// An executable cubin, of which nothing is linked, has an answer although no log names it. A library of which nothing is linked has
// one under any name, and an object without device code has none. (JIT-088)
func TestAnswersOnPassedOver(t *testing.T) {
	input := func(name string) []byte {
		data, err := fs.ReadFile(judge.Recorded, "in/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	bare := "!<arch>\n" + fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n", "b.cubin/", 0, 0, 0, 0o644, len(input("b.90.cubin"))) + string(input("b.90.cubin"))
	for _, test := range []struct {
		kind jitlink.InputType
		data []byte
		want string
	}{
		{jitlink.InputCubin, input("exec.90.cubin"), "info    : Nothing was taken from input file 'module'\n  holds     an executable cubin"},
		{jitlink.InputAny, input("exec.90.cubin"), "info    : Nothing was taken from input file 'module'\n  holds     an executable cubin"},
		{jitlink.InputLibrary, []byte(bare), "info    : Nothing was taken from input file 'module'\n  holds     an archive of device code"},
		{jitlink.InputObject, input("host.o"), ""},
		{jitlink.InputCubin, input("b.90.cubin"), ""},
	} {
		var stderr strings.Builder
		l := jitlink.Library{Answer: answerBy("1", arch.Default, &stderr)}
		h, _ := l.Create([]string{"-arch=sm_90"})
		r := l.AddData(h, test.kind, test.data, "module")
		infos, _ := l.InfoLog(h)
		errors, _ := l.ErrorLog(h)
		if said := stderr.String(); len(infos) != 0 || (test.want == "") != (said == "") || !strings.HasPrefix(said, test.want) {
			t.Errorf("%v: %v, logs %q and %q, stderr\n%s, want\n%s", test.kind, r, infos, errors, said, test.want)
		}
	}
}

// Inputs that define a function in a form that is not read, and prototypes that differ, have the answers of the command line.
// (JIT-088)
func TestAnswersOnUnreadForms(t *testing.T) {
	input := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, name+".cubin")
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const files = "basic/two-files/sm_90/in/"
	executable := bytes.Clone(input(files + "callee"))
	executable[16] = 2 // e_type
	whole := craft.HostObject(craft.Section{Name: ".nv_fatbin", Data: craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: executable})})
	for _, test := range []struct {
		first string
		kind  jitlink.InputType
		data  []byte
		want  string
	}{
		{files + "caller", jitlink.InputLibrary, craft.Archive(craft.Member{Name: "b.cubin/", Data: input(files + "callee")}), "make module of objects (nvcc -rdc=true -c)"},
		{files + "caller", jitlink.InputObject, craft.HostObject(craft.Section{Name: ".llvm.offloading", Data: []byte("\x10\xff\x10\xad _Z6calleei")}), "by clang, in a section that nvlink does not read"},
		{files + "caller", jitlink.InputObject, whole, "compile the source of module with -rdc=true"},
		{files + "caller", jitlink.InputLibrary, craft.Archive(craft.Member{Name: "b.o/", Data: whole}), "compile the source of module:b.o with -rdc=true"},
		{files + "caller", jitlink.InputCubin, executable, "an executable cubin, compiled without -rdc=true"},
		{"messages/prototype-mismatch/sm_90/in/a", jitlink.InputCubin, input("messages/prototype-mismatch/sm_90/in/b"), "differs   parameter 2: .b32 in module"},
	} {
		var stderr strings.Builder
		l := jitlink.Library{Answer: answerBy("1", arch.Default, &stderr)}
		h, _ := l.Create([]string{"-arch=sm_90"})
		l.AddData(h, jitlink.InputCubin, input(test.first), "first")
		l.AddData(h, test.kind, test.data, "module")
		l.Complete(h)
		if said := stderr.String(); !strings.Contains(said, test.want) {
			t.Errorf("%v: stderr\n%s, want\n%s", test.kind, said, test.want)
		}
	}
}

// PTX is linked in a program that ignores SIGCHLD, and in a program that waits for every child process. (JIT-086)
func TestChildrenOfOthers(t *testing.T) {
	ptxas := filepath.Join(t.TempDir(), "ptxas") // any cubin will do
	cubin := filepath.Join(build(t, 13), inputs[1])
	script := "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && cp '" + cubin + "' \"$2\"; shift; done\n"
	if err := os.WriteFile(ptxas, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CULINK_PTXAS", ptxas)
	client(t, "ignores", "10")
	client(t, "reaps", "10")
}

// If a child process is forked after the library was used, calls in the child return a result and a reason at once. A child that
// executes another program can link, and so can the parent. (JIT-006)
func TestFork(t *testing.T) { client(t, append([]string{"fork"}, inputs...)...) }

// culink -lto never uses this library as its compiler, whatever its name. (LTO-041)
func TestNoCompilerForItself(t *testing.T) {
	dir := build(t, 13)
	renamed := filepath.Join(t.TempDir(), "libnvJitLink.so")
	if err := os.Symlink(filepath.Join(dir, soname(13)), renamed); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{dir, filepath.Join(dir, soname(13)), renamed, filepath.Join(build(t, 12), soname(12))} {
		var missing *lto.NotFoundError
		if found, err := lto.Find(lto.Search{Named: named, Beside: dir}); !errors.As(err, &missing) || missing.Helper {
			t.Errorf("%s: found %s, %v", named, found, err)
		}
	}
}

// The library's program for compiling intermediate code is in the same folder. (JIT-062)
func TestCompilerBeside(t *testing.T) {
	dir := t.TempDir()
	copied := filepath.Join(dir, soname(13))
	data, err := os.ReadFile(filepath.Join(build(t, 13), soname(13)))
	if err == nil {
		err = os.WriteFile(copied, data, 0o777)
	}
	// The test needs some library that is not libnvjitlink: only the helper, a script, is called.
	if err == nil {
		err = os.Symlink(filepath.Join(build(t, 13), "client"), filepath.Join(dir, "other.so"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "culink-lto"), []byte("#!/bin/sh\nif [ \"$1\" = -keep ]; then shift; \"$@\"; printf '%d ended' $? >&3; exit; fi\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && echo .version 9.0 >$2; shift; done\n"), 0o777)
	}
	cases := filepath.Join(dir, "cases")
	if err == nil {
		err = os.MkdirAll(filepath.Join(cases, "in"), 0o777)
	}
	if err == nil {
		code, _ := fs.ReadFile(judge.Recorded, "in/b.ltoir")
		err = os.WriteFile(filepath.Join(cases, "in", "b.ltoir"), code, 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(cases, "beside.txt"), []byte("case beside JIT-062\ncreate -arch=sm_90 -lto -ptx = 0\nadd ltoir b.ltoir = 0\ncomplete = 0\ndestroy = 0\n"), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(lto.Variable, filepath.Join(dir, "other.so"))
	var out bytes.Buffer
	line := judge.CommandLine{Library: copied, Cases: cases, Has: "c", Time: sandbox.DefaultLimits.Time}
	if status, err := line.Judge(t.Context(), &out); status != 0 || err != nil {
		t.Errorf("status %d, %v\n%s", status, err, &out)
	}
}

// Memory does not grow from link to link. CULINK_LINKS is the number of links, which is 100,000 in the long run. (JIT-007)
func TestNoLeak(t *testing.T) {
	links := os.Getenv("CULINK_LINKS")
	if links == "" {
		links = "2000"
	}
	began := time.Now()
	said := client(t, append([]string{"repeat", links}, inputs...)...)
	grown, err := strconv.Atoi(strings.TrimSpace(said))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s links in %.1f s: %d KiB more", links, time.Since(began).Seconds(), grown)
	if grown > 16<<10 {
		t.Errorf("%s links: %d KiB more at the end", links, grown)
	}
}

// The shared library answers as recorded: all cases in one process, and some on 16 threads at the same time.
// (JIT-005)
func TestAnswersAsRecorded(t *testing.T) {
	dir := build(t, 13)
	for _, line := range []judge.CommandLine{
		{Stream: true},
		{Threads: 16, Run: []string{"relocatable", "handles-*", "options-*", "inputs-*"}},
	} {
		line.Library, line.Waivers, line.Has, line.Time = filepath.Join(dir, soname(13)), "culink", "c", sandbox.DefaultLimits.Time
		var out bytes.Buffer
		if status, err := line.Judge(t.Context(), &out); status != 0 || err != nil {
			t.Errorf("%+v: status %d, %v\n%s", line, status, err, &out)
		}
		t.Logf("%+v\n%s", line, &out)
	}
}

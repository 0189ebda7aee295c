package command

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/cleanenv"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/arch"
	"github.com/google/go-cmp/cmp"
)

// This test repeats links with -lto without NVIDIA's tools. testdata/lto has intermediate code, which was compiled from
// the sources beside it, and nvlink's outcome of each link. For each release it also has the outputs of the two
// compilers that culink calls: PTX from intermediate code, and a cubin from PTX. Fake compilers return these outputs.
// Each output is returned only for exactly the same question. -update-lto records everything again with the tools of
// CULINK_ORACLE.

var updateLTO = flag.Bool("update-lto", false, "record the links of testdata/lto anew from CULINK_ORACLE")

const ltoData = "testdata/lto"

// Environment variables that make this test program a compiler: the folder of the recorded outputs and, during a
// recording, the command of the real compiler.
const (
	answersVariable = "CULINK_TEST_ANSWERS"
	asksVariable    = "CULINK_TEST_ASKS"
)

// linkerVariable makes this test program culink. Tests that do not measure a process need not build it.
const linkerVariable = "CULINK_TEST_LINKER"

func TestMain(m *testing.M) {
	if answers := os.Getenv(answersVariable); answers != "" {
		os.Exit(fakeCompiler(answers, os.Args[1:]))
	}
	if os.Getenv(linkerVariable) != "" {
		Main()
	}
	cleanenv.Unset()
	os.Exit(m.Run())
}

// fakeCompiler acts as the compiler of intermediate code if its first word is "lto", and otherwise as ptxas. It finds a
// recorded output by a hash of the question: all words except paths, and the contents of the inputs.
func fakeCompiler(answers string, args []string) int {
	asked := sha256.New()
	out := ""
	for i := 0; i < len(args); i++ {
		switch word := args[i]; {
		case word == "-o":
			out, i = args[i+1], i+1
		case filepath.IsAbs(word):
			data, err := os.ReadFile(word)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 2
			}
			fmt.Fprintf(asked, "%d bytes\n%s\n", len(data), data)
		default:
			fmt.Fprintln(asked, word)
		}
	}
	answer := filepath.Join(answers, fmt.Sprintf("%x", asked.Sum(nil)[:8]))
	if asks := os.Getenv(asksVariable); asks != "" {
		if err := recordAnswer(answer, asks, args, out); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	exit := 0
	if said, err := os.ReadFile(answer + ".said"); err == nil {
		os.Stderr.Write(said[1:])
		exit = int(said[0] - '0')
	}
	if exit != 0 {
		return exit
	}
	data, err := os.ReadFile(answer)
	if err != nil || os.WriteFile(out, data, 0o666) != nil {
		fmt.Fprintf(os.Stderr, "no answer recorded for %q: %v\n", args, err)
		return 2
	}
	return 0
}

// recordAnswer runs the real compiler and stores its output. It also stores its exit status and messages, if there are
// any.
func recordAnswer(answer, asks string, args []string, out string) error {
	compilers := strings.Split(asks, "\n")
	command := []string{compilers[1]}
	if args[0] == "lto" {
		command, args = strings.Fields(compilers[0]), args[1:]
	}
	said, err := exec.Command(command[0], append(command[1:], args...)...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if len(said) > 0 {
		for _, word := range args {
			if filepath.IsAbs(word) { // the words must be the same in each run
				said = bytes.ReplaceAll(said, []byte(word), []byte(filepath.Base(word)))
			}
		}
		status := byte('0')
		if exit != nil {
			status += byte(exit.ExitCode())
		}
		if err := os.WriteFile(answer+".said", append([]byte{status}, said...), 0o666); err != nil || exit != nil {
			return err
		}
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	return os.WriteFile(answer, data, 0o666)
}

// replayedLinks lists the links of testdata/lto by name, with their rules.
var replayedLinks = []struct{ name, args string }{
	{"whole", "a.ltoir b.fatbin -v"},                                                                  // LTO-001
	{"whole-without-runtime", "a.o b.o --register-link-binaries=out/r.c"},                             // LTO-005
	{"whole-without-runtime-kept", "a.o b.o -keep-system-libraries --register-link-binaries=out/r.c"}, // LTO-005
	{"whole-with-runtime", "a.o b.o libcudadevrt.a --register-link-binaries=out/r.c"},                 // LTO-006
	{"whole-debug", "a.fatbin b.fatbin -g"},                                                           // LOAD-019
	{"whole-options", "a.fatbin b.fatbin -maxrregcount 32 -Xptxas -O1 -Xnvvm -ftz=1"},                 // LTO-001
	{"runtime-needed", "missing.o libcudadevrt.a --register-link-binaries=out/r.c"},                   // LTO-004
	{"runtime-forced-out", "missing.o libcudadevrt.a -force-whole-lto"},                               // LTO-004
	{"partial", "q1.o q2.cubin q3.o -v"},                                                              // LTO-002
	{"partial-first", "q3.o q1.o q2.cubin"},                                                           // LTO-002
	{"partial-forgotten", "q3.ltoir q1.ltoir q2.cubin"},                                               // LTO-002
	{"partial-forced", "a.o b.o -force-partial-lto -dump-callgraph"},                                  // LTO-001
	{"relocatable", "a.o b.o -r --register-link-binaries=out/r.c"},                                    // LTO-001
	{"relocatable-whole", "a.o b.o -r -force-whole-lto"},                                              // LTO-001
	{"host-references", "refers.o b.o libcudadevrt.a"},                                                // LTO-003
	{"host-references-ignored", "refers.o b.o libcudadevrt.a -ignore-host-info"},                      // LTO-003
	{"host-references-unknown", "refers.o a.o libcudadevrt.a -emit-ptx"},                              // LTO-003
	{"kernels-used", "b.o libcudadevrt.a -kernels-used=xyz"},                                          // LTO-003
	{"emit-ptx", "a.o b.o -emit-ptx --register-link-binaries=out/r.c -split-compile-extended=2"},      // LTO-007, OPT-029
	{"virtual", "-arch=compute_90 a.o b.o libcudadevrt.a --register-link-binaries=out/r.c"},           // LTO-012
	{"archive", "libab.a libcudadevrt.a"},                                                             // LTO-001
	{"lines-and-registers", "a-noted.fatbin b.fatbin"},                                                // LTO-020
	{"flags-differ", "a-noted.fatbin b-ftz.fatbin"},                                                   // LTO-020
	{"defined-twice", "a.o a.o"},                                                                      // LTO-030
	{"unresolved", "a.fatbin"},                                                                        // LTO-030
	{"no-code", "a.o text.ltoir nofile"},                                                              // LTO-010
	{"other-version", "a.o minor.ltoir nofile"},                                                       // LTO-010
	{"other-version-in-fat-binary", "major.fatbin nofile"},                                            // LTO-010
	{"earlier-version", "old.fatbin"},                                                                 // LTO-010
	{"runtime-needed-some-launched", "launches.o libcudadevrt.a"},                                     // LTO-009
	{"too-much-shared", "large.ltoir"},                                                                // LOAD-048
	{"too-many-digits", "a.o b.o -maxrregcount 1000"},                                                 // LOAD-047
	{"scrambled-damage", "damaged.fatbin"},                                                            // LTO-031
	{"warnings", "q1.o q2.cubin q3.o -Werror"},                                                        // LOAD-046
	{"program-first", "--toolkit=13.5 q1.o q2.cubin q3.ltoir"},                                        // KIT-202
	{"program-first-among-hosts", "--toolkit=13.5 launches.o nowhere.o"},                              // KIT-202
	{"program-of-files", "--toolkit=13.5 q2.cubin q3.ltoir q1.fatbin"},                                // KIT-202
	{"runtime-needed-13.5", "--toolkit=13.5 launches.o libcudadevrt.a"},                               // LTO-009, KIT-202
	{"partial-debug", "--toolkit=13.4 q1.o q2.cubin q3.o -g"},                                         // KIT-203
	{"partial-debug-13.5", "--toolkit=13.5 q1.o q2.cubin q3.o -g"},                                    // KIT-203
}

// With the recorded outputs of the compilers, culink links as nvlink did.
func TestLTOReplay(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs(ltoData)
	if err != nil {
		t.Fatal(err)
	}
	var oracle, helper string
	if *updateLTO {
		if oracle, err = tools.Oracle(); err != nil {
			t.Fatal(err)
		}
		compileReplayed(t, oracle, data)
		helper = filepath.Join(t.TempDir(), "culink-lto")
		if said, err := exec.Command("go", "build", "-o", helper, "../../culink-lto").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		for _, dir := range []string{"answers", "links"} {
			if err := os.RemoveAll(filepath.Join(data, dir)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("CULINK_LTO", self+" lto")
	t.Setenv("CULINK_PTXAS", self)
	t.Chdir(replayFolder(t, data))
	for _, link := range replayedLinks {
		recorded := filepath.Join(data, "links", link.name)
		answers := filepath.Join(data, "answers", "13.0")
		args := []string{"nvlink", "-arch=sm_90", "-lto", "-nvvmpath=nv", "-o", "out/o"}
		for _, word := range strings.Fields(link.args) {
			if strings.HasPrefix(word, "-arch=") {
				args[1] = word
			} else {
				args = append(args, word)
			}
			if version, named := strings.CutPrefix(word, "--toolkit="); named {
				answers = filepath.Join(data, "answers", version)
			}
		}
		if *updateLTO {
			os.Unsetenv(answersVariable)
			emptyOut(t)
			cmd := liveLinker(t, oracle, helper, args[1:])
			var said bytes.Buffer
			cmd.Stderr = &said
			err := cmd.Run()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			recordLink(t, recorded, cmd.ProcessState.ExitCode(), said.Bytes())
			if err := os.MkdirAll(answers, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv(answersVariable, answers)
		emptyOut(t)
		var stdout, stderr bytes.Buffer
		exit := run(t.Context(), args, &stdout, &stderr)
		want := readFiles(t, recorded)
		got := readFiles(t, "out")
		got["exit"], got["stderr"] = fmt.Sprintln(exit), stderr.String()
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s%s", link.name, diff, stderr.String())
		}
		for part := range want {
			if got[part] != want[part] {
				t.Errorf("%s: %s is %.200q\nwant %.200q", link.name, part, got[part], want[part])
			}
		}
	}
}

// liveLinker returns the command for nvlink with these words. The release is the one that --toolkit names. The tools of
// that release answer culink's questions.
func liveLinker(t *testing.T, oracle, helper string, words []string) *exec.Cmd {
	t.Helper()
	var args []string
	for _, word := range words {
		version, named := strings.CutPrefix(word, "--toolkit=")
		if !named {
			args = append(args, word)
			continue
		}
		p, err := arch.Find(version)
		if err == nil {
			oracle, err = tools.Beside(oracle, p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(asksVariable, helper+" "+filepath.Join(oracle, "lib", "libnvJitLink.so.13")+"\n"+filepath.Join(oracle, "bin", "ptxas"))
	library := filepath.Join("nv", "lib64", "libnvvm.so")
	if err := errors.Join(os.Remove(library), os.Symlink(filepath.Join(oracle, "lib", "libnvvm.so.4"), library)); err != nil {
		t.Fatal(err)
	}
	return exec.Command(filepath.Join(oracle, "bin", "nvlink"), args...)
}

// emptyOut empties the folder of the outputs.
func emptyOut(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll("out"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
}

// recordLink stores the outcome of a link in a folder.
func recordLink(t *testing.T, dir string, exit int, stderr []byte) {
	t.Helper()
	write(t, filepath.Join(dir, "exit"), fmt.Appendln(nil, exit))
	write(t, filepath.Join(dir, "stderr"), stderr)
	for name, data := range readFiles(t, "out") {
		write(t, filepath.Join(dir, name), []byte(data))
	}
}

// readFiles reads the files of a folder. It removes the absolute paths from the register file, because they depend on
// the folder.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compileReplayed compiles the sources for which there is no intermediate code yet. The compiler's output differs from
// run to run, so a recompiled file would invalidate the recorded outputs.
func compileReplayed(t *testing.T, oracle, data string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(data, "src", "*.cu"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".cu")
		outputs := map[string][]string{
			name + ".ltoir":  {"-gencode=arch=compute_90,code=lto_90", "-rdc=true", "-ltoir"},
			name + ".fatbin": {"-gencode=arch=compute_90,code=lto_90", "-rdc=true", "-fatbin"},
		}
		if name == "q2" || name == "nowhere" {
			outputs = map[string][]string{name + ".cubin": {"-arch=sm_90", "-rdc=true", "-cubin"}}
		}
		for output, options := range outputs {
			if _, err := os.Stat(filepath.Join(data, output)); err == nil {
				continue
			}
			cmd := exec.Command(filepath.Join(oracle, "bin", "nvcc"), append(options, filepath.Base(source), "-o", filepath.Join(data, output))...)
			cmd.Dir = filepath.Dir(source)
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", source, err, said)
			}
		}
	}
}

// replayFolder creates the folder of the links. It has the files of data, and containers made from them.
func replayFolder(t *testing.T, data string) string {
	t.Helper()
	dir := t.TempDir()
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	put := func(name string, b []byte) { write(t, filepath.Join(dir, name), b) }
	for _, name := range []string{"a", "b", "q1", "q3", "missing", "launches", "large"} {
		put(name+".ltoir", read(name+".ltoir"))
		put(name+".fatbin", read(name+".fatbin"))
		put(name+".o", craft.RDC(read(name+".fatbin"), "_id_"+name))
	}
	put("q2.cubin", read("q2.cubin"))
	text := func(name, content string) craft.Section {
		return craft.Section{Name: name, Data: []byte(content)}
	}
	references := []craft.Section{
		text(".nvHRKE", "_Z3run*\x00"), text(".nvHRKI", "\x00"), text(".nvHRDE", "total\x00"), text(".nvHRDI", "\x00"), text(".nvHRCE", "\x00"), text(".nvHRCI", "\x00"),
	}
	put("launches.o", craft.RDC(read("launches.fatbin"), "_id_launches",
		text(".nvHRKE", "_Z8launched*\x00"), text(".nvHRKI", "\x00"), text(".nvHRDE", "\x00"), text(".nvHRDI", "\x00"), text(".nvHRCE", "\x00"), text(".nvHRCI", "\x00")))
	none := []craft.Section{
		text(".nvHRKE", "\x00"), text(".nvHRKI", "\x00"), text(".nvHRDE", "\x00"), text(".nvHRDI", "\x00"), text(".nvHRCE", "\x00"), text(".nvHRCI", "\x00"),
	}
	put("refers.o", craft.RDC(read("a.fatbin"), "_id_refers", references...))
	put("b.o", craft.RDC(read("b.fatbin"), "_id_b", none...))
	elf := func(name string) []byte { return craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: read(name)}) }
	put("nowhere.o", craft.RDC(elf("nowhere.cubin"), "_id_nowhere", none...))
	put("libcudadevrt.a", craft.Archive(craft.Member{Name: "nowhere.o/", Data: craft.RDC(elf("nowhere.cubin"), "_id_nowhere", none...)}))
	put("libab.a", craft.Archive(
		craft.Member{Name: "a.o/", Data: craft.RDC(read("a.fatbin"), "_id_a")}, craft.Member{Name: "b.o/", Data: craft.RDC(read("b.fatbin"), "_id_b")}))
	noted := func(name, options string) []byte {
		return craft.Fatbin(craft.Entry{Kind: 8, Arch: 90, Options: options, Payload: read(name)})
	}
	put("a-noted.fatbin", noted("a.ltoir", "-generate-line-info -maxreg 32 -ftz=0 "))
	put("b-ftz.fatbin", noted("b.ltoir", "-ftz=1 "))
	changed := func(name string, at int, value byte) []byte {
		b := bytes.Clone(read(name))
		b[at] = value
		return b
	}
	version := func(at int, value byte) []byte {
		return craft.Fatbin(craft.Entry{Kind: 8, Arch: 90, Options: "-ftz=0 ", Payload: changed("b.ltoir", at, value)})
	}
	put("minor.ltoir", changed("b.ltoir", 7, 0x63))
	put("major.fatbin", version(4, 2))
	put("old.fatbin", version(5, 0))
	put("damaged.fatbin", changed("b.fatbin", 0x90, 0xee))
	put("text.ltoir", []byte(strings.Repeat("not intermediate code ", 10)))
	put("nv/lib64/libnvvm.so", nil)
	return dir
}

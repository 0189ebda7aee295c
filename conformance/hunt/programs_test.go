package hunt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/tools/toolstest"
)

// fakeCompiler makes the test program act as nvcc. The "cubin" of a source is the text of the source and of every
// included file. Each run adds a line to a file beside the compiler.
func fakeCompiler(args []string) int {
	option := func(name string) string { return args[slices.Index(args, name)+1] }
	source := args[len(args)-1]
	log, err := os.OpenFile(filepath.Join(filepath.Dir(os.Args[0]), "runs"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 1
	}
	defer log.Close()
	fmt.Fprintln(log, source)
	text, err := os.ReadFile(source)
	if err != nil {
		return 1
	}
	rule := "out.cubin : " + source
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "#include "); ok {
			header := filepath.Join(filepath.Dir(source), strings.Trim(name, `"`))
			included, err := os.ReadFile(header)
			if err != nil {
				return 1
			}
			text = append(text, included...)
			rule += " \\\n  " + header
		}
	}
	if os.WriteFile(option("-MF"), []byte(rule+"\n"), 0o666) != nil {
		return 1
	}
	if bytes.Contains(text, []byte("refuse")) {
		fmt.Println(source + "(1): error: Feature 'x' not supported on .target 'sm_80'")
		return 1
	}
	if os.WriteFile(option("-o"), text, 0o666) != nil {
		return 1
	}
	return 0
}

// fakeToolkit returns a compiler whose nvcc is fakeCompiler, and a function that counts its runs.
func fakeToolkit(t *testing.T) (c *compiler, runs func() int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c = &compiler{oracle: &oracle{dir: dir}, dir: filepath.Join(t.TempDir(), "cache")}
	nvcc := c.oracle.tool("nvcc")
	if runtime.GOOS == "windows" {
		nvcc += ".exe"
	}
	if err := os.MkdirAll(filepath.Dir(nvcc), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, nvcc); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if _, err := os.Stat(nvcc); err != nil {
		t.Skipf("symbolic links are not followed here: %v", err)
	}
	return c, func() int {
		log, _ := os.ReadFile(filepath.Join(filepath.Dir(nvcc), "runs"))
		return bytes.Count(log, []byte("\n"))
	}
}

// writeFiles writes files, given as pairs of path and text.
func writeFiles(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A source is compiled once for each target, and again if the source or an included file changes.
func TestCompilerKeeps(t *testing.T) {
	c, runs := fakeToolkit(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "a.cu")
	writeFiles(t, dir, "a.cu", "#include \"h.h\"\n", "h.h", "one", "bad.cu", "refuse")
	compile := func(target, want string, total int) {
		t.Helper()
		data, err := c.compile(source, target)
		if err != nil || !strings.HasSuffix(string(data), want) || runs() != total {
			t.Fatalf("%q, %v after %d runs; want %q after %d", data, err, runs(), want, total)
		}
	}
	compile("90", "one", 1)
	compile("90", "one", 1)
	compile("100a", "one", 2)
	writeFiles(t, dir, "h.h", "two")
	compile("90", "two", 3)
	compile("90", "two", 3)
	for range 2 {
		_, err := c.compile(filepath.Join(dir, "bad.cu"), "80")
		var refused *refusal
		if !errors.As(err, &refused) || refused.headline() != "Feature 'x' not supported on .target 'sm_80'" || runs() != 4 {
			t.Fatalf("%v after %d runs, want a refusal after 4", err, runs())
		}
	}
}

// The compiler stores a rejection and repeats it until the source or an included file changes. A rejection that is due to a
// missing header is not stored.
func TestCompilerAsksAgain(t *testing.T) {
	c, runs := fakeToolkit(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "a.cu")
	writeFiles(t, dir, "a.cu", "#include \"h.h\"\n")
	compile := func(refuses bool, total int) {
		t.Helper()
		_, err := c.compile(source, "80")
		if refused := (*refusal)(nil); errors.As(err, &refused) != refuses || runs() != total {
			t.Fatalf("%v after %d runs; want a refusal: %v, after %d", err, runs(), refuses, total)
		}
	}
	compile(true, 1)
	compile(true, 2)
	writeFiles(t, dir, "h.h", "refuse")
	compile(true, 3)
	compile(true, 3)
	writeFiles(t, dir, "h.h", "one")
	compile(false, 4)
	compile(false, 4)
}

// A source file is a program, and so are all sources below a folder.
func TestReadPrograms(t *testing.T) {
	dir := t.TempDir()
	if _, err := readPrograms(dir); err == nil {
		t.Error("no error about a folder without programs")
	}
	writeFiles(t, dir, "z.cu", "", "two/b.cu", "", "two/deep/a.cu", "", "two/h.h", "", "notes.txt", "")
	list, err := readPrograms(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list {
		got = append(got, fmt.Sprint(p.name, len(p.sources)))
	}
	if want := []string{"two2", "z1"}; !slices.Equal(got, want) {
		t.Errorf("programs %v, want %v", got, want)
	}
}

// Each program is linked in all ways. The tally counts differences and rejected programs by class.
func TestHuntPrograms(t *testing.T) {
	h := fakeHunter(t, "bytes")
	c, _ := fakeToolkit(t)
	dir := t.TempDir()
	writeFiles(t, dir, "good.cu", "fine", "pair/a.cu", "fine", "pair/b.cu", "fine", "wrong.cu", "bad", "never.cu", "refuse")
	list, err := readPrograms(dir)
	if err != nil {
		t.Fatal(err)
	}
	tally := h.runPrograms("100a", list, c, nil, 2)
	for _, want := range []struct {
		way                 string
		links, same, differ int
	}{{"plain", 3, 2, 1}, {"reversed", 1, 1, 0}, {"-g", 3, 2, 1}, {"-v", 3, 2, 1}, {"-r", 3, 2, 1}, {"two steps", 3, 2, 1}} {
		w := tally.ways[want.way]
		if w.links != want.links || w.same != want.same || len(w.differ) != want.differ {
			t.Errorf("%s: %d links, %d same, %d differ; want %+v", want.way, w.links, w.same, len(w.differ), want)
		}
	}
	if len(tally.leftOut) != 1 || !tally.differs() {
		t.Errorf("%d left out, differs: %t", len(tally.leftOut), tally.differs())
	}
	var text strings.Builder
	tally.summary(&text)
	for _, want := range []string{"sm_100a\n", "left out: compiler: Feature '*' not supported on .target '*'\n          never", "plain: bytes", "          wrong"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, text.String())
		}
	}
}

// The installed tools link the programs of this folder without a difference.
func TestProgramsLive(t *testing.T) {
	dir := toolstest.Oracle(t)
	if testing.Short() {
		t.Skip("compiles twenty programs")
	}
	culink := filepath.Join(t.TempDir(), "nvlink")
	if out, err := exec.Command("go", "build", "-o", culink, "github.com/culink/culink/cmd/culink").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var stdout, stderr bytes.Buffer
	if status := Command(nil, Libraries{}).Run(t.Context(), []string{"-linker", culink, "-programs", "programs", "-sm", "90a,110a,120a", "-oracle", dir, "-shrink=false", "-detail"}, &stdout, &stderr); status != commandline.OK {
		t.Errorf("status %d\n%s%s", status, stdout.String(), stderr.String())
	}
	t.Log(stdout.String())
}

// The summary names the programs of which only a schedule differs, with the ways of linking.
func TestSummaryNamesSchedules(t *testing.T) {
	tally := newProgramTally("100a")
	for _, way := range []string{"plain", "-g"} {
		tally.add(way, "b/unit by 13.5.37", result{functions: codematch.Count{Masked: 1}})
	}
	tally.add("plain", "a/unit by 13.5.37", result{functions: codematch.Count{Masked: 2}})
	tally.add("plain", "c/unit by 13.5.37", result{functions: codematch.Count{Equal: 2}})
	var text strings.Builder
	tally.summary(&text)
	const want = "  schedule: a/unit by 13.5.37 (plain)\n  schedule: b/unit by 13.5.37 (plain, -g)\n"
	if !strings.Contains(text.String(), want) || strings.Contains(text.String(), "c/unit") || tally.differs() {
		t.Errorf("the summary lacks\n%s\n%s", want, text.String())
	}
}

// When the time of a target is over, its summary counts the programs that were not linked.
func TestTimeOfPrograms(t *testing.T) {
	h := fakeHunter(t, "good")
	c, _ := fakeToolkit(t)
	dir := t.TempDir()
	writeFiles(t, dir, "one.cu", "fine", "two.cu", "fine")
	list, err := readPrograms(dir)
	if err != nil {
		t.Fatal(err)
	}
	h.end = time.Now()
	tally := h.runPrograms("100a", list, c, nil, 2)
	var text strings.Builder
	tally.summary(&text)
	if tally.untried != 2 || tally.ways["plain"].links != 0 || !strings.Contains(text.String(), "2 were not tried") {
		t.Errorf("%d not tried:\n%s", tally.untried, text.String())
	}
}

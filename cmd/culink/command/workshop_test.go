package command

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/tools/toolstest"
)

// These tests run nvlink and culink on the same command lines in one folder, the workshop. At first the workshop has
// only sources. When a command line names an input for the first time, NVIDIA's compilers make it by the recipe for its
// name. An input without a recipe stays missing.

// A workshop is a folder for live links.
type workshop struct {
	t           *testing.T
	dir, oracle string
	culink      string // the program, under the name nvlink
	recipes     []recipe
	words       *strings.Replacer // placeholders in recipes and command lines, such as ARCH
	begun       map[string]bool   // inputs that were made or have no recipe
	scheduled   int               // links that differ only in schedules, which is by choice (E-347)
}

// A recipe is a shell command that makes the input called name. If name begins with a dot, it makes every input with
// that ending. In the command, STEM stands for the input's name without the ending, and NAME for its whole name.
type recipe struct{ name, command string }

// liveTools returns the folder of the toolkit, and the path of the current culink. culink has the name nvlink and has
// culink-lto beside it.
func liveTools(t *testing.T) (oracle, culink string) {
	t.Helper()
	oracle = toolstest.Oracle(t)
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	bin := t.TempDir()
	culink = filepath.Join(bin, "nvlink")
	for program, source := range map[string]string{culink: "..", filepath.Join(bin, "culink-lto"): "../../culink-lto"} {
		if said, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	return oracle, culink
}

// openWorkshop writes the sources into a new folder. words are pairs for [strings.NewReplacer].
func openWorkshop(t *testing.T, oracle, culink string, sources map[string]string, recipes []recipe, words ...string) *workshop {
	t.Helper()
	w := &workshop{
		t: t, dir: t.TempDir(), oracle: oracle, culink: culink, recipes: recipes, begun: map[string]bool{},
		words: strings.NewReplacer(append(words, "DEVRT", filepath.Join(oracle, "lib"))...),
	}
	for name, text := range sources {
		w.begun[name] = true
		write(t, filepath.Join(w.dir, name), []byte(text))
	}
	// nvlink loads the optimiser from this folder, which -nvvmpath names.
	write(t, filepath.Join(w.dir, "nv", "lib64", "nothing"), nil)
	if err := os.Symlink(filepath.Join(oracle, "lib", "libnvvm.so.4"), filepath.Join(w.dir, "nv", "lib64", "libnvvm.so")); err != nil {
		t.Fatal(err)
	}
	return w
}

// libraryWord matches -lNAME.
var libraryWord = regexp.MustCompile(`^-l([a-z]+)$`)

// makeInputs makes the inputs that a command line names, after the inputs of their recipes.
func (w *workshop) makeInputs(line string) {
	w.t.Helper()
	for _, name := range strings.Fields(line) {
		name = libraryWord.ReplaceAllString(strings.TrimPrefix(name, "./"), "lib$1.a")
		if w.begun[name] {
			continue
		}
		w.begun[name] = true
		command := w.recipe(name)
		if command == "" {
			continue
		}
		w.makeInputs(command)
		cmd := exec.Command("sh", "-ec", command)
		cmd.Dir = w.dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(w.oracle, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
		if said, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("%s: %v\n%s", command, err, said)
		}
	}
}

// recipe returns the command for an input, or "" if there is none. A recipe for an ending needs a source with the same stem.
func (w *workshop) recipe(name string) string {
	for _, r := range w.recipes {
		stem, ok := strings.CutSuffix(name, r.name)
		if !ok || stem != "" && (r.name[0] != '.' || !w.begun[stem+".cu"]) {
			continue
		}
		return w.words.Replace(strings.NewReplacer("STEM", stem, "NAME", name).Replace(r.command))
	}
	return ""
}

// compare runs both linkers on a command line. It reports whether stdout, stderr, exit status and every output file are
// the same, apart from schedules. A difference fails the test.
func (w *workshop) compare(line string) bool {
	w.t.Helper()
	line = w.words.Replace(line)
	w.makeInputs(line)
	want, got := w.run(filepath.Join(w.oracle, "bin", "nvlink"), line), w.run(w.culink, line)
	same, scheduled := true, false
	for _, part := range slices.Sorted(maps.Keys(want)) {
		switch text, ok := got[part]; {
		case ok && text == want[part]:
		case string(codematch.Compare([]byte(want[part]), []byte(text)).Got) == want[part]:
			scheduled = true
		default:
			same = false
			w.t.Errorf("nvlink %s\n%s is %.300q\nwant %.300q", line, part, got[part], want[part])
		}
	}
	for part := range got {
		if _, ok := want[part]; !ok {
			same = false
			w.t.Errorf("nvlink %s\nwrites %s, which nvlink does not", line, part)
		}
	}
	if same && scheduled {
		w.scheduled++
	}
	return same
}

// measured matches a time in the table of -time.
var measured = regexp.MustCompile(`[0-9.]+ , ms`)

// run returns the printed text and the outputs of a linker, by name.
func (w *workshop) run(linker, line string) map[string]string {
	w.t.Helper()
	out := filepath.Join(w.dir, "out")
	if err := os.RemoveAll(out); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(linker, strings.Fields(line)...)
	cmd.Dir = w.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "CULINK_PTXAS="+filepath.Join(w.oracle, "bin", "ptxas"))
	status := "0"
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			w.t.Fatal(err)
		}
		status = exit.String()
	}
	parts := readFiles(w.t, out)
	parts["exit status"], parts["stdout"], parts["stderr"] = status, stdout.String(), stderr.String()
	for _, table := range []string{"stdout", "t.csv"} {
		if text, ok := parts[table]; ok {
			parts[table] = measured.ReplaceAllString(text, "TIME ms")
		}
	}
	return parts
}

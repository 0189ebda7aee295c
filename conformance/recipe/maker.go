// Package recipe makes the inputs of cases: with NVIDIA's compilers from the sources in this repository, from the text
// form of cubins, or by damaging another input. Inputs are made when a case is recorded, and not when it is run.
package recipe

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubintext"
	"github.com/rogpeppe/go-internal/txtar"
)

// A Toolchain makes the inputs of one case for one target in a folder. The folder needs a fixed name, because compilers
// write the names of files and folders into their output.
type Toolchain struct {
	Dir     string // holds the sources of the case
	SM      string
	Oracle  string // folder with bin/nvcc
	Scripts fs.FS  // testscripts/
}

// ErrNoTools means that the tools of the release that makes an input are not installed.
var ErrNoTools = errors.New("its tools are not at hand")

// of returns the same toolchain with the tools of another release. Their folder is beside that of this toolchain's
// tools.
func (k *Toolchain) of(release string) (*Toolchain, error) {
	if release == "" {
		return k, nil
	}
	p, err := arch.Find(release)
	if err != nil {
		return nil, err
	}
	other := *k
	if other.Oracle, err = tools.Beside(k.Oracle, p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTools, err)
	}
	return &other, nil
}

// A Maker makes the file output. In its arguments, the target has already replaced $SM.
type Maker func(ctx context.Context, k *Toolchain, output string, args []string) error

// Makers holds the makers by name. docs/corpus.md describes them.
var Makers = map[string]Maker{
	"nvcc":     compileWith("nvcc", "-rdc=true", "-cubin"),
	"ptxas":    compileWith("ptxas", "-c"),
	"build":    buildText,
	"scenario": buildScenario,
	"tool":     runTool,
	"copy":     copyFile,
	"text":     writeText,
	"cut":      cutFile,
	"patch":    patchFile,
	"expand":   expandText,
	"archive":  makeArchive,
	"coff":     makeCOFF,
	"fatbin":   makeFatbin,
}

// A Recipe makes one file: a maker of [Makers] and its arguments.
type Recipe struct {
	Output  string
	Maker   string
	Release string // of the tools that the maker runs: "12.4"; empty for that of the recordings
	Args    []string
}

// Parse reads the words of a recipe: FILE MAKER[@RELEASE] ARGUMENTS.
func Parse(words []string) (Recipe, error) {
	if len(words) < 2 {
		return Recipe{}, fmt.Errorf("make wants: make FILE MAKER ARGUMENTS")
	}
	maker, release, named := strings.Cut(words[1], "@")
	if _, ok := Makers[maker]; !ok {
		return Recipe{}, fmt.Errorf("unknown maker %q", maker)
	}
	if named {
		if _, err := arch.Find(release); err != nil {
			return Recipe{}, err
		}
	}
	if !isLocalName(words[0]) {
		return Recipe{}, fmt.Errorf("%q leaves the folder", words[0])
	}
	return Recipe{words[0], maker, release, words[2:]}, nil
}

// isLocalName reports whether a slash-separated name stays in its folder.
func isLocalName(name string) bool {
	return name != "" && !path.IsAbs(name) && path.Clean(name) == name && !slices.Contains(strings.Split(name, "/"), "..")
}

// ForTarget replaces $SM with the target in every word.
func ForTarget(words []string, sm string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ReplaceAll(w, "$SM", sm)
	}
	return out
}

// Make makes the file of a recipe in the folder and returns its contents.
func (k *Toolchain) Make(ctx context.Context, recipe Recipe) ([]byte, error) {
	with, err := k.of(recipe.Release)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", recipe.Output, err)
	}
	if err := Makers[recipe.Maker](ctx, with, recipe.Output, ForTarget(recipe.Args, k.SM)); err != nil {
		return nil, fmt.Errorf("make %s: %w", recipe.Output, err)
	}
	return k.read(recipe.Output)
}

// attempts is the number of times that a compiler is tried before it counts as failed.
const attempts = 3

// compileWith returns a maker that compiles a cubin: make OUTPUT nvcc SOURCE [options]. The architecture is that of the
// target unless an option sets another.
func compileWith(tool string, usual ...string) Maker {
	return func(ctx context.Context, k *Toolchain, output string, args []string) error {
		command := append([]string{filepath.Join(k.Oracle, "bin", tool)}, usual...)
		hasArch := func(w string) bool {
			return strings.HasPrefix(w, "-arch") || strings.HasPrefix(w, "-gencode")
		}
		if !slices.ContainsFunc(args, hasArch) {
			command = append(command, "-arch=sm_"+k.SM)
		}
		return k.run(ctx, append(append(command, args...), "-o", output))
	}
}

// buildText makes a cubin from its text form: make OUTPUT build SOURCE [OLD NEW]... $SM is replaced with the number of
// the target. NEW replaces OLD, which must occur exactly once. So one valid text can give many damaged files.
func buildText(_ context.Context, k *Toolchain, output string, args []string) error {
	if len(args)%2 != 1 {
		return fmt.Errorf("build wants one file, and what takes the place of what in it")
	}
	data, err := k.read(args[0])
	if err != nil {
		return err
	}
	text := k.forTarget(string(data))
	for change := range slices.Chunk(args[1:], 2) {
		if n := strings.Count(text, change[0]); n != 1 {
			return fmt.Errorf("build %s: %q stands there %d times", args[0], change[0], n)
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	return k.build(output, args[0], text)
}

// buildScenario makes a cubin from a text in a scenario: make OUTPUT scenario NAME SOURCE. So the case needs no copy of
// the text.
func buildScenario(_ context.Context, k *Toolchain, output string, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("scenario wants a name and a file of the scenario")
	}
	found, err := fs.Glob(k.Scripts, "*/"+args[0]+".txtar")
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d scenarios are called %s, want 1", len(found), args[0])
	}
	script, err := fs.ReadFile(k.Scripts, found[0])
	if err != nil {
		return err
	}
	for _, f := range txtar.Parse(script).Files {
		if f.Name == args[1] {
			return k.build(output, args[0]+".txtar:"+f.Name, string(f.Data))
		}
	}
	return fmt.Errorf("no file %s in scenario %s", args[1], args[0])
}

// forTarget returns a text with $SM replaced with the number of the target.
func (k *Toolchain) forTarget(text string) string {
	return strings.ReplaceAll(text, "$SM", strings.TrimRight(k.SM, "abcdefghijklmnopqrstuvwxyz"))
}

// build writes the cubin that a text describes.
func (k *Toolchain) build(output, name, text string) error {
	data, err := cubintext.Parse(name, k.forTarget(text))
	if err != nil {
		return err
	}
	return k.write(output, data)
}

// runTool runs any command line: make OUTPUT tool PROGRAM [arguments]. The program belongs to the toolchain or is on
// PATH.
func runTool(ctx context.Context, k *Toolchain, _ string, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("tool without a program")
	}
	program := filepath.Join(k.Oracle, "bin", args[0])
	if _, err := os.Stat(program); err != nil {
		program = args[0]
	}
	return k.run(ctx, append([]string{program}, args[1:]...))
}

// anyHostCompiler is an environment setting with which nvcc of an older release accepts a newer host compiler. No recipe
// compiles host code.
const anyHostCompiler = "NVCC_APPEND_FLAGS=-allow-unsupported-compiler"

func (k *Toolchain) run(ctx context.Context, command []string) error {
	var err error
	for range attempts {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Dir = k.Dir
		cmd.Env = append(os.Environ(), anyHostCompiler)
		var printed []byte
		if printed, err = cmd.CombinedOutput(); err == nil {
			return nil
		}
		err = fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, printed)
	}
	return err
}

func (k *Toolchain) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(k.Dir, filepath.FromSlash(name)))
}

func (k *Toolchain) write(name string, data []byte) error {
	return attempt.Files{name: data}.Write(k.Dir)
}

// copyFile copies a source: make OUTPUT copy SOURCE.
func copyFile(_ context.Context, k *Toolchain, output string, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("copy wants one file")
	}
	data, err := k.read(args[0])
	if err != nil {
		return err
	}
	return k.write(output, data)
}

// writeText writes its arguments, joined by blanks: make OUTPUT text WORD...
func writeText(_ context.Context, k *Toolchain, output string, args []string) error {
	return k.write(output, []byte(strings.Join(args, " ")))
}

// cutFile keeps the first bytes of a file: make OUTPUT cut FILE LENGTH. A negative length counts from the end.
func cutFile(_ context.Context, k *Toolchain, output string, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("cut wants a file and a length")
	}
	data, err := k.read(args[0])
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(args[1], 0, 64)
	if err != nil {
		return err
	}
	if n < 0 {
		n += int64(len(data))
	}
	if n < 0 || n > int64(len(data)) {
		return fmt.Errorf("cut %s at %s: it has %d bytes", args[0], args[1], len(data))
	}
	return k.write(output, data[:n])
}

// patchFile overwrites bytes: make OUTPUT patch FILE OFFSET=HEX...
func patchFile(_ context.Context, k *Toolchain, output string, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("patch wants a file and OFFSET=HEX")
	}
	data, err := k.read(args[0])
	if err != nil {
		return err
	}
	for _, arg := range args[1:] {
		where, what, _ := strings.Cut(arg, "=")
		at, err := strconv.ParseUint(where, 0, 32)
		if err != nil {
			return err
		}
		b, err := hex.DecodeString(what)
		if err != nil {
			return err
		}
		if at+uint64(len(b)) > uint64(len(data)) {
			return fmt.Errorf("patch %s at %s: it has %d bytes", args[0], where, len(data))
		}
		copy(data[at:], b)
	}
	return k.write(output, data)
}

// expandText expands the repetitions in a text: make OUTPUT expand SOURCE. So a small source can describe a large input.
func expandText(_ context.Context, k *Toolchain, output string, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expand wants one file")
	}
	text, err := k.read(args[0])
	if err != nil {
		return err
	}
	expanded, err := expand(string(text))
	if err != nil {
		return fmt.Errorf("expand %s: %w", args[0], err)
	}
	return k.write(output, []byte(expanded))
}

// expand repeats the lines between "@for I FROM TO" and "@end" for each number of the range, and replaces $I with the
// number. Repetitions can be nested.
func expand(text string) (string, error) {
	var out strings.Builder
	lines := slices.Collect(strings.Lines(text))
	for i := 0; i < len(lines); i++ {
		words := strings.Fields(lines[i])
		switch {
		case len(words) == 0 || words[0] != "@for" && words[0] != "@end":
			out.WriteString(lines[i])
			continue
		case words[0] == "@end":
			return "", fmt.Errorf("line %d: an @end without its @for", i+1)
		case len(words) != 4:
			return "", fmt.Errorf("line %d: a repetition is: @for NAME FROM TO", i+1)
		}
		end := endOfRepetition(lines, i)
		if end < 0 {
			return "", fmt.Errorf("line %d: an @for without its @end", i+1)
		}
		from, fromErr := strconv.Atoi(words[2])
		to, toErr := strconv.Atoi(words[3])
		if fromErr != nil || toErr != nil {
			return "", fmt.Errorf("line %d: %s to %s is no range", i+1, words[2], words[3])
		}
		body := strings.Join(lines[i+1:end], "")
		for n := from; n <= to; n++ {
			once, err := expand(strings.ReplaceAll(body, "$"+words[1], strconv.Itoa(n)))
			if err != nil {
				return "", err
			}
			out.WriteString(once)
		}
		i = end
	}
	return out.String(), nil
}

// endOfRepetition returns the index of the line with the @end that belongs to an @for. at is the index of the line with
// the @for. It returns -1 if there is no such @end.
func endOfRepetition(lines []string, at int) int {
	depth := 0
	for i := at; i < len(lines); i++ {
		switch word, _, _ := strings.Cut(strings.TrimSpace(lines[i]), " "); word {
		case "@for":
			depth++
		case "@end":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

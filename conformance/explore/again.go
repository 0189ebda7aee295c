package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/recipe"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/versus"
)

// judgeAgain links the stored findings with both linkers. It deletes an example if the linkers now agree on it, or if a
// rule now explains the difference. It moves an example whose class changed to the new class, and removes classes
// without examples from the tally.
func (x *explorer) judgeAgain(ctx context.Context, stdout io.Writer) error {
	findings, err := x.store.findings(ctx)
	if err != nil {
		return err
	}
	w := x.worker()
	left, moved := map[string]int{}, map[string]int{} // examples by class
	changed := 0
	for _, f := range findings {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := w.pair.Judge(f.link.Before, versus.Step{Args: f.link.Argv, Output: outputOf(f.link.Argv)})
		if err != nil {
			return err
		}
		class, err := x.newClassOf(&v, f.link.Before)
		if err != nil {
			return err
		}
		switch class {
		case f.class:
			left[class]++
			continue
		case "":
			err = os.RemoveAll(f.folder)
		default:
			left[class]++
			moved[class]++
			changed++
			err = x.store.moveFinding(f, class, v.Detail+"\n"+v.Other.Stderr, perClass+moved[class])
		}
		if err != nil {
			return err
		}
		os.Remove(filepath.Dir(f.folder)) // fails if the class has other examples
	}
	classes, links := x.tally.settle(left)
	fmt.Fprintf(stdout, "judged %d examples again: %d classes with %d links are gone, %d examples have another class\n",
		len(findings), classes, links, changed)
	return x.store.saveTally(x.tally)
}

// newClassOf returns the class of a difference that no rule explains. It returns the empty string for other differences.
// A stored example does not say which files earlier steps wrote: those have the note of nvlink.
func (x *explorer) newClassOf(v *versus.Verdict, files attempt.Files) (string, error) {
	if !differs(v) {
		return "", nil
	}
	var made []string
	for name, data := range files {
		if slices.ContainsFunc(textOf(data), func(line string) bool { return strings.HasPrefix(line, "\ttkinfo tool=\"nvlink\"") }) {
			made = append(made, name)
		}
	}
	class, id, err := x.explain(v, files, made)
	if id != "" {
		return "", err
	}
	return class, err
}

// settle removes the classes without examples from the unexplained ones and counts their links as settled. A class
// without a count, to which examples have moved, gets the number of its examples.
func (t *Tally) settle(left map[string]int) (classes, links int) {
	for class, n := range t.New {
		if left[class] == 0 {
			classes, links = classes+1, links+n
			delete(t.New, class)
		}
	}
	for class, n := range left {
		if t.New[class] == 0 {
			t.New[class], links = n, links-n
		}
	}
	t.Settled += links
	return classes, links
}

// A finding is a stored example of a class of differences.
type finding struct {
	folder, class, sm string
	link              attempt.Link
}

// moveFinding stores an example under another class. number must not belong to an example that a search has stored.
func (s store) moveFinding(f finding, class, detail string, number int) error {
	folder := filepath.Join(s.findingsDir(), filepath.FromSlash(caseOf(class, f.sm, number)))
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.Rename(f.folder, folder); err != nil {
		return err
	}
	return writeDifferences(folder, class, detail)
}

// findings reads the stored examples.
func (s store) findings(ctx context.Context) (list []finding, err error) {
	names, err := filepath.Glob(filepath.Join(s.findingsDir(), "*", "*", "case.txt"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := readFinding(ctx, filepath.Dir(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// readFinding reads an example that [store.keepFinding] wrote.
func readFinding(ctx context.Context, folder string) (f finding, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "case.txt"))
	if err != nil {
		return f, err
	}
	detail, err := os.ReadFile(filepath.Join(folder, "differs.txt"))
	if err != nil {
		return f, err
	}
	c, err := suite.ParseCase("findings/"+filepath.Base(folder), string(text))
	if err != nil {
		return f, err
	}
	if len(c.Steps) != 1 || len(c.Targets) != 1 {
		return f, errors.New("it has more than one link")
	}
	f = finding{folder: folder, sm: c.Targets[0], link: attempt.Link{Before: attempt.Files{}, Argv: c.Argv(0, c.Targets[0])}}
	f.class, _, _ = strings.Cut(string(detail), "\n")
	return f, f.build(ctx, c.Inputs)
}

// build makes the input files in a temporary folder.
func (f *finding) build(ctx context.Context, inputs []recipe.Recipe) error {
	folder, err := os.MkdirTemp("", "culink-explore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.CopyFS(folder, os.DirFS(f.folder)); err != nil {
		return err
	}
	k := &recipe.Toolchain{Dir: folder, SM: f.sm}
	for _, input := range inputs {
		if !slices.Contains([]string{"copy", "build"}, input.Maker) {
			return fmt.Errorf("%s is made by %s", input.Output, input.Maker)
		}
		if err := os.MkdirAll(filepath.Join(folder, filepath.FromSlash(path.Dir(input.Output))), 0o777); err != nil {
			return err
		}
		if f.link.Before[input.Output], err = k.Make(ctx, input); err != nil {
			return err
		}
	}
	return nil
}

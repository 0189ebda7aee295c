package suite

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
)

// A recording is read as plain files beside case.txt. Package corpus shows its archives in this form:
//
//	sm_80/in/...      the folder before step 1
//	sm_80/1.argv      arguments of step 1, one a line
//	sm_80/1.exit      its exit status, 128+n after signal n
//	sm_80/1.stdout    printed text; no file for none
//	sm_80/1.stderr
//	sm_80/1.out/...   the files that it created or changed
//	sm_80/1.marks     other changes on the disk (attempt.Marks); no file for none

// Toolkit is the release of the recorded nvlink.
var Toolkit = arch.Default.Version

// CheckToolkit rejects a release other than [Toolkit]. "13" and "13.0" also name this release.
func CheckToolkit(version string) error {
	if version == "" || version == Toolkit || strings.HasPrefix(Toolkit, version+".") {
		return nil
	}
	return fmt.Errorf("nothing is recorded of toolkit %q: the corpus has %s", version, Toolkit)
}

// A Recording holds the outcome of nvlink for each step of a case on a target.
type Recording struct {
	Inputs attempt.Files
	Steps  []attempt.Outcome
	// Follows reports for each step whether its outcome is derived from that of an earlier release, with different notes. It
	// is nil if no step's outcome is.
	Follows []bool
}

// FollowsIn reports whether the outcome of a step is derived from that of an earlier release.
func (r *Recording) FollowsIn(step int) bool { return step < len(r.Follows) && r.Follows[step] }

// Before returns the folder in which step i, counted from 0, starts: the inputs, and the recorded files of the steps
// before it. So each step is judged separately.
func (r *Recording) Before(i int) attempt.Files {
	before := attempt.Files{}
	for name, data := range r.Inputs {
		before[name] = data
	}
	for _, step := range r.Steps[:i] {
		for name, data := range step.Files {
			before[name] = data
		}
	}
	return before
}

// LoadCases reads the cases for nvlink on Linux, sorted by area and name.
func LoadCases(corpus fs.FS) ([]*Case, error) { return LoadCasesOf(corpus, "") }

// LoadCasesOf does the same as [LoadCases] for nvlink on a platform. The empty name stands for Linux.
func LoadCasesOf(corpus fs.FS, name string) ([]*Case, error) {
	all, err := LoadAllCases(corpus)
	return slices.DeleteFunc(all, func(c *Case) bool { return c.Platform != cmp.Or(name, platform.Linux.Name) }), err
}

// LoadAllCases reads every case.txt of a corpus.
func LoadAllCases(corpus fs.FS) ([]*Case, error) {
	names, err := fs.Glob(corpus, "*/*/case.txt")
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, name := range names {
		text, err := fs.ReadFile(corpus, name)
		if err != nil {
			return nil, err
		}
		c, err := ParseCase(path.Dir(name), string(text))
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// LoadRecording reads the recording of c on a target. It fails if the arguments of a step have changed since the
// recording.
func LoadRecording(corpus fs.FS, c *Case, sm string) (*Recording, error) {
	return loadRecording(corpus, path.Join(c.ID(), "sm_"+sm), c, sm)
}

// loadRecording reads the recording of c on a target from a folder.
func loadRecording(corpus fs.FS, dir string, c *Case, sm string) (*Recording, error) {
	inputs, err := attempt.ReadTree(corpus, path.Join(dir, "in"))
	if err != nil {
		return nil, err
	}
	r := &Recording{Inputs: inputs}
	for i := range c.Steps {
		o, err := loadOutcome(corpus, path.Join(dir, strconv.Itoa(i+1)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w (run cuconform record)", c.ID(), err)
		}
		argv, err := fs.ReadFile(corpus, path.Join(dir, strconv.Itoa(i+1)+".argv"))
		if err != nil {
			return nil, err
		}
		if string(argv) != argvText(c.Argv(i, sm)) {
			return nil, fmt.Errorf("%s: step %d changed since it was recorded for sm_%s", c.ID(), i+1, sm)
		}
		r.Steps = append(r.Steps, *o)
	}
	return r, nil
}

func loadOutcome(corpus fs.FS, stem string) (*attempt.Outcome, error) {
	text, err := fs.ReadFile(corpus, stem+".exit")
	if err != nil {
		return nil, err
	}
	o := &attempt.Outcome{}
	if o.Exit, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		return nil, fmt.Errorf("%s.exit: %w", stem, err)
	}
	if o.Stdout, err = attempt.ReadOptional(corpus, stem+".stdout"); err != nil {
		return nil, err
	}
	if o.Stderr, err = attempt.ReadOptional(corpus, stem+".stderr"); err != nil {
		return nil, err
	}
	marks, err := attempt.ReadOptional(corpus, stem+".marks")
	if err != nil {
		return nil, err
	}
	o.Marks = attempt.ParseMarks(marks)
	o.Files, err = attempt.ReadTree(corpus, stem+".out")
	return o, err
}

func argvText(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return strings.Join(argv, "\n") + "\n"
}

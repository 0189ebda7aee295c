package suite

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
)

// A Stored is the stored data for a case on a target. It is the recording, or the folder of another release with the
// outcomes that differ.
type Stored struct {
	Case    *Case
	SM      string
	Release *arch.Profile // nil for that of the recordings
	Section *corpus.Section
	// NotMade is the reason why the inputs cannot be made: the tools of an older release fail or are not installed
	// ([recipe.ErrNoTools]). Section is then nil.
	NotMade error
}

// Stored returns the recording in the form in which the corpus stores it, for c on a target.
func (r *Recording) Stored(c *Case, sm string) *Stored {
	return &Stored{Case: c, SM: sm, Section: r.Section(c, sm)}
}

// Section returns the stored form of the recording of c on a target.
func (r *Recording) Section(c *Case, sm string) *corpus.Section {
	section := &corpus.Section{Inputs: r.Inputs}
	for i, o := range r.Steps {
		step := StepOf(&o)
		step.Argv = append([]string{}, c.Argv(i, sm)...)
		section.Steps = append(section.Steps, step)
	}
	return section
}

// StepOf returns an outcome in the form in which the corpus stores it.
func StepOf(o *attempt.Outcome) *corpus.Step {
	return &corpus.Step{Exit: o.Exit, Stdout: o.Stdout, Stderr: o.Stderr, Marks: o.Marks.Text(), Files: o.Files}
}

// Name returns a name such as "basic/two-files sm_80". For a release other than that of the recordings, the name
// contains the release.
func (s *Stored) Name() string {
	name := s.Case.ID() + " sm_" + s.SM
	if s.Release != nil {
		name += " " + s.Release.Short()
	}
	return name
}

func (s *Stored) folder() string {
	if s.Release != nil {
		return releaseFolder(s.Case, s.SM, s.Release)
	}
	return path.Join(s.Case.ID(), "sm_"+s.SM)
}

// others reports whether a name in the recording's folder belongs to another release.
func (s *Stored) others(name string) bool {
	return s.Release == nil && slices.ContainsFunc(arch.Releases(), func(p *arch.Profile) bool { return p.Short() == name })
}

// Changed returns the names of the files that differ from those of the corpus, in its plain form.
func (s *Stored) Changed(files fs.FS) ([]string, error) {
	have, err := attempt.ReadTree(files, s.folder())
	if err != nil {
		return nil, err
	}
	for name := range have {
		if first, _, _ := strings.Cut(name, "/"); s.others(first) {
			delete(have, name)
		}
	}
	var now attempt.Files
	if s.Section != nil {
		now = s.Section.Plain()
	}
	return attempt.Changes(have, now), nil
}

// Save stores the recording in the corpus in folder dir.
func (s *Stored) Save(dir string) error {
	name, release := path.Join(s.Case.ID(), "sm_"+s.SM), ""
	if s.Release != nil {
		release = s.Release.Short()
	}
	target, err := corpus.Read(os.DirFS(dir), name)
	if errors.Is(err, fs.ErrNotExist) {
		target = corpus.Target{}
	} else if err != nil {
		return err
	}
	target[release] = s.Section
	return target.Save(dir, name)
}

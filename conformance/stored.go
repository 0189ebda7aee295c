package conformance

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
)

// A Stored is what the corpus holds of a case on a target: the recording or, of another release,
// the folder in it that says what differs.
type Stored struct {
	Case    *Case
	SM      string
	Release *arch.Profile // nil for that of the recordings
	Files   Files
	// NotMade says why the inputs cannot be made: by the tools of an older release, or for want of
	// those ([ErrNoTools]); then there are no files.
	NotMade error
}

// Stored lays a recording of c on a target out as files.
func (r *Recording) Stored(c *Case, sm string) *Stored {
	return &Stored{Case: c, SM: sm, Files: r.files(c, sm)}
}

// Name names it: "basic/two-files sm_80", and the release.
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

// others reports whether a name in its folder belongs to another release.
func (s *Stored) others(name string) bool {
	return s.Release == nil && slices.ContainsFunc(arch.Releases(), func(p *arch.Profile) bool { return p.Short() == name })
}

// Changed names the files that differ from those in the corpus: none when recording again
// gives the same bytes.
func (s *Stored) Changed(corpus fs.FS) ([]string, error) {
	have, err := readTree(corpus, s.folder())
	if err != nil {
		return nil, err
	}
	for name := range have {
		if first, _, _ := strings.Cut(name, "/"); s.others(first) {
			delete(have, name)
		}
	}
	return changes(have, s.Files), nil
}

// Save replaces what the corpus folder dir holds.
func (s *Stored) Save(dir string) error {
	folder := filepath.Join(dir, filepath.FromSlash(s.folder()))
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if s.others(e.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	if len(s.Files) == 0 {
		return os.RemoveAll(folder)
	}
	return writeTree(folder, s.Files)
}

package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"slices"

	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/arch"
)

// The recordings have the answers of one release, suite.Toolkit. The folder releases has those of other releases, in a file
// for each: the cases that the library of that release answers differently. A case without calls ends that library, and
// is not played. Links of the corpus are not in these files, because almost all images differ between two releases.
// They are compared with a real library (-real, CONF-850).

const releasesFolder = "releases"

// Releases returns the releases whose answers are recorded beside those of suite.Toolkit.
func Releases(files fs.FS) (versions []string, err error) {
	names, err := fs.Glob(files, path.Join(releasesFolder, "*.txt"))
	for _, name := range names {
		base := path.Base(name)
		versions = append(versions, base[:len(base)-len(path.Ext(base))])
	}
	return versions, err
}

func releaseFile(version string) string { return path.Join(releasesFolder, version+".txt") }

// errNotRecorded is the error for a release without recorded answers.
var errNotRecorded = errors.New("no answers are recorded: name the library of the release with -real")

// LoadRelease returns the cases with the answers of the library of a release, such as "13.5.37".
func LoadRelease(files fs.FS, version string) ([]*Case, error) {
	cases, err := Load(files)
	if err != nil || version == suite.Toolkit {
		return cases, err
	}
	other, err := loadOther(files, version)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", version, errNotRecorded)
	}
	if err != nil {
		return nil, err
	}
	cases = slices.DeleteFunc(cases, isLink)
	for i, c := range cases {
		if o := other[c.Name]; o != nil {
			o.File = c.File
			cases[i] = o
			delete(other, c.Name)
		}
	}
	for name := range other {
		return nil, fmt.Errorf("%s: there is no case %s", releaseFile(version), name)
	}
	return slices.DeleteFunc(cases, func(c *Case) bool { return len(c.Calls) == 0 }), nil
}

// loadOther returns the cases in the file of a release, by name.
func loadOther(files fs.FS, version string) (map[string]*Case, error) {
	name := releaseFile(version)
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	cases, err := Parse(name, text)
	byName := map[string]*Case{}
	for _, c := range cases {
		byName[c.Name] = c
	}
	return byName, err
}

func isLink(c *Case) bool { return c.File == linksFile }

// version returns the release that the library emulates or is of.
func (l *CommandLine) version() (string, error) {
	if l.Release == "" {
		return suite.Toolkit, nil
	}
	p, err := arch.Find(l.Release)
	if err != nil {
		return "", err
	}
	return p.Version, nil
}

// recordRelease plays the cases on the library of another release, and writes the file of that release.
func (l *CommandLine) recordRelease(ctx context.Context, child *Child, files fs.FS, version string, stdout io.Writer) (int, error) {
	all, err := Load(files)
	if err != nil {
		return 0, err
	}
	all = slices.DeleteFunc(all, isLink)
	old, err := loadOther(files, version)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	chosen, err := l.chosen(child, files, slices.Clone(all))
	if err != nil {
		return 0, err
	}
	var differ []*Case
	for _, c := range all {
		if !slices.Contains(chosen, c) {
			if o := old[c.Name]; o != nil {
				differ = append(differ, o)
			}
			continue
		}
		o := *c
		o.File, o.Calls = releaseFile(version), slices.Clone(c.Calls)
		if stored := old[c.Name]; stored != nil {
			o.takeChoices(stored)
		}
		if _, err := Run(ctx, []*Case{&o}, recorder{child, &o}, everyNeed); err != nil {
			return 0, err
		}
		if o.endsLibrary() {
			o.Calls = nil
		}
		if !reflect.DeepEqual(o.Calls, c.Calls) {
			differ = append(differ, &o)
		}
	}
	return l.storeCases(stdout, files, []string{releaseFile(version)}, differ, len(chosen))
}

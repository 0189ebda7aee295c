package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Target holds the recordings of a case on one target, by release. "" stands for the release of the recordings, and
// "13.4" for another one.
type Target map[string]*Section

// A Section holds the recording of one release.
type Section struct {
	// Inputs holds the files before the first step, by slash-separated name. It is empty for a later release.
	Inputs map[string][]byte
	// Steps lists the steps in order. A nil step is not stored, because its outcome is derived from an earlier release.
	Steps []*Step
}

// A Step is a command line and its outcome.
type Step struct {
	Argv           []string // without the name of the linker; nil if another release has the same
	Exit           int      // exit status, 128+n after signal n
	Stdout, Stderr []byte
	Marks          []byte            // a name, a tab and a remark each line
	Files          map[string][]byte // files that were created or changed, by slash-separated name
}

// Plain returns the section as the files of its plain folder, by slash-separated name.
func (s *Section) Plain() map[string][]byte {
	files := s.contents()
	for i, step := range s.Steps {
		if step == nil {
			continue
		}
		stem := strconv.Itoa(i + 1)
		if step.Argv != nil {
			files[stem+".argv"] = []byte(strings.Join(append(slices.Clone(step.Argv), ""), "\n"))
		}
		files[stem+".exit"] = []byte(strconv.Itoa(step.Exit) + "\n")
		for ext, data := range map[string][]byte{".stdout": step.Stdout, ".stderr": step.Stderr, ".marks": step.Marks} {
			if len(data) > 0 {
				files[stem+ext] = data
			}
		}
	}
	return files
}

// contents returns the files of a section that its archive contains: inputs and outputs.
func (s *Section) contents() map[string][]byte {
	files := map[string][]byte{}
	for name, data := range s.Inputs {
		files["in/"+name] = data
	}
	for i, step := range s.Steps {
		if step == nil {
			continue
		}
		for name, data := range step.Files {
			files[strconv.Itoa(i+1)+".out/"+name] = data
		}
	}
	return files
}

// isEmpty reports whether a section has nothing to store.
func (s *Section) isEmpty() bool {
	return s == nil || len(s.Inputs) == 0 && !slices.ContainsFunc(s.Steps, func(step *Step) bool { return step != nil })
}

// collect joins the files of all sections. The keys are their names in the folder of the target.
func (t Target) collect(of func(*Section) map[string][]byte) map[string][]byte {
	files := map[string][]byte{}
	for release, section := range t {
		for name, data := range of(section) {
			files[folder(release)+name] = data
		}
	}
	return files
}

// folder returns the folder with the plain files of a release, relative to the folder of the target.
func folder(release string) string {
	if release == "" {
		return ""
	}
	return release + "/"
}

// addContent adds a file of the archive to the section and the step that it belongs to.
func (t Target) addContent(name string, data []byte) error {
	release := ""
	first, rest, _ := strings.Cut(name, "/")
	if t[first] != nil {
		release, name = first, rest
		first, rest, _ = strings.Cut(name, "/")
	}
	section := t[release]
	number, isOutput := strings.CutSuffix(first, ".out")
	step, err := strconv.Atoi(number)
	switch {
	case section == nil || rest == "":
	case first == "in":
		section.Inputs[rest] = data
		return nil
	case isOutput && err == nil && 0 < step && step <= len(section.Steps) && section.Steps[step-1] != nil:
		section.Steps[step-1].Files[rest] = data
		return nil
	}
	return fmt.Errorf("%q belongs to no step", name)
}

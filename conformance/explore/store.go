package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/reduce"
	"github.com/culink/culink/linker/show"
)

// A store is the folder of a search. It holds the inputs that reached something new, the tally, and a folder for each
// class of unexplained differences. Inputs are stored by target, under names that depend on their contents. The folder
// is outside the source tree, because its inputs may crash a tool.
type store struct{ dir string }

const tallyFile = "tally.json"

// tally reads the tally of earlier runs.
func (s store) tally() (*Tally, error) {
	t := newTally()
	data, err := os.ReadFile(filepath.Join(s.dir, tallyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(data, t)
	}
	return t, err
}

// saveTally replaces the tally.
func (s store) saveTally(t *Tally) error {
	data, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	name := filepath.Join(s.dir, tallyFile)
	if err := os.WriteFile(name+".new", data, 0o666); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// inputs reads the kept inputs for a target.
func (s store) inputs(sm string) (list []*Input, err error) {
	names, err := filepath.Glob(filepath.Join(s.dir, "sm_"+sm, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		in, err := decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, in)
	}
	return list, nil
}

// keep adds an input.
func (s store) keep(in *Input) error {
	name, data, err := in.encode()
	if err != nil {
		return err
	}
	folder := filepath.Join(s.dir, "sm_"+in.SM)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), data, 0o666)
}

var unsafe = late.Regexp(`[^A-Za-z0-9_.=-]+`)

// caseOf returns the id under which an example of a class is stored as a case: the folder of the class, then the folder
// of the example.
func caseOf(class, sm string, number int) string {
	name := strings.Trim(unsafe().ReplaceAllString(class, "_"), "_")
	name = name[:min(len(name), 80)]
	return name + "/" + fmt.Sprintf("sm%s-%d", sm, number)
}

// keepFinding stores an example of a class of differences as a case, together with a description of the differences.
func (s store) keepFinding(sm, class, detail string, number int, link attempt.Link, texts map[string][]string) error {
	c := reduce.Case{ID: caseOf(class, sm, number), SM: sm, Title: show.Line(class), Texts: texts}
	folder, err := c.Write(s.findingsDir(), link)
	if err != nil {
		return err
	}
	return writeDifferences(folder, class, detail)
}

func (s store) findingsDir() string { return filepath.Join(s.dir, "findings") }

func writeDifferences(folder, class, detail string) error {
	return os.WriteFile(filepath.Join(folder, "differs.txt"), []byte(class+"\n\n"+detail+"\n"), 0o666)
}

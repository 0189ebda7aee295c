package hunt

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
)

// Files of the corpus contain things that random programs do not: code written by hand, by old compilers and with
// unusual options. A link of files from several cases also has conflicts that no single case has, such as colliding
// names.

// A caseFiles holds the inputs and the options of a recorded case for one target.
type caseFiles struct {
	files   []*member
	options []string
}

// mostOfFile is the size limit, in bytes, of the corpus files that are linked.
const mostOfFile = 256 << 10

// damagedArea is the area of the corpus with damaged inputs. culink rejects some of them intentionally, so links of them
// show no new difference.
const damagedArea = "damaged"

// readCases returns the cases of a corpus that have inputs for a target. Command lines that run a compiler are omitted,
// because they take too long.
func readCases(corpus fs.FS, sm string) (list []*caseFiles, err error) {
	cases, err := suite.LoadCases(corpus)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		if c.Area == damagedArea || !slices.Contains(c.Targets, sm) {
			continue
		}
		r, err := suite.LoadRecording(corpus, c, sm)
		if err != nil {
			return nil, err
		}
		f := &caseFiles{}
		for i := range r.Steps {
			f.add(r.Inputs, c.Argv(i, sm))
		}
		if len(f.files) > 0 {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the corpus has no files for sm_%s", sm)
	}
	return list, nil
}

// add adds the input files and the options of a command line.
func (f *caseFiles) add(inputs attempt.Files, argv []string) {
	if !suite.IsQuick(argv) {
		return
	}
	for _, word := range argv {
		data, isFile := inputs[word]
		switch {
		case isFile && len(data) <= mostOfFile && !slices.ContainsFunc(f.files, func(m *member) bool { return m.file == word }):
			f.files = append(f.files, &member{file: word, data: data})
		case isOption(word) && !slices.Contains(f.options, word):
			f.options = append(f.options, word)
		}
	}
}

// isOption reports whether a word is an option that can be used in another link: it names no target, output or library,
// and its value is in the same word. Options of one letter are excluded, because every trial draws from them anyway.
func isOption(word string) bool {
	name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if !strings.HasPrefix(word, "-") || len(name) < 2 || strings.HasPrefix(word, "-l") || strings.HasPrefix(word, "-L") {
		return false
	}
	for _, other := range []string{"o", "arch", "output", "library", "dot", "register"} {
		if strings.HasPrefix(name, other) {
			return false
		}
	}
	return hasValue || !slices.ContainsFunc([]string{"-used", "cpu-arch", "count", "-path", "machine"}, func(part string) bool { return strings.HasSuffix(name, part) })
}

// Probabilities in percent for a link of corpus files.
const (
	otherCase   = 30 // a file is one of another case
	twice       = 5  // a file is named twice
	archived    = 10 // some files are members of an archive
	caseOption  = 40 // an option of the case is given
	otherOption = 15 // an option of another case is given
)

// addFiles adds 1 to 4 files, most of them from one case, to a trial. It also adds options of the cases.
func (t *trial) addFiles(rng *rand.Rand, cases []*caseFiles) {
	any := func() *caseFiles { return cases[rng.IntN(len(cases))] }
	from := any()
	for i := range 1 + rng.IntN(4) {
		c := from
		if rng.IntN(100) < otherCase {
			c = any()
		}
		m := c.files[rng.IntN(len(c.files))]
		file := fmt.Sprintf("%c-%s", 'a'+i, path.Base(m.file))
		t.pool = append(t.pool, &member{file: file, data: m.data})
		t.order = append(t.order, file)
		if rng.IntN(100) < twice {
			t.order = append(t.order, file)
		}
	}
	for _, o := range []struct {
		of     *caseFiles
		chance int
	}{{from, caseOption}, {any(), otherOption}} {
		if n := len(o.of.options); n > 0 && rng.IntN(100) < o.chance {
			t.options = append(t.options, o.of.options[rng.IntN(n)])
		}
	}
	if rng.IntN(100) < archived {
		t.archive = slices.Clone(t.order[:1+rng.IntN(len(t.order))])
	}
}

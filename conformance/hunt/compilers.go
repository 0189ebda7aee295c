package hunt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/show"
)

// `hunt -compilers FOLDER` links units of several compilers with each other (CONF-995). FOLDER has a subfolder for each
// compiler, with its PTX (NAME.TARGET.ptx) and its cubins (NAME.TARGET.cubin). cmd/internal/compilers makes such a folder.
// A trial draws units that fit together, whoever made them. It assembles each unit of PTX with the ptxas of one of the
// releases of -mix, half of them with an option of that ptxas.

// assembledPlain is the percentage of units of PTX that are assembled without an option.
const assembledPlain = 50

// archivedUnits is the percentage of trials in which some units are members of an archive.
const archivedUnits = 10

// A compiledUnit is a file of the folder, for one target.
type compiledUnit struct {
	*member
	maker string // the compiler
	ptx   bool   // the file is PTX, in text
	text  string
}

// A mixer makes the trials of one target.
type mixer struct {
	*hunter
	target  string
	units   map[*member]*compiledUnit
	pool    []*member
	columns []column

	mu    sync.Mutex
	links map[string]int // trials by compiler
}

// readCompiled returns the units of a folder that can be linked for a target, sorted by name. PTX is for its target and
// for all later ones, unless the name of its target has a letter.
func readCompiled(dir, target string) (list []*compiledUnit, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		kind := filepath.Ext(file)
		name, of, found := cutLast(strings.TrimSuffix(filepath.Base(file), kind), ".")
		if !found || kind != ".cubin" && kind != ".ptx" || of != target && (kind != ".ptx" || !isEarlier(of, target)) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		maker := filepath.Base(filepath.Dir(file))
		u := &compiledUnit{member: &member{file: fmt.Sprintf("%s-%s.%s.cubin", maker, name, of)}, maker: maker}
		if kind == ".ptx" { // the same unit may be there as a cubin too
			u.file = fmt.Sprintf("%s-%s.%s.ptx.cubin", maker, name, of)
			u.ptx, u.text = true, string(data)
		} else {
			u.data = data
		}
		list = append(list, u)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no unit for sm_%s (COMPILER/NAME.TARGET.ptx or .cubin): %w", dir, target, fs.ErrNotExist)
	}
	return list, nil
}

func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

// isEarlier reports whether PTX for a target without a letter can be assembled for another target.
func isEarlier(of, target string) bool {
	before, err := strconv.Atoi(of)
	after, err2 := strconv.Atoi(strings.TrimRight(target, "af"))
	return errors.Join(err, err2) == nil && before <= after
}

// newMixer assembles all units of PTX once, without options, to learn what they define and need. It leaves out those that
// no release assembles, with the message of the last.
func newMixer(h *hunter, target string, units []*compiledUnit, columns []column, jobs int) (m *mixer, leftOut []finding, err error) {
	m = &mixer{hunter: h, target: target, units: map[*member]*compiledUnit{}, columns: columns, links: map[string]int{}}
	failures := make([]error, len(units))
	each(jobs, len(units), func(i int) {
		u := units[i]
		if u.ptx {
			for _, c := range columns {
				if u.data, failures[i] = c.assembler.compile(u.text, target); failures[i] == nil {
					break
				}
			}
		}
		if failures[i] == nil {
			failures[i] = u.readSymbols()
		}
	})
	for i, u := range units {
		if failures[i] != nil {
			leftOut = append(leftOut, finding{class: u.maker, folder: u.file, detail: failures[i].Error()})
			continue
		}
		m.units[u.member] = u
		m.pool = append(m.pool, u.member)
	}
	if len(m.pool) == 0 {
		return nil, nil, fmt.Errorf("sm_%s: no unit can be assembled: %s", target, leftOut[0].detail)
	}
	return m, leftOut, nil
}

// trial returns the trial of a number. Seed, target and number determine it.
func (m *mixer) trial(number int) *trial {
	digits, _ := strconv.Atoi(strings.TrimRight(m.target, "af"))
	rng := rand.New(rand.NewPCG(m.seed, uint64(digits)<<32|uint64(number)))
	t := &trial{number: number, sm: digits, arch: "sm_" + m.target}
	makers := map[string]bool{}
	for _, u := range draw(rng, m.pool) {
		u := m.units[u]
		makers[u.maker] = true
		t.pool = append(t.pool, &member{file: u.file, data: m.assemble(rng, u)})
		t.order = append(t.order, u.file)
	}
	m.addOptions(t, rng)
	if rng.IntN(100) < archivedUnits && len(t.order) > 1 && len(t.partial) == 0 {
		t.archive = slices.Clone(t.order[1+rng.IntN(len(t.order)-1):])
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for maker := range makers {
		m.links[maker]++
	}
	return t
}

// assemble returns the cubin of a unit, by a release and with an option that rng draws. If that release refuses the unit
// or the option, it returns the cubin from which the unit's symbols are known.
func (m *mixer) assemble(rng *rand.Rand, u *compiledUnit) []byte {
	if !u.ptx {
		return u.data
	}
	c := m.columns[rng.IntN(len(m.columns))]
	options := c.options[rng.IntN(len(c.options))]
	if rng.IntN(100) < assembledPlain {
		options = nil
	}
	if data, err := c.assembler.compile(u.text, m.target, options...); err == nil {
		return data
	}
	return u.data
}

// huntCompilers is the command "cuconform hunt -compilers".
func huntCompilers(s *settings, h *hunter, release *conformance.Release, mixed []*conformance.Release, stdout, progress io.Writer) (status int, err error) {
	columns, err := s.columns(release, mixed, true)
	if err != nil {
		return 0, err
	}
	for target := range strings.SplitSeq(s.sms, ",") {
		units, err := readCompiled(s.compilers, target)
		if err != nil {
			return 0, err
		}
		m, leftOut, err := newMixer(h, target, units, columns, max(1, s.jobs))
		if err != nil {
			return 0, err
		}
		h.end = s.endOfTarget()
		t := h.run(target, s.from, s.n, max(1, s.jobs), m.trial, progress)
		t.summary(stdout)
		m.summary(stdout, leftOut)
		if s.showsDetail {
			t.details(stdout)
		}
		if len(t.findings) > 0 {
			status = commandline.Differs
		}
	}
	return status, nil
}

// summary prints a line for each compiler, with its units and the trials that linked some of them, and a line for each
// unit that no release assembles.
func (m *mixer) summary(w io.Writer, leftOut []finding) {
	count := map[string]int{}
	for _, u := range m.units {
		count[u.maker]++
	}
	var makers []string
	for maker := range count {
		makers = append(makers, maker)
	}
	slices.Sort(makers)
	for _, maker := range makers {
		fmt.Fprintf(w, "  %-24s %4d units, in %5d trials\n", show.Line(maker), count[maker], m.links[maker])
	}
	for _, f := range leftOut {
		line, _, _ := strings.Cut(f.detail, "\n")
		fmt.Fprintf(w, "  left out: %s: %s\n", show.Line(f.folder), show.Line(line))
	}
}

package hunt

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// A matrix compiles every small unit (units.go) with the ptxas of each release of -mix and each of a list of options. It
// links each object alone in several ways. `hunt -features` uses all units with few options. `hunt -options-of ptxas`
// uses few units with every option.
//
// Most options do not change the code of most units. If objects of one unit differ only in the note about their
// compiler, only one of them is linked.

// A column of a matrix is a release of ptxas with its options.
type column struct {
	release   string
	assembler *oracle
	version   int // of PTX
	options   [][]string
}

// A cell of a matrix is one unit in one column.
type cell struct {
	unit   unit
	column column

	mu     sync.Mutex
	linked map[[sha256.Size]byte]bool // the objects of the cell that are linked
}

// isNew reports whether no earlier object of the cell has the same contents.
func (c *cell) isNew(sum [sha256.Size]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.linked[sum] {
		return false
	}
	c.linked[sum] = true
	return true
}

// A compilation is a cell with one list of options.
type compilation struct {
	*cell
	options []string
}

// runMatrix links all units for one target. If there is only some time, it takes compilations at random.
func (h *hunter) runMatrix(target string, units []unit, columns []column, jobs int) *programTally {
	t := newProgramTally(target)
	var list []compilation
	for _, u := range units {
		for _, c := range columns {
			here := &cell{unit: u, column: c, linked: map[[sha256.Size]byte]bool{}}
			for _, options := range c.options {
				list = append(list, compilation{here, options})
			}
		}
	}
	if !h.end.IsZero() {
		rng := rand.New(rand.NewPCG(h.seed, 0))
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	var mu sync.Mutex
	h.each(t, &mu, jobs, len(list), func(i int) { h.runCell(t, &mu, i, list[i]) })
	return t
}

// runCell compiles a unit with one list of options, and links the object if it differs from the earlier ones of its cell.
func (h *hunter) runCell(t *programTally, mu *sync.Mutex, number int, c compilation) {
	name := strings.Join(append([]string{c.unit.group + "/" + c.unit.name, "by", c.column.release}, c.options...), " ")
	data, err := c.column.assembler.compile(c.unit.ptx(c.column.version, t.target), t.target, c.options...)
	if err != nil {
		t.leaveOut(mu, name, &refusal{c.unit.name, err.Error()})
		return
	}
	sum, err := hashOfContents(data)
	if err != nil {
		t.leaveOut(mu, name, err)
		return
	}
	if c.isNew(sum) {
		h.linkAllWays(t, mu, trial{number: number, pool: []*member{{file: c.unit.name + ".cubin", data: data}}}, name)
	}
}

// hashOfContents returns a hash of all sections of a cubin except the notes with the command line of its compiler.
func hashOfContents(data []byte) (sum [sha256.Size]byte, err error) {
	f, err := cubin.Open("unit", data)
	if err != nil {
		return sum, err
	}
	hash := sha256.New()
	for i, s := range f.Sections {
		if strings.HasSuffix(s.Name, ".note.nv.tkinfo") || cubin.IsNoBits(&s) {
			continue
		}
		content, err := f.Data(uint32(i))
		if err != nil {
			return sum, err
		}
		fmt.Fprintf(hash, "%s %x %x %x %x %d\n", s.Name, s.Type, s.Flags, s.Link, s.Info, len(content))
		hash.Write(content)
	}
	return [sha256.Size]byte(hash.Sum(nil)), nil
}

// huntMatrix runs "cuconform hunt" with -features or "-options-of ptxas".
func huntMatrix(s *settings, h *hunter, release *conformance.Release, mixed []*conformance.Release, stdout io.Writer) (int, error) {
	units, err := readUnits()
	if err != nil {
		return 0, err
	}
	if s.optionsOf != "" {
		units = slices.DeleteFunc(units, func(u unit) bool { return u.group != optionUnits })
	}
	columns, err := s.columns(release, mixed, s.optionsOf != "")
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(stdout, "%d units by %d releases, each with %d command lines\n", len(units), len(columns), len(columns[0].options))
	return s.eachTarget(h, stdout, func(target string) *programTally {
		return h.runMatrix(target, units, columns, max(1, s.jobs))
	}), nil
}

// columns returns the releases whose ptxas assembles units, by default the release of the reference. If all options are
// asked for, each has the options that the help of its ptxas lists.
func (s *settings) columns(release *conformance.Release, mixed []*conformance.Release, all bool) (list []column, err error) {
	if len(mixed) == 0 {
		mixed = []*conformance.Release{cmp.Or(release, &conformance.Release{Profile: arch.Default, Oracle: s.oracle})}
	}
	for _, r := range mixed {
		c := column{release: r.Profile.Version, assembler: newOracle(r.Oracle), version: r.Profile.PTX()}
		var options []compilerOption
		if all {
			if options, err = c.assembler.options(); err != nil {
				return nil, err
			}
		}
		c.options = arguments(options)
		list = append(list, c)
	}
	return list, nil
}

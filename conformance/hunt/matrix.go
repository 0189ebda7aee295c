package hunt

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// A matrix is every small unit (units.go), compiled by the ptxas of each release of -mix with each of a list of options,
// and linked alone in several ways. `hunt -features` has all units and few options, `hunt -options-of ptxas` few units
// and every option.
//
// Most options change nothing in most units. Of objects of one unit that differ only in the note about their compiler
// one is linked.

// A column of a matrix is a release that compiles, and how.
type column struct {
	release   string
	assembler *oracle
	version   int // of PTX
	options   [][]string
}

// A cell of a matrix is a unit and who compiles it.
type cell struct {
	unit   unit
	column column
}

// runMatrix links all units for one target.
func (h *hunter) runMatrix(target string, units []unit, columns []column, jobs int) *programTally {
	t := newProgramTally(target)
	var list []cell
	for _, u := range units {
		for _, c := range columns {
			list = append(list, cell{u, c})
		}
	}
	var mu sync.Mutex
	each(jobs, len(list), func(i int) { h.runCell(t, &mu, i, list[i]) })
	return t
}

// runCell compiles one unit with all options, and links each object that is new.
func (h *hunter) runCell(t *programTally, mu *sync.Mutex, number int, c cell) {
	linked := map[[sha256.Size]byte]bool{}
	for _, options := range c.column.options {
		name := strings.Join(append([]string{c.unit.group + "/" + c.unit.name, "by", c.column.release}, options...), " ")
		data, err := c.column.assembler.compile(c.unit.ptx(c.column.version, t.target), t.target, options...)
		if err != nil {
			t.leaveOut(mu, name, &refusal{c.unit.name, err.Error()})
			continue
		}
		sum, err := hashOfContents(data)
		if err != nil {
			t.leaveOut(mu, name, err)
			continue
		}
		if linked[sum] {
			continue
		}
		linked[sum] = true
		h.linkAllWays(t, mu, trial{number: number, pool: []*member{{file: c.unit.name + ".cubin", data: data}}}, name)
	}
}

// hashOfContents is a hash of all sections of a cubin but the notes that hold the command line of its compiler.
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

// huntMatrix is the command "cuconform hunt -features", or "-options-of ptxas".
func huntMatrix(s *settings, h *hunter, release *conformance.Release, mixed []*conformance.Release, stdout io.Writer) (int, error) {
	units, err := readUnits()
	if err != nil {
		return 0, err
	}
	if s.optionsOf != "" {
		units = slices.DeleteFunc(units, func(u unit) bool { return u.group != optionUnits })
	}
	if len(mixed) == 0 {
		mixed = []*conformance.Release{cmp.Or(release, &conformance.Release{Profile: arch.Default, Oracle: s.oracle})}
	}
	var columns []column
	for _, r := range mixed {
		c := column{release: r.Profile.Version, assembler: newOracle(r.Oracle), version: r.Profile.PTX()}
		var options []compilerOption
		if s.optionsOf != "" {
			if options, err = c.assembler.options(); err != nil {
				return 0, err
			}
		}
		c.options = arguments(options)
		columns = append(columns, c)
	}
	fmt.Fprintf(stdout, "%d units by %d releases, each with %d command lines\n", len(units), len(columns), len(columns[0].options))
	return s.eachTarget(stdout, func(target string) *programTally {
		return h.runMatrix(target, units, columns, max(1, s.jobs))
	}), nil
}

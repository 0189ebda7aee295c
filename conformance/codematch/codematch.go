// Package codematch compares files for sm_100 and later function by function. It finds the functions that differ only in
// their schedule.
//
// From sm_100 on, a link makes new machine code (package linker/mercury). Scoreboards determine what an instruction
// waits for. In some kernels nvlink assigns scoreboards in an order that no known rule describes. A linker that keeps
// the scoreboards of the input then writes the same program with other control bits. [Compare] finds and counts these
// functions. A waiver can then cover their control bits, and no other bits.
package codematch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/sass"
)

// Classes returns the changes that a final link would make to each function of f that has a capsule, by the index of its
// code section. For the output of a linker, these are the changes that the linker did not make. A damaged function has
// no entry.
func Classes(f *cubin.File) map[uint32]mercury.Changes { return classes(f, false) }

// classes does the same as Classes for a final link or, if partial is set, for one with -r.
func classes(f *cubin.File, partial bool) map[uint32]mercury.Changes {
	list := map[uint32]mercury.Changes{}
	for section, r := range results(f, partial) {
		list[section] = r.Changes
	}
	return list
}

// Results returns the result of a final link for each function of [Classes], by the index of its code section. In
// addition to the changes, a result has the reason why scoreboards are kept although nvlink reassigns them.
func Results(f *cubin.File) map[uint32]mercury.Result { return results(f, false) }

func results(f *cubin.File, partial bool) map[uint32]mercury.Result {
	symbols, err := f.Symbols()
	if err != nil {
		return nil
	}
	entry := map[uint32]bool{}
	for i := range symbols {
		if y := &symbols[i]; y.IsEntry() {
			entry[y.Section] = true
		}
	}
	capsules := map[string][]uint32{} // local functions may have one name
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type == cubin.SectionCapMerc {
			name := strings.TrimPrefix(s.Name, ".nv.capmerc")
			capsules[name] = append(capsules[name], s.Index)
		}
	}
	list := map[uint32]mercury.Result{}
	for i := range f.Sections {
		s := &f.Sections[i]
		same := capsules[s.Name]
		if len(same) == 0 {
			continue
		}
		capsule := same[0]
		capsules[s.Name] = same[1:]
		code, err := hazard.FunctionOf(f, s)
		if err != nil {
			continue
		}
		fn := mercury.FunctionOf(nil, arch.Finalizer{}, f.SM(), f.SM()) // always as code of 13.0
		fn.Text, fn.Targets, fn.Entry, fn.Partial = code.Text, code.Tables, entry[s.Index], partial
		if fn.Capsule, err = f.Data(capsule); err != nil {
			continue
		}
		fn.WaitsAtExit = mercury.WaitsAtExit(fn.Text, fn.Capsule)
		if result, err := mercury.Finalize(fn); err == nil {
			list[s.Index] = result
		}
	}
	return list
}

// A Count has the numbers of functions by the result of their comparison.
type Count struct {
	Equal     int
	Masked    int // equal except for the schedule, and no rule describes nvlink's schedule
	Different int
}

// Add adds the functions of another count.
func (c *Count) Add(other Count) {
	c.Equal += other.Equal
	c.Masked += other.Masked
	c.Different += other.Different
}

func (c Count) String() string {
	return fmt.Sprintf("%d functions equal, %d equal but for their schedule, %d different", c.Equal, c.Masked, c.Different)
}

// A Match is the result of [Compare].
type Match struct {
	Count
	Sections []string // code sections of the functions that Masked counts
	Got      []byte   // the second file, with the code of the first one in these sections
}

// Compare compares the code of two files for sm_100 and later. want is the output of nvlink, and got is that of another
// linker. It masks a function of got if nvlink reassigns the scoreboards of the function (MERC-120) and only bits differ
// that depend on this (MERC-121). Other files have no functions to count, and Match.Got is then got.
func Compare(want, got []byte) Match {
	m := Match{Got: got}
	w, wantErr := cubin.Open("", want)
	g, gotErr := cubin.Open("", got)
	if wantErr != nil || gotErr != nil || w.Type != g.Type {
		return m
	}
	changesOf := classes(g, g.Type != cubin.TypeExecutable)
	others := map[string][]*cubin.Section{}
	for i := range w.Sections {
		if s := &w.Sections[i]; s.Flags&cubin.FlagExec != 0 {
			others[s.Name] = append(others[s.Name], s)
		}
	}
	for i := range g.Sections {
		s := &g.Sections[i]
		changes, ok := changesOf[s.Index]
		if !ok {
			continue
		}
		same := others[s.Name]
		if len(same) == 0 {
			m.Different++
			continue
		}
		t := same[0]
		others[s.Name] = same[1:]
		a, wantErr := w.Data(t.Index)
		b, gotErr := g.Data(s.Index)
		switch {
		case wantErr != nil || gotErr != nil:
			m.Different++
		case slices.Equal(a, b):
			m.Equal++
		case (changes&(mercury.Scoreboards|mercury.Reallocated) != 0 || mercury.FreeStack(b, g.SM())) && sass.SameButSchedule(a, b):
			m.Masked++
			if m.Sections == nil {
				m.Got = slices.Clone(got)
			}
			m.Sections = append(m.Sections, s.Name)
			copy(m.Got[s.Offset:], a)
		default:
			m.Different++
		}
	}
	return m
}

package input

import (
	"strings"

	"github.com/culink/culink/linker/limit"
)

// The host compiler records which kernels and variables host code refers to. If every object of a link has such
// a record, kernels that no object refers to are dropped (LOAD-024). Variables are never dropped.

// References are the names in the .nvHR* sections of a host object. They are the names of external and of
// internal linkage that host code refers to. In a name, '*' matches any text, because the host compiler does
// not fully know internal names.
type References struct {
	External Names // .nvHRKE, .nvHRDE, .nvHRCE
	Internal Names // .nvHRKI, .nvHRDI, .nvHRCI
	// Known reports whether the object has the list of external kernels. A list without names counts too.
	Known bool
}

// Names are names of kernels, variables and constants.
type Names struct {
	Kernels, Variables, Constants []string
}

func references(f hostFile) References {
	linked := func(linkage string) Names {
		return Names{names(f, ".nvHRK"+linkage), names(f, ".nvHRD"+linkage), names(f, ".nvHRC"+linkage)}
	}
	kernels, _ := f.hostSection(".nvHRKE")
	return References{External: linked("E"), Internal: linked("I"), Known: len(kernels.Data) > 0}
}

// names returns the NUL-terminated names in a section. A section of one byte contains none. In a longer
// section, empty names count too, because ld -r creates them.
func names(f hostFile, section string) []string {
	s, _ := f.hostSection(section)
	if s.Size < 2 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(s.Data), "\x00"), "\x00")
}

// A KernelFilter determines which kernels host code may launch. A nil filter keeps all.
type KernelFilter struct {
	external, internal patterns
	answers            map[kernelName]bool
	budget             *limit.Budget
	err                error
}

type kernelName struct {
	name     string
	internal bool
}

// KernelFilter returns the filter for the kernels that a link of l keeps. It is nil if all are kept. That is so
// if some input does not list the references of its host code, or if only libcudadevrt refers to a kernel
// (LOAD-024). systemParts is the number of objects of libcudadevrt that are part of the link, as in linker.Result:
// host objects that come after so many do not count (LOAD-043).
func (l *Loaded) KernelFilter(systemParts int) *KernelFilter {
	if l.Unreferenced {
		return nil
	}
	if f, made := l.filters[systemParts]; made {
		return f
	}
	if l.filters == nil {
		l.filters = map[int]*KernelFilter{}
	}
	f := l.newFilter(systemParts)
	l.filters[systemParts] = f
	return f
}

func (l *Loaded) newFilter(systemParts int) *KernelFilter {
	f := &KernelFilter{answers: map[kernelName]bool{}, budget: l.budget}
	refers := false
	for _, h := range l.Hosts {
		if h.System && h.Place >= systemParts {
			continue
		}
		if !h.References.Known {
			return nil
		}
		external, internal := h.References.External.Kernels, h.References.Internal.Kernels
		f.external.add(external)
		f.internal.add(internal)
		refers = refers || !h.System && len(external)+len(internal) > 0
	}
	if !refers {
		return nil
	}
	return f
}

// Keeps reports whether a kernel is kept. internal is set if its symbol is local. After the limit is reached,
// Keeps returns true for every kernel, and Exceeded returns the error.
func (f *KernelFilter) Keeps(name string, internal bool) bool {
	if f == nil {
		return true
	}
	k := kernelName{name, internal}
	answer, known := f.answers[k]
	if !known {
		p := &f.external
		if internal {
			p = &f.internal
		}
		steps := uint64(0)
		answer = p.match(name, f.budget.Left(limit.Matches), &steps)
		if f.err == nil {
			f.err = f.budget.Take(limit.Matches, steps)
		}
		f.answers[k] = answer
	}
	return answer || f.err != nil
}

// Exceeded returns an error if the comparison of kernels with names took too many steps. The link must not
// write its output then.
func (l *Loaded) Exceeded() error {
	for _, f := range l.filters {
		if f != nil && f.err != nil {
			return f.err
		}
	}
	return nil
}

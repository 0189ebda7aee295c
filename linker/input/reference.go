package input

import (
	"strings"

	"github.com/culink/culink/linker/limit"
)

// The host compiler writes down which kernels and variables host code refers
// to. When every object of a link says so, kernels that none refers to are
// dropped (LOAD-024); variables stay whatever the lists say.

// References are the names in the .nvHR* sections of a host object: what host
// code refers to, of external and of internal linkage. '*' in a name stands for
// any text: the host compiler does not know internal names fully.
type References struct {
	External Names // .nvHRKE, .nvHRDE, .nvHRCE
	Internal Names // .nvHRKI, .nvHRDI, .nvHRCI
	// Known tells that the object has the list of external kernels at all; a
	// list without names also counts.
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

// names are the NUL-terminated names of a section. A section of one byte holds
// none; in a longer one empty names count too, as ld -r makes them.
func names(f hostFile, section string) []string {
	s, _ := f.hostSection(section)
	if s.Size < 2 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(s.Data), "\x00"), "\x00")
}

// A KernelFilter tells which kernels host code may launch. A nil one keeps all.
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

// KernelFilter returns the kernels that stay in a link of l; nil when all of them
// do: some input says nothing about host code, or none but libcudadevrt refers
// to a kernel (LOAD-024). withSystem tells that libcudadevrt is part of the link.
func (l *Loaded) KernelFilter(withSystem bool) *KernelFilter {
	if l.Unreferenced {
		return nil
	}
	made := &l.filters[0]
	if withSystem {
		made = &l.filters[1]
	}
	if *made == nil {
		*made = l.newFilter(withSystem)
	}
	return *made
}

func (l *Loaded) newFilter(withSystem bool) *KernelFilter {
	f := &KernelFilter{answers: map[kernelName]bool{}, budget: l.budget}
	refers := false
	for _, h := range l.Hosts {
		if h.System && !withSystem {
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

// Keeps reports whether a kernel stays; internal, that its symbol is local. It keeps every
// kernel when the limit is reached, which Exceeded then tells of.
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

// Exceeded returns the error of a link whose kernels and names took too long to compare; such a
// link is not to be written.
func (l *Loaded) Exceeded() error {
	for _, f := range l.filters {
		if f != nil && f.err != nil {
			return f.err
		}
	}
	return nil
}

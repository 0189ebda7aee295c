package input

import (
	"slices"
	"strings"
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

func (f *elfFile) references() References {
	names := func(linkage string) Names {
		return Names{f.names(".nvHRK" + linkage), f.names(".nvHRD" + linkage), f.names(".nvHRC" + linkage)}
	}
	kernels := f.section(".nvHRKE")
	return References{External: names("E"), Internal: names("I"), Known: kernels != nil && len(f.bytes(kernels)) > 0}
}

// names are the NUL-terminated names of a section. A section of one byte holds
// none; in a longer one empty names count too, as ld -r makes them.
func (f *elfFile) names(section string) []string {
	s := f.section(section)
	if s == nil || s.size < 2 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(f.bytes(s)), "\x00"), "\x00")
}

// A KernelFilter tells which kernels host code may launch. A nil one keeps all.
type KernelFilter struct {
	External []string // names with wildcards of kernels of external linkage
	Internal []string // the same for internal linkage
}

// KernelFilter gives the kernels that stay in a link of l; nil when all of them
// do: some input says nothing about host code, or none but libcudadevrt refers
// to a kernel (LOAD-024). withSystem tells that libcudadevrt is part of the link.
func (l *Loaded) KernelFilter(withSystem bool) *KernelFilter {
	if l.Unreferenced {
		return nil
	}
	f := &KernelFilter{}
	refers := false
	for _, h := range l.Hosts {
		if h.System && !withSystem {
			continue
		}
		if !h.References.Known {
			return nil
		}
		external, internal := h.References.External.Kernels, h.References.Internal.Kernels
		f.External = append(f.External, external...)
		f.Internal = append(f.Internal, internal...)
		refers = refers || !h.System && len(external)+len(internal) > 0
	}
	if !refers {
		return nil
	}
	return f
}

// Keeps tells whether a kernel stays; internal, that its symbol is local.
func (f *KernelFilter) Keeps(kernel string, internal bool) bool {
	if f == nil {
		return true
	}
	patterns := f.External
	if internal {
		patterns = f.Internal
	}
	return slices.ContainsFunc(patterns, func(p string) bool { return matchWildcards(p, kernel) })
}

// matchWildcards tells whether name matches pattern, in which '*' stands for
// any text, also none. Linear in the two lengths' product at worst: each star
// takes the earliest place that its following text allows.
func matchWildcards(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	first, last := parts[0], parts[len(parts)-1]
	rest, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, last)
}

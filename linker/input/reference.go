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
		return Names{f.strings(".nvHRK" + linkage), f.strings(".nvHRD" + linkage), f.strings(".nvHRC" + linkage)}
	}
	kernels := f.section(".nvHRKE")
	return References{External: names("E"), Internal: names("I"), Known: kernels != nil && len(f.bytes(kernels)) > 0}
}

// A KernelFilter tells which kernels host code may launch. A nil one keeps all.
type KernelFilter struct {
	External []string // names with wildcards of kernels of external linkage
	Internal []string // the same for internal linkage
}

// KernelFilter gives the kernels that stay in a link of l; nil when all of them
// do: some input says nothing about host code, or none refers to a kernel
// (LOAD-024). withSystem tells that libcudadevrt is part of the link.
func (l *Loaded) KernelFilter(withSystem bool) *KernelFilter {
	if l.Unreferenced {
		return nil
	}
	f := &KernelFilter{}
	for _, h := range l.Hosts {
		switch {
		case h.System && !withSystem:
		case !h.References.Known:
			return nil
		default:
			f.External = append(f.External, h.References.External.Kernels...)
			f.Internal = append(f.Internal, h.References.Internal.Kernels...)
		}
	}
	if len(f.External)+len(f.Internal) == 0 {
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

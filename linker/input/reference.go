package input

import "strings"

// The host compiler writes down which kernels and variables host code refers
// to. When every device ELF of a link comes from host objects, kernels that no
// host object refers to are dropped (REACH, LOAD-024); variables stay whatever
// the lists say.

// References are the names in the .nvHR* sections of a host object. A name may
// hold '*', which stands for any text: names of internal linkage are not fully
// known to the host compiler.
type References struct {
	Kernels   []string // .nvHRKE, .nvHRKI
	Variables []string // .nvHRDE, .nvHRDI
	Constants []string // .nvHRCE, .nvHRCI
}

func (f *elfFile) references() References {
	both := func(kind string) []string { return append(f.strings(".nvHR"+kind+"E"), f.strings(".nvHR"+kind+"I")...) }
	return References{Kernels: both("K"), Variables: both("D"), Constants: both("C")}
}

// KernelFilter gives the names, with wildcards, of the kernels that stay in a
// link of l; ok is false when all of them stay: an input is a plain cubin, or
// no host object refers to a kernel (LOAD-024).
func (l *Loaded) KernelFilter() (patterns []string, ok bool) {
	if l.PlainCubin {
		return nil, false
	}
	for _, h := range l.Hosts {
		patterns = append(patterns, h.References.Kernels...)
	}
	return patterns, len(patterns) > 0
}

// MatchKernel tells whether a kernel's name matches one of the patterns.
func MatchKernel(patterns []string, name string) bool {
	for _, p := range patterns {
		if matchWildcards(p, name) {
			return true
		}
	}
	return false
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

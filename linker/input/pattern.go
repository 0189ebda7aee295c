package input

import (
	"slices"
	"strings"
)

// Host code can refer to thousands of kernels with wildcards, and a link can have thousands of kernels. It
// would take too long to compare every name with every kernel. Names without a wildcard are looked up
// directly. Names with a wildcard are looked up by the text before the wildcard, which the host compiler makes
// different for each file.

// patterns holds names in which '*' matches any text, including none. The zero value is empty.
type patterns struct {
	exact    map[string]bool
	prefixed map[string][]pattern // by the text before the first star
	lengths  []int                // distinct lengths of these texts, ascending
}

// A pattern is the part of a name after its first star, split at the stars. middle has the texts between
// stars, none of which is empty. last is the text after the last star.
type pattern struct {
	middle []string
	last   string
}

// add adds names. A duplicate counts once.
func (p *patterns) add(names []string) {
	if p.exact == nil {
		p.exact, p.prefixed = map[string]bool{}, map[string][]pattern{}
	}
	for _, name := range names {
		if p.exact[name] {
			continue
		}
		p.exact[name] = true
		prefix, rest, wild := strings.Cut(name, "*")
		if !wild {
			continue
		}
		parts := strings.Split(rest, "*")
		last := len(parts) - 1
		middle := slices.DeleteFunc(parts[:last:last], func(part string) bool { return part == "" })
		if p.prefixed[prefix] == nil {
			if at, found := slices.BinarySearch(p.lengths, len(prefix)); !found {
				p.lengths = slices.Insert(p.lengths, at, len(prefix))
			}
		}
		p.prefixed[prefix] = append(p.prefixed[prefix], pattern{slices.Clip(middle), parts[last]})
	}
}

// match reports whether one of the patterns matches name. It adds the number of bytes that it compares to
// steps. If steps exceeds most, it stops.
func (p *patterns) match(name string, most uint64, steps *uint64) bool {
	if p.exact[name] && !strings.Contains(name, "*") {
		return true
	}
	for _, n := range p.lengths {
		if n > len(name) {
			break
		}
		*steps += uint64(n) + 1
		for i := range p.prefixed[name[:n]] {
			if *steps > most {
				return false
			}
			if p.prefixed[name[:n]][i].match(name[n:], steps) {
				return true
			}
		}
	}
	return false
}

// match reports whether a pattern matches rest, the text after the pattern's prefix. Each star extends to the
// first occurrence of the text that follows it.
func (p *pattern) match(rest string, steps *uint64) bool {
	*steps += uint64(len(p.last)) + 1
	if !strings.HasSuffix(rest, p.last) {
		return false
	}
	rest = rest[:len(rest)-len(p.last)]
	for _, part := range p.middle {
		i := strings.Index(rest, part)
		if i < 0 {
			*steps += uint64(len(rest)) + 1
			return false
		}
		*steps += uint64(i+len(part)) + 1
		rest = rest[i+len(part):]
	}
	return true
}

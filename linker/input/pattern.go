package input

import (
	"slices"
	"strings"
)

// Host code can name thousands of kernels with wildcards, and a link can have thousands of
// kernels, so that not every name is compared with every kernel: names without a wildcard are
// looked up, and those with one by the text before it, which the host compiler makes different
// for each file.

// patterns are names in which '*' stands for any text, also none. The zero value has none.
type patterns struct {
	exact    map[string]bool
	prefixed map[string][]pattern // by the text before the first star
	lengths  []int                // of these texts, each once, ascending
}

// A pattern is what stands after the first star of a name, cut at stars: the texts in the
// middle, none of them empty, and the last one.
type pattern struct {
	middle []string
	last   string
}

// add adds names; one that is there already counts once.
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

// match reports whether one of the patterns matches name. It counts the bytes that it looks at
// in steps, and ends without an answer when they are more than most.
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

// match reports whether a pattern matches what stands after its prefix: each star takes the
// earliest place that the text after it allows.
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

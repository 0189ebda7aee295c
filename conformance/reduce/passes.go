package reduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sound"
)

// The passes remove parts of a link, the largest parts first. Each pass leaves the smallest state that it can find and
// that still shows the difference. run repeats the passes until none removes anything.

func (r *reducer) run() {
	r.state = newState(r.result.Link)
	r.unpack()
	r.passes()
	r.makeKernels()
}

// passes removes everything that it can.
func (r *reducer) passes() {
	for before := -1; before != r.weight(); {
		before = r.weight()
		for _, pass := range []struct {
			name string
			run  func()
		}{
			{"command line", r.dropWords},
			{"files", r.dropFiles},
			{"string tables", r.deriveStrings},
			{"names", r.dropNames},
			{"sections", r.dropSections},
			{"places of relocations", r.moveRelocations},
			{"lines", r.dropLines},
			{"fields", r.dropFields},
			{"bytes", r.clearBytes},
		} {
			if r.isOver() {
				return
			}
			size := r.weight()
			pass.run()
			if r.weight() < size {
				r.progress(pass.name)
			}
		}
	}
}

// makeKernels turns functions into kernels, so that the functions stay when their callers are removed. It removes lines
// about them in other files, because these would refer to another function.
func (r *reducer) makeKernels() {
	for _, file := range r.state.names() {
		for i := 0; i < len(r.state.texts[file]) && !r.isOver(); i++ {
			line := r.state.texts[file][i]
			if !strings.Contains(line, "\tsymbol ") || !strings.Contains(line, " func ") || strings.Contains(line, "=") || strings.HasSuffix(line, " undef") {
				continue
			}
			before := r.smallest()
			s := r.state.withText(file, withLine(r.state.texts[file], i, line+" other=entry"))
			for _, other := range s.names() {
				if other != file {
					s = s.withText(other, withoutNames(s.texts[other], map[string]bool{strings.Fields(line)[1]: true}))
				}
			}
			if r.keeps(s) {
				r.passes()
			}
			if r.weight() >= before.weight {
				before.restore()
			}
			if i >= len(r.state.texts[file]) {
				break
			}
		}
	}
}

// A mark is a state that can be restored.
type mark struct {
	weight  int
	restore func()
}

func (r *reducer) smallest() mark {
	state, result := r.state, r.result
	return mark{r.weight(), func() {
		result.Tried = r.result.Tried
		r.state, r.result = state, result
	}}
}

// weight returns the size of the state. Every change by a pass makes it smaller.
func (r *reducer) weight() int {
	n := 0
	for _, word := range r.state.argv {
		n += len(word) + 1
	}
	for _, data := range r.state.files {
		n += len(data) + 1
	}
	for _, lines := range r.state.texts {
		for _, line := range lines {
			n += len(line) + 1
		}
	}
	return n
}

// unpack replaces archives, fat binaries and host objects with their cubins.
func (r *reducer) unpack() {
	if len(r.state.files) == 0 {
		return
	}
	link, _, err := sound.FromCommand(r.ctx, r.result.Link.Before, r.result.Link.Argv)
	if err != nil {
		return
	}
	plain := attempt.Link{Before: attempt.Files{}}
	used := func(word string) bool {
		_, ok := r.result.Link.Before[word]
		return ok || strings.HasPrefix(word, "-l") || strings.HasPrefix(word, "-L")
	}
	for _, word := range r.result.Link.Argv {
		if !used(word) {
			plain.Argv = append(plain.Argv, word)
		}
	}
	for i, in := range link.Inputs {
		name := string(rune('a'+i%26)) + strings.Repeat("_", i/26) + ".cubin"
		plain.Before[name] = in.Data
		plain.Argv = append(plain.Argv, name)
	}
	r.keeps(newState(plain))
}

// dropWords removes words from the command line. A single word may be an option or an input, and a pair may be an option
// with its value.
func (r *reducer) dropWords() {
	for _, size := range []int{2, 1} {
		for at := 0; at+size <= len(r.state.argv) && !r.isOver(); {
			s := r.state
			s.argv = slices.Delete(slices.Clone(s.argv), at, at+size)
			if !r.keeps(s) {
				at++
			}
		}
	}
}

// dropFiles removes files that the command line does not name or that the difference does not need.
func (r *reducer) dropFiles() {
	for _, name := range slices.Concat(r.state.names(), r.state.files.Names()) {
		if s := r.state.without(name); !slices.Contains(s.argv, name) {
			r.keeps(s)
		}
	}
}

// deriveStrings removes unused strings from the string tables. The others get the order in which they are used.
func (r *reducer) deriveStrings() {
	for _, name := range r.state.names() {
		var kept []string
		table := false
		for _, line := range r.state.texts[name] {
			if isSection(line) {
				table = strings.HasSuffix(line, "strtab")
			}
			if !table || isSection(line) {
				kept = append(kept, line)
			}
		}
		if len(kept) < len(r.state.texts[name]) {
			r.keeps(r.state.withText(name, kept))
		}
	}
}

// isSection reports whether a line starts a section of the text.
func isSection(line string) bool { return line != "" && line[0] != '\t' && line[0] != ' ' }

// dropNames removes every line with a given name, first from all files and then from single files.
func (r *reducer) dropNames() {
	var all []string
	seen := map[string]bool{}
	for _, file := range r.state.names() {
		for _, line := range r.state.texts[file] {
			words := strings.Fields(line)
			if len(words) > 4 && words[0] == "symbol" && !seen[words[1]] {
				seen[words[1]] = true
				all = append(all, words[1])
			}
		}
	}
	scopes := [][]string{r.state.names()}
	for _, file := range r.state.names() {
		scopes = append(scopes, []string{file})
	}
	for _, scope := range scopes {
		shrink(all, r.isOver, func(kept []string) bool {
			s, gone := r.state, removed(all, kept)
			for _, file := range scope {
				s = s.withText(file, withoutNames(s.texts[file], gone))
			}
			return s.lines() < r.state.lines() && r.keeps(s)
		})
	}
}

// removed returns the items that are not in kept.
func removed[T comparable](items, kept []T) map[T]bool {
	gone := make(map[T]bool, len(items))
	for _, item := range items {
		gone[item] = true
	}
	for _, item := range kept {
		delete(gone, item)
	}
	return gone
}

// lines counts the lines of all texts.
func (s state) lines() int {
	n := 0
	for _, lines := range s.texts {
		n += len(lines)
	}
	return n
}

// withoutNames removes the lines that contain one of names. If the first line of a section contains one, it removes the
// whole section.
func withoutNames(lines []string, names map[string]bool) []string {
	var kept []string
	dropping := false
	for _, line := range lines {
		mentions := false
		for _, word := range strings.Fields(line) {
			if _, value, ok := strings.Cut(word, "="); ok {
				word = value
			}
			word = strings.Trim(word, `@"`)
			mentions = mentions || names[word] || isAbout(word, names)
		}
		if isSection(line) {
			dropping = mentions
		}
		if !dropping && !mentions {
			kept = append(kept, line)
		}
	}
	return kept
}

// isAbout reports whether a word is the name of a section about one of names: a dot, perhaps more, a dot and the name.
func isAbout(word string, names map[string]bool) bool {
	for i := 0; i < len(word) && word[0] == '.'; i++ {
		if word[i] == '.' && names[word[i+1:]] {
			return true
		}
	}
	return false
}

// dropSections removes whole sections and the lines that refer to them.
func (r *reducer) dropSections() {
	for _, file := range r.state.names() {
		var sections []string
		for _, line := range r.state.texts[file] {
			if words := strings.Fields(line); isSection(line) && len(words) > 1 && words[0] == "section" {
				sections = append(sections, words[1])
			}
		}
		all := r.state.texts[file]
		shrink(sections, r.isOver, func(kept []string) bool {
			return r.keeps(r.state.withText(file, withoutNames(all, removed(sections, kept))))
		})
	}
}

// dropLines removes single lines: symbols, relocations, records, instructions.
func (r *reducer) dropLines() {
	for _, file := range r.state.names() {
		shrink(r.state.texts[file], r.isOver, func(lines []string) bool {
			return r.keeps(r.state.withText(file, lines))
		})
	}
}

// moveRelocations moves relocations to the start of their section, so that the bytes before them can be removed.
func (r *reducer) moveRelocations() {
	for _, file := range r.state.names() {
		for i, line := range r.state.texts[file] {
			words := strings.Fields(line)
			if len(words) > 2 && words[0] == "rel" && words[1] != "0" && !r.isOver() {
				words[1] = "0"
				r.keeps(r.state.withText(file, withLine(r.state.texts[file], i, indent(line)+strings.Join(words, " "))))
			}
		}
	}
}

// dropFields removes fields with values, and addends, from lines.
func (r *reducer) dropFields() {
	for _, file := range r.state.names() {
		for i, line := range r.state.texts[file] {
			words := strings.Fields(line)
			var fields []int
			for k, word := range words {
				if strings.ContainsAny(word, "=+") && !strings.Contains(line, `"`) {
					fields = append(fields, k)
				}
			}
			shrink(fields, r.isOver, func(kept []int) bool {
				gone := removed(fields, kept)
				var rest []string
				for k, word := range words {
					if !gone[k] {
						rest = append(rest, word)
					}
				}
				return r.keeps(r.state.withText(file, withLine(r.state.texts[file], i, indent(line)+strings.Join(rest, " "))))
			})
		}
	}
}

// indent returns the white space at the start of a line.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, "\t "))] }

// withLine returns lines with line i replaced.
func withLine(lines []string, i int, line string) []string {
	lines = slices.Clone(lines)
	lines[i] = line
	return lines
}

// clearBytes sets code and data to zero if the difference does not need them.
func (r *reducer) clearBytes() {
	for _, file := range r.state.names() {
		var places []int
		for i, line := range r.state.texts[file] {
			if zeros(line) != line {
				places = append(places, i)
			}
		}
		shrink(places, r.isOver, func(kept []int) bool {
			lines := slices.Clone(r.state.texts[file])
			for i := range removed(places, kept) {
				lines[i] = zeros(lines[i])
			}
			return r.keeps(r.state.withText(file, lines))
		})
		if lines := joinZeros(r.state.texts[file]); len(lines) < len(r.state.texts[file]) {
			r.keeps(r.state.withText(file, lines))
		}
	}
}

// joinZeros merges consecutive lines of zeros.
func joinZeros(lines []string) []string {
	var joined []string
	count := 0
	flush := func() {
		if count > 0 {
			joined = append(joined, fmt.Sprintf("\tzero %#x", count))
			count = 0
		}
	}
	for _, line := range lines {
		switch words := strings.Fields(line); {
		case len(words) > 1 && words[0] == "u64" && line == zeros(line):
			count += 8 * (len(words) - 1)
		case len(words) > 1 && words[0] == "hex" && line == zeros(line):
			count += len(strings.Join(words[1:], "")) / 2
		default:
			flush()
			joined = append(joined, line)
		}
	}
	flush()
	return joined
}

// zeros returns a line of bytes with every byte set to zero. Any other line is returned unchanged.
func zeros(line string) string {
	words := strings.Fields(line)
	if len(words) < 2 {
		return line
	}
	switch words[0] {
	case "u64":
		return indent(line) + "u64" + strings.Repeat(" 0", len(words)-1)
	case "hex":
		return indent(line) + "hex " + strings.Repeat("0", len(strings.Join(words[1:], "")))
	}
	return line
}

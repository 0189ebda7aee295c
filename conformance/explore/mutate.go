package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A mutation changes an input's structure in one place, and reports whether it changed anything. It may take parts from
// other, an input for the same target.
type mutation struct {
	weight int
	change func(m *mutator, in, other *Input) bool
}

// wholeFiles lists the ways to change a link without changing a file.
var wholeFiles = []mutation{
	{8, (*mutator).splice},
	{6, (*mutator).dropFile},
	{4, (*mutator).repeatFile},
	{5, (*mutator).reorder},
	{12, (*mutator).addOption},
	{5, (*mutator).dropOption},
	{5, (*mutator).contain},
	{3, (*mutator).chain},
}

// mutations lists all ways to change an input.
var mutations = slices.Concat(wholeFiles, []mutation{
	{30, (*mutator).changeWord},
	{10, (*mutator).addField},
	{10, (*mutator).dropLine},
	{6, (*mutator).repeatLine},
	{6, (*mutator).moveLine},
	{12, (*mutator).takeLine},
	{10, (*mutator).rename},
	{6, (*mutator).dropSection},
	{5, (*mutator).repeatSection},
	{8, (*mutator).takeSection},
	{10, (*mutator).changeCode},
	{2, (*mutator).changeBytes},
})

// A mutator mutates inputs at random.
type mutator struct {
	*rand.Rand
	words     *vocabulary
	mutations []mutation // ways to change an input
}

// mutate returns a mutated copy of an input.
func (m *mutator) mutate(in, other *Input) *Input {
	c := in.clone()
	total := 0
	for _, mu := range m.mutations {
		total += mu.weight
	}
	for wanted := 1 + m.few(); wanted > 0; {
		at := m.IntN(total)
		for _, mu := range m.mutations {
			if at -= mu.weight; at < 0 {
				if mu.change(m, c, other) {
					wanted--
				}
				break
			}
		}
	}
	return c
}

// few returns a small number, usually 0.
func (m *mutator) few() (n int) {
	for n < 5 && m.IntN(3) == 0 {
		n++
	}
	return n
}

// text chooses a cubin of the link.
func (m *mutator) text(in *Input) (name string, lines []string, ok bool) {
	names := in.names()
	if len(names) == 0 {
		return "", nil, false
	}
	name = names[m.IntN(len(names))]
	return name, in.Texts[name], len(in.Texts[name]) > 1
}

// line chooses a line of a cubin. It never chooses the first.
func (m *mutator) line(in *Input) (name string, lines []string, at int, ok bool) {
	name, lines, ok = m.text(in)
	if !ok {
		return name, lines, 0, false
	}
	at = 1 + m.IntN(len(lines)-1)
	if strings.Contains(lines[at], "\tu64") && m.IntN(4) > 0 { // most lines are code
		at = 1 + m.IntN(len(lines)-1)
	}
	return name, lines, at, true
}

// changeWord replaces a word of a line: a number, a field, a name or a type.
func (m *mutator) changeWord(in, _ *Input) bool {
	name, lines, at, ok := m.line(in)
	if !ok {
		return false
	}
	words := strings.Fields(lines[at])
	if len(words) < 2 {
		return false
	}
	i := 1 + m.IntN(len(words)-1)
	word := m.otherWord(words[0], i-1, words[i], lines)
	if word == words[i] {
		return false
	}
	words = slices.Clone(words)
	words[i] = word
	in.setText(name, withLine(lines, at, 1, indent(lines[at])+strings.Join(words, " ")))
	return true
}

// indent returns the white space at the start of a line.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, "\t "))] }

// otherWord returns a replacement for a word.
func (m *mutator) otherWord(keyword string, at int, word string, lines []string) string {
	if other, ok := m.words.word(m.Rand, slot(keyword, at, word)); ok && m.IntN(3) > 0 {
		return other
	}
	field, value, isField := strings.Cut(word, "=")
	if !isField {
		field, value = "", word
	} else {
		field += "="
	}
	sign := ""
	if strings.HasPrefix(value, "+") {
		sign, value = "+", value[1:]
	}
	if n, err := strconv.ParseUint(value, 0, 64); err == nil {
		return fmt.Sprintf("%s%s%#x", field, sign, m.number(n))
	}
	if names := symbolNames(lines); len(names) > 0 {
		mark := ""
		if strings.HasPrefix(value, "@") {
			mark = "@"
		}
		return field + mark + names[m.IntN(len(names))]
	}
	return word
}

// number returns a number near n, or one of the numbers at which limits often lie.
func (m *mutator) number(n uint64) uint64 {
	switch m.IntN(8) {
	case 0:
		return n + 1
	case 1:
		return n - 1
	case 2:
		return n * 2
	case 3:
		return n ^ 1<<m.IntN(64)
	case 4:
		return n ^ 1<<m.IntN(8)
	case 5:
		return 1 << m.IntN(34)
	case 6:
		return 1<<m.IntN(34) - 1
	}
	return uint64(m.IntN(256))
}

// addField adds a field to a line. The field is one that other lines with the same keyword have.
func (m *mutator) addField(in, _ *Input) bool {
	name, lines, at, ok := m.line(in)
	if !ok {
		return false
	}
	words := strings.Fields(lines[at])
	if len(words) == 0 {
		return false
	}
	field, ok := m.words.field(m.Rand, words[0])
	if !ok {
		return false
	}
	key, _, _ := strings.Cut(field, "=")
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, key+"=") })
	in.setText(name, withLine(lines, at, 1, indent(lines[at])+strings.Join(words, " ")+" "+field))
	return true
}

func (m *mutator) dropLine(in, _ *Input) bool {
	name, lines, at, ok := m.line(in)
	if !ok || isSection(lines[at]) {
		return false
	}
	in.setText(name, withLine(lines, at, 1))
	return true
}

func (m *mutator) repeatLine(in, _ *Input) bool {
	name, lines, at, ok := m.line(in)
	if !ok || isSection(lines[at]) {
		return false
	}
	in.setText(name, withLine(lines, at, 0, lines[at]))
	return true
}

// moveLine swaps a line with another of its section.
func (m *mutator) moveLine(in, _ *Input) bool {
	name, lines, at, ok := m.line(in)
	if !ok || isSection(lines[at]) {
		return false
	}
	first, end := at, at+1
	for !isSection(lines[first-1]) {
		first--
	}
	for end < len(lines) && !isSection(lines[end]) {
		end++
	}
	to := first + m.IntN(end-first)
	if to == at {
		return false
	}
	lines = slices.Clone(lines)
	lines[at], lines[to] = lines[to], lines[at]
	in.setText(name, lines)
	return true
}

// takeLine adds a line from another input to a section of the same kind.
func (m *mutator) takeLine(in, _ *Input) bool {
	name, lines, at, ok := m.line(in)
	if !ok || isSection(lines[at]) {
		return false
	}
	line, ok := m.words.line(m.Rand, strings.Fields(lines[at])[0], sectionOf(lines, at))
	if !ok {
		return false
	}
	if m.IntN(2) == 0 { // prefer lines about symbols of this cubin
		if names := symbolNames(lines); len(names) > 0 {
			words := strings.Fields(line)
			for i, w := range words[1:] {
				if strings.HasPrefix(w, "@") {
					words[i+1] = "@" + names[m.IntN(len(names))]
				} else if words[0] == "rel" && i == 2 || words[0] == "edge" {
					words[i+1] = names[m.IntN(len(names))]
				}
			}
			line = indent(line) + strings.Join(words, " ")
		}
	}
	in.setText(name, withLine(lines, at, m.IntN(2), line))
	return true
}

// rename replaces a name throughout a cubin with another name from the link, of this cubin or of another one.
func (m *mutator) rename(in, _ *Input) bool {
	name, lines, ok := m.text(in)
	if !ok {
		return false
	}
	_, others, _ := m.text(in)
	old, other := symbolNames(lines), symbolNames(others)
	if len(old) == 0 || len(other) == 0 {
		return false
	}
	from, to := old[m.IntN(len(old))], other[m.IntN(len(other))]
	if from == to {
		return false
	}
	in.setText(name, renamed(lines, from, to))
	return true
}

// renamed returns lines with a name replaced, also as the suffix of section names.
func renamed(lines []string, from, to string) []string {
	changed := make([]string, len(lines))
	for i, line := range lines {
		changed[i] = line
		if !strings.Contains(line, from) {
			continue
		}
		words := strings.Fields(line)
		for k, w := range words {
			field, value, isField := strings.Cut(w, "=")
			if !isField {
				field, value = "", w
			} else {
				field += "="
			}
			bare := strings.TrimPrefix(value, "@")
			mark := value[:len(value)-len(bare)]
			switch {
			case bare == from:
				words[k] = field + mark + to
			case strings.HasPrefix(bare, ".") && strings.HasSuffix(bare, "."+from):
				words[k] = field + mark + strings.TrimSuffix(bare, from) + to
			}
		}
		changed[i] = indent(line) + strings.Join(words, " ")
	}
	return changed
}

// section chooses a section of a cubin. Its lines begin at first and end before end.
func (m *mutator) section(in *Input) (name string, lines []string, first, end int, ok bool) {
	name, lines, at, ok := m.line(in)
	if !ok {
		return name, lines, 0, 0, false
	}
	for first = at; first > 0 && !isSection(lines[first]); first-- {
	}
	for end = first + 1; end < len(lines) && !isSection(lines[end]); end++ {
	}
	return name, lines, first, end, strings.HasPrefix(lines[first], "section ")
}

func (m *mutator) dropSection(in, _ *Input) bool {
	name, lines, first, end, ok := m.section(in)
	if !ok {
		return false
	}
	in.setText(name, withLine(lines, first, end-first))
	return true
}

// repeatSection duplicates a section, possibly for another function.
func (m *mutator) repeatSection(in, _ *Input) bool {
	name, lines, first, end, ok := m.section(in)
	if !ok {
		return false
	}
	copied := slices.Clone(lines[first:end])
	if names := symbolNames(lines); len(names) > 1 && m.IntN(2) == 0 {
		copied = renamed(copied, names[m.IntN(len(names))], names[m.IntN(len(names))])
	}
	in.setText(name, withLine(lines, end, 0, copied...))
	return true
}

// takeSection adds a section of another input, with the symbols that it refers to.
func (m *mutator) takeSection(in, other *Input) bool {
	name, lines, ok := m.text(in)
	if !ok {
		return false
	}
	_, from, first, end, ok := m.section(other)
	if !ok {
		return false
	}
	taken := from[first:end]
	known := symbolNames(lines)
	var needed []string
	for _, line := range from {
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == "symbol" && !slices.Contains(known, words[1]) &&
			slices.ContainsFunc(taken, func(l string) bool { return strings.Contains(l, words[1]) }) {
			needed = append(needed, line)
		}
	}
	table := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "section .symtab") })
	lines = slices.Concat(lines, taken)
	if table >= 0 {
		at := table + 1
		for at < len(lines) && !isSection(lines[at]) {
			at++
		}
		lines = withLine(lines, at, 0, needed...)
	}
	in.setText(name, lines)
	return true
}

// changeCode flips a bit of an instruction, or replaces the instruction with another one.
func (m *mutator) changeCode(in, _ *Input) bool {
	name, lines, ok := m.text(in)
	if !ok {
		return false
	}
	var code []int
	for i, l := range lines {
		if strings.HasPrefix(l, "\tu64 ") {
			code = append(code, i)
		}
	}
	if len(code) == 0 {
		return false
	}
	at := code[m.IntN(len(code))]
	words := strings.Fields(lines[at])
	line := lines[code[m.IntN(len(code))]]
	switch m.IntN(3) {
	case 0:
		if other, ok := m.words.line(m.Rand, "u64", sectionOf(lines, at)); ok {
			line = other
		}
	case 1:
		i := 1 + m.IntN(len(words)-1)
		n, err := strconv.ParseUint(words[i], 0, 64)
		if err != nil {
			return false
		}
		words[i] = fmt.Sprintf("%#x", n^1<<m.IntN(64))
		line = "\t" + strings.Join(words, " ")
	}
	if line == lines[at] {
		return false
	}
	in.setText(name, withLine(lines, at, 1, line))
	return true
}

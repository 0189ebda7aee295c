package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// A vocabulary holds the parts of all cubins seen so far: whole lines by keyword and kind of section, and words by
// keyword and position. Mutations use these parts, so most results have the form of a cubin.
type vocabulary struct {
	lines map[string]*set // lines by keyword and kind of section
	words map[string]*set // words by keyword and position; fields by keyword and name

	fields map[string]*set // keys of words that are fields, by keyword
}

// A set holds distinct texts and returns a random one.
type set struct {
	list []string
	has  map[string]bool
}

// mostOfSet is the maximum number of texts in a set.
const mostOfSet = 4000

func (s *set) add(text string) {
	if s.has == nil {
		s.has = map[string]bool{}
	}
	if !s.has[text] && len(s.list) < mostOfSet {
		s.has[text] = true
		s.list = append(s.list, text)
	}
}

func newVocabulary() *vocabulary {
	return &vocabulary{map[string]*set{}, map[string]*set{}, map[string]*set{}}
}

// learn adds the lines and words of an input.
func (v *vocabulary) learn(in *Input) {
	for _, name := range in.names() {
		section := ""
		for _, line := range in.Texts[name] {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			if isSection(line) {
				section = kindOf(words)
			} else {
				setIn(v.lines, words[0]+" "+section).add(line)
			}
			for i, w := range words[1:] {
				key := slot(words[0], i, w)
				setIn(v.words, key).add(w)
				if strings.HasSuffix(key, "=") {
					setIn(v.fields, words[0]).add(key)
				}
			}
		}
	}
}

func setIn(sets map[string]*set, key string) *set {
	if sets[key] == nil {
		sets[key] = &set{}
	}
	return sets[key]
}

// slot returns the slot of a word: the keyword and the name of a field, or the keyword and the position of the word.
func slot(keyword string, at int, word string) string {
	if field, _, ok := strings.Cut(word, "="); ok {
		return keyword + " " + field + "="
	}
	if keyword == "u64" || keyword == "hex" || keyword == "u32" || keyword == "u8" || keyword == "u16" {
		at = 0
	}
	return keyword + " " + string(rune('0'+min(at, 9)))
}

// word returns a random word for a slot, if one is known.
func (v *vocabulary) word(rng *rand.Rand, key string) (string, bool) { return pick(rng, v.words[key]) }

// line returns a random line with a keyword for a kind of section, if one is known.
func (v *vocabulary) line(rng *rand.Rand, keyword, kind string) (string, bool) {
	return pick(rng, v.lines[keyword+" "+kind])
}

// field returns a random field of lines with a keyword, if one is known.
func (v *vocabulary) field(rng *rand.Rand, keyword string) (string, bool) {
	key, ok := pick(rng, v.fields[keyword])
	if !ok {
		return "", false
	}
	return v.word(rng, key)
}

func pick(rng *rand.Rand, s *set) (string, bool) {
	if s == nil || len(s.list) == 0 {
		return "", false
	}
	return s.list[rng.IntN(len(s.list))], true
}

// isSection reports whether a line starts a section of the text.
func isSection(line string) bool { return line != "" && line[0] != '\t' && line[0] != ' ' }

// kindOf returns the kind of a section: the first word of its line, and the section name without the name of a function.
func kindOf(words []string) string {
	if len(words) < 2 || words[0] != "section" {
		return words[0]
	}
	parts := strings.Split(words[1], ".")
	return strings.Join(parts[:min(len(parts), 3)], ".")
}

// sectionOf returns the kind of the section that contains a line.
func sectionOf(lines []string, at int) string {
	for ; at >= 0; at-- {
		if isSection(lines[at]) {
			return kindOf(strings.Fields(lines[at]))
		}
	}
	return ""
}

// symbolNames returns the names of all symbols that the lines define or refer to.
func symbolNames(lines []string) (names []string) {
	for _, line := range lines {
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == "symbol" && !slices.Contains(names, words[1]) {
			names = append(names, words[1])
		}
	}
	return names
}

// withLine returns the lines with some of them replaced. gone is the number of lines to replace, and at is the index of
// the first.
func withLine(lines []string, at, gone int, more ...string) []string {
	return slices.Concat(lines[:at], more, lines[at+gone:])
}

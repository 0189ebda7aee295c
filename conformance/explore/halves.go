package explore

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/limit"
)

// A file with a Mercury half describes each function twice: its machine code, relocations, frames, attributes and symbols
// in the plain half, and the same in the Mercury half. nvlink makes much of the output from the Mercury half, culink edits
// the plain one. On a file whose halves contradict each other the linkers differ by choice (docs/errata.md, E-780).

// contradicts is the class of differences on a link whose inputs contradict themselves. contradictsID is the erratum.
const contradicts, contradictsID = "the halves of an input contradict each other", "E-780"

// A canon holds the descriptions that compilers and nvlink have written: a hash for each part of a file that both halves
// describe. A mutation that changes one half makes a part that the canon does not have.
type canon struct {
	corpus fs.FS
	once   sync.Once
	known  map[uint64]bool
	err    error
}

// load adds the parts of all inputs and outputs of the corpus that have a Mercury half.
func (c *canon) load() {
	c.known = map[uint64]bool{}
	cases, err := suite.LoadCases(c.corpus)
	if err != nil {
		c.err = err
		return
	}
	seen := map[string]bool{}
	for _, k := range cases {
		for _, sm := range k.Targets {
			r, err := suite.LoadRecording(c.corpus, k, sm)
			if err != nil {
				c.err = err
				return
			}
			for _, data := range r.Before(len(r.Steps)) {
				for _, file := range cubinsIn(data) {
					if hasMercury(file) && !seen[string(file)] {
						seen[string(file)] = true
						c.add(textOf(file))
					}
				}
			}
		}
	}
}

// add adds the parts of a file.
func (c *canon) add(text []string) {
	for _, p := range partsOf(text) {
		c.known[p.hash()] = true
	}
}

// contradicts reports whether the halves of a file contradict each other. made lists files that an earlier step wrote:
// they are as contradictory as its inputs.
func (c *canon) contradicts(files attempt.Files, made []string) (bool, error) {
	var suspects [][]byte
	for name, data := range files {
		if !slices.Contains(made, name) {
			suspects = append(suspects, slices.DeleteFunc(cubinsIn(data), func(file []byte) bool { return !hasMercury(file) })...)
		}
	}
	if len(suspects) == 0 {
		return false, nil
	}
	c.once.Do(c.load)
	for _, file := range suspects {
		for _, p := range partsOf(textOf(file)) {
			if !c.known[p.hash()] {
				return true, c.err
			}
		}
	}
	return false, c.err
}

// hasMercury reports whether a cubin has a Mercury half.
func hasMercury(data []byte) bool {
	f, err := cubin.Open("", data)
	return err == nil && slices.ContainsFunc(f.Sections, func(s cubin.Section) bool { return isMercury(s.Name) })
}

func isMercury(section string) bool {
	return strings.HasPrefix(section, ".nv.merc.") || strings.HasPrefix(section, ".nv.capmerc.")
}

func isELF(data []byte) bool { return bytes.HasPrefix(data, []byte("\x7fELF")) }

// cubinsIn returns the cubins in a file: the file itself, or the members of an archive or a fat binary.
func cubinsIn(data []byte) (list [][]byte) {
	switch {
	case isELF(data):
		return [][]byte{data}
	case archive.Is(data):
		for m, err := range archive.Members(data, &limit.Budget{}) {
			if err != nil {
				return list
			}
			list = append(list, cubinsIn(m.Data)...)
		}
	case fatbin.IsFatbin(data):
		entries, _ := fatbin.Parse(data)
		for i := range entries {
			if payload, err := entries[i].DecodeAtMost(mostBytes); err == nil && entries[i].Kind == fatbin.ELF && len(payload) >= cubin.HeaderSize {
				list = append(list, cubin.WithMagicAndMachine(payload))
			}
		}
	}
	return list
}

// A part is what both halves of a file say of one thing: the lines of its sections, without the names of symbols.
type part []string

// hash returns a hash of the lines.
func (p part) hash() uint64 {
	h := fnv.New64a()
	for _, line := range p {
		fmt.Fprintln(h, line)
	}
	return h.Sum64()
}

// described lists the beginnings of the names of plain sections that have a counterpart in the Mercury half.
var described = []string{".text.", ".debug_", ".nv_debug", ".nv.info", ".symtab"}

// partsOf returns the parts of a file. Both halves may name a symbol otherwise than another file does, so names are
// numbered in the order of their appearance.
func partsOf(text []string) map[string]part {
	parts, numbers := map[string]part{}, map[string]*numbering{}
	names := map[string]bool{}
	for _, name := range symbolNames(text) {
		names[name] = true
	}
	current := ""
	for _, line := range text {
		words := strings.Fields(line)
		if isSection(line) && len(words) > 1 {
			current = partOf(words[1])
			if isDescribed(words[1], current) && half(words[1]) != plainRelocations {
				numbers[current] = cmp.Or(numbers[current], &numbering{names: names})
				parts[current] = append(parts[current], half(words[1])+numbers[current].line(words[2:]))
			} else {
				current = ""
			}
			continue
		}
		if isSection(line) {
			current = ""
		}
		if current != "" {
			parts[current] = append(parts[current], numbers[current].line(words))
		}
	}
	return parts
}

// plainRelocations is the kind of the plain relocations of a part. They are no part of what both halves say: nvlink and culink make
// them from those of the Mercury half (MERC-780), so a difference on a file with other ones is a finding.
const plainRelocations = "plain relocations"

// half returns the name of a section's kind within its part.
func half(section string) string {
	kind := "plain"
	if isMercury(section) {
		kind = "mercury"
	}
	if strings.Contains(section, ".rela.") {
		kind += " relocations"
	}
	return kind
}

// partOf returns the name of the part that a section belongs to: the name of its plain section.
func partOf(section string) string {
	section = strings.TrimPrefix(strings.TrimPrefix(section, ".nv.merc"), ".nv.capmerc")
	return strings.TrimPrefix(section, ".rela")
}

// isDescribed reports whether both halves can have sections of a part.
func isDescribed(section, part string) bool {
	return isMercury(section) || slices.ContainsFunc(described, func(p string) bool { return strings.HasPrefix(part, p) })
}

// A numbering gives numbers to the names of a part.
type numbering struct {
	names   map[string]bool // names of symbols
	numbers map[string]int
}

// line joins words, with numbers for names.
func (n *numbering) line(words []string) string {
	var out strings.Builder
	for _, w := range words {
		field, value, isField := strings.Cut(w, "=")
		if !isField {
			field, value = "", w
		}
		name := strings.TrimPrefix(value, "@")
		if strings.HasPrefix(name, ".") && strings.Count(name, ".") > 1 {
			name = name[strings.LastIndexByte(name, '.'):] // the section of a function
		} else if !n.names[name] {
			out.WriteString(" " + w)
			continue
		}
		if _, ok := n.numbers[name]; !ok {
			if n.numbers == nil {
				n.numbers = map[string]int{}
			}
			n.numbers[name] = len(n.numbers)
		}
		fmt.Fprintf(&out, " %s=#%d", field, n.numbers[name])
	}
	return out.String()
}

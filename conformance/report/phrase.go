package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/late"
)

// A report describes a cause in words, without the names and numbers of a link. So links that fail for the same reason
// form one group, and the words show where to look. The words depend on the key of a difference, and for some keys on
// the wanted value.

// A phrase describes the differences at some places. In its text, $1 is the first group of the pattern that matches the
// place or the wanted value.
type phrase struct {
	place func() *regexp.Regexp // pattern for the key without the file; nil: any key
	want  func() *regexp.Regexp // of "want | got"; nil: anything
	says  string
}

func at(place, says string) phrase { return phrase{late.Regexp(place), nil, says} }

func wanting(place, want, says string) phrase {
	return phrase{late.Regexp(place), late.Regexp(want), says}
}

// soundPhrases describes differences of the facet sound. The first match counts.
var soundPhrases = []phrase{
	wanting(`^(?:code|data|constant|mercury)\.`, `^alignment`, "code or data does not stand at the alignment that its inputs ask for"),
	wanting(`^code\.`, `^function `, "a function that is called is not in the output"),
	wanting(`^code\.`, `^(R_CUDA_\w+) `, "a field of code that relocation $1 settles"),
	wanting(`^code\.`, `bytes inside of`, "code goes past the end of its section"),
	wanting(`^code\.`, `^[0-9a-f]+ at `, "code outside of relocated fields"),
	at(`^code\..*\.flags$`, "the flags of a section of code"),
	at(`^code\..*\.registers$`, "the registers of a function in the header of its section"),
	at(`^code\..*\.section$`, "the name of a section of code"),
	at(`^code\.`, "code"),
	at(`^data\.(debug_\w+)`, "debug information in .$1"),
	at(`^data\._param$`, "the constants that hold parameters"),
	wanting(`^data\.`, `^(R_CUDA_\w+) `, "a field of data that relocation $1 settles"),
	wanting(`^data\.`, `^room of its own`, "two variables share memory"),
	wanting(`^data\.`, `bytes inside of`, "a variable goes past the end of its section"),
	at(`^data\.`, "the initial value of a variable"),
	wanting(`^relocation\.`, `^(R_CUDA_\w+) against.* \| none there$`, "relocation $1, which has to stay, is missing"),
	wanting(`^relocation\.`, `^(R_CUDA_\w+) against`, "relocation $1, which has to stay, has another type, symbol or addend"),
	at(`^relocation\.`, "a relocation that the inputs do not have, or outside of its section"),
	wanting(`^attribute\.(?:.*\.)?(\w+)$`, `^none \|`, "attribute $1 that no input asks for"),
	wanting(`^attribute\.(?:.*\.)?(\w+)$`, `\| (?:none|0)$`, "attribute $1 is missing"),
	wanting(`^attribute\.(?:.*\.)?(\w+)$`, `\| [0-9]+ times `, "attribute $1 is there too often"),
	at(`^attribute\.(?:.*\.)?(\w+)$`, "attribute $1 has another value"),
	at(`^symbol\..*\.(size|value|binding|type)$`, "the $1 of a symbol"),
	at(`^symbol\..*\.other$`, "what a symbol says of itself: kernel or not, memory space, visibility"),
	wanting(`^symbol\.`, `^a section \|`, "the section of a symbol"),
	at(`^symbol\.`, "a symbol that is missing, there twice, or without a reason"),
	at(`^callgraph`, "the call graph in .nv.callgraph and .nv.prototype"),
	at(`^section\.(\S+)\.size$`, "the size of section .$1, or of its entries"),
	at(`^section\.(\S+)$`, "section .$1"),
	at(`^header\.(\w+)$`, "field $1 of the ELF header"),
	at(`^segment\.\d+\.(\w+)$`, "the $1 of a program header"),
	at(`^segment`, "a program header is missing, or does not cover what it loads"),
	at(`^slot\.`, "the place of a texture, sampler or surface"),
	at(`^note\.(\w+)`, "note $1"),
	at(`^file$`, "the output cannot be read as a cubin"),
	at(`^file\.`, "the order of sections in the file"),
}

// imagePhrases describes differences of the facet image.
var imagePhrases = []phrase{
	at(`^sym\..*\.(size|value|binding|type|section|other)$`, "the $1 of a symbol"),
	wanting(`^sym\.`, `^none \|`, "a symbol that nvlink does not write"),
	at(`^sym\.`, "a symbol is missing, or another"),
	at(`^reloc\.`, "a relocation that stays"),
	at(`^info\.(?:.*\.)?(\w+)$`, "attribute $1"),
	at(`^order\.symbols$`, "the order of symbols"),
	at(`^order\.nv\.info`, "the order of attributes"),
	at(`^order\.`, "the order of relocations or sections"),
	at(`^shstrtab\.`, "the names in the table of section names"),
	at(`^header\.(\w+)$`, "field $1 of the ELF header"),
	at(`^segment\.`, "a program header"),
	wanting(`^section\.[^.]+$`, `^none \|`, "a section that nvlink does not write"),
	at(`^section\.(text|nv\.info|nv\.shared|nv\.constant[0-9]+|rela?\.text|nv\.capmerc\.text)\..*\.(\w+)$`, "the $2 of a section .$1 of a function"),
	at(`^bytes$`, "the contents of a file that is no cubin"),
}

// placeOf returns the key of a difference without the file. For "out.cubin:section.text.k.bytes" it returns
// "section.text.k.bytes".
func placeOf(d judge.Difference) string {
	if _, place, ok := strings.Cut(d.Key, ":"); ok {
		return place
	}
	return d.Key
}

// inWords describes a difference. It returns "" if no phrase matches.
func inWords(facet judge.Facet, d judge.Difference) string {
	phrases := map[judge.Facet][]phrase{judge.FacetSound: soundPhrases, judge.FacetImage: imagePhrases}[facet]
	place := placeOf(d)
	for _, p := range phrases {
		groups := p.place().FindStringSubmatch(place)
		if groups == nil {
			continue
		}
		if p.want != nil {
			of := p.want().FindStringSubmatch(d.Want + " | " + d.Got)
			if of == nil {
				continue
			}
			groups = append(groups, of[1:]...)
		}
		says := p.says
		for i, text := range groups[1:] {
			says = strings.ReplaceAll(says, fmt.Sprintf("$%d", i+1), text)
		}
		return says
	}
	return ""
}

// ofFiles describes a difference of the facets exit and file.
func ofFiles(facet judge.Facet, d judge.Difference) string {
	switch {
	case facet == judge.FacetExit:
		return fmt.Sprintf("exit status %s, nvlink's is %s", d.Got, d.Want)
	case d.Got == "not written":
		return "the output is not written"
	case d.Got == "removed":
		return "a file is removed"
	case d.Got == "written":
		return "a file is written, or left behind, that nvlink does not write"
	}
	return fmt.Sprintf("want %s, got %s", d.Want, d.Got)
}

// ofMessages describes a difference of the facet messages. want and got have no names and numbers.
func ofMessages(want, got string) string {
	switch {
	case want == "nothing":
		return "it says " + got + ", nvlink nothing"
	case got == "nothing":
		return "it does not say " + want
	}
	return fmt.Sprintf("it says %s, nvlink %s", got, want)
}

// ofBytes describes a difference of the facet bytes.
func ofBytes(d judge.Difference) string {
	switch d.Cause {
	case judge.CauseToolName:
		return "the tool note: the name of the linker"
	case judge.CauseToolNote:
		return "the tool note: its release, build or options"
	}
	if d.Got == "not written" {
		return "the output is not written"
	}
	return "contents agree and the file is packed in another way: offsets, padding, order of strings"
}

// Line returns the text for a group in a report: the facet, the description, and the first link with the place.
func (g *CauseGroup) Line() string {
	d := g.First.Differences[0]
	if g.Facet != judge.FacetSound && g.Facet != judge.FacetImage || g.First.Class != attempt.ClassEnd {
		return fmt.Sprintf("%s: %s (%s)", g.Facet, g.What, g.First.Case)
	}
	const most = 80
	short := func(s string) string {
		if len(s) > most {
			return strings.ToValidUTF8(s[:most], "") + "..."
		}
		return s
	}
	return fmt.Sprintf("%s: %s (%s, %s: want %s, got %s)", g.Facet, g.What, g.First.Case, placeOf(d), short(d.Want), short(d.Got))
}

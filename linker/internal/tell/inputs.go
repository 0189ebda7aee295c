package tell

import (
	"index/suffixarray"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/internal/object"
)

// The inputs alone determine which symbols a word stands for. If a link ends early, the inputs also show what defines a symbol
// and what refers to it.

// mostMeant is the maximum number of symbols that a word matches as a part of their names.
const mostMeant = 12

// Meant returns the symbols that words stand for, in the order of the inputs. For each word it first looks for the name in the
// files. If there is none, it looks for the name in the source, with or without parameters. If there is none either, it looks for
// names of which the word is a part. A word without a match is returned unchanged (REACH-503).
func Meant(words []string, objects []*object.Object, demangle func(string) string) (meant []string) {
	if len(words) == 0 {
		return nil
	}
	if demangle == nil {
		demangle = func(name string) string { return name }
	}
	names := newNames(objects, demangle)
	seen := map[string]bool{}
	for _, word := range words {
		for _, name := range names.meant(word) {
			if !seen[name] {
				seen[name] = true
				meant = append(meant, name)
			}
		}
	}
	return meant
}

// names holds the symbol names of the inputs, in order. files has them as they are in the files, sources as they are in the
// source.
type names struct {
	files, sources []string
	demangle       func(string) string
	byFile         map[string]bool
	bySource       map[string][]int   // indices by the whole name, and by each part of it before a parenthesis
	parts          *suffixarray.Index // index of the text of all names
	ends           []int              // end of the names of each symbol in that text
}

func newNames(objects []*object.Object, demangle func(string) string) *names {
	n := &names{demangle: demangle, byFile: map[string]bool{}}
	for _, o := range objects {
		for i := range o.Symbols {
			if y := &o.Symbols[i]; isExplained(y) && !n.byFile[y.Name] {
				n.byFile[y.Name] = true
				n.files = append(n.files, y.Name)
			}
		}
	}
	return n
}

// meant returns the symbols that a word stands for, by their names in the files.
func (n *names) meant(word string) []string {
	if n.byFile[word] {
		return []string{word}
	}
	n.readSources()
	found := n.bySource[word]
	if len(found) == 0 {
		found = n.withPart(word)
	}
	if len(found) == 0 {
		return []string{word}
	}
	meant := make([]string, min(len(found), mostMeant))
	for i := range meant {
		meant[i] = n.files[found[i]]
	}
	return meant
}

// readSources computes the source names. It does so the first time that a word is not a name in the files.
func (n *names) readSources() {
	if n.bySource != nil {
		return
	}
	n.bySource = map[string][]int{}
	for i, name := range n.files {
		source := n.demangle(name)
		n.sources = append(n.sources, source)
		for at := range len(source) {
			if source[at] == '(' {
				n.bySource[source[:at]] = append(n.bySource[source[:at]], i)
			}
		}
		n.bySource[source] = append(n.bySource[source], i)
	}
}

// withPart returns the indices of the names of which a word is a part.
func (n *names) withPart(word string) (found []int) {
	if n.parts == nil {
		var text []byte
		for i := range n.files {
			text = append(append(append(append(text, n.sources[i]...), 0), n.files[i]...), 0)
			n.ends = append(n.ends, len(text))
		}
		n.parts = suffixarray.New(text)
	}
	for _, at := range n.parts.Lookup([]byte(word), -1) {
		i, _ := slices.BinarySearch(n.ends, at+1)
		found = append(found, i)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// isExplained reports whether a symbol of an input can have an explanation.
func isExplained(y *cubin.Symbol) bool { return y.Name != "" && y.Type != cubin.SymSection }

// ExplainInputs explains symbols from the inputs alone, as far as these were read.
//
// The time is linear in the symbols and relocations of the inputs. For each symbol, it is also linear in the sections and symbols
// of the inputs that contain its name.
func ExplainInputs(names []string, objects []*object.Object) []explain.Explanation {
	all := make([]explain.Explanation, len(names))
	index, seen := map[string]int{}, map[use]bool{}
	for i, name := range names {
		all[i], index[name] = unknown(name), i
	}
	for _, o := range objects {
		wanted := map[uint32]*explain.Explanation{}
		for i := range o.Symbols {
			if at, ok := index[o.Symbols[i].Name]; ok && isExplained(&o.Symbols[i]) {
				wanted[uint32(i)] = &all[at]
				explainInput(&all[at], o, &o.Symbols[i])
			}
		}
		if len(wanted) > 0 {
			addUsers(o, wanted, seen)
		}
	}
	return all
}

// explainInput adds what an input contains about its symbol y to an explanation.
func explainInput(x *explain.Explanation, o *object.Object, y *cubin.Symbol) {
	if x.Kind == explain.Unknown {
		x.Kind, x.Unplaced, x.Definition.Input = inputKind(y), true, o.Name
	}
	switch d := &x.Definition; {
	case !y.Defined():
	case d.By != explain.ByInput:
		*d = explain.Definition{By: explain.ByInput, Input: o.Name, Weak: y.Bind == cubin.BindWeak}
	default:
		d.Unused = append(d.Unused, o.Name)
	}
}

// inputKind returns the kind of a symbol of an input.
func inputKind(y *cubin.Symbol) explain.Kind {
	switch {
	case y.IsEntry():
		return explain.Kernel
	case y.Type == cubin.SymFunc:
		return explain.Function
	case cubin.IsHandle(y.Type):
		return handleKind(y.Type)
	case y.Space() == cubin.OtherShared:
		return explain.SharedVariable
	case y.Space() == cubin.OtherConstant:
		return explain.Constant
	}
	return explain.GlobalVariable
}

// A use is code or data that refers to a symbol.
type use struct {
	of   *explain.Explanation
	by   string
	code bool
}

// addUsers adds the code and data of an input that refer to the wanted symbols. wanted has these symbols by index. Uses that are
// in seen are not added again.
func addUsers(o *object.Object, wanted map[uint32]*explain.Explanation, seen map[use]bool) {
	functions := map[uint32]string{} // by section
	for i := range o.Symbols {
		y := &o.Symbols[i]
		if _, found := functions[y.Section]; y.Type == cubin.SymFunc && !found {
			functions[y.Section] = y.Name
		}
	}
	for i := range o.File.Sections {
		section := o.File.Sections[i].Info
		if int(section) >= len(o.File.Sections) {
			continue
		}
		target := &o.File.Sections[section]
		if strings.HasPrefix(target.Name, ".debug") || strings.HasPrefix(target.Name, ".nv_debug") || target.Flags&cubin.FlagMercury != 0 {
			continue
		}
		name, isCode := functions[section]
		if !isCode {
			name = target.Name
		}
		relocations := o.Relocations(uint32(i))
		for k := range relocations.Len() {
			entry, _ := relocations.At(k)
			x := wanted[entry.Symbol]
			switch {
			case x == nil || seen[use{x, name, isCode}]:
				continue
			case isCode:
				x.Reach.Code = append(x.Reach.Code, name)
			default:
				x.Reach.Data = append(x.Reach.Data, name)
			}
			seen[use{x, name, isCode}] = true
		}
	}
}

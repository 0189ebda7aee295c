package command

import (
	"slices"
	"strings"

	"github.com/culink/culink/cmd/culink/edgname"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/trace"
)

// --explain takes a symbol by the name in the file, by the name that the source has, or by a
// part of either (REACH-503).

// mostMeant is how many symbols a partial name stands for.
const mostMeant = 12

// meant finds the symbols that the words of --explain stand for, in the order of the inputs. A
// word that names nothing stays, so that the answer says so.
func meant(words []string, loaded *input.Loaded) []string {
	if len(words) == 0 {
		return nil
	}
	var names, sources []string // the same symbols
	seen := map[string]bool{}
	for _, o := range loaded.Objects {
		f, err := cubin.Open(o.Name, o.Data)
		if err != nil {
			continue
		}
		symbols, _ := f.Symbols() // a damaged table is the link's to report
		for _, y := range symbols {
			if y.Name != "" && !seen[y.Name] && !strings.HasPrefix(y.Name, ".") {
				seen[y.Name] = true
				names, sources = append(names, y.Name), append(sources, edgname.Demangle(y.Name))
			}
		}
	}
	var out []string
	for _, word := range words {
		if seen[word] {
			out = append(out, word)
			continue
		}
		found := choose(names, sources, func(source string) bool { return source == word || strings.HasPrefix(source, word+"(") })
		if len(found) == 0 {
			found = choose(names, sources, func(source string) bool { return strings.Contains(source, word) })
		}
		if len(found) == 0 {
			found = []string{word}
		}
		for _, name := range found[:min(len(found), mostMeant)] {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func choose(names, sources []string, wanted func(string) bool) (out []string) {
	for i, source := range sources {
		if wanted(source) || wanted(names[i]) {
			out = append(out, names[i])
		}
	}
	return out
}

// withSources adds the name that the source has to the explanation of a symbol that was not
// asked for by its name in the file.
func withSources(all []trace.Explanation, asked []string) []trace.Explanation {
	for i, e := range all {
		if source := edgname.Demangle(e.Symbol); source != e.Symbol && !slices.Contains(asked, e.Symbol) {
			all[i].Facts = slices.Insert(slices.Clone(e.Facts), 0, trace.Fact{Topic: "means", Text: source})
		}
	}
	return all
}

package tell

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/internal/object"
)

// What the inputs tell of symbols by themselves: which symbols a word means, and, for a link
// that ends early, who defines a symbol and who names it.

// mostMeant is how many symbols a part of a name stands for.
const mostMeant = 12

// Meant finds the symbols that words stand for: by the name in the files, else by the name that
// the source has, with or without parameters, else by a part of either; in the order of the
// inputs. A word that names nothing stays (REACH-503).
func Meant(words []string, objects []*object.Object, demangle func(string) string) (meant []string) {
	if len(words) == 0 {
		return nil
	}
	if demangle == nil {
		demangle = func(name string) string { return name }
	}
	type symbol struct{ name, source string }
	var symbols []symbol
	seen := map[string]bool{}
	for _, o := range objects {
		for i := range o.Symbols {
			if y := &o.Symbols[i]; isExplained(y) && !seen[y.Name] {
				seen[y.Name] = true
				symbols = append(symbols, symbol{y.Name, demangle(y.Name)})
			}
		}
	}
	choose := func(wanted func(symbol) bool) (names []string) {
		for _, y := range symbols {
			if len(names) < mostMeant && wanted(y) {
				names = append(names, y.name)
			}
		}
		return names
	}
	for _, word := range words {
		found := choose(func(y symbol) bool { return y.name == word })
		if len(found) == 0 {
			found = choose(func(y symbol) bool { return y.source == word || strings.HasPrefix(y.source, word+"(") })
		}
		if len(found) == 0 {
			found = choose(func(y symbol) bool { return strings.Contains(y.source, word) || strings.Contains(y.name, word) })
		}
		if len(found) == 0 {
			found = []string{word}
		}
		for _, name := range found {
			if !slices.Contains(meant, name) {
				meant = append(meant, name)
			}
		}
	}
	return meant
}

// isExplained reports whether a symbol of an input has an explanation.
func isExplained(y *cubin.Symbol) bool { return y.Name != "" && y.Type != cubin.SymSection }

// ExplainInputs tells of symbols what the inputs tell by themselves, as far as they were read.
//
// Cost: for each symbol linear in the symbols and relocations of the inputs.
func ExplainInputs(names []string, objects []*object.Object) (all []explain.Explanation) {
	for _, name := range names {
		all = append(all, explainInputs(name, objects))
	}
	return all
}

func explainInputs(name string, objects []*object.Object) explain.Explanation {
	x := unknown(name)
	for _, o := range objects {
		for i := range o.Symbols {
			y := &o.Symbols[i]
			if y.Name != name || !isExplained(y) {
				continue
			}
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
			x.Reach.Code, x.Reach.Data = namedIn(o, uint32(i), x.Reach.Code, x.Reach.Data)
		}
	}
	return x
}

// inputKind says what a symbol of an input is.
func inputKind(y *cubin.Symbol) explain.Kind {
	switch {
	case y.IsEntry():
		return explain.Kernel
	case y.Type == cubin.SymFunc:
		return explain.Function
	case y.Type == cubin.SymTexture:
		return explain.Texture
	case y.Type == cubin.SymSampler:
		return explain.Sampler
	case y.Type == cubin.SymSurface:
		return explain.Surface
	case y.Space() == cubin.OtherShared:
		return explain.SharedVariable
	case y.Space() == cubin.OtherConstant:
		return explain.Constant
	}
	return explain.GlobalVariable
}

// namedIn adds the code and data of an input that name its symbol of that index.
func namedIn(o *object.Object, symbol uint32, code, data []string) ([]string, []string) {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if !o.Relocations(uint32(i)).Names(symbol) || int(s.Info) >= len(o.File.Sections) {
			continue
		}
		target := &o.File.Sections[s.Info]
		fn := slices.IndexFunc(o.Symbols, func(y cubin.Symbol) bool { return y.Type == cubin.SymFunc && y.Section == s.Info })
		switch {
		case strings.HasPrefix(target.Name, ".debug") || target.Flags&cubin.FlagMercury != 0:
		case fn >= 0 && !slices.Contains(code, o.Symbols[fn].Name):
			code = append(code, o.Symbols[fn].Name)
		case fn < 0 && !slices.Contains(data, target.Name):
			data = append(data, target.Name)
		}
	}
	return code, data
}

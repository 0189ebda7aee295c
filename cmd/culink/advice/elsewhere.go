package advice

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
)

// A symbol that no loaded input defines may be defined all the same: in a file of the command
// line, by code for another target; or in an archive that the command line does not name.

// Bounds of the work for a symbol.
const (
	mostFiles     = 64
	mostBytesRead = 256 << 20
)

// elsewhere says which files, and which members of archives, define a symbol; library is an
// archive that defines it and is not part of the link.
func (a *Adviser) elsewhere(name string) (facts []Fact, library string) {
	if a.Open == nil {
		return nil, ""
	}
	files := a.Files
	if a.Libraries != nil {
		files = slices.Concat(files, a.Libraries())
	}
	left := mostBytesRead
	for i, file := range files[:min(len(files), mostFiles)] {
		data, err := a.Open(file)
		if left -= len(data); err != nil || left < 0 {
			continue
		}
		definers(inspect.Read(file, data), file, name, func(where, target string) {
			if len(facts) < mostNames {
				facts = append(facts, Fact{"defined", fmt.Sprintf("in %s, for %s", where, target)})
			}
			if i >= len(a.Files) && library == "" {
				library = filepath.Base(file)
			}
		})
	}
	return facts, library
}

// definers tells of each cubin in a part that defines a symbol: where it is, and its target.
func definers(p *inspect.Part, path, name string, tell func(where, target string)) {
	if p.Cubin != nil && definesIn(p, name) {
		tell(path, p.Cubin.Target)
	}
	for _, q := range p.Parts {
		inner := path
		if p.Kind == inspect.KindArchive {
			inner += ":" + q.Name
		}
		definers(q, inner, name, tell)
	}
}

// definesIn reports whether a cubin defines a symbol for other files.
func definesIn(p *inspect.Part, name string) bool {
	f, err := cubin.Open(p.Name, p.Data)
	if err != nil {
		return false
	}
	symbols, _ := f.Symbols() // a damaged table defines nothing
	return slices.ContainsFunc(symbols, func(y cubin.Symbol) bool {
		return y.Name == name && y.Defined() && y.Bind != cubin.BindLocal
	})
}

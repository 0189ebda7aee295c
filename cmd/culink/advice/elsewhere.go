package advice

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
)

// A symbol that no loaded input defines may be defined all the same: in a file of the command
// line, in a form or for a target that the link does not take; or in an archive that the command
// line does not name.

// Bounds of the work for a symbol.
const (
	mostFiles     = 64
	mostBytesRead = 256 << 20
)

// A definition is a place that defines a symbol and did not become part of the link.
type definition struct {
	file   string // of the file system
	where  string // with the member of an archive
	target string // "sm_90"; of PTX, "compute_90"
	named  bool   // the command line names the file
	isPTX  bool
	form   form
	linked string    // the object that lists the definition as linked already; empty where none does
	kept   hindrance // that -l has with the file
}

// A form says whether a link can take a definition, best first.
type form int

const (
	linkable  form = iota
	otherCode      // for another target
	asPTX          // in PTX that was not compiled
	bare           // in a cubin that is itself a member of an archive, which nvlink passes over
	whole          // in an executable that was compiled without -rdc=true
	joined         // in an executable that a linker made
)

// text says where a definition is, and what it is for.
func (d definition) text() string {
	text := fmt.Sprintf("in %s, for %s", d.where, d.target)
	switch d.form {
	case asPTX:
		text = fmt.Sprintf("in %s, PTX for %s", d.where, d.target)
	case bare:
		text += ", a cubin in an archive, which is passed over"
	case whole:
		text += ", compiled without -rdc=true"
	case joined:
		text += ", an executable that was linked before"
	}
	if d.linked != "" {
		text += "; " + d.linked + " lists it as linked already"
	}
	if d.kept.why != "" {
		text += "; " + d.kept.why
	}
	return text
}

// try says what makes the link take a definition.
func (a *Adviser) try(d definition) string {
	switch {
	case d.linked != "":
		return fmt.Sprintf("leave %s, which is a device link of nvcc -dlink, out of %s, so that its parts are linked once, at the end", d.linked, filepath.Base(d.file))
	case d.form == linkable && d.kept.try != "":
		return d.kept.try
	case d.form == linkable && !d.named:
		return "link " + filepath.Base(d.file) + " as well"
	case d.form == otherCode:
		return fmt.Sprintf("compile %s for the target of the link, too%s", d.where, a.generate())
	case d.form == asPTX:
		return fmt.Sprintf("compile %s to machine code for the target of the link%s", d.where, a.generate())
	case d.form == bare:
		return fmt.Sprintf("name the cubin itself as an input, or make %s of objects (nvcc -c)", filepath.Base(d.file))
	case d.form == joined:
		return fmt.Sprintf("link the objects that %s was made of instead", d.where)
	case d.form == whole:
		return fmt.Sprintf("compile the source of %s with -rdc=true (CMake: CUDA_SEPARABLE_COMPILATION ON), and link that object", d.where)
	}
	return ""
}

// generate are the options of nvcc for the target of the link.
func (a *Adviser) generate() string {
	if a.Target == "" {
		return " (-gencode arch=compute_N,code=sm_N)"
	}
	number := strings.TrimPrefix(a.Target, "sm_")
	return fmt.Sprintf(" (-gencode arch=compute_%[1]s,code=sm_%[1]s)", number)
}

// elsewhere finds definitions of a symbol outside of what was loaded, those that a link can take
// most easily first.
func (a *Adviser) elsewhere(name string) (found []definition) {
	if a.Open == nil {
		return nil
	}
	left := mostBytesRead
	for _, s := range a.searches(name) {
		data, err := a.Open(s.file)
		if left -= len(data); err != nil || left < 0 {
			continue
		}
		s.visit(inspect.Read(s.file, data), s.file, nil)
		found = append(found, withoutCopies(s.found)...)
	}
	slices.SortStableFunc(found, func(x, y definition) int {
		return cmp.Compare(x.rank(), y.rank())
	})
	return found
}

// searches are those for a symbol in each file that may define it: of the command line, by -l, and what the
// command line could name.
func (a *Adviser) searches(name string) (list []search) {
	add := func(file string, kept hindrance, named bool) {
		if len(list) < mostFiles && !slices.ContainsFunc(list, func(s search) bool { return s.file == file }) {
			list = append(list, search{adviser: a, symbol: name, file: file, named: named, kept: kept})
		}
	}
	for _, file := range a.Files {
		add(file, hindrance{}, true)
	}
	for _, l := range a.named() {
		for i, kept := range l.hindrances(a.skipped) {
			add(l.Files[i], kept, kept.why == "")
		}
	}
	if a.Libraries != nil {
		for _, file := range a.Libraries() {
			add(file, hindrance{}, false)
		}
	}
	return list
}

// rank is 0 for what one more word on the command line repairs.
func (d definition) rank() int {
	if d.linked != "" {
		return int(joined) + 1
	}
	return int(d.form)
}

// A search looks for the definitions of a symbol in a file.
type search struct {
	adviser *Adviser
	symbol  string
	file    string
	named   bool
	kept    hindrance // that -l has with the file
	found   []definition
}

// visit looks into a part; parents are what it lies in, the file first.
func (s *search) visit(p *inspect.Part, path string, parents []*inspect.Part) {
	switch {
	case p.Cubin != nil && definesIn(p, s.symbol):
		s.add(definition{where: path, target: p.Cubin.Target, form: s.formOf(p, parents)}, parents)
	case p.Kind == inspect.KindPTX && definesInText(p.Data, s.symbol):
		d := definition{where: path, target: virtualTarget(p.Data), isPTX: true, form: asPTX}
		if slices.ContainsFunc(parents, hasExecutable) {
			d.form = whole
		}
		s.add(d, parents)
	}
	for _, q := range p.Parts {
		inner := path
		if p.Kind == inspect.KindArchive {
			inner += ":" + q.Name
		}
		s.visit(q, inner, append(slices.Clip(parents), p))
	}
}

// formOf says how the link sees a cubin that defines the symbol.
func (s *search) formOf(p *inspect.Part, parents []*inspect.Part) form {
	switch {
	case p.Cubin.File == inspect.Executable && isLinked(p.Cubin):
		return joined
	case p.Cubin.File == inspect.Executable:
		return whole
	case len(parents) > 0 && parents[len(parents)-1].Kind == inspect.KindArchive:
		return bare
	case s.adviser.Accepts != nil && !s.adviser.Accepts(p.Cubin.Target):
		return otherCode
	}
	return linkable
}

// isLinked reports whether a linker made an executable.
func isLinked(c *inspect.Cubin) bool {
	return slices.ContainsFunc(c.Tools, func(t inspect.Tool) bool {
		return strings.Contains(t.Name, "nvlink") || strings.Contains(t.Name, "culink")
	})
}

// withoutCopies drops PTX that stands beside machine code of the same source.
func withoutCopies(found []definition) []definition {
	code := map[string]bool{}
	for _, d := range found {
		code[d.where] = code[d.where] || !d.isPTX
	}
	return slices.DeleteFunc(found, func(d definition) bool { return d.isPTX && code[d.where] })
}

// add adds a definition; the same place is told once.
func (s *search) add(d definition, parents []*inspect.Part) {
	d.file, d.named, d.kept = s.file, s.named, s.kept
	if d.form == linkable && s.adviser.Registers && len(parents) > 0 {
		d.linked = linkedObject(parents[0])
	}
	if d.form == linkable && d.named && d.linked == "" {
		return // the link has taken it or lacks it for a reason that is not known
	}
	if !slices.ContainsFunc(s.found, func(e definition) bool { return e.where == d.where && e.form == d.form && e.target == d.target }) {
		s.found = append(s.found, d)
	}
}

// hasExecutable reports whether a fat binary or host object holds code compiled as a whole.
func hasExecutable(p *inspect.Part) bool {
	return p.Kind != inspect.KindArchive && slices.ContainsFunc(p.Parts, func(q *inspect.Part) bool {
		return q.Cubin != nil && q.Cubin.File == inspect.Executable
	})
}

// linkedObject is the member of an archive, or the file, that nvcc -dlink made: its module ids begin
// with "def " (LOAD-045). Empty where there is none.
func linkedObject(p *inspect.Part) string {
	if p.Kind != inspect.KindArchive {
		return ""
	}
	for _, q := range p.Parts {
		if hasExecutable(q) && bytes.Contains(q.Data, []byte("def _")) {
			return q.Name
		}
	}
	return ""
}

// definesIn reports whether a cubin defines a symbol: in an executable also as the part of a kernel
// that the compiler makes of a function, "$kernel$function".
func definesIn(p *inspect.Part, name string) bool {
	f, err := cubin.Open(p.Name, p.Data)
	if err != nil {
		return false
	}
	symbols, _ := f.Symbols() // a damaged table defines nothing
	isWhole := p.Cubin.File == inspect.Executable
	return slices.ContainsFunc(symbols, func(y cubin.Symbol) bool {
		if !y.Defined() {
			return false
		}
		return y.Name == name && (isWhole || y.Bind != cubin.BindLocal) || isWhole && strings.HasPrefix(y.Name, "$") && strings.HasSuffix(y.Name, "$"+name)
	})
}

// definesInText reports whether PTX defines a function or a variable.
func definesInText(text []byte, name string) bool {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(name))
		if at < 0 {
			return false
		}
		at += from
		from = at + len(name)
		if isWordByte(text, at-1) || isWordByte(text, from) {
			continue
		}
		statement := text[bytes.LastIndexAny(text[:at], ";}")+1 : at]
		isFunction := bytes.Contains(statement, []byte(".func")) || bytes.Contains(statement, []byte(".entry"))
		isVariable := bytes.Contains(statement, []byte(".global ")) || bytes.Contains(statement, []byte(".const "))
		end := bytes.IndexAny(text[from:], ";{")
		switch {
		case end < 0 || bytes.Contains(statement, []byte(".extern")) || bytes.IndexByte(statement, '{') >= 0:
		case isFunction && text[from+end] == '{', isVariable && !isFunction:
			return true
		}
	}
}

// isWordByte reports whether a name of PTX goes on at an index.
func isWordByte(text []byte, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// virtualTarget is the target of PTX, "compute_90".
func virtualTarget(text []byte) string {
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) < 2 || string(words[0]) != ".target" {
			continue
		}
		end := len("sm_")
		for isWordByte(words[1], end) {
			end++
		}
		if name, ok := bytes.CutPrefix(words[1][:min(end, len(words[1]))], []byte("sm_")); ok && len(name) > 0 {
			return "compute_" + string(name)
		}
	}
	return "an unknown target"
}

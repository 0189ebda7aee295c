package advice

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
)

// A symbol that no loaded input defines may still have a definition. The definition may be in a file on the command
// line, in a form or for a target that the link does not accept. It may also be in an archive that is not on the command
// line.

// Bounds of the work for a symbol.
const (
	mostFiles     = 64
	mostBytesRead = 256 << 20
)

// A definition is a definition of a symbol that did not become part of the link.
type definition struct {
	file   string // name in the file system
	where  string // name with the member of an archive
	target string // "sm_90"; of PTX and intermediate code, "compute_90"; empty where it is not known
	named  bool   // the command line names the file
	isText bool   // as PTX
	taken  bool   // the link has used it, or has not for an unknown reason
	form   form
	other  bool      // for a target that the link does not accept
	later  string    // the release that compiled it, if later than the link's
	linked linkedBy  // the object that lists the definition as already linked
	kept   hindrance // the reason why -l does not link the file
}

// A form tells how a definition is stored. Forms that are easier to link come first.
type form int

const (
	linkable     form = iota
	listed            // in an object whose modules nvcc -dlink has linked
	otherCode         // in code for another target
	asPTX             // in PTX that was not compiled
	intermediate      // in intermediate code, which only -lto compiles
	bare              // in device code that is directly a member of an archive, which nvlink ignores
	whole             // in code that was compiled without -rdc=true
	joined            // in an executable that a linker made
	offloaded         // in the form of clang's new driver
)

// text describes where a definition is, and its target.
func (d definition) text() string {
	text := "in " + d.where
	switch {
	case d.isText:
		text += ", PTX for " + d.target
	case d.form == intermediate:
		text += ", intermediate code for " + d.target
	case d.target != "":
		text += ", for " + d.target
	}
	switch d.form {
	case listed:
		text += fmt.Sprintf("; %s lists it as linked already", d.linked.where())
	case bare:
		text += ", device code in an archive, which is passed over"
	case whole:
		text += ", compiled without -rdc=true"
	case joined:
		text += ", an executable that was linked before"
	case offloaded:
		text += ", by clang, in a section that nvlink does not read (" + offloadSection + ")"
	}
	if d.later != "" {
		text += ", by CUDA " + d.later
	}
	if d.kept.why != "" {
		text += "; " + d.kept.why
	}
	return text
}

// try suggests how the link could use a definition.
func (a *Adviser) try(d definition) string {
	forTarget, linkIt := "", ""
	if d.other {
		forTarget = ", for the target of the link" + a.generate()
	}
	if !d.named {
		linkIt = ", and link " + d.file
	}
	switch {
	case d.form == listed:
		return fmt.Sprintf("leave %s, which is a device link of nvcc -dlink, out of %s, so that its parts are linked once, at the end", d.linked.name(), d.linked.container())
	case d.form == linkable && d.later != "":
		return asRelease(d.later) + "; and link " + d.file + " as well"
	case d.form == linkable && d.kept.try != "":
		return d.kept.try
	case d.form == linkable:
		return "link " + d.file + " as well"
	case d.form == otherCode:
		return fmt.Sprintf("compile %s for the target of the link, too%s%s", d.where, a.generate(), linkIt)
	case d.form == asPTX && !d.named && a.Compiles != nil && a.Compiles(d.target):
		return "link " + d.file + " as well"
	case d.form == asPTX:
		return fmt.Sprintf("compile %s to machine code for the target of the link%s%s", d.where, a.generate(), linkIt)
	case d.form == intermediate:
		return fmt.Sprintf("compile %s to machine code for the target of the link%s%s, or link it as it is with nvcc -dlto", d.where, a.generate(), linkIt)
	case d.form == bare && (d.other || d.isText):
		return fmt.Sprintf("make %s of objects (nvcc -rdc=true -c) for the target of the link%s%s", d.file, a.generate(), linkIt)
	case d.form == bare:
		return fmt.Sprintf("make %s of objects (nvcc -rdc=true -c)%s, or take its members out (ar x) and name them as inputs", d.file, linkIt)
	case d.form == joined:
		return fmt.Sprintf("link the objects that %s was made of instead", d.where)
	case d.form == whole:
		return fmt.Sprintf("compile the source of %s with -rdc=true (CMake: CUDA_SEPARABLE_COMPILATION ON)%s, and link that object", d.where, forTarget)
	}
	return fmt.Sprintf("link with clang++ --offload-link, or compile %s with clang++ -fgpu-rdc --no-offload-new-driver", d.where)
}

// generate returns the nvcc options for the target of the link.
func (a *Adviser) generate() string {
	if a.Target == "" {
		return " (-gencode arch=compute_N,code=sm_N)"
	}
	number := strings.TrimPrefix(a.Target, "sm_")
	return fmt.Sprintf(" (-gencode arch=compute_%[1]s,code=sm_%[1]s)", number)
}

// elsewhere finds definitions of a symbol outside the loaded inputs. Definitions that only need to be linked come first.
// Then come those in files that the command line names. Within both groups, definitions that are easier to link come
// first.
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
		found = append(found, s.missed()...)
	}
	if slices.ContainsFunc(found, func(d definition) bool { return d.form == listed }) {
		found = slices.DeleteFunc(found, func(d definition) bool { return d.form == joined }) // the executable in the object that lists it
	}
	slices.SortStableFunc(found, func(x, y definition) int {
		return cmp.Or(
			cmp.Compare(count(x.form != linkable), count(y.form != linkable)), cmp.Compare(count(!x.named), count(!y.named)), cmp.Compare(x.form, y.form),
			cmp.Compare(count(x.other), count(y.other)),
		)
	})
	return found
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// searches returns a search for a symbol in each file that may define it: the files on the command line, the files that
// -l names, and the archives that could be on the command line.
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

// A search looks for the definitions of a symbol in a file.
type search struct {
	adviser *Adviser
	symbol  string
	file    string
	named   bool
	kept    hindrance // the reason why -l does not link the file
	found   []definition
}

// visit searches a part of a file. parents are the parts that contain it, the outermost first.
func (s *search) visit(p *inspect.Part, path string, parents []*inspect.Part) {
	switch {
	case p.Cubin != nil && definesIn(p, s.symbol):
		s.addCode(p, path, parents)
	case p.Kind == inspect.KindPTX && definesInText(p.Data, s.symbol):
		d := definition{where: path, target: virtualTarget(p.Data), isText: true, form: asPTX}
		switch host := hostOf(parents); {
		case slices.ContainsFunc(parents, hasExecutable):
			d.form = whole
		case host == nil && isMember(parents):
			d.form = bare
		}
		s.add(d)
	}
	before := len(s.found)
	for _, q := range p.Parts {
		inner := path
		if p.Kind == inspect.KindArchive {
			inner += ":" + q.Name
		}
		s.visit(q, inner, append(slices.Clip(parents), p))
	}
	if len(s.found) == before && isHost(p) {
		s.addHost(p, path)
	}
}

// addCode adds the definition in a cubin.
func (s *search) addCode(p *inspect.Part, path string, parents []*inspect.Part) {
	d := definition{where: path, target: p.Cubin.Target, other: s.adviser.Accepts != nil && !s.adviser.Accepts(p.Cubin.Target)}
	host := hostOf(parents)
	switch {
	case p.Cubin.File == inspect.Executable && isLinked(p.Cubin):
		d.form = joined
	case p.Cubin.File == inspect.Executable:
		d.form = whole
	case host == nil && isMember(parents):
		d.form = bare
	case d.other:
		d.form = otherCode
	case s.adviser.isTooNew(p.Cubin.Toolkit):
		d.later = p.Cubin.Toolkit
	}
	if by, isListed := s.adviser.linkedModules()[moduleOf(host)]; isListed && d.form == linkable {
		d.form, d.linked = listed, by
	}
	d.taken = d.form == linkable && s.named
	s.add(d)
}

// addHost adds a definition that is visible only in the host code of an object. nvcc writes a host function for each
// device function that other files could call. It does so even if all calls were inlined or culink cannot read the
// device code.
func (s *search) addHost(p *inspect.Part, path string) {
	host := openHost(p)
	if host == nil {
		return
	}
	d := definition{where: path, form: linkable}
	switch {
	case offloads(host, s.symbol):
		d.form = offloaded
	case !host.defines(s.symbol):
		return
	case isWhole(host):
		d.form = whole
	default:
		i := slices.IndexFunc(p.Parts, func(q *inspect.Part) bool { return q.Kind == inspect.KindLTO })
		if i < 0 {
			return
		}
		d.form, d.target = intermediate, virtualName(p.Parts[i].Name)
		if s.adviser.LTO {
			d.form, d.taken = linkable, s.named
		}
	}
	if code := slices.Collect(p.Cubins()); d.form == whole && len(code) > 0 {
		d.target = code[0].Cubin.Target
	}
	s.add(d)
}

// isLinked reports whether a cubin is an executable that a linker made.
func isLinked(c *inspect.Cubin) bool {
	return slices.ContainsFunc(c.Tools, func(t inspect.Tool) bool {
		return strings.Contains(t.Name, "nvlink") || strings.Contains(t.Name, "culink")
	})
}

// missed returns the definitions that the link did not use, except PTX next to machine code of the same source.
func (s *search) missed() []definition {
	code := map[string]bool{}
	for _, d := range s.found {
		code[d.where] = code[d.where] || !d.isText
	}
	return slices.DeleteFunc(s.found, func(d definition) bool { return d.taken || d.isText && code[d.where] })
}

// add adds a definition unless it is already listed.
func (s *search) add(d definition) {
	d.file, d.named, d.kept = s.file, s.named, s.kept
	if !slices.ContainsFunc(s.found, func(e definition) bool { return e.where == d.where && e.form == d.form && e.target == d.target }) {
		s.found = append(s.found, d)
	}
}

// hasExecutable reports whether a fat binary or host object contains code that was compiled without -rdc=true.
func hasExecutable(p *inspect.Part) bool {
	return p.Kind != inspect.KindArchive && slices.ContainsFunc(p.Parts, func(q *inspect.Part) bool {
		return q.Cubin != nil && q.Cubin.File == inspect.Executable
	})
}

// definesIn reports whether a cubin defines a symbol. In an executable this includes a function that the compiler copied
// into a kernel. Its name is then "$kernel$function".
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

// definesInText reports whether PTX defines a function or a variable that other files can use. If the name is in the
// initial value of another variable, PTX only takes its address.
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
		has := func(words ...string) bool {
			return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(statement, []byte(word)) })
		}
		end := bytes.IndexAny(text[from:], ";{")
		switch isFunction := has(".func", ".entry"); {
		case end < 0 || !has(".visible", ".weak", ".common") || has("{", "="):
		case isFunction && text[from+end] == '{', has(".global ", ".const ") && !isFunction:
			return true
		}
	}
}

// isWordByte reports whether the byte at an index can be part of a PTX name.
func isWordByte(text []byte, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// virtualTarget returns the target of PTX, such as "compute_90".
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

// virtualName returns the target of an entry of intermediate code: "compute_90" for "sm_90.ltoir". For other names it
// is empty.
func virtualName(entry string) string {
	name, isEntry := strings.CutPrefix(entry, "sm_")
	if !isEntry {
		return ""
	}
	name, _, _ = strings.Cut(name, ".")
	return "compute_" + name
}

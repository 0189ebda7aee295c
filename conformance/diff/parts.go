package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/show"
)

// This file compares fat binaries, host objects, programs and archives part by part (CONF-890).

// compareParts prints the differences between the parts of two files. If all parts are equal, it compares the bytes of
// the files.
func (s *settings) compareParts(a, b *inspect.Part, stdout io.Writer) (int, error) {
	part := *s
	part.isPart = true
	areEqual, status := true, commandline.OK
	differ := func(format string, args ...any) {
		areEqual, status = false, commandline.Differs
		fmt.Fprintln(stdout, show.Line(fmt.Sprintf(format, args...)))
	}
	for _, p := range pairParts(a, b) {
		switch {
		case p.b == nil:
			differ("%s: not in %s", p.a.Name, b.Name)
		case p.a == nil:
			differ("%s: not in %s", p.b.Name, a.Name)
		case p.a.Data == nil && p.b.Data == nil:
			fmt.Fprintf(stdout, "not compared: %s and %s, which cannot be read\n", show.Line(p.a.Name), show.Line(p.b.Name))
		case !bytes.Equal(contents(p.a), contents(p.b)):
			areEqual = false
			worse, err := part.comparePart(p.a, p.b, stdout)
			if err != nil {
				differ("%v", err)
			}
			status = max(status, worse)
		}
		if status == commandline.Differs && s.quiet {
			return status, nil
		}
	}
	if orderA, orderB, is := compareOrder(namesOf(a.Parts), namesOf(b.Parts)); is {
		differ("%s and %s: order of parts: %s | %s", a.Name, b.Name, orderA, orderB)
	}
	if areEqual {
		return s.compareStructure(a, b, stdout)
	}
	return status, nil
}

// A partPair is a part of each of two files, or of one of them.
type partPair struct{ a, b *inspect.Part }

// pairParts returns the parts of two files, with the names of the files before theirs. The first part of a name belongs
// to the first one of that name in the other file, the second to the second, and so on.
func pairParts(a, b *inspect.Part) []partPair {
	byName := map[string][]int{} // pairs that have no part of b yet
	var all []partPair
	for _, p := range a.Parts {
		byName[p.Name] = append(byName[p.Name], len(all))
		all = append(all, partPair{a: within(a, p)})
	}
	for _, p := range b.Parts {
		q := within(b, p)
		if open := byName[p.Name]; len(open) > 0 {
			all[open[0]].b, byName[p.Name] = q, open[1:]
		} else {
			all = append(all, partPair{b: q})
		}
	}
	return all
}

// imageFor returns the one cubin among the parts of a file that is for the target of another cubin.
func imageFor(of, file *inspect.Part) (*inspect.Part, error) {
	var found []*inspect.Part
	var all []string
	for _, p := range cubinsIn(file) {
		all = append(all, p.Name)
		if p.Cubin.Target == of.Cubin.Target {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: %s with %d cubins for %s, the target of %s, not one; its cubins: %s", file.Name, file.Kind, len(found), of.Cubin.Target, of.Name, strings.Join(all, " "))
	}
	return found[0], nil
}

// cubinsIn returns the cubins among the parts of a file and among their parts, with the names of those that they are in.
func cubinsIn(file *inspect.Part) (all []*inspect.Part) {
	for _, p := range file.Parts {
		q := within(file, p)
		if q.Cubin != nil {
			all = append(all, q)
		}
		all = append(all, cubinsIn(q)...)
	}
	return all
}

// within returns a part with the name of its file before its own.
func within(file, part *inspect.Part) *inspect.Part {
	p := *part
	p.Name = file.Name + ":" + part.Name
	return &p
}

// contents returns the bytes of a part. Those of PTX end before the zeros that fat binaries add.
func contents(p *inspect.Part) []byte {
	if p.Kind == inspect.KindPTX {
		return fatbin.Text(p.Data)
	}
	return p.Data
}

// namesOf returns the names of parts. Repeated ones are numbered.
func namesOf(parts []*inspect.Part) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return unique(names)
}

// memoryOf returns the bytes that a file and its decompressed parts take.
func memoryOf(p *inspect.Part) int {
	size := len(p.Data)
	for _, q := range p.Parts {
		if own := memoryOf(q); q.Packed != "" {
			size += own
		}
	}
	return size
}

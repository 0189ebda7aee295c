package info

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/show"
)

// This file computes the size of device code by target, section and kernel. It adds up all images of a file, or of the
// files in a Python wheel (DIAG-508). Sizes are those of unpacked images.

// totals holds sums over the images of files.
type totals struct {
	Targets map[string]*target `json:"targets"`
}

// A target holds the totals of the images for one architecture, of PTX, or of intermediate code.
type target struct {
	Images   int               `json:"images"`
	Bytes    int64             `json:"bytes"`
	Kernels  int               `json:"kernels"`
	Sections map[string]uint64 `json:"sections,omitempty"` // bytes in the file, by kind
	Code     map[string]uint64 `json:"code,omitempty"`     // bytes of code and constants, by function
}

// totalsOf returns the totals of files.
func totalsOf(files []*inspect.Part) *totals {
	t := &totals{Targets: map[string]*target{}}
	for _, p := range files {
		t.add(p)
	}
	return t
}

func (t *totals) target(name string) *target {
	if t.Targets[name] == nil {
		t.Targets[name] = &target{Sections: map[string]uint64{}, Code: map[string]uint64{}}
	}
	return t.Targets[name]
}

func (t *totals) add(p *inspect.Part) {
	switch {
	case p.Cubin != nil:
		g := t.target(p.Cubin.Target)
		g.Images++
		g.Bytes += p.Size
		g.addCubin(p)
	case p.Kind == inspect.KindPTX || p.Kind == inspect.KindLTO:
		g := t.target(string(p.Kind))
		g.Images++
		g.Bytes += p.Size
	}
	for _, q := range p.Parts {
		t.add(q)
	}
}

func (g *target) addCubin(p *inspect.Part) {
	functions := map[string]bool{}
	for i := range p.Cubin.Functions {
		fn := &p.Cubin.Functions[i]
		functions[fn.Name] = true
		if fn.Kernel {
			g.Kernels++
		}
		size := fn.Code
		for _, m := range fn.Constants {
			if !strings.HasSuffix(m.Section, "constant0") { // its parameters
				size += m.Size
			}
		}
		g.Code[fn.Name] += size
	}
	f, err := cubin.Open(p.Name, p.Data)
	if err != nil {
		return
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type != cubin.SectionNoBits && s.Size > 0 {
			g.Sections[kindOf(s.Name, functions)] += s.Size
		}
	}
}

// kindOf returns the name of a section without that of its function.
func kindOf(name string, functions map[string]bool) string {
	for i := range name {
		if name[i] == '.' && functions[name[i+1:]] {
			return name[:i]
		}
	}
	return name
}

// most is the number of functions that are printed.
const most = 10

func (t *totals) print(w io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(t.Targets)) {
		g := t.Targets[name]
		fmt.Fprintf(w, "%s: %s, %d bytes", name, commandline.Count(g.Images, "image"), g.Bytes)
		if len(g.Sections) > 0 {
			fmt.Fprintf(w, ", %s", commandline.Count(g.Kernels, "kernel"))
		}
		fmt.Fprintln(w)
		for _, s := range bySize(g.Sections) {
			fmt.Fprintf(w, "  section  %12d  %s\n", g.Sections[s], show.Line(s))
		}
		functions := bySize(g.Code)
		for _, fn := range functions[:min(len(functions), most)] {
			fmt.Fprintf(w, "  code     %12d  %s\n", g.Code[fn], show.Line(fn))
		}
		if more := len(functions) - most; more > 0 {
			fmt.Fprintf(w, "  code                   and %d more\n", more)
		}
	}
}

// bySize returns the names sorted by size, the largest first.
func bySize(sizes map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
}

// printAgainst prints the differences between t and an earlier build. It reports whether there are any.
func (t *totals) printAgainst(w io.Writer, earlier *totals) (differs bool) {
	names := maps.Clone(t.Targets)
	maps.Copy(names, earlier.Targets)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := earlier.target(name), t.target(name)
		var b strings.Builder
		change := func(what string, was, is uint64, of string) {
			if was != is {
				fmt.Fprintf(&b, "  %-8s %12d -> %d (%+d)  %s\n", what, was, is, int64(is-was), show.Line(of))
			}
		}
		change("images", uint64(was.Images), uint64(is.Images), "")
		change("kernels", uint64(was.Kernels), uint64(is.Kernels), "")
		for _, m := range []struct {
			what    string
			was, is map[string]uint64
		}{{"section", was.Sections, is.Sections}, {"code", was.Code, is.Code}} {
			keys := maps.Clone(m.was)
			for key, size := range m.is {
				keys[key] = max(keys[key], size)
			}
			for _, key := range bySize(keys) {
				change(m.what, m.was[key], m.is[key], key)
			}
		}
		if b.Len() > 0 || was.Bytes != is.Bytes {
			differs = true
			fmt.Fprintf(w, "%s: %d -> %d bytes (%+d)\n%s", name, was.Bytes, is.Bytes, is.Bytes-was.Bytes, b.String())
		}
	}
	return differs
}

// readFile reads a file. For a Python wheel or another zip file, it reads each file inside.
func readFile(name string) (*inspect.Part, error) {
	data, err := limit.ReadFile(name, limit.MostOfFile)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return inspect.Read(name, data), nil
	}
	packed, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &inspect.Part{Name: name, Kind: inspect.KindArchive, Size: int64(len(data))}
	left := int64(limit.MostOfFile)
	for _, f := range packed.File {
		contents, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
		}
		data, err := io.ReadAll(io.LimitReader(contents, left+1))
		contents.Close()
		if left -= int64(len(data)); left < 0 {
			return nil, fmt.Errorf("%s: its files are more than %d bytes", name, limit.MostOfFile)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
		}
		if q := inspect.Read(f.Name, data); q.Kind != inspect.KindOther {
			p.Parts = append(p.Parts, q)
		}
	}
	return p, nil
}

package info

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
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
	Targets map[string]*target  `json:"targets"`
	name    func(string) string // spells functions
}

// A target holds the totals of the images for one architecture, of PTX, or of intermediate code.
type target struct {
	Images   int               `json:"images"`
	Bytes    int64             `json:"bytes"`
	Stored   int64             `json:"stored"` // bytes in the files, where fat binaries pack images
	Kernels  int               `json:"kernels"`
	Sections map[string]uint64 `json:"sections,omitempty"` // bytes in the file, by kind
	Code     map[string]uint64 `json:"code,omitempty"`     // bytes of code and constants, by function
	// contents has a checksum of the bytes of each section that a program loads, by the name of the section.
	contents map[string]contents
}

// contents describes the bytes of the sections of a name.
type contents struct {
	size int
	sum  uint64 // the order of images does not change it
}

// totalsOf returns the totals of files. The function name returns the names of functions to show.
func totalsOf(files []*inspect.Part, name func(string) string) *totals {
	t := &totals{Targets: map[string]*target{}, name: name}
	for _, p := range files {
		t.add(p)
	}
	return t
}

func (t *totals) target(name string) *target {
	if t.Targets[name] == nil {
		t.Targets[name] = &target{Sections: map[string]uint64{}, Code: map[string]uint64{}, contents: map[string]contents{}}
	}
	return t.Targets[name]
}

func (t *totals) add(p *inspect.Part) {
	switch {
	case p.Cubin != nil:
		g := t.target(p.Cubin.Target)
		g.addImage(p)
		g.addCubin(p, t.name)
	case p.Kind == inspect.KindPTX || p.Kind == inspect.KindLTO:
		t.target(string(p.Kind)).addImage(p)
	}
	for _, q := range p.Parts {
		t.add(q)
	}
}

func (g *target) addImage(p *inspect.Part) {
	g.Images++
	g.Bytes += p.Size
	if p.Packed == "" {
		g.Stored += p.Size
	} else {
		g.Stored += p.Stored
	}
}

func (g *target) addCubin(p *inspect.Part, name func(string) string) {
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
		g.Code[name(fn.Name)] += size
	}
	f, err := cubin.Open(p.Name, p.Data)
	if err != nil {
		return
	}
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Type == cubin.SectionNoBits || s.Size == 0 {
			continue
		}
		g.Sections[kindOf(s.Name, functions)] += s.Size
		if data, err := f.Data(uint32(i)); err == nil && s.Flags&cubin.FlagAlloc != 0 {
			sum := fnv.New64a()
			sum.Write(data)
			c := g.contents[s.Name]
			g.contents[s.Name] = contents{c.size + len(data), c.sum + sum.Sum64()}
		}
	}
}

// kindOf returns the name of a section without that of its function, and without the number that the compiler gives to
// the PTX of a file with -G.
func kindOf(name string, functions map[string]bool) string {
	if kind, ok := strings.CutPrefix(name, debugPTX+"."); ok && strings.Trim(kind, "0123456789") == "" {
		return debugPTX
	}
	for i := range name {
		if name[i] == '.' && functions[name[i+1:]] {
			return name[:i]
		}
	}
	return name
}

const debugPTX = ".nv_debug_ptx_txt"

// most is the number of functions that are printed.
const most = 10

func (t *totals) print(w io.Writer) {
	if len(t.Targets) == 0 {
		fmt.Fprintln(w, inspect.KindOther)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Targets)) {
		g := t.Targets[name]
		fmt.Fprintf(w, "%s: %s, %d bytes", name, commandline.Count(g.Images, "image"), g.Bytes)
		if g.Stored != g.Bytes {
			fmt.Fprintf(w, " (%d packed)", g.Stored)
		}
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
		changes := is.changes(was)
		if len(changes) > 0 || was.Bytes != is.Bytes || was.Stored != is.Stored {
			differs = true
			fmt.Fprintf(w, "%s: %d -> %d bytes (%+d)", name, was.Bytes, is.Bytes, is.Bytes-was.Bytes)
			if was.Stored != was.Bytes || is.Stored != is.Bytes {
				fmt.Fprintf(w, ", %d -> %d packed (%+d)", was.Stored, is.Stored, is.Stored-was.Stored)
			}
			fmt.Fprintln(w)
			for _, line := range changes {
				fmt.Fprintln(w, strings.TrimRight(line, " "))
			}
		}
	}
	return differs
}

// changes returns a line for each sum of g that differs from that of an earlier build, and for each section that a program
// loads that has equal size but other bytes.
func (g *target) changes(was *target) (lines []string) {
	change := func(what string, was, is uint64, of string) {
		if was != is {
			lines = append(lines, fmt.Sprintf("  %-8s %12d -> %d (%+d)  %s", what, was, is, int64(is-was), show.Line(of)))
		}
	}
	change("images", uint64(was.Images), uint64(g.Images), "")
	change("kernels", uint64(was.Kernels), uint64(g.Kernels), "")
	for _, m := range []struct {
		what    string
		was, is map[string]uint64
	}{{"section", was.Sections, g.Sections}, {"code", was.Code, g.Code}} {
		keys := maps.Clone(m.was)
		for key, size := range m.is {
			keys[key] = max(keys[key], size)
		}
		for _, key := range bySize(keys) {
			change(m.what, m.was[key], m.is[key], key)
		}
	}
	return append(lines, g.otherContents(was)...)
}

// otherContents returns a line for each section that both builds have in the same size, with other bytes.
func (g *target) otherContents(was *target) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(g.contents)) {
		is, before := g.contents[name], was.contents[name]
		if is.size == before.size && is.sum != before.sum {
			lines = append(lines, fmt.Sprintf("  %-8s %12d, other bytes  %s", "contents", is.size, show.Line(name)))
		}
	}
	return lines
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

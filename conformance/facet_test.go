package conformance

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// recorded gives the outcome of the first step of a case.
func recorded(t *testing.T, id, sm string) *Outcome {
	t.Helper()
	c := loadCase(t, id)
	r, err := LoadRecording(corpus.Files, c, sm)
	if err != nil {
		t.Fatal(err)
	}
	return &r.Steps[0]
}

func loadCase(t *testing.T, id string) *Case {
	t.Helper()
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c *Case) bool { return c.ID() == id })
	if i < 0 {
		t.Fatalf("no case %s", id)
	}
	return cases[i]
}

// clone copies an outcome so deeply that it can be spoiled.
func (o *Outcome) clone() *Outcome {
	c := *o
	c.Stdout, c.Stderr = bytes.Clone(o.Stdout), bytes.Clone(o.Stderr)
	c.Files = Files{}
	for name, data := range o.Files {
		c.Files[name] = bytes.Clone(data)
	}
	return &c
}

// failing are the facets on which got is not as wanted.
func failing(expect Expectation, want, got *Outcome) []Facet {
	var out []Facet
	for _, f := range Facets {
		if len(Judge(f, expect, want, got)) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// open gives the cubin out.cubin of an outcome; changes to the bytes that the
// returned file lends change the outcome.
func open(t *testing.T, o *Outcome) *cubin.File {
	t.Helper()
	f, err := cubin.Open("out.cubin", o.Files["out.cubin"])
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sectionBytes lends the bytes of a section of out.cubin.
func sectionBytes(t *testing.T, o *Outcome, name string) []byte {
	t.Helper()
	f := open(t, o)
	s := f.Section(name)
	if s == nil || !s.HasBytes() {
		t.Fatalf("no bytes in %s", name)
	}
	return o.Files["out.cubin"][s.Offset : s.Offset+s.Size]
}

// sectionHeader lends the header of a section of out.cubin.
func sectionHeader(t *testing.T, o *Outcome, name string) []byte {
	t.Helper()
	f := open(t, o)
	s := f.Section(name)
	if s == nil {
		t.Fatalf("no section %s", name)
	}
	at := f.ShOff + uint64(s.Index)*cubin.SectionHeaderSize
	return o.Files["out.cubin"][at : at+cubin.SectionHeaderSize]
}

// segmentHeader lends a program header of out.cubin.
func segmentHeader(t *testing.T, o *Outcome, i uint64) []byte {
	t.Helper()
	at := open(t, o).PhOff + i*cubin.SegmentHeaderSize
	return o.Files["out.cubin"][at : at+cubin.SegmentHeaderSize]
}

// A harness that cannot fail proves nothing: each way to spoil a good outcome
// is noticed, on these facets and no others.
func TestSpoiledOutcomesAreNoticed(t *testing.T) {
	const (
		good   = "basic/two-files"
		failed = "messages/several-errors-in-one-file"
		spoken = "options/verbose"
	)
	contents := []Facet{FacetImage, FacetBytes}
	written := []Facet{FacetFile, FacetImage, FacetBytes}
	increment := func(field func(*testing.T, *Outcome) []byte, at int) func(*testing.T, *Outcome) {
		return func(t *testing.T, o *Outcome) { field(t, o)[at]++ }
	}
	bytesOf := func(name string) func(*testing.T, *Outcome) []byte {
		return func(t *testing.T, o *Outcome) []byte { return sectionBytes(t, o, name) }
	}
	headerOf := func(name string) func(*testing.T, *Outcome) []byte {
		return func(t *testing.T, o *Outcome) []byte { return sectionHeader(t, o, name) }
	}
	segment := func(t *testing.T, o *Outcome) []byte { return segmentHeader(t, o, 1) }
	file := func(_ *testing.T, o *Outcome) []byte { return o.Files["out.cubin"] }
	const code = ".text._Z6callerPi"
	for _, c := range []struct {
		name  string
		from  string
		spoil func(*testing.T, *Outcome)
		want  []Facet
	}{
		{"nothing", good, func(*testing.T, *Outcome) {}, nil},
		{"exit status", good, func(_ *testing.T, o *Outcome) { o.Exit = 1 }, []Facet{FacetExit}},
		{"exit 1 for 255", "messages/undefined", func(_ *testing.T, o *Outcome) { o.Exit = 1 }, []Facet{FacetExit}},
		{"crash", good, func(_ *testing.T, o *Outcome) { o.Exit = 139 }, []Facet{FacetExit}},
		{"killed for time", good, func(_ *testing.T, o *Outcome) { o.Killed = "time" }, Facets},
		{"a message of its own", good, func(_ *testing.T, o *Outcome) { o.Stderr = []byte("done\n") }, []Facet{FacetMessages}},
		{"message on stdout", failed, func(_ *testing.T, o *Outcome) { o.Stdout, o.Stderr = o.Stderr, nil }, []Facet{FacetMessages}},
		{"a word of a message", failed, func(_ *testing.T, o *Outcome) {
			o.Stderr = bytes.Replace(o.Stderr, []byte("first"), []byte("last"), 1)
		}, []Facet{FacetMessages}},
		{"a severity", failed, func(_ *testing.T, o *Outcome) {
			o.Stderr = bytes.Replace(o.Stderr, []byte("error  "), []byte("warning"), 1)
		}, []Facet{FacetMessages}},
		{"order of messages", failed, func(_ *testing.T, o *Outcome) {
			lines := bytes.SplitAfter(o.Stderr, []byte("\n"))
			lines[0], lines[1] = lines[1], lines[0]
			o.Stderr = bytes.Join(lines, nil)
		}, []Facet{FacetMessages}},
		{"a missing message", failed, func(_ *testing.T, o *Outcome) {
			o.Stderr = o.Stderr[bytes.IndexByte(o.Stderr, '\n')+1:]
		}, []Facet{FacetMessages}},
		{"a missing newline", failed, func(_ *testing.T, o *Outcome) { o.Stderr = bytes.TrimSuffix(o.Stderr, []byte("\n")) }, []Facet{FacetMessages}},
		{"a register count of -v", spoken, func(_ *testing.T, o *Outcome) {
			o.Stderr = bytes.Replace(o.Stderr, []byte("registers"), []byte("register"), 1)
		}, []Facet{FacetMessages}},
		{"no output", good, func(_ *testing.T, o *Outcome) { clear(o.Files) }, written},
		{"an output under another name", good, func(_ *testing.T, o *Outcome) {
			o.Files["a.out"] = o.Files["out.cubin"]
			delete(o.Files, "out.cubin")
		}, written},
		{"a file left behind", good, func(_ *testing.T, o *Outcome) { o.Files["out.tmp"] = nil }, []Facet{FacetFile}},
		{"an output of a failed link", failed, func(_ *testing.T, o *Outcome) { o.Files["out.cubin"] = nil }, []Facet{FacetFile}},
		{"an input removed", good, func(_ *testing.T, o *Outcome) { o.Removed = []string{"caller.cubin"} }, []Facet{FacetFile}},
		{"an empty output", good, func(_ *testing.T, o *Outcome) { o.Files["out.cubin"] = nil }, contents},
		{"one bit of code", good, increment(bytesOf(code), 16), contents},
		{"a symbol's size", good, func(t *testing.T, o *Outcome) {
			symtab := sectionBytes(t, o, ".symtab")
			symtab[len(symtab)-8]++
		}, contents},
		{"a symbol's binding", good, func(t *testing.T, o *Outcome) {
			symtab := sectionBytes(t, o, ".symtab")
			symtab[len(symtab)-cubin.SymbolSize+4] ^= 0x30
		}, contents},
		{"an addend", good, func(t *testing.T, o *Outcome) {
			relocations := sectionBytes(t, o, ".rela"+code)
			relocations[16]++
		}, contents},
		{"a relocation's type", good, increment(bytesOf(".rela"+code), 8), contents},
		{"a register count", good, func(t *testing.T, o *Outcome) {
			info := sectionBytes(t, o, ".nv.info")
			at := bytes.Index(info, []byte{0x04, 0x2f, 0x08, 0x00})
			if at < 0 {
				t.Fatal("no register count")
			}
			info[at+8]++
		}, contents},
		{"a dropped record", good, func(t *testing.T, o *Outcome) {
			header := sectionHeader(t, o, ".nv.info")
			size := binary.LittleEndian.Uint64(header[32:])
			binary.LittleEndian.PutUint64(header[32:], size-12)
		}, contents},
		{"a call graph edge", good, increment(bytesOf(".nv.callgraph"), 0), contents},
		{"a section's type", good, increment(headerOf(".nv.info"), 4), contents},
		{"a section's flags", good, increment(headerOf(code), 8), contents},
		{"a section's link", good, increment(headerOf(".symtab"), 40), contents},
		{"a section's info", good, increment(headerOf(code), 44), contents},
		{"a section's alignment", good, increment(headerOf(code), 48), contents},
		{"a section's name", good, func(t *testing.T, o *Outcome) {
			names := sectionBytes(t, o, ".shstrtab")
			names[bytes.Index(names, []byte(code))+1] = 'T'
		}, contents},
		{"the architecture", good, increment(file, 49), contents},
		{"the file type", good, increment(file, 16), contents},
		{"a segment's permissions", good, increment(segment, 4), contents},
		{"a segment's start", good, increment(segment, 8), contents},
		{"a segment's size", good, increment(segment, 32), contents},
		{"a dropped segment", good, func(_ *testing.T, o *Outcome) { o.Files["out.cubin"][56]-- }, contents},
		{"padding", good, func(t *testing.T, o *Outcome) {
			f := open(t, o)
			end := uint64(0)
			for _, s := range f.Sections {
				if s.HasBytes() {
					end = max(end, s.Offset+s.Size)
				}
			}
			if end == f.ShOff {
				t.Skip("no padding before the section table")
			}
			o.Files["out.cubin"][end]++
		}, []Facet{FacetBytes}},
		{"a byte behind the end", good, func(_ *testing.T, o *Outcome) {
			o.Files["out.cubin"] = append(o.Files["out.cubin"], 0)
		}, []Facet{FacetBytes}},
		{"a byte missing at the end", good, func(_ *testing.T, o *Outcome) {
			o.Files["out.cubin"] = o.Files["out.cubin"][:len(o.Files["out.cubin"])-1]
		}, contents},
		{"the name in the tool note", good, func(t *testing.T, o *Outcome) {
			note := sectionBytes(t, o, toolNote)
			copy(note[bytes.Index(note, []byte("nvlink")):], "culink")
		}, []Facet{FacetBytes}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := recorded(t, c.from, "80")
			got := want.clone()
			c.spoil(t, got)
			if facets := failing(ExpectRecorded, want, got); !slices.Equal(facets, c.want) {
				t.Errorf("fails %q, want %q", facets, c.want)
			}
		})
	}
}

// The name of the tool in messages is no difference (DIAG-001).
func TestMessagesIgnoreTheToolsName(t *testing.T) {
	want := recorded(t, "messages/undefined", "80")
	got := want.clone()
	got.Stderr = bytes.ReplaceAll(want.Stderr, []byte("nvlink "), []byte("/opt/culink "))
	if facets := failing(ExpectRecorded, want, got); facets != nil {
		t.Errorf("fails %q", facets)
	}
	got.Stderr = bytes.ReplaceAll(want.Stderr, []byte("nvlink "), []byte(""))
	if facets := failing(ExpectRecorded, want, got); !slices.Equal(facets, []Facet{FacetMessages}) {
		t.Errorf("without a name: fails %q", facets)
	}
}

func TestCleanError(t *testing.T) {
	crash := &Outcome{Exit: 139}
	clean := Outcome{Exit: 1, Stderr: []byte("culink fatal   : the file is damaged\n")}
	for _, c := range []struct {
		name  string
		spoil func(*Outcome)
		want  []Facet
	}{
		{"clean", func(*Outcome) {}, nil},
		{"errors only", func(o *Outcome) {
			o.Exit, o.Stderr = 255, []byte("culink error   : the file is damaged\n")
		}, nil},
		{"a crash too", func(o *Outcome) { o.Exit = 139 }, []Facet{FacetExit}},
		{"a panic", func(o *Outcome) { o.Exit, o.Stderr = 2, []byte("panic: boom\n") }, []Facet{FacetExit, FacetMessages}},
		{"success", func(o *Outcome) { o.Exit = 0 }, []Facet{FacetExit}},
		{"silence", func(o *Outcome) { o.Stderr = nil }, []Facet{FacetMessages}},
		{"an output", func(o *Outcome) { o.Files = Files{"out.cubin": nil} }, []Facet{FacetFile}},
		{"a hang", func(o *Outcome) { o.Killed = "time" }, []Facet{FacetExit, FacetMessages, FacetFile}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := clean
			c.spoil(&got)
			if facets := failing(ExpectCleanError, crash, &got); !slices.Equal(facets, c.want) {
				t.Errorf("fails %q, want %q", facets, c.want)
			}
		})
	}
}

func TestImageComparesWhatIsNoCubinByItsBytes(t *testing.T) {
	want := &Outcome{Files: Files{"graph.dot": []byte("a -> b\n")}}
	got := &Outcome{Files: maps.Clone(want.Files)}
	if facets := failing(ExpectRecorded, want, got); facets != nil {
		t.Errorf("equal files fail %q", facets)
	}
	got.Files["graph.dot"] = []byte("a -> c\n")
	if facets := failing(ExpectRecorded, want, got); !slices.Equal(facets, []Facet{FacetImage, FacetBytes}) {
		t.Errorf("fails %q", facets)
	}
}

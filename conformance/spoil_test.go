package conformance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/sandbox"
	spoiltable "github.com/culink/culink/conformance/spoils"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// A check that cannot fail proves nothing. These tests change culink, a correct linker, in many ways. A whole run must
// notice each change on the facets that it affects, and on no others. The test binary is the changed linker: it runs
// culink with its own arguments and changes one thing in the result.

// spoilMode is the first argument of the test binary as a spoiled linker. The name of a spoil, the path of the correct
// linker and its arguments follow.
const spoilMode = "-spoiled-linker"

// spoilFacets lists the facets that the spoils affect.
var spoilFacets = []judge.Facet{judge.FacetExit, judge.FacetMessages, judge.FacetFile, judge.FacetImage, judge.FacetBytes}

// A spoil is one fault of a linker.
type spoil struct {
	name string
	from string // the case that shows it
	do   func(*attempt.Outcome)
	want []judge.Facet
	disk func() // done last, in the folder of the link
}

// cubinOf returns the cubin out.cubin of an outcome.
func cubinOf(o *attempt.Outcome) *cubin.File {
	f, err := cubin.Open("out.cubin", o.Files["out.cubin"])
	if err != nil {
		panic(err)
	}
	return f
}

// sectionOf returns a section of out.cubin.
func sectionOf(o *attempt.Outcome, name string) *cubin.Section {
	s := cubinOf(o).Section(name)
	if s == nil {
		panic("no section " + name)
	}
	return s
}

// bytesOf returns the bytes of a section of out.cubin. Changes to them change the outcome.
func bytesOf(o *attempt.Outcome, name string) []byte {
	s := sectionOf(o, name)
	if !s.HasBytes() {
		panic("no bytes in " + name)
	}
	return o.Files["out.cubin"][s.Offset : s.Offset+s.Size]
}

// headerOf returns the header of a section of out.cubin. Changes to it change the outcome.
func headerOf(o *attempt.Outcome, name string) []byte {
	at := cubinOf(o).ShOff + uint64(sectionOf(o, name).Index)*cubin.SectionHeaderSize
	return o.Files["out.cubin"][at : at+cubin.SectionHeaderSize]
}

// segmentOf returns a program header of out.cubin. Changes to it change the outcome.
func segmentOf(o *attempt.Outcome, i uint64) []byte {
	at := cubinOf(o).PhOff + i*cubin.SegmentHeaderSize
	return o.Files["out.cubin"][at : at+cubin.SegmentHeaderSize]
}

// These functions change one field. The first byte of a number is the lowest.
func increment(b []byte, at int) { b[at]++ }

func incrementBytes(section string, at int) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) { increment(bytesOf(o, section), at) }
}

func incrementHeader(section string, at int) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) { increment(headerOf(o, section), at) }
}

func incrementSegment(i uint64, at int) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) { increment(segmentOf(o, i), at) }
}

func incrementFile(at int) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) { increment(o.Files["out.cubin"], at) }
}

// replaceMessage replaces a word of stderr.
func replaceMessage(from, to string) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) { o.Stderr = replaceOnce(o.Stderr, from, to) }
}

func replaceOnce(text []byte, from, to string) []byte {
	if !bytes.Contains(text, []byte(from)) {
		panic("no " + from)
	}
	return bytes.Replace(text, []byte(from), []byte(to), 1)
}

// attribute returns the record of a sized attribute in a section, from its first byte on. Changes to it change the
// outcome.
func attribute(o *attempt.Outcome, section string, code byte) []byte {
	info := bytesOf(o, section)
	at := bytes.Index(info, []byte{0x04, code})
	if at < 0 {
		panic(fmt.Sprintf("no attribute %#x in %s", code, section))
	}
	return info[at:]
}

// symbolFromEnd returns an entry of the symbol table, counted from the end. 0 is the last. Changes to it change the
// outcome.
func symbolFromEnd(o *attempt.Outcome, i int) []byte {
	symtab := bytesOf(o, ".symtab")
	return symtab[len(symtab)-(i+1)*cubin.SymbolSize:][:cubin.SymbolSize]
}

func spoils() []spoil {
	const (
		good    = "basic/two-files"
		failed  = "messages/several-errors-in-one-file"
		spoken  = "options/verbose"
		data    = "global/strings"
		code    = ".text._Z6callerPi"
		kernel  = "_Z6callerPi"
		dotFile = "options/dot-file"
	)
	contents := []judge.Facet{judge.FacetImage, judge.FacetBytes}
	written := []judge.Facet{judge.FacetFile, judge.FacetImage, judge.FacetBytes}
	lines := func(o *attempt.Outcome) [][]byte { return bytes.SplitAfter(o.Stderr, []byte("\n")) }
	return append(slices.Concat(outsiders(), beyond(), unnoticed()), []spoil{
		{"nothing", good, func(*attempt.Outcome) {}, nil, nil},

		// These linkers end with a wrong exit status.
		{"exit status", good, func(o *attempt.Outcome) { o.Exit = 1 }, []judge.Facet{judge.FacetExit}, nil},
		{"exit 1 for 255", "messages/undefined", func(o *attempt.Outcome) { o.Exit = 1 }, []judge.Facet{judge.FacetExit}, nil},
		{"exit 0 for 255", "messages/undefined", func(o *attempt.Outcome) { o.Exit = 0 }, []judge.Facet{judge.FacetExit}, nil},
		{"a crash at the end", good, func(o *attempt.Outcome) { o.Exit = 128 + int(syscall.SIGKILL) }, []judge.Facet{judge.FacetExit}, nil},
		{"a hang", good, func(o *attempt.Outcome) { o.Killed = "time" }, spoilFacets, nil},
		{"a flood", good, func(o *attempt.Outcome) { o.Killed = "output" }, spoilFacets, nil},

		// These linkers print wrong messages.
		{"a message of its own", good, func(o *attempt.Outcome) { o.Stderr = []byte("done\n") }, []judge.Facet{judge.FacetMessages}, nil},
		{"a message on stdout", failed, func(o *attempt.Outcome) { o.Stdout, o.Stderr = o.Stderr, nil }, []judge.Facet{judge.FacetMessages}, nil},
		{"a word of a message", failed, replaceMessage("first", "last"), []judge.Facet{judge.FacetMessages}, nil},
		{"a severity", failed, replaceMessage("error  ", "warning"), []judge.Facet{judge.FacetMessages}, nil},
		{"a severity without padding", failed, replaceMessage("error   :", "error:"), []judge.Facet{judge.FacetMessages}, nil},
		{"a symbol's name in a message", failed, replaceMessage("'w'", "'W'"), []judge.Facet{judge.FacetMessages}, nil},
		{"a file's name in a message", failed, replaceMessage("b.cubin", "./b.cubin"), []judge.Facet{judge.FacetMessages}, nil},
		{"the order of messages", failed, func(o *attempt.Outcome) {
			l := lines(o)
			l[0], l[1] = l[1], l[0]
			o.Stderr = bytes.Join(l, nil)
		}, []judge.Facet{judge.FacetMessages}, nil},
		{"a missing message", failed, func(o *attempt.Outcome) { o.Stderr = bytes.Join(lines(o)[1:], nil) }, []judge.Facet{judge.FacetMessages}, nil},
		{"a message twice", failed, func(o *attempt.Outcome) { o.Stderr = append(slices.Clone(lines(o)[0]), o.Stderr...) }, []judge.Facet{judge.FacetMessages}, nil},
		{"a missing newline", failed, func(o *attempt.Outcome) { o.Stderr = bytes.TrimSuffix(o.Stderr, []byte("\n")) }, []judge.Facet{judge.FacetMessages}, nil},
		{"an empty line", failed, func(o *attempt.Outcome) { o.Stderr = append(o.Stderr, '\n') }, []judge.Facet{judge.FacetMessages}, nil},
		{"a number of -v", spoken, replaceMessage("registers", "register"), []judge.Facet{judge.FacetMessages}, nil},

		// These linkers write wrong files.
		{"no output", good, func(o *attempt.Outcome) { clear(o.Files) }, written, nil},
		{"an output under another name", good, func(o *attempt.Outcome) {
			o.Files["a.out"] = o.Files["out.cubin"]
			delete(o.Files, "out.cubin")
		}, written, nil},
		{"a file left behind", good, func(o *attempt.Outcome) { o.Files["out.tmp"] = nil }, []judge.Facet{judge.FacetFile}, nil},
		{"an output of a failed link", failed, func(o *attempt.Outcome) { o.Files["out.cubin"] = nil }, []judge.Facet{judge.FacetFile}, nil},
		{"an input removed", good, func(o *attempt.Outcome) { o.Removed = []string{"caller.cubin"} }, []judge.Facet{judge.FacetFile}, nil},
		{"an input changed", good, func(o *attempt.Outcome) { o.Files["caller.cubin"] = []byte("x") }, []judge.Facet{judge.FacetFile}, nil},
		{"an empty output", good, func(o *attempt.Outcome) { o.Files["out.cubin"] = nil }, contents, nil},
		{"the graph's file", dotFile, func(o *attempt.Outcome) {
			o.Files["graph.dot"] = replaceOnce(o.Files["graph.dot"], "caller", "Caller")
		}, contents, nil},

		// The contents of the files do not show these faults.
		{"an output that may be executed", good, func(*attempt.Outcome) {}, []judge.Facet{judge.FacetFile}, func() { os.Chmod("out.cubin", 0o755) }},
		{"an output that nobody else may read", good, func(*attempt.Outcome) {}, []judge.Facet{judge.FacetFile}, func() { os.Chmod("out.cubin", 0o600) }},
		{"an output that is a link", good, func(*attempt.Outcome) {}, written, func() {
			os.Rename("out.cubin", filepath.Join(os.TempDir(), "real")) // the confined linker can reach no other folder
			os.Symlink(filepath.Join("..", filepath.Base(os.TempDir()), "real"), "out.cubin")
		}},
		{"an empty folder", good, func(*attempt.Outcome) {}, []judge.Facet{judge.FacetFile}, func() { os.Mkdir("folder", 0o777) }},
		{"a temporary file that stays", good, func(*attempt.Outcome) {}, []judge.Facet{judge.FacetFile}, func() {
			os.WriteFile(filepath.Join(os.TempDir(), "culink.tmp"), nil, 0o666)
		}},
		{"an input of another mode", good, func(*attempt.Outcome) {}, []judge.Facet{judge.FacetFile}, func() { os.Chmod("caller.cubin", 0o600) }},
		{"an input of another date", good, func(*attempt.Outcome) {}, []judge.Facet{judge.FacetFile}, func() {
			os.Chtimes("caller.cubin", time.Now(), time.Now())
		}},
		{"an older output that is not cut", "messages/output-replaced", func(o *attempt.Outcome) {
			o.Files["out.cubin"] = append(o.Files["out.cubin"], make([]byte, 1<<14)...)
		}, []judge.Facet{judge.FacetBytes}, nil},
		{"-tool-name without effect on messages", "options/tool-name", func(o *attempt.Outcome) {
			o.Stderr = bytes.ReplaceAll(o.Stderr, []byte("other error"), []byte("nvlink error"))
		}, []judge.Facet{judge.FacetMessages}, nil},

		// These linkers omit something, add something, or do something in the wrong place.
		{"exit 255 for 1", "damaged/header-arch", func(o *attempt.Outcome) { o.Exit = 255 }, []judge.Facet{judge.FacetExit}, nil},
		{"the number of errors for the exit status", failed, func(o *attempt.Outcome) { o.Exit = len(lines(o)) - 1 }, []judge.Facet{judge.FacetExit}, nil},
		{"a warning that is an error", "options/extra-warnings", replaceMessage("warning :", "error   :"), []judge.Facet{judge.FacetMessages}, nil},
		{"no warnings", "options/extra-warnings", func(o *attempt.Outcome) { o.Stderr = nil }, []judge.Facet{judge.FacetMessages}, nil},
		{"-v on stdout", spoken, func(o *attempt.Outcome) { o.Stdout, o.Stderr = o.Stderr, nil }, []judge.Facet{judge.FacetMessages}, nil},
		{"a blank at the end of a line", failed, replaceMessage("\n", " \n"), []judge.Facet{judge.FacetMessages}, nil},
		{"ends of lines of another system", failed, func(o *attempt.Outcome) { o.Stderr = bytes.ReplaceAll(o.Stderr, []byte("\n"), []byte("\r\n")) }, []judge.Facet{judge.FacetMessages}, nil},
		{"an edge of the printed call graph", "callgraph/dump-names", func(o *attempt.Outcome) { o.Stderr = bytes.Join(lines(o)[:max(0, len(lines(o))-3)], nil) }, []judge.Facet{judge.FacetMessages}, nil},
		{"a module of the host's", "options/register-link-binaries", func(o *attempt.Outcome) {
			first, rest, _ := bytes.Cut(o.Files["reg.c"], []byte("\n"))
			_, rest, _ = bytes.Cut(rest, []byte("\n"))
			o.Files["reg.c"] = slices.Concat(first, []byte("\n"), rest)
		}, contents, nil},
		{"an old output that a failed link removes", "messages/output-untouched", func(o *attempt.Outcome) { o.Removed = []string{"out.cubin"} }, []judge.Facet{judge.FacetFile}, nil},
		{"an old output that a failed link cuts", "messages/output-untouched", func(o *attempt.Outcome) { o.Files["out.cubin"] = nil }, []judge.Facet{judge.FacetFile}, nil},
		{"an output with a suffix of its own", "options/output-elsewhere", func(o *attempt.Outcome) {
			if data, ok := o.Files["out"]; ok {
				o.Files["out.cubin"] = data
				delete(o.Files, "out")
			}
		}, written, nil},
		{"an output filled up to a page", good, func(o *attempt.Outcome) {
			const page = 4096
			data := o.Files["out.cubin"]
			o.Files["out.cubin"] = append(data, make([]byte, (page-len(data)%page)%page)...)
		}, []judge.Facet{judge.FacetBytes}, nil},
		{"half of an output", good, func(o *attempt.Outcome) { o.Files["out.cubin"] = o.Files["out.cubin"][:len(o.Files["out.cubin"])/2] }, contents, nil},
		{"an output that is an input", good, func(o *attempt.Outcome) {
			data, err := os.ReadFile("caller.cubin")
			if err != nil {
				panic(err)
			}
			o.Files["out.cubin"] = data
		}, contents, nil},

		// These faults are in code and data.
		{"one bit of code", good, func(o *attempt.Outcome) { bytesOf(o, code)[0x10] ^= 0x40 }, contents, nil},
		{"the last byte of code", good, func(o *attempt.Outcome) {
			text := bytesOf(o, code)
			text[len(text)-1]++
		}, contents, nil},
		{"a byte of a kernel's parameters", good, incrementBytes(".nv.constant0."+kernel, 0x160), contents, nil},
		{"a byte of initialised data", data, incrementBytes(".nv.global.init", 0), contents, nil},
		{"a byte of debug information", good, incrementBytes(".debug_frame", 8), contents, nil},

		// Symbols.
		{"a symbol's size", good, func(o *attempt.Outcome) { increment(symbolFromEnd(o, 0), 16) }, contents, nil},
		{"a symbol's value", good, func(o *attempt.Outcome) { increment(symbolFromEnd(o, 0), 8) }, contents, nil},
		{"a symbol's binding", good, func(o *attempt.Outcome) { symbolFromEnd(o, 0)[4] ^= 0x30 }, contents, nil},
		{"a symbol's type", good, func(o *attempt.Outcome) { symbolFromEnd(o, 0)[4] ^= 1 }, contents, nil},
		{"a symbol's section", good, func(o *attempt.Outcome) { increment(symbolFromEnd(o, 0), 6) }, contents, nil},
		{"a kernel that is no entry", good, func(o *attempt.Outcome) { symbolFromEnd(o, 1)[5] = 0 }, contents, nil},
		{"the order of symbols", good, func(o *attempt.Outcome) {
			a, b := symbolFromEnd(o, 0), symbolFromEnd(o, 1)
			copied := slices.Clone(a)
			copy(a, b)
			copy(b, copied)
		}, contents, nil},
		{"a symbol's name", good, func(o *attempt.Outcome) {
			names := bytesOf(o, ".strtab")
			names[bytes.Index(names, []byte("\x00_Z6calleei\x00"))+1] = 'X'
		}, contents, nil},

		// These faults are in relocations.
		{"an addend", good, incrementBytes(".rela"+code, 16), contents, nil},
		{"a relocation's type", good, incrementBytes(".rela"+code, 8), contents, nil},
		{"a relocation's symbol", good, incrementBytes(".rela"+code, 12), contents, nil},
		{"a relocation's place", good, incrementBytes(".rel"+code, 0), contents, nil},

		// Records.
		{"a register count", good, func(o *attempt.Outcome) { increment(attribute(o, ".nv.info", 0x2f), 8) }, contents, nil},
		{"a stack size", good, func(o *attempt.Outcome) { increment(attribute(o, ".nv.info", 0x12), 8) }, contents, nil},
		{"a parameter's size", good, func(o *attempt.Outcome) { increment(attribute(o, ".nv.info."+kernel, 0x17), 14) }, contents, nil},
		{"the place of an EXIT", good, func(o *attempt.Outcome) { increment(attribute(o, ".nv.info."+kernel, 0x1c), 4) }, contents, nil},
		{"a dropped record", good, func(o *attempt.Outcome) {
			header := headerOf(o, ".nv.info")
			binary.LittleEndian.PutUint64(header[32:], binary.LittleEndian.Uint64(header[32:])-12)
		}, contents, nil},
		{"the order of records", good, func(o *attempt.Outcome) {
			a := attribute(o, ".nv.info", 0x11)
			copied := slices.Clone(a[:12])
			copy(a[:12], a[12:24])
			copy(a[12:24], copied)
		}, contents, nil},
		{"an edge of the call graph", good, incrementBytes(".nv.callgraph", 0), contents, nil},
		{"a prototype", good, incrementBytes(".nv.prototype", 4), contents, nil},

		// Sections.
		{"a section's type", good, incrementHeader(".nv.info", 4), contents, nil},
		{"a section's flags", good, incrementHeader(code, 8), contents, nil},
		{"a section's link", good, incrementHeader(".symtab", 40), contents, nil},
		{"a section's info: the registers of a function", good, incrementHeader(code, 47), contents, nil},
		{"a section's alignment", good, incrementHeader(code, 48), contents, nil},
		{"a section's entry size", good, incrementHeader(".symtab", 56), contents, nil},
		{"a section's name", good, func(o *attempt.Outcome) {
			names := bytesOf(o, ".shstrtab")
			names[bytes.Index(names, []byte(code))+1] = 'T'
		}, contents, nil},
		{"the order of sections", good, func(o *attempt.Outcome) {
			a, b := headerOf(o, ".nv.callgraph"), headerOf(o, ".nv.prototype")
			copied := slices.Clone(a)
			copy(a, b)
			copy(b, copied)
		}, contents, nil},

		// These faults are in the header and the segments.
		{"the architecture", good, incrementFile(49), contents, nil},
		{"the file type", good, incrementFile(16), contents, nil},
		{"the ABI version", good, incrementFile(8), contents, nil},
		{"a segment's permissions", good, incrementSegment(1, 4), contents, nil},
		{"a segment's start", good, incrementSegment(1, 8), contents, nil},
		{"a segment's size in the file", good, incrementSegment(1, 32), contents, nil},
		{"a segment's size in memory", good, incrementSegment(1, 40), contents, nil},
		{"a segment's alignment", good, incrementSegment(1, 48), contents, nil},
		{"a dropped segment", good, func(o *attempt.Outcome) { o.Files["out.cubin"][56]-- }, contents, nil},

		// These faults are in parts that no loader reads.
		{"padding", good, func(o *attempt.Outcome) { increment(gap(o), 0) }, []judge.Facet{judge.FacetBytes}, nil},
		{"a byte behind the end", good, func(o *attempt.Outcome) {
			o.Files["out.cubin"] = append(o.Files["out.cubin"], 0)
		}, []judge.Facet{judge.FacetBytes}, nil},
		{"a byte missing at the end", good, func(o *attempt.Outcome) {
			o.Files["out.cubin"] = o.Files["out.cubin"][:len(o.Files["out.cubin"])-1]
		}, contents, nil},
		{"the name in the tool note", good, func(o *attempt.Outcome) {
			note := bytesOf(o, nvinfo.ToolNote)
			copy(note[bytes.Index(note, []byte("nvlink")):], "culink")
		}, []judge.Facet{judge.FacetBytes}, nil},
		{"the options in the tool note", good, func(o *attempt.Outcome) {
			note := bytesOf(o, nvinfo.ToolNote)
			copy(note[bytes.Index(note, []byte("-arch sm_80 ")):], "-arch sm_86 ")
		}, []judge.Facet{judge.FacetBytes}, nil},
	}...)
}

// gap returns the padding between two sections of out.cubin. Changes to it change the outcome.
func gap(o *attempt.Outcome) []byte {
	f := cubinOf(o)
	used := make([]bool, f.ShOff)
	for i := range used {
		used[i] = i < cubin.HeaderSize
	}
	for _, s := range f.Sections {
		if s.HasBytes() {
			for i := s.Offset; i < s.Offset+s.Size; i++ {
				used[i] = true
			}
		}
	}
	at := slices.Index(used, false)
	if at < 0 {
		panic("no padding")
	}
	return o.Files["out.cubin"][at:]
}

// runGood runs the correct linker. It uses the confinement of the spoiled linker, which cannot start another one.
func runGood(good string, args []string) *attempt.Outcome {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(good, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
		panic(err)
	}
	exit := cmd.ProcessState.ExitCode()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit = 128 + int(status.Signal())
	}
	return &attempt.Outcome{Exit: exit, Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
}

// spoiledLinker is the main function of the spoiled linker. It returns the exit status.
func spoiledLinker(name, good string, args []string) int {
	i := slices.IndexFunc(spoils(), func(s spoil) bool { return s.name == name })
	if other := otherArguments[name]; other != nil {
		args = other(args)
	}
	before, err := attempt.ReadTree(os.DirFS("."), ".")
	if err != nil {
		panic(err)
	}
	o := runGood(good, args)
	after, err := attempt.ReadTree(os.DirFS("."), ".")
	if err != nil {
		panic(err)
	}
	o.Files = attempt.Files{}
	for _, name := range attempt.Changes(before, after) {
		o.Files[name] = bytes.Clone(after[name])
		os.Remove(name)
	}
	spoils()[i].do(o)
	if err := o.Files.Write("."); err != nil {
		panic(err)
	}
	for _, name := range o.Removed {
		os.Remove(name)
	}
	if disk := spoils()[i].disk; disk != nil {
		disk()
	}
	os.Stdout.Write(o.Stdout)
	os.Stderr.Write(o.Stderr)
	switch {
	case o.Killed == "time":
		time.Sleep(time.Hour)
	case o.Killed == "output":
		for {
			os.Stdout.Write(make([]byte, 1<<16))
		}
	case o.Exit == 128+int(syscall.SIGKILL):
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		time.Sleep(time.Hour)
	}
	return o.Exit
}

// oneCase is the corpus with one case alone. A run parses every case of its corpus, so this saves time.
type oneCase struct {
	corpus.PlainFS
	id string
}

// Glob returns the case.txt of the case.
func (c oneCase) Glob(pattern string) ([]string, error) {
	name := path.Join(c.id, "case.txt")
	if ok, err := path.Match(pattern, name); !ok {
		return nil, err
	}
	return []string{name}, nil
}

// The facets that must notice a spoil do, and no others. The test tries a third of the spoils, or all of them if
// CULINK_ALL_SPOILS is set.
func TestSpoiledLinkersAreNoticed(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	good := reference(t)
	const hang = "a hang" // only this spoil needs a time limit, and a slow machine must not cause others to fail
	limits := sandbox.DefaultLimits
	limits.Output = 1 << 20
	ways := 0
	var mu sync.Mutex
	var rows []spoiltable.Row
	t.Cleanup(func() {
		if t.Failed() || !triesAllSpoils() {
			return
		}
		if err := spoiltable.Write("run", rows); err != nil {
			t.Error(err)
		}
	})
	pooled, end := good.Pooled()
	t.Cleanup(end)
	for _, s := range spoils() {
		if s.want != nil {
			ways++
		}
		if !inSpoilSample(s.name) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			linker := *pooled
			linker.Command, linker.Limits, linker.AnyLocale = []string{self, spoilMode, s.name, good.Command[0]}, limits, true
			if s.name == hang {
				linker.Limits.Time = 2 * time.Second
			}
			found, err := Run(t.Context(), oneCase{corpus.Files, s.from}, &linker, plan.Selection{Cases: []string{s.from}, Targets: []string{"80"}, Facets: judge.Facets}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Verdicts) == 0 {
				t.Fatalf("no case %s", s.from)
			}
			var failing []judge.Facet
			row := spoiltable.Row{Kind: s.name, Case: s.from}
			for _, f := range judge.Facets {
				if slices.ContainsFunc(found.Verdicts, func(v judge.Verdict) bool { return v.Facet == f && !v.Pass() }) {
					row.Facets = append(row.Facets, string(f))
					if f != judge.FacetSound {
						failing = append(failing, f)
					}
				}
			}
			if s.want != nil {
				mu.Lock()
				rows = append(rows, row)
				mu.Unlock()
			}
			if !slices.Equal(failing, s.want) {
				var lines strings.Builder
				for _, v := range found.Verdicts {
					if !v.Pass() {
						report.WriteFailure(&lines, v, false)
					}
				}
				t.Errorf("fails %q, want %q\n%s", failing, s.want, &lines)
			}
		})
	}
	if ways < 40 {
		t.Errorf("only %d ways to be wrong", ways)
	}
}

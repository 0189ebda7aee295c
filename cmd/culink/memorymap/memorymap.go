// Package memorymap shows the memory map of a link: as JSON for programs, and as a page with
// pictures for people. A map says which section lies in which memory space, what each input
// put there, what every kernel needs, and who calls whom. Two maps can be compared.
package memorymap

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/inspect"
)

// Format stands in every map as JSON, so that a reader knows one.
const Format = "culink memory map 1"

// A Map is what a link put where. Sizes, offsets and stacks are bytes.
type Map struct {
	Format      string     `json:"format"`
	Target      string     `json:"target"`                // "sm_90"
	Output      string     `json:"output"`                // name of the linked file
	Relocatable bool       `json:"relocatable,omitempty"` // of -r: the last link says what kernels need
	Spaces      []Space    `json:"spaces"`
	Inputs      []Input    `json:"inputs"`
	Kernels     []Kernel   `json:"kernels"`
	Functions   []Function `json:"functions"` // kernels, too
	Calls       [][2]int   `json:"calls"`     // caller and callee, indices of Functions
}

// A Space is a kind of memory.
type Space struct {
	Name     string    `json:"name"` // "code", "global", "constant", "shared", "local", "none"
	Size     uint64    `json:"size"`
	Sections []Section `json:"sections"`
}

// A Section of the output. Offsets are from its start.
type Section struct {
	Name    string   `json:"name"`
	Size    uint64   `json:"size"`
	Align   uint64   `json:"align"`
	Parts   []Part   `json:"parts"`
	Symbols []Symbol `json:"symbols"`
}

// A Part is what one input put into a section.
type Part struct {
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
	Input  string `json:"input"`          // "(linker)" for what no input brought
	What   string `json:"what,omitempty"` // a name, where the part is one variable
	Source string `json:"source,omitempty"`
}

// A Symbol of a section.
type Symbol struct {
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
	Name   string `json:"name"`
	Source string `json:"source,omitempty"` // the name as the source has it, where it differs
}

// An Input says what one file uses of each space, in the order of Map.Spaces.
type Input struct {
	Name  string   `json:"name"`
	Bytes []uint64 `json:"bytes"`
}

// A Function is code of the output.
type Function struct {
	Name      string `json:"name"`
	Source    string `json:"source,omitempty"`
	Input     string `json:"input,omitempty"`
	Code      uint64 `json:"code"`
	Registers uint32 `json:"registers"`
	Frame     uint32 `json:"frame"`
	Kernel    bool   `json:"kernel,omitempty"`
}

// A Kernel is what a launch needs.
type Kernel struct {
	Function     int              `json:"function"` // index of Functions
	Registers    uint32           `json:"registers"`
	RaisedBy     int              `json:"raised_by"` // a function that it reaches and that needs as many; -1 for none
	Stack        *uint32          `json:"stack"`     // null where it is not known
	Deepest      []int            `json:"deepest"`   // the path of calls with the largest frames; empty where calls recur
	Shared       uint64           `json:"shared"`
	Constants    []inspect.Memory `json:"constants"`
	MaxRegisters uint32           `json:"max_registers,omitempty"`
}

// A Link is what a map is made of.
type Link struct {
	Text     []byte // the map as text (LAYOUT-500)
	Dot      []byte // the calls
	Output   []byte // the linked file
	Name     string // of the linked file
	Demangle func(string) string
}

// New makes the map of a link.
func New(l Link) (*Map, error) {
	m := &Map{Format: Format, Output: path.Base(l.Name)}
	if err := m.readText(l.Text); err != nil {
		return nil, err
	}
	m.readKernels(l.Output)
	m.readCalls(l.Dot)
	for i := range m.Kernels {
		m.follow(&m.Kernels[i])
	}
	if l.Demangle != nil {
		m.demangle(l.Demangle)
	}
	return m, nil
}

// readText reads the map as the linker writes it.
func (m *Map) readText(text []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	byInput := false
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		depth := len(line) - len(strings.TrimLeft(line, " "))
		var err error
		switch {
		case line == "":
		case number == 1:
			words := strings.Fields(line) // "memory map of sm_90, in bytes"
			if len(words) < 4 {
				return fmt.Errorf("memory map: line 1: no target: %q", line)
			}
			m.Target = strings.TrimSuffix(words[3], ",")
		case line == "by input:":
			byInput = true
			lines.Scan() // the headings
		case byInput:
			err = m.addInput(line)
		case depth == 0:
			err = m.addSpace(line)
		case depth == 2:
			err = m.addSection(line)
		default:
			err = m.addRow(line)
		}
		if err != nil {
			return fmt.Errorf("memory map: line %d: %w", number, err)
		}
	}
	return lines.Err()
}

func number(text string) (uint64, error) { return strconv.ParseUint(text, 0, 64) }

// addSpace reads "code: 0x2c80".
func (m *Map) addSpace(line string) error {
	name, size, _ := strings.Cut(line, ": ")
	n, err := number(size)
	m.Spaces = append(m.Spaces, Space{Name: name, Size: n})
	return err
}

// addSection reads "  .text.k: 0x280, alignment 128".
func (m *Map) addSection(line string) error {
	const word = ", alignment "
	end := strings.LastIndex(line, word)
	at := strings.LastIndex(line[:max(end, 0)], ": ")
	if at < 0 || len(m.Spaces) == 0 {
		return fmt.Errorf("no section: %q", line)
	}
	size, err := number(line[at+2 : end])
	if err != nil {
		return err
	}
	align, err := number(line[end+len(word):])
	space := &m.Spaces[len(m.Spaces)-1]
	space.Sections = append(space.Sections, Section{Name: strings.TrimSpace(line[:at]), Size: size, Align: align})
	return err
}

// addRow reads "      0x0  0x100  a.cubin  what" or, two columns further in, a symbol.
func (m *Map) addRow(line string) error {
	if len(m.Spaces) == 0 || len(m.Spaces[len(m.Spaces)-1].Sections) == 0 {
		return fmt.Errorf("no section for %q", line)
	}
	sections := m.Spaces[len(m.Spaces)-1].Sections
	s := &sections[len(sections)-1]
	first, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
	offset, err := number(first)
	if err != nil {
		return err
	}
	second, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	size, err := number(second)
	if err != nil {
		return err
	}
	if name, ok := strings.CutPrefix(rest, "   "); ok {
		s.Symbols = append(s.Symbols, Symbol{Offset: offset, Size: size, Name: name})
		return nil
	}
	input, what, _ := strings.Cut(strings.TrimPrefix(rest, " "), "  ")
	s.Parts = append(s.Parts, Part{Offset: offset, Size: size, Input: input, What: what})
	return nil
}

// addInput reads a number for each space and the name of an input.
func (m *Map) addInput(line string) error {
	in := Input{}
	rest := line
	for range m.Spaces {
		var word string
		word, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
		n, err := number(word)
		if err != nil {
			return err
		}
		in.Bytes = append(in.Bytes, n)
	}
	in.Name = strings.TrimPrefix(rest, " ")
	m.Inputs = append(m.Inputs, in)
	return nil
}

// readKernels takes from the linked file what its functions need.
func (m *Map) readKernels(output []byte) {
	definedIn := map[string]string{}
	for _, space := range m.Spaces {
		for _, s := range space.Sections {
			if name, ok := strings.CutPrefix(s.Name, ".text."); ok && len(s.Parts) > 0 {
				definedIn[name] = s.Parts[0].Input
			}
		}
	}
	p := inspect.Read(m.Output, output)
	if p.Cubin == nil {
		return
	}
	m.Relocatable = p.Cubin.Unlinked
	for _, fn := range p.Cubin.Functions {
		m.Functions = append(m.Functions, Function{
			Name: fn.Name, Input: definedIn[fn.Name], Code: fn.Code, Registers: fn.Registers, Frame: fn.Frame, Kernel: fn.Kernel,
		})
		if fn.Kernel {
			const anyNumber = 255
			k := Kernel{Function: len(m.Functions) - 1, Registers: fn.Registers, RaisedBy: -1, Stack: fn.Stack, Shared: fn.Shared, Constants: fn.Constants}
			if fn.MaxRegisters != anyNumber {
				k.MaxRegisters = fn.MaxRegisters
			}
			m.Kernels = append(m.Kernels, k)
		}
	}
}

// readCalls reads lines "caller -> callee;".
func (m *Map) readCalls(dot []byte) {
	index := map[string]int{}
	for i, fn := range m.Functions {
		index[fn.Name] = i
	}
	for line := range strings.Lines(string(dot)) {
		caller, callee, ok := strings.Cut(strings.TrimRight(line, ";\n"), " -> ")
		from, known := index[caller]
		to, knownToo := index[callee]
		if ok && known && knownToo {
			m.Calls = append(m.Calls, [2]int{from, to})
		}
	}
}

// follow finds the deepest path from a kernel, and the function that raises its registers.
func (m *Map) follow(k *Kernel) {
	callees := map[int][]int{}
	for _, c := range m.Calls {
		callees[c[0]] = append(callees[c[0]], c[1])
	}
	type deepest struct {
		bytes uint64
		next  int // -1 at the end
	}
	done, onPath := map[int]deepest{}, map[int]bool{}
	recurs := false
	var visit func(fn int) deepest
	visit = func(fn int) deepest {
		if onPath[fn] {
			recurs = true
			return deepest{next: -1}
		}
		if d, ok := done[fn]; ok {
			return d
		}
		onPath[fn] = true
		d := deepest{next: -1}
		for _, c := range callees[fn] {
			if below := visit(c); d.next < 0 || below.bytes > d.bytes {
				d = deepest{below.bytes, c}
			}
		}
		delete(onPath, fn)
		d.bytes += uint64(m.Functions[fn].Frame)
		done[fn] = d
		return d
	}
	visit(k.Function)
	if !recurs {
		for fn := k.Function; fn >= 0; fn = done[fn].next {
			k.Deepest = append(k.Deepest, fn)
		}
	}
	for fn := range m.Functions { // the first, in the order of the file
		if _, reached := done[fn]; reached && !m.Functions[fn].Kernel && m.Functions[fn].Registers == k.Registers {
			k.RaisedBy = fn
			break
		}
	}
}

var static = regexp.MustCompile(`^\$__(_Z.*)__[0-9]+$`)

// demangle adds the names that the source has.
func (m *Map) demangle(demangle func(string) string) {
	source := func(name string) string {
		mangled := strings.TrimSuffix(name, " (common)")
		// Static variables of functions: "$___ZZ1fiE1v__12" stands for _ZZ1fiE1v.
		if of := static.FindStringSubmatch(mangled); of != nil {
			mangled = of[1]
		}
		if s := demangle(mangled); s != mangled {
			return s
		}
		return ""
	}
	for i := range m.Spaces {
		for j := range m.Spaces[i].Sections {
			s := &m.Spaces[i].Sections[j]
			for k := range s.Symbols {
				s.Symbols[k].Source = source(s.Symbols[k].Name)
			}
			for k := range s.Parts {
				s.Parts[k].Source = source(s.Parts[k].What)
			}
		}
	}
	for i := range m.Functions {
		m.Functions[i].Source = source(m.Functions[i].Name)
	}
}

// WriteJSON writes the map as JSON.
func (m *Map) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(m)
}

// Read reads a map as JSON; name is that of the file, for errors.
func Read(name string, data []byte) (*Map, error) {
	m := &Map{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Format != Format {
		return nil, fmt.Errorf("%s: no memory map of culink --map FILE.json: format %q", name, m.Format)
	}
	for _, c := range m.Calls {
		if c[0] < 0 || c[1] < 0 || max(c[0], c[1]) >= len(m.Functions) {
			return nil, fmt.Errorf("%s: a call of function %d by %d, of %d functions", name, c[1], c[0], len(m.Functions))
		}
	}
	for _, k := range m.Kernels {
		if k.Function < 0 || k.Function >= len(m.Functions) {
			return nil, fmt.Errorf("%s: a kernel is function %d of %d", name, k.Function, len(m.Functions))
		}
	}
	return m, nil
}

// Is reports whether data looks like a map as JSON.
func Is(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \n\r\t"), []byte("{")) && bytes.Contains(data[:min(len(data), 100)], []byte(Format))
}

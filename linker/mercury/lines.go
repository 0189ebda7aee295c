package mercury

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
)

// Line tables, .debug_line and .nv_debug_line_sass, are DWARF line programs: bytes that
// step a row of the table (address, line) on and say when it is complete. A function
// has one sequence of rows, from the instruction that sets its address, which is
// relocated, to the one that ends the sequence.
//
// nvlink makes the programs anew from the rows, in one way only: a step by one byte
// where it fits and changes both address and line, else the line (unless it stays and
// the address moves), the address as a signed number, and "copy".

// Opcodes of a line program below its own opcode base, and of extended ones.
const (
	lineExtended   = 0
	lineCopy       = 1
	lineAdvancePC  = 2
	lineAdvance    = 3
	lineConstAddPC = 8
	lineFixedAdd   = 9

	lineEndSequence = 1
	lineSetAddress  = 2
	lineMark        = 0x92 // begins and ends what belongs to no line of the source
)

// lineHead is the length of what stands before a line program's own parameters: length,
// version, length of the header.
const lineHead = 4 + 2 + 4

// A Sequence says what became of the function that a relocation at an offset of a line
// table is against.
type Sequence func(relocation uint64) Outcome

// An Outcome is what became of a function whose lines a sequence has.
type Outcome struct {
	Map    Map    // of its code
	Number uint32 // of its symbol in the output
	Kept   bool   // a function of that name is left
	// Replaced is the code that stays, of another file, if this file's gave way to it. It
	// has the lines of this file's Mercury code, where the offsets are those of instructions.
	Replaced *Code
	// Unfound tells that nvlink does not find the function, because another name of its
	// code stands before its own: the lines stay those of the Mercury code (MERC-118).
	Unfound bool
}

// ofInner reports whether the lines are made from those of the Mercury half.
func (o *Outcome) ofInner() bool { return o.Kept && (o.Replaced != nil || o.Unfound) }

// A LineCopy is the copy of a line table in the Mercury half.
type LineCopy struct {
	Section []byte
	Number  func(relocation uint64) uint32 // of the symbol that a relocation is against, in the output

	programs []copiedProgram
}

// A copiedProgram is a program of a [LineCopy].
type copiedProgram struct {
	head      []byte
	sequences map[uint32]*lineSequence // by number
}

// read takes the copy apart.
func (c *LineCopy) read(at Place) error {
	programs, err := readLines(c.Section, at)
	if err != nil {
		return err
	}
	for _, p := range programs {
		copied := copiedProgram{p.head, map[uint32]*lineSequence{}}
		for i := range p.sequences {
			if s := &p.sequences[i]; s.located {
				copied.sequences[c.Number(s.relocation)] = s
			}
		}
		c.programs = append(c.programs, copied)
	}
	return nil
}

// sequence returns the sequence of function number in the program of index i, if any.
func (c *LineCopy) sequence(i int, number uint32) *lineSequence {
	if i >= len(c.programs) {
		return nil
	}
	return c.programs[i].sequences[number]
}

// head returns the head of the program of index i in the copy, in which alone relocations
// are resolved, if it is as long as that of the section.
func (c *LineCopy) head(i int, own []byte) []byte {
	if i >= len(c.programs) || len(c.programs[i].head) != len(own) {
		return own
	}
	return c.programs[i].head
}

// Places tell where the relocations of a line table are after [Lines].
type Places []place

// A place is where a part of the section went that has one relocated place at most
// after its header.
type place struct {
	old, new uint64
	gone     bool
}

// Offset returns the new place of the relocation at old; ok is false when it went with
// its sequence.
func (p Places) Offset(old uint64) (offset uint64, ok bool) {
	i := sort.Search(len(p), func(i int) bool { return p[i].old > old }) - 1
	if i < 0 {
		return old, true
	}
	return old - p[i].old + p[i].new, !p[i].gone
}

// Lines maps .debug_line or .nv_debug_line_sass: rows follow their functions, the
// sequences of dropped functions go (MERC-116, MERC-117), and those of each program come
// in the order of their functions' symbols (MERC-118). inner is the copy of the section in
// the Mercury half; it matters for code that another file's stands in for, and for what
// the heads of programs refer to.
//
// A section of which no function moved or went comes out as it was, except that, where
// endsEmpty, a program without rows has the end of a sequence (KIT-052).
func Lines(section []byte, inner LineCopy, at Place, endsEmpty bool, sequence Sequence) (out []byte, places Places, err error) {
	programs, err := readLines(section, at)
	if err != nil {
		return nil, nil, err
	}
	if err := inner.read(at); err != nil {
		return nil, nil, err
	}
	for i := range programs {
		p := &programs[i]
		places = append(places, place{old: uint64(p.at), new: uint64(len(out))})
		start := len(out)
		out = append(out, inner.head(i, p.head)...)
		outcomes := make([]Outcome, len(p.sequences))
		order := make([]int, len(p.sequences))
		for j := range p.sequences {
			s := &p.sequences[j]
			order[j], outcomes[j].Kept = j, true
			if !s.located {
				continue
			}
			outcomes[j] = sequence(s.relocation)
			if outcomes[j].ofInner() {
				if c := inner.sequence(i, outcomes[j].Number); c != nil {
					s.steps, s.end, s.last = c.steps, c.end, c.last
				}
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(outcomes[a].Number, outcomes[b].Number) })
		begin := len(places)
		for _, j := range order {
			s := &p.sequences[j]
			if s.located {
				places = append(places, place{uint64(s.at), uint64(len(out)), !outcomes[j].Kept})
			}
			if outcomes[j].Kept {
				out = p.append(out, s, &outcomes[j])
			}
		}
		if endsEmpty && len(out)-start == len(p.head) {
			out = append(out, lineExtended, 1, lineEndSequence)
		}
		slices.SortFunc(places[begin:], func(a, b place) int { return cmp.Compare(a.old, b.old) })
		binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-start-4))
	}
	return out, places, nil
}

// A lineProgram is a program of a section, taken apart.
type lineProgram struct {
	at        int    // in the section
	head      []byte // what stands before its instructions
	sequences []lineSequence

	lineBase, lineRange, base int    // parameters
	lengths                   []byte // numbers of operands of the instructions below base
}

// A lineSequence is what a program says of one function.
type lineSequence struct {
	located    bool   // its address is set
	at         int    // of the instruction that sets it, in the section
	relocation uint64 // of the address
	steps      []lineStep
	end        []byte // the instruction that ends it; none in a program that does not
	last       lineStep
}

// A lineStep is a row, or an instruction that stays as it is.
type lineStep struct {
	instruction []byte
	address     uint64 // of the row in the old code
	line        int64  // of the row, from the first
	silent      bool   // an address on the way, for which there is no row
	special     bool   // a row of an instruction that moves address and line as well
}

func (s *lineStep) isRow() bool { return s.instruction == nil && !s.silent }

// readLines takes the programs of a section apart.
func readLines(section []byte, at Place) ([]lineProgram, error) {
	r := lineReader{section: section, place: at}
	var programs []lineProgram
	for r.pos < len(section) {
		p, err := r.program()
		if err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// A lineReader reads the programs of a section, one by one.
type lineReader struct {
	section  []byte
	pos, end int // in section: here, and the end of the program
	place    Place

	lineProgram
	now      lineSequence // the one that is read
	address  uint64
	line     int64
	advanced bool // the last instruction moved the address
}

func (r *lineReader) fail(msg string, value any) error { return r.place.fail(r.pos, msg, value) }

// program reads the program at pos and goes on to the next.
func (r *lineReader) program() (lineProgram, error) {
	b := r.section[r.pos:]
	if len(b) < lineHead+5 {
		return lineProgram{}, r.fail("line program is shorter than its header", len(b))
	}
	length, version := uint64(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint16(b[4:])
	if length+4 > uint64(len(b)) || length+4 < lineHead+5 {
		return lineProgram{}, r.fail("line program is longer than its section", length)
	}
	if version != 2 {
		return lineProgram{}, r.fail("unknown version of a line program", version)
	}
	head := uint64(binary.LittleEndian.Uint32(b[6:])) + lineHead
	r.lineProgram = lineProgram{at: r.pos, lineBase: int(int8(b[12])), lineRange: int(b[13]), base: int(b[14])}
	if head > length+4 || head < lineHead+5+uint64(r.base)-1 || b[10] != 1 || r.lineRange == 0 || r.base <= lineFixedAdd {
		return lineProgram{}, r.fail("line program with a wrong header", head)
	}
	r.head, r.lengths = b[:head], b[lineHead+5:lineHead+5+r.base-1]
	r.end = r.pos + int(length) + 4
	r.pos += int(head)
	r.begin()
	for r.pos < r.end {
		if err := r.step(); err != nil {
			return lineProgram{}, err
		}
	}
	r.finish(nil)
	return r.lineProgram, nil
}

// begin starts a sequence.
func (r *lineReader) begin() { r.now, r.address, r.line = lineSequence{}, 0, 0 }

// finish ends a sequence, unless it says nothing.
func (r *lineReader) finish(end []byte) {
	r.now.end, r.now.last = end, lineStep{address: r.address, line: r.line}
	if end != nil || r.now.located || len(r.now.steps) > 0 {
		r.sequences = append(r.sequences, r.now)
	}
	r.begin()
}

func (r *lineReader) row(special bool) {
	r.now.steps = append(r.now.steps, lineStep{address: r.address, line: r.line, special: special})
}

func (r *lineReader) keep(instruction []byte) {
	r.now.steps = append(r.now.steps, lineStep{instruction: instruction})
}

// step takes one instruction.
func (r *lineReader) step() error {
	op, b := r.section[r.pos], r.section[r.pos+1:r.end]
	size := 1
	advanced := r.advanced
	r.advanced = op == lineAdvancePC
	special := int(op) - r.base
	switch {
	case special >= 0:
		r.address += uint64(special / r.lineRange)
		r.line += int64(r.lineBase + special%r.lineRange)
		r.row(true)
	case op == lineExtended:
		return r.extended()
	case op == lineCopy:
		r.row(false)
	case op == lineAdvancePC:
		if advanced {
			r.now.steps = append(r.now.steps, lineStep{address: r.address, line: r.line, silent: true})
		}
		n, v := sleb(b) // as nvlink writes it; DWARF's is unsigned
		r.address += uint64(v)
		size += n
	case op == lineAdvance:
		n, v := sleb(b)
		r.line += v
		size += n
	case op == lineConstAddPC:
		r.address += uint64((255 - r.base) / r.lineRange)
	case op == lineFixedAdd:
		if len(b) < 2 {
			return r.fail("line program ends inside an instruction", op)
		}
		r.address += uint64(binary.LittleEndian.Uint16(b))
		size += 2
	default:
		for range r.lengths[op-1] {
			size += leb(r.section[r.pos+size : r.end])
		}
		r.keep(r.section[r.pos : r.pos+size])
	}
	r.pos += size
	return nil
}

// extended takes an extended instruction: 0, length, opcode, operands.
func (r *lineReader) extended() error {
	n, length := uleb(r.section[r.pos+1 : r.end])
	operand := r.pos + 1 + n + 1
	end := uint64(r.pos+1+n) + length
	if length == 0 || end > uint64(r.end) {
		return r.fail("line program ends inside an instruction", length)
	}
	b := r.section[r.pos:end]
	switch r.section[operand-1] {
	case lineSetAddress:
		if r.now.located || len(r.now.steps) > 0 {
			r.finish(nil)
		}
		r.begin()
		r.now.located, r.now.at, r.now.relocation = true, r.pos, uint64(operand)
		r.keep(b)
	case lineEndSequence:
		r.finish(b)
	default:
		r.keep(b)
	}
	r.pos = int(end)
	return nil
}

// append writes a sequence.
func (p *lineProgram) append(out []byte, s *lineSequence, become *Outcome) []byte {
	w := lineWriter{lineProgram: p, out: out}
	switch {
	case !become.Kept:
	case become.Unfound:
		w.unfound(s)
		return w.out
	case become.Replaced != nil:
		w.replaced(s, become.Replaced)
		return w.out
	}
	for _, step := range s.steps {
		switch {
		case step.instruction != nil:
			w.out = append(w.out, step.instruction...)
		case step.silent:
			w.advance(become.Map.Offset(step.address))
		default:
			w.row(become.Map.Offset(step.address), step.line)
		}
	}
	if s.end != nil {
		if s.last.line != w.line {
			w.out = appendSLEB(append(w.out, lineAdvance), s.last.line-w.line)
		}
		w.finish(become.Map.Offset(s.last.address), s.end)
	}
	return w.out
}

// A lineWriter writes a sequence of rows.
type lineWriter struct {
	*lineProgram
	out     []byte
	address uint64 // of the last row
	line    int64
}

// row writes a row.
func (w *lineWriter) row(address uint64, line int64) {
	step, lines := int64(address-w.address), line-w.line
	w.address, w.line = address, line
	inLine := lines - int64(w.lineBase)
	if step > 0 && step < 256 && lines != 0 && inLine >= 0 && inLine < int64(w.lineRange) {
		if op := inLine + int64(w.lineRange)*step + int64(w.base); op < 256 {
			w.out = append(w.out, byte(op))
			return
		}
	}
	if lines != 0 || step == 0 {
		w.out = appendSLEB(append(w.out, lineAdvance), lines)
	}
	if step != 0 {
		w.out = appendSLEB(append(w.out, lineAdvancePC), step)
	}
	w.out = append(w.out, lineCopy)
}

// advance moves the address without a row.
func (w *lineWriter) advance(address uint64) {
	if address != w.address {
		w.out = appendSLEB(append(w.out, lineAdvancePC), int64(address-w.address))
		w.address = address
	}
}

// finish writes the end of the sequence.
func (w *lineWriter) finish(address uint64, end []byte) {
	w.advance(address)
	w.out = append(w.out, end...)
}

// unfound writes the rows of sequence s, of Mercury code, as they are: one for each offset,
// with its last line (MERC-118).
func (w *lineWriter) unfound(s *lineSequence) {
	lines := map[uint64]int64{}
	for _, step := range s.steps {
		if step.isRow() {
			lines[step.address] = step.line
		}
	}
	for _, step := range s.steps {
		if step.instruction != nil {
			if !isLineMark(step.instruction) {
				w.out = append(w.out, step.instruction...)
			}
		} else if line, fresh := lines[step.address]; step.isRow() && fresh {
			w.row(step.address, line)
			delete(lines, step.address)
		}
	}
	if s.end != nil {
		w.finish(w.address, s.end)
	}
}

// A replacedRow is a row of Mercury code that gave way to other code.
type replacedRow struct {
	before []byte // what the program says before it, but for marks
	at     uint64 // of the next instruction of the other code
	line   int64
	marked bool
}

// replacedRows returns the rows of s, as far as code has an instruction for them. What a mark
// says counts from the next row on that is no special instruction.
func (s *lineSequence) replacedRows(code *Code) (rows []replacedRow, rest []byte) {
	mark, marked := false, false
	for _, step := range s.steps {
		switch {
		case step.isRow():
			if !step.special {
				marked = mark
			}
			if next, ok := code.next(step.address); ok {
				rows = append(rows, replacedRow{rest, next.machine, step.line, marked})
				rest = nil
			}
		case step.silent:
		case isLineMark(step.instruction):
			mark = step.instruction[len(step.instruction)-1] != 0
		default:
			rest = append(rest, step.instruction...)
		}
	}
	return rows, rest
}

// replaced writes the rows of sequence s for code that its own gave way to: for each place
// the last one (MERC-127, MERC-128). One that says what the one before says is left out, unless marks
// come in between: it is marked and the one before is not, or it is the second after a
// marked one. Where the function begins and no mark stands, the first row stands twice.
func (w *lineWriter) replaced(s *lineSequence, code *Code) {
	rows, rest := s.replacedRows(code)
	marked := func(k int) bool { return k >= 0 && rows[k].marked }
	written, said, second, before := 0, false, false, false
	for k, r := range rows {
		if len(r.before) > 0 {
			w.out = append(w.out, r.before...)
			said = true
		}
		switch {
		case r.marked:
			second = false
		case marked(k-2) && !marked(k-1) && rows[k-2].at != r.at:
			second = true
		}
		if k+1 < len(rows) && rows[k+1].at == r.at {
			continue
		}
		if written == 0 && r.at == 0 && !r.marked {
			w.row(r.at, r.line)
		}
		if first := r.marked && !marked(k-1) && !before; written == 0 || said || second || first || r.line != w.line {
			w.row(r.at, r.line)
			written++
			said = false
		}
		second, before = false, r.marked
	}
	w.out = append(w.out, rest...)
	if s.end != nil {
		w.finish(code.size, s.end)
	}
}

// isLineMark tells the extended instruction that stands in Mercury code alone.
func isLineMark(instruction []byte) bool {
	n, _ := uleb(instruction[1:])
	return instruction[0] == lineExtended && instruction[1+n] == lineMark
}

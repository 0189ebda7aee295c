package codemap

import (
	"github.com/culink/culink/linker/mercury/capsule"
)

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
	for i := range s.steps {
		switch step := &s.steps[i]; step.kind {
		case keptInstruction:
			w.out = append(w.out, s.instruction(step)...)
		case silentAddress:
			w.advance(become.Map.Offset(step.at))
		case silentRow:
			w.move(become.Map.Offset(step.at), step.line)
		default:
			w.row(become.Map.Offset(step.at), step.line)
		}
	}
	if s.end != nil {
		if s.last.line != w.line {
			w.out = appendSLEB(append(w.out, lineAdvance), s.last.line-w.line)
		}
		w.finish(become.Map.Offset(s.last.at), s.end)
	}
	return w.out
}

// A lineWriter writes a sequence of rows.
type lineWriter struct {
	*lineProgram
	out     []byte
	address uint64 // of the last row
	line    int64
	moved   bool // address and line were set without a row
}

// row writes a row.
func (w *lineWriter) row(address uint64, line int64) {
	step, lines := int64(address-w.address), line-w.line
	w.address, w.line = address, line
	moved := w.moved
	w.moved = false
	inLine := lines - int64(w.lineBase)
	if step > 0 && step < 256 && lines != 0 && inLine >= 0 && inLine < int64(w.lineRange) {
		if op := inLine + int64(w.lineRange)*step + int64(w.base); op < 256 {
			w.out = append(w.out, byte(op))
			return
		}
	}
	if lines != 0 || step == 0 && !moved {
		w.out = appendSLEB(append(w.out, lineAdvance), lines)
	}
	if step != 0 {
		w.out = appendSLEB(append(w.out, lineAdvancePC), step)
	}
	w.out = append(w.out, lineCopy)
}

// move sets the address and line before a kept instruction, without a row.
func (w *lineWriter) move(address uint64, line int64) {
	if line != w.line {
		w.out = appendSLEB(append(w.out, lineAdvance), line-w.line)
		w.line = line
	}
	w.advance(address)
	w.moved = true
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

// unfound writes the rows of sequence s as Mercury code, without mapping. Each offset gets one row, with its
// last line (MERC-118).
func (w *lineWriter) unfound(s *lineSequence) {
	lines := map[uint64]int64{}
	for i := range s.steps {
		if step := &s.steps[i]; step.isRow() {
			lines[step.at] = step.line
		}
	}
	for i := range s.steps {
		step := &s.steps[i]
		if kept := s.instruction(step); kept != nil {
			if !isLineMark(kept) {
				w.out = append(w.out, kept...)
			}
		} else if line, fresh := lines[step.at]; step.isRow() && fresh {
			w.row(step.at, line)
			delete(lines, step.at)
		}
	}
	if s.end != nil {
		w.finish(w.address, s.end)
	}
}

// A replacedRow is a row of replaced Mercury code.
type replacedRow struct {
	before []byte // the kept instructions before it, except for marks
	at     uint64 // offset of the next instruction of the other code
	line   int64
	marked bool
}

// replacedRows returns the rows of s for which code has an instruction, and the kept instructions after the
// last row. A line mark applies from the next row on that is not written by a special opcode.
func (s *lineSequence) replacedRows(code *capsule.Code) (rows []replacedRow, rest []byte) {
	mark, marked := false, false
	for i := range s.steps {
		step := &s.steps[i]
		kept := s.instruction(step)
		switch {
		case step.isRow():
			if step.kind == lineRow {
				marked = mark
			}
			if start, ok := code.Next(step.at); ok {
				rows = append(rows, replacedRow{rest, start.Machine, step.line, marked})
			}
			rest = nil
		case step.kind == silentAddress, step.kind == silentRow:
		case isLineMark(kept):
			mark = kept[len(kept)-1] != 0
		default:
			rest = append(rest, kept...)
		}
	}
	return rows, rest
}

// replaced writes the rows of sequence s for code that replaced its own. Each offset gets one row, the last
// one in the sequence (MERC-127, MERC-128). A row equal to the previous one is dropped. There are two
// exceptions: the row is marked and the previous one is not, or it is the second row after a marked one. If
// there is no mark at the start of the function, the first row is written twice.
func (w *lineWriter) replaced(s *lineSequence, code *capsule.Code) {
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
	if s.end != nil {
		w.advance(code.Size())
	}
	w.out = append(append(w.out, rest...), s.end...)
}

// isLineMark reports whether an extended instruction is the one that occurs only in Mercury code.
func isLineMark(instruction []byte) bool {
	n, _ := uleb(instruction[1:])
	return instruction[0] == lineExtended && instruction[1+n] == lineMark
}

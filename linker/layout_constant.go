package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// Constant banks. The user's constants (.nv.constant3) and the kernels'
// parameters (.nv.constant0.<kernel>) are laid out by merge. What remains are the
// compiler's own constants (.nv.constant2.<function>, "OCG constants"): code of a
// device function has one offset for them, but every kernel has its own bank, so
// they are copied into the bank of each kernel that reaches the function, at one
// common offset (seed 000 "OCG"; LAYOUT-040).

const (
	compilerConstantPrefix = ".nv.constant2."
	compilerBankNumber     = 2
)

// A compilerBank is a kernel's bank of compiler constants while it grows.
type compilerBank struct {
	section     *section // nil until it is needed
	size, align uint64
	parts       []constantPart
}

type constantPart struct {
	offset uint64
	data   []byte
	copy   *section // in the Mercury half
	tables []span   // the objects in it
}

func (l *laidOut) layoutConstants(log *diag.Log) {
	l.layoutCompilerConstants(log)
	l.layoutUserConstants(log)
}

// layoutUserConstants compares the user's constants with the size of their bank. An
// executable's are packed before that is an error (LAYOUT-061).
func (l *laidOut) layoutUserConstants(log *diag.Log) {
	s := l.byName[userConstantName]
	if s == nil {
		return
	}
	if s.size <= maxConstant {
		if o := l.options; !o.Relocatable && !o.Debug && l.choosesKernels() {
			l.joinConstants(s)
		}
		return
	}
	if !l.options.Relocatable && !l.packConstants(s) {
		log.Report(diag.InternalError, "should only reach here with no opt")
		return
	}
	if s.size > maxConstant {
		log.Report(diag.TooMuchGlobalConstant, "constant", s.size, maxConstant)
	}
}

const userConstantName = ".nv.constant3"

// userConstantsSize is the name by which code asks how many bytes of constants the user
// has. Inputs share one such symbol, be it local (MERGE-303).
const userConstantsSize = ".nv.ptx.const0.size"

// setUserConstantsSize gives that symbol its value, where there are such constants
// (LAYOUT-403).
func (l *laidOut) setUserConstantsSize() {
	bank := l.byName[userConstantName]
	if bank == nil {
		return
	}
	for _, y := range []*symbol{l.symbols[userConstantsSize], l.userConstantsSize} {
		if y != nil && y.section == nil {
			y.value, y.addend = bank.size, 0
		}
	}
}

// maxConstant is the size of a constant bank, in bytes.
const maxConstant = 0x10000

func (l *laidOut) layoutCompilerConstants(log *diag.Log) {
	banks := map[*entry]*compilerBank{}
	reaching := map[*function][]*entry{}
	for _, e := range l.entries {
		b := &compilerBank{section: e.fn.compilerConstants(), align: 1}
		if b.section != nil {
			b.section.flags |= cubin.FlagInfoLink
			b.size, b.align = b.section.size, b.section.align
		}
		banks[e] = b
		for _, fn := range e.reachable {
			if fn.text != nil && !fn.entry && fn.compilerConstants() != nil {
				reaching[fn] = append(reaching[fn], e)
			}
		}
	}
	for _, s := range slices.Backward(l.sections) {
		if fn := s.fn; fn != nil && !fn.dead && !fn.entry && s == fn.compilerConstants() && !s.opaque {
			l.spreadConstants(s, reaching[fn], banks)
		}
	}
	for _, e := range l.entries {
		b := banks[e]
		if b.size > maxConstant {
			log.Report(diag.TooMuchOCGConstant, e.fn.symbol.name)
			continue
		}
		if len(b.parts) > 0 {
			b.fill()
			b.fillCopy()
		}
	}
}

// compilerConstants is the function's own .nv.constant2, if it has one. What a copy of
// the function brought that lost is not its own, but stays (MERGE-018).
func (f *function) compilerConstants() *section {
	if s := f.bound[compilerConstantPrefix+f.symbol.name]; s != nil && !s.orphan && !s.gone {
		return s
	}
	return nil
}

// spreadConstants gives the constants s of a function their offset in the banks
// of all kernels that reach it; a kernel that has no bank yet gets one, the last
// kernel first. The function's own section goes away, and its name with it.
func (l *laidOut) spreadConstants(s *section, entries []*entry, banks map[*entry]*compilerBank) {
	if l.options.Trace != nil {
		l.options.trace(compilerConstantBank, s.name, s.size)
		for _, e := range entries {
			l.options.trace(compilerConstantsReach, l.number(s), e.fn.order, e.fn.symbol.name)
		}
	}
	align, end := s.align, uint64(0)
	for _, e := range entries {
		align, end = max(align, banks[e].align), max(end, banks[e].size)
	}
	offset := alignUp(end, align)
	var tables []span
	for _, y := range s.internals {
		tables = append(tables, span{y.value, y.value + y.size})
	}
	for _, e := range slices.Backward(entries) {
		if b := banks[e]; b.section == nil {
			b.section = l.newCompilerBank(e)
			l.options.trace(compilerBankNeeded, b.section.name)
		}
	}
	for _, e := range slices.Backward(entries) {
		b := banks[e]
		if l.options.Trace != nil {
			l.options.trace(compilerConstantsPlaced, s.name, offset, l.number(b.section))
		}
		l.prepareCopy(b.section, s)
		b.size, b.align = offset+s.size, align
		b.parts = append(b.parts, constantPart{offset, s.data, s.copy, tables})
		l.addPart(b.section, part{origin: s.fn.symbol.definedIn, offset: offset, size: s.size, what: "constants of " + s.fn.symbol.name})
	}
	for _, y := range s.internals {
		l.options.trace(compilerConstantReset, y.value, y.value+offset)
		y.value += offset
		y.hidden, y.unnamed = true, true
	}
	if base, ok := l.nullSymbol[s]; ok && len(entries) > 0 {
		l.nullValue = offset + base
	}
	s.kept, s.gone = false, true
}

func (l *laidOut) newCompilerBank(e *entry) *section {
	s := l.addSection(&section{
		name: compilerConstantPrefix + e.fn.symbol.name, typ: cubin.SectionConstant0 + compilerBankNumber,
		flags: cubin.FlagInfoLink | cubin.FlagAlloc, align: 1,
		bank: compilerBankNumber, fn: e.fn, target: e.fn.text, group: groupConstant,
	})
	e.fn.bind(s)
	return s
}

// fill writes the functions' constants into the bank.
func (b *compilerBank) fill() {
	s := b.section
	s.kept = true
	s.align = b.align
	s.size = alignUp(b.size, b.align)
	data := make([]byte, s.size)
	copy(data, s.data)
	for _, part := range b.parts {
		copy(data[part.offset:], part.data)
	}
	s.data, s.owned = data, true
}

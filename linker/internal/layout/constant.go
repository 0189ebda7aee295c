package layout

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/trace"
)

// Constant banks. The user's constants (.nv.constant3) and the kernels'
// parameters (.nv.constant0.<kernel>) are laid out by merge. What remains are the
// compiler's own constants (.nv.constant2.<function>, "OCG constants"): code of a
// device function has one offset for them, but every kernel has its own bank, so
// they are copied into the bank of each kernel that reaches the function, at one
// common offset (seed 000 "OCG"; LAYOUT-040).

// A compilerBank is a kernel's bank of compiler constants while it grows.
type compilerBank struct {
	section     *program.Section // nil until it is needed
	size, align uint64
	parts       []constantPart
}

type constantPart struct {
	offset uint64
	data   []byte
	copy   *program.Section // in the Mercury half
	tables []program.Span   // the objects in it
}

func (l *Placed) layoutConstants(log *diag.Log) {
	l.layoutCompilerConstants(log)
	l.layoutUserConstants(log)
}

// layoutUserConstants compares the user's constants with the size of their bank. An
// executable's are packed before that is an error (LAYOUT-061).
func (l *Placed) layoutUserConstants(log *diag.Log) {
	s := l.ByName[cubin.UserConstantName]
	if s == nil {
		return
	}
	if s.Size <= cubin.MaxConstant {
		if o := l.Options; !o.Relocatable && !o.Debug && l.ChoosesKernels() {
			l.joinConstants(s)
		}
		return
	}
	if !l.Options.Relocatable && !l.packConstants(s) {
		log.Report(diag.InternalError, "should only reach here with no opt")
		return
	}
	if s.Size > cubin.MaxConstant {
		log.Report(diag.TooMuchGlobalConstant, "constant", s.Size, cubin.MaxConstant)
	}
}

// setUserConstantsSize gives that symbol its value, where there are such constants
// (LAYOUT-403).
func (l *Placed) setUserConstantsSize() {
	bank := l.ByName[cubin.UserConstantName]
	if bank == nil {
		return
	}
	for _, y := range []*program.Symbol{l.Symbols[cubin.UserConstantsSize], l.UserConstantsSize} {
		if y != nil && y.Section == nil {
			y.Value, y.Addend = bank.Size, 0
		}
	}
}

func (l *Placed) layoutCompilerConstants(log *diag.Log) {
	banks := map[*reach.Entry]*compilerBank{}
	reaching := map[*program.Function][]*reach.Entry{}
	for _, e := range l.Entries {
		b := &compilerBank{section: e.Fn.CompilerConstants(), align: 1}
		if b.section != nil {
			b.section.Flags |= cubin.FlagInfoLink
			b.size, b.align = b.section.Size, b.section.Align
		}
		banks[e] = b
		for _, fn := range e.Reachable {
			if fn.Text != nil && !fn.Entry && fn.CompilerConstants() != nil {
				reaching[fn] = append(reaching[fn], e)
			}
		}
	}
	for _, s := range slices.Backward(l.Sections) {
		if fn := s.Fn; fn != nil && !fn.Dead && !fn.Entry && s == fn.CompilerConstants() && !s.Opaque {
			l.spreadConstants(s, reaching[fn], banks)
		}
	}
	for _, e := range l.Entries {
		b := banks[e]
		if b.size > cubin.MaxConstant {
			log.Report(diag.TooMuchOCGConstant, e.Fn.Symbol.Name)
			continue
		}
		if len(b.parts) > 0 {
			b.fill()
			b.fillCopy()
		}
	}
}

// spreadConstants gives the constants s of a function their offset in the banks
// of all kernels that reach it; a kernel that has no bank yet gets one, the last
// kernel first. The function's own section goes away, and its name with it.
func (l *Placed) spreadConstants(s *program.Section, entries []*reach.Entry, banks map[*reach.Entry]*compilerBank) {
	if l.Options.Trace != nil {
		l.Options.TraceStep(trace.CompilerConstantBank, s.Name, s.Size)
		for _, e := range entries {
			l.Options.TraceStep(trace.CompilerConstantsReach, l.Number(s), e.Fn.Order, e.Fn.Symbol.Name)
		}
	}
	align, end := s.Align, uint64(0)
	for _, e := range entries {
		align, end = max(align, banks[e].align), max(end, banks[e].size)
	}
	offset := cubin.AlignUp(end, align)
	var tables []program.Span
	for _, y := range s.Internals {
		tables = append(tables, program.Span{From: y.Value, To: y.Value + y.Size})
	}
	for _, e := range slices.Backward(entries) {
		if b := banks[e]; b.section == nil {
			b.section = l.newCompilerBank(e)
			l.Options.TraceStep(trace.CompilerBankNeeded, b.section.Name)
		}
	}
	for _, e := range slices.Backward(entries) {
		b := banks[e]
		if l.Options.Trace != nil {
			l.Options.TraceStep(trace.CompilerConstantsPlaced, s.Name, offset, l.Number(b.section))
		}
		l.prepareCopy(b.section, s)
		b.size, b.align = offset+s.Size, align
		b.parts = append(b.parts, constantPart{offset, s.Data, s.Copy, tables})
		l.AddPart(b.section, program.Part{Origin: s.Fn.Symbol.DefinedIn, Offset: offset, Size: s.Size, What: "constants of " + s.Fn.Symbol.Name})
	}
	for _, y := range s.Internals {
		l.Options.TraceStep(trace.CompilerConstantReset, y.Value, y.Value+offset)
		y.Value += offset
		y.Hidden, y.Unnamed = true, true
	}
	if base, ok := l.NullSymbol[s]; ok && len(entries) > 0 {
		l.NullValue = offset + base
	}
	s.Kept, s.Gone = false, true
}

func (l *Placed) newCompilerBank(e *reach.Entry) *program.Section {
	s := l.AddSection(&program.Section{
		Name: cubin.CompilerConstantPrefix + e.Fn.Symbol.Name, Type: cubin.SectionConstant0 + cubin.CompilerBankNumber,
		Flags: cubin.FlagInfoLink | cubin.FlagAlloc, Align: 1,
		Bank: cubin.CompilerBankNumber, Fn: e.Fn, Target: e.Fn.Text, Group: program.GroupConstant,
	})
	e.Fn.Bind(s)
	return s
}

// fill writes the functions' constants into the bank.
func (b *compilerBank) fill() {
	s := b.section
	s.Kept = true
	s.Align = b.align
	s.Size = cubin.AlignUp(b.size, b.align)
	data := make([]byte, s.Size)
	copy(data, s.Data)
	for _, part := range b.parts {
		copy(data[part.offset:], part.data)
	}
	s.Data, s.Owned = data, true
}

// fillCopy writes the functions' constants into the copy of the bank too. What is in
// them, places in code, only relocations say there, and these stay: those of the kernel
// first, then those of each function, its last object first.
func (b *compilerBank) fillCopy() {
	s, c := b.section, b.section.Copy
	if c == nil {
		return
	}
	data := make([]byte, s.Size)
	copy(data, c.Data)
	var moved []program.Relocation
	for _, part := range b.parts {
		if part.copy == nil {
			continue
		}
		copy(data[part.offset:], part.copy.Data)
		size := part.copy.Size
		rest := slices.DeleteFunc(slices.Clone(part.copy.Relocations), func(r program.Relocation) bool { return r.Offset >= size })
		take := func(of func(*program.Relocation) bool) {
			for _, r := range slices.Backward(rest) {
				if of(&r) {
					r.Offset += part.offset
					moved = append(moved, r)
				}
			}
			rest = slices.DeleteFunc(rest, func(r program.Relocation) bool { return of(&r) })
		}
		take(func(r *program.Relocation) bool { // of a copy that lost
			return !slices.ContainsFunc(part.tables, func(t program.Span) bool { return t.From <= r.Offset && r.Offset < t.To })
		})
		for _, table := range slices.Backward(part.tables) { // of two in one place, the last has both's
			take(func(r *program.Relocation) bool { return table.From <= r.Offset && r.Offset < table.To })
		}
	}
	slices.Reverse(moved)
	c.Relocations = append(moved, c.Relocations...)
	c.Data, c.Owned, c.Size, c.Align = data, true, s.Size, s.Align
}

// prepareCopy gives bank a copy for the constants of from, and their relocations a place.
func (m *Placed) prepareCopy(bank, from *program.Section) {
	if from.Copy == nil {
		return
	}
	if bank.Copy == nil {
		bank.Copy = &program.Section{
			Name: cubin.CopyName(bank.Name), Type: cubin.SectionMercOptimizer, Flags: cubin.FlagMercury | bank.Flags,
			Bank: program.NoBank, Fn: bank.Fn, Original: bank, Kept: true,
		}
	}
	if len(from.Copy.Relocations) > 0 {
		m.RegisterCopy(bank.Copy)
		m.RegisterRelocations(bank, bank.Name, true, cubin.FlagInfoLink)
		if m.Options.PreserveRelocs {
			m.RegisterSection(".nv.resolvedrela"+bank.Name, cubin.SectionResolvedRela, bank, cubin.FlagInfoLink)
		}
	}
}

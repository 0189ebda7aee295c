package layout

import (
	"cmp"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/trace"
)

// This file lays out compiler-generated constants (.nv.constant2.<function>, "OCG constants"). Merge has
// already laid out the other constant banks: the user's constants (.nv.constant3) and the kernels' parameters
// (.nv.constant0.<kernel>). The code of a device function uses a single offset for its constants, but every
// kernel has its own bank. The constants are therefore copied into the bank of each kernel that reaches the
// function, at one common offset (seed 000 "OCG"; LAYOUT-040).

// A compilerBank is a kernel's bank of compiler-generated constants while it is being built.
type compilerBank struct {
	section     *program.Section // nil until it is needed
	size, align uint64
	parts       []constantPart
}

type constantPart struct {
	offset uint64
	from   *program.Section
	tables []program.Span // the objects in it
}

func (l *Placed) layoutConstants(log *diag.Log) {
	if err := l.layoutCompilerConstants(); err != "" {
		log.Report(diag.InternalError, err)
		return
	}
	l.layoutUserConstants(log)
}

// layoutUserConstants checks that the user's constants fit into their bank. In an executable, constants that
// are too large are packed first; only if they still do not fit, it reports an error (LAYOUT-061, KIT-093).
func (l *Placed) layoutUserConstants(log *diag.Log) {
	s := l.ByName[cubin.UserConstantName]
	if s == nil {
		return
	}
	if s.Size <= cubin.MaxConstant {
		if o := l.Options; !o.Relocatable && !o.DebugSymbols() && l.ChoosesKernels() && l.Target.Profile.Layout.JoinsConstants {
			l.AddPassing(mergedConstants)
			l.joinConstants(s)
		}
		return
	}
	if !l.Options.Relocatable && l.Target.Profile.Layout.PacksConstants {
		l.AddPassing(mergedConstants)
		if !l.packConstants(s) {
			log.Report(diag.InternalError, "should only reach here with no opt")
			return
		}
	}
	if s.Size > cubin.MaxConstant {
		l.refuse(s, diag.TooMuchGlobalConstant, "constant", s.Size, cubin.MaxConstant)
	}
}

// mergedConstants is the name of the temporary section that nvlink creates for the second layout of the
// user's constants.
const mergedConstants = "TEMP_MERGED_CONSTANTS"

// setUserConstantsSize sets the symbols for the size of the user's constants, if the program has any
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

// bindCompilerConstants sets the info-link flag on each function's compiler-generated constants in a
// relocatable file. Old objects lack the flag (KIT-071). It also checks that the constants fit into a bank
// (LAYOUT-107).
func (l *Placed) bindCompilerConstants() {
	for _, fn := range l.Functions {
		if s := fn.CompilerConstants(); s != nil {
			s.Flags |= l.InfoLink()
			if s.Size > cubin.MaxConstant {
				l.refuse(s, diag.TooMuchOCGConstant, fn.Symbol.Name)
			}
		}
	}
}

// layoutCompilerConstants lays out the banks of the compiler's constants. It returns the text of an internal error, or none.
func (l *Placed) layoutCompilerConstants() string {
	banks := map[*Kernel]*compilerBank{}
	reaching := map[*program.Function][]*Kernel{}
	for _, e := range l.Kernels {
		b := &compilerBank{section: e.Fn.CompilerConstants(), align: 1}
		if b.section != nil {
			b.section.Flags |= l.InfoLink()
			b.size, b.align = b.section.Size, b.section.Align
		}
		banks[e] = b
		for _, fn := range e.Reachable() {
			if fn.Text != nil && !fn.Entry && (fn.CompilerConstants() != nil || isReplaced(fn.Own(cubin.CompilerConstantPrefix))) {
				reaching[fn] = append(reaching[fn], e)
			}
		}
	}
	for _, s := range slices.Backward(l.Sections) {
		if isSpread(s) || isReplaced(s) {
			l.spreadConstants(s, reaching[s.Fn], banks)
		}
	}
	for _, b := range banks {
		if b.section != nil && b.size == 0 {
			b.section.State = program.Gone
		}
	}
	overflows := slices.ContainsFunc(l.Kernels, func(e *Kernel) bool { return banks[e].size > cubin.MaxConstant })
	switch {
	case overflows && l.Target.Profile.Layout.RefusesCopies && l.hasDiscarded(banks):
		return diag.CopiedConstants
	case overflows && l.poolCompilerConstants(banks):
		return ""
	}
	for _, e := range l.Kernels {
		b := banks[e]
		spread := len(b.parts) > 0 && b.size > 0
		if spread {
			b.fill() // even a bank that is too large, because -v prints its size (LAYOUT-107)
		}
		switch {
		case b.size > cubin.MaxConstant:
			l.refuse(b.section, diag.TooMuchOCGConstant, e.Fn.Symbol.Name)
		case spread:
			b.fillMercury()
		}
	}
	return ""
}

// isSpread reports whether s must be copied into the banks of kernels. Such a section holds the
// compiler-generated constants of a device function, or belongs to no function (LAYOUT-111).
func isSpread(s *program.Section) bool {
	if s.Bank != cubin.CompilerBankNumber || s.Opaque {
		return false
	}
	fn := s.Fn
	return fn == nil && !s.Orphan && s.State == program.Kept || fn != nil && !fn.Dead && !fn.Entry && s == fn.CompilerConstants()
}

// isReplaced reports whether s held the compiler-generated constants of a device function whose code another input has
// replaced by code without constants. nvlink spreads the empty section all the same (LAYOUT-730): kernels get banks that
// end where it would stand. A bank that stays empty is dropped.
func isReplaced(s *program.Section) bool {
	return s != nil && s.Bank == cubin.CompilerBankNumber && s.State == program.Gone && !s.Orphan && s.Fn != nil && !s.Fn.Dead && !s.Fn.Entry
}

// spreadConstants copies s, the constants of a function, into the banks of all kernels that reach the
// function, at one common offset. Kernels without a bank get a new one, the last kernel first. The function's
// own section is dropped together with its name.
func (l *Placed) spreadConstants(s *program.Section, entries []*Kernel, banks map[*Kernel]*compilerBank) {
	if l.Options.Trace != nil {
		l.Options.TraceStep(trace.CompilerConstantBank, s.Name, s.Size)
		for _, e := range entries {
			l.Options.TraceStep(trace.CompilerConstantsReach, s.Number(), e.Fn.Order, e.Fn.Symbol.Name)
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
	slices.SortStableFunc(tables, func(a, b program.Span) int { return cmp.Compare(a.From, b.From) })
	for _, e := range slices.Backward(entries) {
		if b := banks[e]; b.section == nil {
			b.section = l.newCompilerBank(e)
			l.Options.TraceStep(trace.CompilerBankNeeded, b.section.Name)
		}
	}
	for _, e := range slices.Backward(entries) {
		b := banks[e]
		if l.Options.Trace != nil {
			l.Options.TraceStep(trace.CompilerConstantsPlaced, s.Name, offset, b.section.Number())
			l.Options.TraceStep(trace.OrderedBy, "LAYOUT-040", align, s.Size)
		}
		l.prepareMercury(b.section, s)
		b.size, b.align = offset+s.Size, align
		b.parts = append(b.parts, constantPart{offset, s, tables})
	}
	for _, y := range s.Internals {
		l.Options.TraceStep(trace.CompilerConstantReset, y.Value, y.Value+offset)
		y.Value += offset
		y.Hidden, y.Unnamed = true, true
	}
	if copies := l.Discarded[s]; copies != nil && len(entries) > 0 {
		l.NullValue = offset + copies[len(copies)-1]
	}
	s.State = program.Gone
}

func (l *Placed) newCompilerBank(e *Kernel) *program.Section {
	s := l.AddNewSection(program.Section{
		Side: program.Side{
			Name: cubin.CompilerConstantPrefix + e.Fn.Symbol.Name, Type: cubin.SectionConstant0 + cubin.CompilerBankNumber,
			Flags: l.InfoLink() | cubin.FlagAlloc, Align: 1,
		},
		Bank: cubin.CompilerBankNumber, Fn: e.Fn, Target: e.Fn.Text, Group: program.GroupConstant,
	})
	e.Fn.Bind(s)
	return s
}

// ConstantsOf is the prefix of the names of pieces in a kernel's bank. The name of the function that has the
// constants follows. If constants are not pooled, the kernel's own piece has no name.
const ConstantsOf = "constants of "

// fill puts the functions' constants into the bank.
func (b *compilerBank) fill() {
	s := b.section
	s.State = program.Kept
	s.Align, s.Size = b.align, cubin.AlignUp(b.size, b.align)
	for _, part := range b.parts {
		s.Add(program.Piece{
			Origin: part.from.Fn.Symbol.DefinedIn, What: ConstantsOf + part.from.Fn.Symbol.Name,
			Offset: part.offset, Size: part.from.Size, Data: part.from.Bytes(),
		})
	}
	s.FillUp()
}

// fillMercury also copies the functions' constants into the Mercury side of the bank. There the constants are
// code addresses that are known only from relocations, so the relocations are kept. The kernel's own
// constants come first. Those of each function follow, from its highest object down.
func (b *compilerBank) fillMercury() {
	c := b.section.Mercury
	if c == nil {
		return
	}
	var moved []program.Relocation
	for _, part := range b.parts {
		from := part.from.Mercury
		if from == nil {
			continue
		}
		c.Add(program.Piece{Offset: part.offset, Size: from.Size, Data: from.Bytes()})
		rest := slices.DeleteFunc(slices.Clone(from.Relocations), func(r program.Relocation) bool { return r.Offset >= from.Size })
		take := func(of func(*program.Relocation) bool) {
			for _, r := range slices.Backward(rest) {
				if of(&r) {
					r.Offset += part.offset
					moved = append(moved, r)
				}
			}
			rest = slices.DeleteFunc(rest, func(r program.Relocation) bool { return of(&r) })
		}
		take(func(r *program.Relocation) bool { // of a discarded copy
			return !slices.ContainsFunc(part.tables, func(t program.Span) bool { return t.From <= r.Offset && r.Offset < t.To })
		})
		for _, table := range slices.Backward(part.tables) { // the last of two tables at one offset has the relocations of both
			take(func(r *program.Relocation) bool { return table.From <= r.Offset && r.Offset < table.To })
		}
	}
	slices.Reverse(moved)
	c.Relocations = append(moved, c.Relocations...)
	c.Size, c.Align = b.section.Size, b.section.Align
	c.FillUp()
}

// prepareMercury creates the Mercury side of bank for the constants of from, and
// registers sections for their relocations.
func (l *Placed) prepareMercury(bank, from *program.Section) {
	if from.Mercury == nil {
		return
	}
	if bank.Mercury == nil {
		bank.Mercury = &program.Side{Name: cubin.MercuryName(bank.Name), Type: cubin.SectionMercOptimizer, Flags: cubin.FlagMercury | bank.Flags}
	}
	if len(from.Mercury.Relocations) > 0 && from.State != program.Gone { // what is left of replaced code stays where it is
		l.RegisterMercury(bank)
		l.RegisterRelocations(bank, bank.Name, true, cubin.FlagInfoLink)
		if l.Options.PreserveRelocs {
			l.RegisterSection(program.ResolvedPrefix, bank.Name, cubin.SectionResolvedRela, bank, cubin.FlagInfoLink)
		}
	}
}

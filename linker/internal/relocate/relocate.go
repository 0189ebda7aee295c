package relocate

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/finalize"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/parallel"
	"github.com/culink/culink/linker/reloc"
	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/trace"
)

// findLineStarts records the places in .debug_info that refer to the start of a unit's lines. With -r their
// relocations are kept.
func (r *Settled) findLineStarts() {
	info := r.ByName[cubin.DebugInfoName]
	if info == nil || !r.HasMercury() || r.Options.Relocatable {
		return
	}
	for i := range info.Relocations {
		if rel := &info.Relocations[i]; rel.StartsLines() {
			r.LineStarts = append(r.LineStarts, rel.Offset)
		}
	}
}

// A Settled program has patched code and data. The relocations that remain in the lists of sections are left to
// the driver.
type Settled struct {
	*finalize.Finalized
	// Unwritable is an error in a relocation that would be kept. nvlink finds such an error when it writes the
	// output, after all other errors (RELOC-030).
	Unwritable *Error
	// LineStarts are the places in .debug_info that refer to the start of a unit's lines. The finalizer moves
	// them.
	LineStarts []uint64

	targets       []atomic.Uint32 // by symbol ID, the target kind in the linked file plus 1; 0 if not yet computed
	symbolNumbers []int           // by ID, while the phase is traced
}

// A batch is a group of relocations of one side. They are settled in order, concurrently with other batches.
type batch struct {
	*Settled
	section *program.Section
	side    *program.Side
	list    []program.Relocation

	values     program.Values
	operands   []capsule.Operand // of the code
	kept       int               // number of kept relocations, at the start of the list
	unwritable *Error            // the first
	failed     *diag.Diagnostic  // the error that ended it
}

// batchSize is the maximum number of relocations of data in one batch.
const batchSize = 4096

// Relocations settles every relocation that the linker can settle (seed 003).
//
// Before the call, every symbol has its value. After the call, relocations against constants, shared memory and
// parts of debug sections are written into the bytes and removed. Those against code and global memory stay,
// with the types of an executable (RELOC-201). A relocation that cannot be resolved ends the link before
// anything is reported about the layout (RELOC-030). The time is linear in relocations.
func Relocations(l *finalize.Finalized, log *diag.Log) (*Settled, bool) {
	d := &Settled{Finalized: l, targets: make([]atomic.Uint32, l.NumSymbols+1)}
	if l.Options.Trace != nil {
		d.symbolNumbers = l.Numbers()
	}
	d.findLineStarts()
	number := 0
	for _, s := range l.Sections {
		number += (len(s.Relocations) + batchSize - 1) / batchSize
	}
	plain, copies := make([]batch, 0, number), make([]batch, 0, len(l.RelocatedCopies))
	for _, s := range l.Sections {
		plain = d.addBatches(plain, s, &s.Side)
	}
	for _, s := range l.RelocatedCopies {
		copies = d.addBatches(copies, s, s.Mercury)
	}
	return d, d.settleAll(plain, log) && d.settleAll(copies, log)
}

// alone reports whether relocations must be settled one after the other. They must be for a trace, whose steps
// are ordered, and if relocations are recorded, because the record of one may be stored with another.
func (d *Settled) alone() bool { return d.Options.Trace != nil || d.Options.PreserveRelocs }

// addBatches adds the relocations of a side of s to the batches. The relocations of code are one batch.
func (d *Settled) addBatches(batches []batch, s *program.Section, side *program.Side) []batch {
	switch {
	case s.Dead() || side == s.Mercury && s.State == program.Gone:
		side.Relocations = nil
	case len(side.Relocations) == 0:
		if side != s.Mercury {
			return batches
		}
	case s.Fn == nil && side.Borrowed() && !d.Options.ForceRela && !d.alone():
		for list := range slices.Chunk(side.Relocations, batchSize) {
			batches = append(batches, batch{Settled: d, section: s, side: side, list: list, values: side.Values(len(list))})
		}
		return batches
	}
	if (d.Options.ForceRela || d.Options.PreserveRelocs) && side.Held() > 0 {
		side.Writable() // addends are read between values that are written
	}
	return append(batches, batch{Settled: d, section: s, side: side, list: side.Relocations, values: side.Values(0)})
}

// settleAll settles the relocations of batches. It settles several batches of one side concurrently.
func (d *Settled) settleAll(batches []batch, log *diag.Log) bool {
	threads := d.Options.Threads
	if d.alone() {
		threads = 1
	}
	parallel.Do(threads, len(batches), func(i int) { batches[i].settleAll() })
	var last *program.Side
	for i := range batches {
		b := &batches[i]
		if b.failed != nil {
			log.Add(*b.failed)
			return false
		}
		if d.Unwritable == nil {
			d.Unwritable = b.unwritable
		}
		if b.side != last {
			last, b.side.Relocations = b.side, b.side.Relocations[:0]
		}
		b.side.Relocations = append(b.side.Relocations, b.list[:b.kept]...)
		if b.section.IsCode() && d.HasMercury() && d.Options.Relocatable {
			putYieldsLast(b.side.Relocations)
		}
		b.side.Take(b.values)
	}
	return true
}

// settleAll settles the relocations of b.
func (b *batch) settleAll() {
	s, side := b.section, b.side
	if b.Target.Profile.Relocate.RefusesReplaced && side == s.Mercury && s.HasCapsule() && s.Fn.ReplacedCapsule && b.Options.SelectsByName() && !b.Options.Relocatable {
		b.fail(&Error{reloc.Unexpected.Fault(), fmt.Errorf("section %s: another file's replaced it, which -kernels-used does not stand (RELOC-031)", side.Name)})
		return
	}
	for i := range b.list {
		r := &b.list[i]
		keep, err := b.settle(r)
		switch {
		case err == nil:
		case err.message == reloc.Deleted.Fault(), err.message == reloc.FaultPastEnd:
			if b.unwritable == nil {
				b.unwritable = err
			}
		default:
			b.fail(err)
			return
		}
		if keep {
			b.list[b.kept] = *r
			b.kept++
		}
	}
	if err := finalize.PatchCapsule(s, b.operands); err != nil {
		damaged := diag.Damaged(s.Fn.Symbol.DefinedIn, err)
		b.failed = &damaged
	}
}

func (b *batch) fail(err *Error) {
	said := err.Diagnostic()
	b.failed = &said
}

// An Error is one of nvlink's internal errors.
type Error struct {
	message string
	cause   error
}

// Diagnostic returns the message for the error.
func (e *Error) Diagnostic() diag.Diagnostic {
	return diag.New(diag.InternalError, e.message).Because(e.cause)
}

// typeOf returns type n of a relocation. Early releases know fewer types of the plain half (KIT-942).
func (l *batch) typeOf(inMercury bool, n uint32) *reloc.Type {
	known := l.Target.Profile.Relocate.KnownTypes
	switch {
	case inMercury:
		t, _ := reloc.LookupMercury(n)
		return t
	case known != 0 && n >= known:
		return reloc.UnknownType(n)
	}
	t, _ := reloc.Lookup(n)
	return t
}

// settle resolves or keeps one relocation according to its type.
func (l *batch) settle(r *program.Relocation) (keep bool, fail *Error) {
	s, side := l.section, l.side
	t := l.typeOf(side == s.Mercury, r.Type)
	switch r.Symbol {
	case nil:
		return false, nil
	case l.Absolute: // an error, whatever nvlink does (RELOC-025)
		return false, &Error{"relocation against an absolute symbol", fmt.Errorf("section %s, offset %#x: %s", side.Name, r.Offset, t)}
	}
	if r.Symbol.Alias != nil { // whatever input has made it an alias (MERGE-025)
		r.Symbol = r.Symbol.Alias
	}
	if instance := l.Instances[s.Fn]; instance != nil && r.Symbol.Shared != nil && r.Symbol.Shared.IsDynamic() {
		if l.Options.Trace != nil {
			l.Options.TraceStep(trace.ReplacesExternShared, l.symbolNumbers[r.Symbol.ID], l.symbolNumbers[instance.ID])
		}
		r.Symbol = instance
	}
	if l.HasMercury() && l.Options.Relocatable && side.Name == cubin.DebugInfoName && r.StartsLines() {
		return true, l.keep(s, side, r, t, reloc.Keep) // as in the Mercury half (MERC-212)
	}
	disposition := l.dispositionOf(s, side, r, t)
	if l.slotStays(r, t) {
		if err := l.resolve(r, t, reloc.Resolve); err != nil {
			return false, err
		}
	}
	if fault := disposition.FaultAt(r.Offset, s.Addressable(side)); fault != "" {
		return false, &Error{fault, fmt.Errorf("section %s of %#x bytes, offset %#x: %s against %s", side.Name, side.Size, r.Offset, t, r.Symbol.Name)}
	}
	if l.keepsForLater(r, disposition) {
		if r.Symbol.IsSection && !r.Rela { // the addend is in the section
			return true, l.resolve(r, t, disposition)
		}
		return true, l.keep(s, side, r, t, reloc.Keep)
	}
	if t.Use == reloc.Yield && disposition == reloc.Drop {
		l.Options.TraceStep(trace.IgnoresYield)
	}
	switch disposition {
	case reloc.Keep, reloc.KeepNone:
		return true, l.keep(s, side, r, t, disposition)
	case reloc.Resolve, reloc.ResolveNull:
		return false, l.resolve(r, t, disposition)
	}
	return false, nil
}

// keepsForLater reports whether -r leaves r to a later link, because that link may move the target or, if it is
// a function, drop it (RELOC-401). r must have a symbol in the output.
func (l *Settled) keepsForLater(r *program.Relocation, disposition reloc.Disposition) bool {
	y := r.Symbol
	if l.Options.Relocatable && l.Target.Profile.Relocate.KeepsShared && disposition == reloc.Resolve && l.target(y) == reloc.Shared {
		return true // KIT-016
	}
	return l.Options.Relocatable && l.Options.KeepRelocs &&
		(disposition == reloc.Resolve || disposition == reloc.ResolveNull && cubin.IsHandle(y.Type) || disposition == reloc.Drop && y.Fn != nil) && y != l.Null && !y.Hidden && (!y.IsSection || y.Section.HasSymbol())
}

// resolve writes the value of r to its place.
func (l *batch) resolve(r *program.Relocation, t *reloc.Type, disposition reloc.Disposition) *Error {
	s, side := l.section, l.side
	if s.NoBits && side != s.Mercury {
		return nil
	}
	if l.Options.PreserveRelocs {
		l.note(s, side, r, t, disposition)
	}
	if side == s.Mercury && s.HasCapsule() {
		return nil // finalize.PatchCapsule does this
	}
	v := reloc.Value{Addend: r.Addend, HasAddend: r.Rela, Bank: reloc.Bank(0)}
	operand := v
	switch y := r.Symbol; {
	case disposition == reloc.Resolve:
		v = l.valueOf(s, r)
		if operand = v; cubin.IsHandle(y.Type) {
			operand.Symbol -= l.HandleStart // MERC-222
			if t.Number == reloc.Abs16At32 && l.HasMercury() {
				v = operand // MERC-250
			}
		}
	case y.Section != nil: // the parameter of a kernel, in its code
		v.Bank = reloc.Bank(uint32(y.Section.Type))
	}
	if l.Options.Trace != nil {
		l.Options.TraceStep(trace.ResolvesRelocation, r.Type, l.symbolNumbers[r.Symbol.ID], r.Addend, sectionNumber(s, side), r.Offset, r.Symbol.Name, side.Name)
	}
	if err := l.values.Write(t, r.Offset, v); err != nil {
		return &Error{reloc.FaultNotFound, fmt.Errorf("section %s: %w", side.Name, err)}
	}
	if size := capsule.OperandSize(t.Number); size > 0 && s.Group == program.GroupText && s.HasCapsule() {
		l.operands = append(l.operands, capsule.Operand{
			Machine: int(r.Offset / sass.Size), Size: size, Value: uint32(operand.Symbol + uint64(operand.Addend)),
		})
	}
	return nil
}

// sectionNumber returns the number that a side of s has in a trace. Only plain sections have one.
func sectionNumber(s *program.Section, side *program.Side) int {
	if side == s.Mercury {
		return 0
	}
	return s.Number()
}

// note records for -preserve-relocs that r is resolved. The record has the type number for an executable, and
// an addend from the entry or from the bytes at its place (RELOC-006).
func (l *Settled) note(s *program.Section, side *program.Side, r *program.Relocation, t *reloc.Type, disposition reloc.Disposition) {
	if !l.isNoted(s, r.Symbol, disposition) {
		return
	}
	noted := *r
	noted.Type = t.Final
	if !r.Rela {
		noted.Addend, _ = t.Addend(side.Bytes(), r.Offset) // the place is known to be inside
	}
	if r.Symbol.IsSection {
		noted.Addend += int64(r.Bias)
	}
	switch first := s.NotedAt; {
	case first == nil:
		side.Resolved = append(side.Resolved, noted)
	case side == s.Mercury:
		first.Mercury.Resolved = append(first.Mercury.Resolved, noted)
		l.noteOther(first, noted)
	case s.Mercury == nil:
		first.Resolved = append(first.Resolved, noted)
	}
}

// noteOther records a relocation of the Mercury half in the other half of s too. s is the section in which the
// relocations of its name are recorded ([program.Section.NotedAt]). noteOther does nothing if s is not for code.
// The finalizer looks for the operand in the code of s (MERC-231). If the operand is beyond the end of that code,
// nvlink writes leaked memory, and culink records nothing (E-353).
func (l *Settled) noteOther(s *program.Section, noted program.Relocation) {
	code := l.Inner(s.Fn)
	if code == nil {
		return
	}
	if at, typ, ok := code.SharedOperand(s.Bytes(), noted.Offset); ok {
		noted.Offset, noted.Type = at, typ
		s.Resolved = append(s.Resolved, noted)
	}
}

// isNoted reports whether a resolved relocation of s against y is recorded. Two kinds of targets without a
// symbol in the output are not recorded. These are the slot of a texture and, without -g, an extern __shared__
// array in code that a kernel reaches. The size of the user's constants is not recorded either (LAYOUT-403).
// With a Mercury half, only references from code to shared memory are recorded (MERC-213).
func (l *Settled) isNoted(s *program.Section, y *program.Symbol, disposition reloc.Disposition) bool {
	switch {
	case !y.IsSection && (y.Hidden || y.Name == cubin.UserConstantsSize):
	case y.Name == cubin.ExternInstance && (y.Shared == nil || !y.Shared.LeftOver): // RELOC-403
	case l.HasMercury() && (y.Shared == nil || s.Group == program.GroupDebug):
	case l.settlesExtern(s, y):
	case cubin.IsHandle(y.Type) && disposition == reloc.Resolve:
	default:
		return true
	}
	return false
}

// keep changes r to its form in the output. With -force-rela an entry of a .rel section moves to the .rela
// section, and gets the bytes at its place as its addend (RELOC-007, RELOC-026).
func (l *Settled) keep(s *program.Section, side *program.Side, r *program.Relocation, t *reloc.Type, disposition reloc.Disposition) *Error {
	if r.Symbol.IsSection {
		r.Addend += int64(r.Bias)
	}
	if l.Options.ForceRela && !r.Rela && (!s.NoBits || side == s.Mercury) {
		addend, err := t.ForcedAddend(side.Bytes(), r.Offset)
		if err != nil {
			return &Error{reloc.FaultPastEnd, fmt.Errorf("section %s: %w", side.Name, err)}
		}
		r.Addend, r.Rela, r.Forced = addend, true, true
	}
	switch {
	case disposition == reloc.KeepNone:
		r.Type, r.Symbol = 0, l.Null
	case !l.Options.Relocatable:
		r.Type = t.Final
	}
	return nil
}

func relocationMode(o *program.Options) reloc.Mode {
	switch {
	case o.Relocatable:
		return reloc.Relocatable
	case o.PreserveRelocs:
		return reloc.Preserving
	}
	return reloc.Executable
}

// valueOf returns the value of the symbol of r in section s.
func (l *Settled) valueOf(s *program.Section, r *program.Relocation) reloc.Value {
	y := r.Symbol
	v := reloc.Value{Symbol: y.Value, Addend: r.Addend, HasAddend: r.Rela}
	switch {
	case y.IsSection:
		v.Symbol = r.Bias
	case cubin.IsHandle(y.Type):
		v.Symbol = l.Slots[y]
	case y.Shared != nil && y.Shared.Extern:
		v.Symbol = l.externShared(s, y)
	}
	switch {
	case y.Shared != nil && y.Shared.Extern:
		v.Bank, v.Align = reloc.Bank(0), layout.ExternSharedAlign
	case y.Shared != nil:
		v.Bank, v.Align = sharedBank, y.Shared.Align
	case cubin.IsHandle(y.Type): // its slot is in bank 0
	case y.Section != nil && y.Section.Bank != program.NoBank:
		v.Bank = uint8(y.Section.Bank)
	case y.Section != nil:
		v.Bank = reloc.Bank(uint32(y.Section.Type))
	case l.HasMercury() && y.IsUndefinedVariable():
		v.Bank = cubin.UserBank
	case y == l.Null, y.IsUndefinedVariable():
		v.Bank = reloc.Bank(0)
	}
	return v
}

// sharedBank is the bank number that a shared variable writes into the bank field of a constant operand. It is
// the low bits of the type of its section (RELOC-203).
const sharedBank = uint8((uint64(cubin.SectionShared) + 1<<32 - uint64(cubin.SectionConstant0)) & 31)

// externShared returns the value of the extern __shared__ array y in section s, which is its start for the code
// of s. The value is -1 in parts that no kernel reaches: debug information, and dead code that is kept. With -g
// the array has one value everywhere. With -r only the code of kernels has a start.
func (l *Settled) externShared(s *program.Section, y *program.Symbol) uint64 {
	if l.Options.Relocatable {
		return y.Value
	}
	if at, ok := l.StartOfExtern(s.Fn, y); ok {
		return at
	}
	return ^uint64(0)
}

// settlesExtern reports whether the extern __shared__ array y is resolved in the code of s without its symbol.
// It is if a kernel reaches that code. If no shared variable outside of kernels remains, it is resolved
// everywhere (RELOC-400).
func (l *Settled) settlesExtern(s *program.Section, y *program.Symbol) bool {
	if !y.IsExternShared() || l.Options.DebugSymbols() || l.Options.Relocatable {
		return false
	}
	_, ok := l.StartOfExtern(s.Fn, y)
	return ok || !y.Shared.LeftOver
}

package linker

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
)

// A relocated program has its code and data patched; what is left in the
// sections' relocation lists goes to the driver.
type relocated struct {
	*laidOut
	// unwritable is what is wrong with a relocation that would be kept: nvlink finds
	// that out when it writes the output, behind all other complaints (RELOC-030).
	unwritable *relocationError
	// lineStarts are the places in .debug_info that name where the lines of a unit begin,
	// which the finalizer moves.
	lineStarts []uint64
}

// relocate settles every relocation that the linker can settle (seed 003).
//
// Before: every symbol has its value.
// After:  relocations against constants, shared memory and parts of debug
// sections are written into the bytes and gone; those against code and global
// memory stay, their types those of an executable (RELOC-201). What cannot be
// resolved ends the link before anything is said about the layout (RELOC-030).
// Cost: linear in relocations.
func relocate(l *laidOut, log *diag.Log) (*relocated, bool) {
	done := &relocated{laidOut: l}
	if l.options.Trace != nil {
		l.sectionNumbers, l.symbolNumbers = l.numbers()
	}
	for _, s := range l.sections {
		s.fillTables()
	}
	done.findLineStarts()
	for _, s := range slices.Concat(l.sections, l.relocatedCopies) {
		if err := done.settleAll(s); err != nil {
			log.Add(err.diagnostic())
			return nil, false
		}
		if err := s.patchCapsule(); err != nil {
			log.Add(damagedInput(s.fn.symbol.definedIn, err))
			return nil, false
		}
	}
	return done, true
}

// settleAll settles the relocations of s.
func (d *relocated) settleAll(s *section) *relocationError {
	if s.isCapsule() && s.fn.replacedCapsule && d.options.selectsByName() && !d.options.Relocatable {
		return &relocationError{reloc.Unexpected.Fault(), fmt.Errorf("section %s: another file's replaced it, which -kernels-used does not stand (RELOC-031)", s.name)}
	}
	if s.dead() || s.original != nil && s.original.gone {
		s.relocations = nil
		return nil
	}
	kept := s.relocations[:0]
	for _, r := range s.relocations {
		keep, err := d.settle(s, &r)
		switch {
		case err == nil:
		case err.message == reloc.Deleted.Fault(), err.message == reloc.FaultPastEnd:
			if d.unwritable == nil {
				d.unwritable = err
			}
		default:
			return err
		}
		if keep {
			kept = append(kept, r)
		}
	}
	s.relocations = kept
	return nil
}

// A relocationError is one of nvlink's internal errors.
type relocationError struct {
	message string
	cause   error
}

func (e *relocationError) diagnostic() diag.Diagnostic {
	return diag.New(diag.InternalError, e.message).Because(e.cause)
}

// settle does with one relocation what its type asks for.
func (l *laidOut) settle(s *section, r *relocation) (keep bool, fail *relocationError) {
	lookup := reloc.Lookup
	if s.original != nil {
		lookup = reloc.LookupMercury
	}
	t, _ := lookup(r.typ)
	switch r.symbol {
	case nil:
		return false, nil
	case l.absolute: // nvlink crashes (RELOC-025)
		return false, &relocationError{"relocation against an absolute symbol", fmt.Errorf("section %s, offset %#x: %s", s.name, r.offset, t)}
	}
	if r.symbol.alias != nil { // whatever input has made it one (MERGE-025)
		r.symbol = r.symbol.alias
	}
	if instance := l.instances[s.fn]; instance != nil && r.symbol.shared != nil && r.symbol.shared.isDynamic() {
		if l.options.Trace != nil {
			l.options.trace(replacesExternShared, l.symbolNumbers[r.symbol], l.symbolNumbers[instance])
		}
		r.symbol = instance
	}
	if l.mercury && l.options.Relocatable && s.name == debugInfoName && r.startsLines() {
		return true, l.keep(s, r, t, reloc.Keep) // as in the Mercury half (MERC-212)
	}
	target := l.targetOf(r)
	if s.original != nil && r.symbol.section != nil && r.symbol.section.typ == cubin.SectionSharedReserved {
		target = reloc.Variable // only the finalizer knows where it is (MERC-216)
	}
	fate := t.Fate(target, l.options.relocationMode())
	if y := r.symbol; l.options.Relocatable && y.bind == cubin.BindWeak && y.fn == nil && (y.section != nil || y.missing) {
		fate = reloc.Keep // a later link may find another definition
	}
	if l.mercury && fate == reloc.ResolveNull && isHandle(r.symbol.typ) { // MERC-223
		fate = reloc.Keep
		if err := l.resolve(s, r, t, reloc.Resolve); err != nil {
			return false, err
		}
	}
	if l.options.PreserveRelocs && !l.options.debugSymbols() && fate == reloc.Resolve && r.symbol.isExternShared() && r.symbol.hidden && !l.settlesExtern(s, r.symbol) {
		fate = reloc.Deleted // RELOC-400
	}
	if y := r.symbol; fate == reloc.Keep && y.hidden && y.section != nil && y.other&cubin.OtherVisibility == cubin.OtherInternal {
		fate = reloc.Deleted // MERGE-303
	}
	if fault := fate.FaultAt(r.offset, s.addressable()); fault != "" {
		return false, &relocationError{fault, fmt.Errorf("section %s of %#x bytes, offset %#x: %s against %s", s.name, s.size, r.offset, t, r.symbol.name)}
	}
	if l.keepsForLater(r, fate) {
		if r.symbol.isSection && !r.rela { // the addend stands at the place
			return true, l.resolve(s, r, t, fate)
		}
		return true, l.keep(s, r, t, reloc.Keep)
	}
	if t.Use == reloc.Yield && fate == reloc.Drop {
		l.options.trace(ignoresYield)
	}
	switch fate {
	case reloc.Keep, reloc.KeepNone:
		return true, l.keep(s, r, t, fate)
	case reloc.Resolve, reloc.ResolveNull:
		return false, l.resolve(s, r, t, fate)
	}
	return false, nil
}

// addressable is how many bytes of s relocations may name. Those of a capsule count the
// bytes of its instructions before they were packed.
func (s *section) addressable() uint64 {
	if s.isCapsule() {
		return s.fn.symbol.mercury.value + s.fn.symbol.mercury.size
	}
	return s.size
}

// keepsForLater tells whether -r leaves r to a later link, which may move what it
// refers to, or drop the function that it refers to (RELOC-401). It needs a symbol
// in the output.
func (l *laidOut) keepsForLater(r *relocation, fate reloc.Fate) bool {
	y := r.symbol
	return l.options.Relocatable && l.options.KeepRelocs &&
		(fate == reloc.Resolve || fate == reloc.ResolveNull && isHandle(y.typ) || fate == reloc.Drop && y.fn != nil) && y != l.null && !y.hidden && (!y.isSection || y.section.hasSymbol())
}

// resolve writes what r comes to into its place.
func (l *laidOut) resolve(s *section, r *relocation, t *reloc.Type, fate reloc.Fate) *relocationError {
	if s.noBits {
		return nil
	}
	if l.options.PreserveRelocs {
		l.note(s, r, t, fate)
	}
	if s.isCapsule() {
		return nil // patchCapsule does it
	}
	v := reloc.Value{Addend: r.addend, HasAddend: r.rela, Bank: reloc.Bank(0)}
	operand := v
	switch y := r.symbol; {
	case fate == reloc.Resolve:
		v = l.valueOf(s, r)
		if operand = v; isHandle(y.typ) {
			operand.Symbol -= l.handleStart // MERC-222
		}
	case y.section != nil: // the parameter of a kernel, in its code
		v.Bank = reloc.Bank(uint32(y.section.typ))
	}
	if l.options.Trace != nil {
		l.options.trace(resolvesRelocation, r.typ, l.symbolNumbers[r.symbol], r.addend, l.sectionNumbers[s], r.offset)
	}
	if err := t.Apply(s.writable(), r.offset, v); err != nil {
		return &relocationError{reloc.FaultNotFound, fmt.Errorf("section %s: %w", s.name, err)}
	}
	s.noteOperand(r.offset, t, operand)
	return nil
}

// note records that r is resolved, for -preserve-relocs: with its number in an
// executable and the addend that it has, by itself or by the bytes at its place
// (RELOC-006).
func (l *laidOut) note(s *section, r *relocation, t *reloc.Type, fate reloc.Fate) {
	if !l.isNoted(s, r.symbol, fate) {
		return
	}
	noted := *r
	noted.typ = t.Final
	if !r.rela {
		noted.addend, _ = t.Addend(s.data, r.offset) // the place is known to be inside
	}
	if r.symbol.isSection {
		noted.addend += int64(r.bias)
	}
	first := s.plain().notedAt
	switch {
	case first == nil:
		s.resolved = append(s.resolved, noted)
	case s.original != nil:
		first.copy.resolved = append(first.copy.resolved, noted)
		first.noteOther(noted)
	case s.copy == nil:
		first.resolved = append(first.resolved, noted)
	}
}

// noteOther notes in s what is noted in its copy for code of the same name: the finalizer
// looks for the operand in the code of s (MERC-231). Behind its end nvlink writes what it
// leaks, and here nothing is noted (E-353).
func (s *section) noteOther(noted relocation) {
	code := s.fn.inner()
	if code == nil {
		return
	}
	if at, typ, ok := code.SharedOperand(s.data, noted.offset); ok {
		noted.offset, noted.typ = at, typ
		s.resolved = append(s.resolved, noted)
	}
}

// isNoted tells whether a resolved relocation of s against y is noted. What has no symbol
// in the output is not: the slot of a texture and, without -g, an extern __shared__ array in
// code that a kernel reaches; nor is the size of the user's constants (LAYOUT-403). Beside a
// Mercury half only what names shared memory in code is (MERC-213).
func (l *laidOut) isNoted(s *section, y *symbol, fate reloc.Fate) bool {
	switch {
	case !y.isSection && (y.hidden || y.name == externInstance || y.name == userConstantsSize):
	case l.mercury && (y.shared == nil || s.plain().group == groupDebug):
	case l.settlesExtern(s, y):
	case isHandle(y.typ) && fate == reloc.Resolve:
	default:
		return true
	}
	return false
}

// keep makes r what it is in the output: with -force-rela an entry of a .rel section
// moves to the .rela section, and takes the bytes at its place as the addend
// (RELOC-007, RELOC-026).
func (l *laidOut) keep(s *section, r *relocation, t *reloc.Type, fate reloc.Fate) *relocationError {
	if r.symbol.isSection {
		r.addend += int64(r.bias)
	}
	if l.options.ForceRela && !r.rela && !s.noBits {
		addend, err := t.ForcedAddend(s.data, r.offset)
		if err != nil {
			return &relocationError{reloc.FaultPastEnd, fmt.Errorf("section %s: %w", s.name, err)}
		}
		r.addend, r.rela = addend, true
	}
	switch {
	case fate == reloc.KeepNone:
		r.typ = 0
	case !l.options.Relocatable:
		r.typ = t.Final
	}
	return nil
}

func (o *Options) relocationMode() reloc.Mode {
	switch {
	case o.Relocatable:
		return reloc.Relocatable
	case o.PreserveRelocs:
		return reloc.Preserving
	}
	return reloc.Executable
}

// targetOf says what the symbol of r is in the linked file.
func (l *laidOut) targetOf(r *relocation) reloc.Target {
	y := r.symbol
	switch {
	case y.fn != nil && y.fn.dead:
		return reloc.DeadFunction
	case y.fn != nil:
		return reloc.Function
	case y.shared != nil && y.shared.extern && !l.options.Relocatable, y.name == externInstance:
		return reloc.DynamicShared
	case y.shared != nil: // with -r also an extern array in code that has no instance of it
		return reloc.Shared
	case isHandle(y.typ):
		return reloc.Handle
	case y.section != nil && !y.isSection && y.section.group == groupText && !y.section.dead():
		return reloc.Function
	case y.isSection && y.section.dead():
		return reloc.Parameter
	case y == l.null:
		return reloc.Placed
	case y.section == nil && y.name == uftOffset:
		return reloc.UFTOffset
	case y.section == nil && unifiedTables[y.name]:
		return reloc.UnifiedTable
	case y.section == nil:
		switch {
		case y.input&cubin.OtherSpaceMask == cubin.OtherGlobal:
			return reloc.Variable
		case y.missing && y.hidden:
			return reloc.Parameter
		case y.missing, l.options.Relocatable && y.isUndefinedVariable():
			return reloc.Placed
		}
		return reloc.Undefined
	case y.section.typ == cubin.SectionGlobal || y.section.typ == cubin.SectionGlobalInit:
		return reloc.Variable
	case y.isSection && y.section.name == moduleSharedName:
		return reloc.Dissolved
	case y.hidden, !y.isSection && strings.HasPrefix(y.section.name, parameterPrefix):
		return reloc.Parameter
	}
	return reloc.Placed
}

// The linker's own symbols for unified functions and data.
const uftOffset = "__UFT_OFFSET"

var unifiedTables = map[string]bool{
	"__UFT": true, "__UFT_END": true, "__UFT_CANONICAL": true,
	"__UDT": true, "__UDT_END": true, "__UDT_CANONICAL": true, "__UDT_OFFSET": true,
}

// valueOf is what the symbol of r in section s comes to.
func (l *laidOut) valueOf(s *section, r *relocation) reloc.Value {
	y := r.symbol
	v := reloc.Value{Symbol: y.value, Addend: r.addend, HasAddend: r.rela}
	switch {
	case y.isSection:
		v.Symbol = r.bias
	case isHandle(y.typ):
		v.Symbol = y.slot
	case y.shared != nil && y.shared.extern:
		v.Symbol = l.externShared(s, y)
	}
	switch {
	case y.shared != nil && y.shared.extern:
		v.Bank, v.Align = reloc.Bank(0), externSharedAlign
	case y.shared != nil:
		v.Bank, v.Align = sharedBank, y.shared.align
	case isHandle(y.typ): // its slot is in bank 0
	case y.section != nil && y.section.bank != noBank:
		v.Bank = uint8(y.section.bank)
	case y.section != nil:
		v.Bank = reloc.Bank(uint32(y.section.typ))
	case l.mercury && y.isUndefinedVariable():
		v.Bank = userBank
	case y == l.null, y.isUndefinedVariable():
		v.Bank = reloc.Bank(0)
	}
	return v
}

// userBank is the bank of the user's constants, which the finalizer knows also where a
// constant is not defined yet (MERC-214).
const userBank = 3

// sharedBank is what the bank field of a constant operand gets from a shared
// variable: the low bits of its section's type (RELOC-203).
const sharedBank = uint8((uint64(cubin.SectionShared) + 1<<32 - uint64(cubin.SectionConstant0)) & 31)

// externShared is the value of extern __shared__ array y in section s: where it
// begins for the code of s, or -1 for what no kernel reaches: debug information,
// and dead code that is kept. With -g the array has one value everywhere, with -r
// only code of kernels knows a start.
func (l *laidOut) externShared(s *section, y *symbol) uint64 {
	if l.options.Relocatable {
		return y.value
	}
	if at, ok := l.dynamic[l.dynamicKey(s.fn, y)]; ok {
		return at
	}
	return ^uint64(0)
}

// settlesExtern tells whether extern __shared__ array y is settled in the code of s
// without its symbol: where a kernel reaches that code, and everywhere if no
// variable outside of kernels is left over (RELOC-400).
func (l *laidOut) settlesExtern(s *section, y *symbol) bool {
	if !y.isExternShared() || l.options.debugSymbols() || l.options.Relocatable {
		return false
	}
	_, ok := l.dynamic[l.dynamicKey(s.fn, y)]
	return ok || !y.shared.leftOver
}

func (y *symbol) isExternShared() bool { return y.shared != nil && y.shared.extern }

// encode gives the entries of a relocation section, as nvlink holds them: last
// pushed first (RELOC-202).
func (rs *relocationSection) encode() []byte {
	list := rs.target.relocations
	if rs.typ == cubin.SectionResolvedRela || rs.typ == cubin.SectionMercResolved {
		list = rs.target.resolved
	}
	var b []byte
	for i := len(list) - 1; i >= 0; i-- {
		r := &list[i]
		out := cubin.Relocation{Offset: r.offset, Type: r.typ, Symbol: r.symbol.index, Addend: r.addend}
		switch {
		case rs.typ == cubin.SectionResolvedRela, rs.typ == cubin.SectionMercResolved, rs.typ == cubin.SectionMercRela, rs.typ == cubin.SectionRela && r.rela:
			b = cubin.AppendRela(b, out)
		case rs.typ == cubin.SectionRel && !r.rela:
			b = cubin.AppendRel(b, out)
		}
	}
	return b
}

var le = binary.LittleEndian

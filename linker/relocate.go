package linker

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/reloc"
)

// A relocated program has its code and data patched; what is left in the
// sections' relocation lists goes to the driver.
type relocated struct {
	*laidOut
}

// relocate settles every relocation that the linker can settle (seed 003).
//
// Before: every symbol has its value.
// After:  relocations against constants, shared memory and parts of debug
// sections are written into the bytes and gone; those against code and global
// memory stay, their types those of an executable (RELOC-201).
// Cost: linear in relocations.
func relocate(l *laidOut, log *diag.Log) (*relocated, bool) {
	if l.options.Trace != nil {
		l.sectionNumbers, l.symbolNumbers = l.numbers()
	}
	for _, s := range l.sections {
		if len(s.relocations) == 0 || s.dead() {
			s.relocations = nil
			continue
		}
		kept := s.relocations[:0]
		for _, r := range s.relocations {
			keep, err := l.settle(s, &r)
			if err != nil {
				log.Add(diag.New(diag.InternalError, err.message).Because(err.cause))
				return nil, false
			}
			if keep {
				kept = append(kept, r)
			}
		}
		s.relocations = kept
	}
	return &relocated{l}, true
}

// A relocationError is one of nvlink's internal errors.
type relocationError struct {
	message string
	cause   error
}

// settle does with one relocation what its type asks for.
func (l *laidOut) settle(s *section, r *relocation) (keep bool, fail *relocationError) {
	t, _ := reloc.Lookup(r.typ)
	switch r.symbol {
	case nil:
		return false, nil
	case l.absolute: // nvlink crashes (RELOC-025)
		return false, &relocationError{"relocation against an absolute symbol", fmt.Errorf("section %s, offset %#x: %s", s.name, r.offset, t)}
	}
	if r.symbol.alias != nil { // whatever input has made it one (MERGE-025)
		r.symbol = r.symbol.alias
	}
	if instance := l.instances[s.fn]; instance != nil && r.symbol.shared != nil && r.symbol.shared.extern {
		if l.options.Trace != nil {
			l.options.trace(replacesExternShared, l.symbolNumbers[r.symbol], l.symbolNumbers[instance])
		}
		r.symbol = instance
	}
	fate := t.Fate(l.targetOf(r), l.options.relocationMode())
	if l.options.Relocatable && r.symbol.bind == cubin.BindWeak && r.symbol.fn == nil && r.symbol.section != nil {
		fate = reloc.Keep // a later link may find another definition
	}
	if l.options.PreserveRelocs && fate == reloc.Resolve && r.symbol.isExternShared() && r.symbol.hidden && !l.settlesExtern(s, r.symbol) {
		fate = reloc.Deleted // RELOC-400
	}
	if fault := fate.FaultAt(r.offset, s.size); fault != "" {
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

// keepsForLater tells whether -r leaves r to a later link, which may move what it
// refers to, or drop the function that it refers to (RELOC-401). It needs a symbol
// in the output.
func (l *laidOut) keepsForLater(r *relocation, fate reloc.Fate) bool {
	y := r.symbol
	return l.options.Relocatable && l.options.KeepRelocs &&
		(fate == reloc.Resolve || fate == reloc.Drop && y.fn != nil) && y != l.null && !y.hidden && (!y.isSection || y.section.hasSymbol())
}

// resolve writes what r comes to into its place.
func (l *laidOut) resolve(s *section, r *relocation, t *reloc.Type, fate reloc.Fate) *relocationError {
	if s.noBits {
		return nil
	}
	if l.options.PreserveRelocs {
		l.note(s, r, t, fate)
	}
	v := reloc.Value{Addend: r.addend, HasAddend: r.rela, Bank: reloc.Bank(0)}
	if fate == reloc.Resolve {
		v = l.valueOf(s, r)
	}
	if l.options.Trace != nil {
		l.options.trace(resolvesRelocation, r.typ, l.symbolNumbers[r.symbol], r.addend, l.sectionNumbers[s], r.offset)
	}
	if err := t.Apply(s.writable(), r.offset, v); err != nil {
		return &relocationError{reloc.FaultNotFound, fmt.Errorf("section %s: %w", s.name, err)}
	}
	return nil
}

// note records that r is resolved, for -preserve-relocs: with its number in an
// executable and the addend that it has, by itself or by the bytes at its place
// (RELOC-006). What has no symbol in the output is not noted: the slot of a texture
// and, without -g, an extern __shared__ array in code that a kernel reaches.
func (l *laidOut) note(s *section, r *relocation, t *reloc.Type, fate reloc.Fate) {
	hidden := r.symbol.hidden && !r.symbol.isSection
	if hidden || l.settlesExtern(s, r.symbol) || isHandle(r.symbol.typ) && fate == reloc.Resolve {
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
	s.resolved = append(s.resolved, noted)
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
	case isHandle(y.typ):
		return reloc.Handle
	case y.local:
		return reloc.Parameter
	case y.section == nil:
		switch {
		case y.input&cubin.OtherSpaceMask == cubin.OtherGlobal:
			return reloc.Variable
		case l.options.Relocatable && y.isUndefinedVariable():
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
	case slotRelocation[y.typ] != 0:
		v.Symbol = y.slot
	case y.shared != nil && y.shared.extern:
		v.Symbol = l.externShared(s, y)
	}
	switch {
	case y.shared != nil && y.shared.extern:
		v.Bank, v.Align = reloc.Bank(0), externSharedAlign
	case y.shared != nil:
		v.Bank, v.Align = sharedBank, y.shared.align
	case y.section != nil && y.section.bank != noBank:
		v.Bank = uint8(y.section.bank)
	case y.section != nil:
		v.Bank = reloc.Bank(uint32(y.section.typ))
	case y == l.null, y.isUndefinedVariable():
		v.Bank = reloc.Bank(0)
	}
	return v
}

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
	if l.options.debugSymbols() {
		return y.value
	}
	return ^uint64(0)
}

// settlesExtern tells whether extern __shared__ array y is settled in the code of s
// without its symbol: where a kernel reaches that code, and everywhere if no
// variable outside of kernels is left over (RELOC-400).
func (l *laidOut) settlesExtern(s *section, y *symbol) bool {
	if !y.isExternShared() || l.options.debugSymbols() {
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
	if rs.typ == cubin.SectionResolvedRela {
		list = rs.target.resolved
	}
	var b []byte
	for i := len(list) - 1; i >= 0; i-- {
		r := &list[i]
		out := cubin.Relocation{Offset: r.offset, Type: r.typ, Symbol: r.symbol.index, Addend: r.addend}
		switch {
		case rs.typ == cubin.SectionResolvedRela, rs.typ == cubin.SectionRela && r.rela:
			b = cubin.AppendRela(b, out)
		case rs.typ == cubin.SectionRel && !r.rela:
			b = cubin.AppendRel(b, out)
		}
	}
	return b
}

var le = binary.LittleEndian

package linker

import (
	"encoding/binary"
	"fmt"

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
// memory stay, their types those of an executable (RELOC-001).
// Cost: linear in relocations.
func relocate(l *laidOut, log *diag.Log) (*relocated, bool) {
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
	t, ok := reloc.Lookup(r.typ)
	if !ok {
		return false, &relocationError{"unexpected reloc", fmt.Errorf("section %s, offset %#x: type %d", s.name, r.offset, r.typ)}
	}
	if r.symbol == nil {
		return false, nil
	}
	target, value := l.targetOf(s, r)
	switch t.Fate(target) {
	case reloc.Keep:
		if !l.options.Relocatable {
			r.typ = t.Final
		}
		if r.symbol.isSection {
			r.addend += int64(r.bias)
		}
		return true, nil
	case reloc.Deleted:
		if !r.symbol.hidden {
			return true, nil
		}
		return false, &relocationError{"reference to deleted symbol", fmt.Errorf("section %s, offset %#x: %s against %s", s.name, r.offset, t.Name, r.symbol.name)}
	case reloc.Resolve:
		if s.noBits {
			return false, nil
		}
		if err := t.Apply(s.writable(), r.offset, value); err != nil {
			return false, &relocationError{"relocation is past end of offset", fmt.Errorf("section %s: %w", s.name, err)}
		}
	}
	return false, nil
}

// targetOf says what the symbol of r is in the linked file, and its value.
func (l *laidOut) targetOf(s *section, r *relocation) (reloc.Target, reloc.Value) {
	y := r.symbol
	v := reloc.Value{Symbol: y.value, Addend: r.addend, HasAddend: r.rela, Size: y.size}
	switch {
	case y.isSection:
		v.Symbol = r.bias
		if y.section.bank != noBank {
			v.Bank = uint8(y.section.bank)
			return reloc.Final, v
		}
		if y.section.group == groupDebug {
			return reloc.Final, v
		}
		return reloc.Loaded, v
	case y.shared != nil:
		v.Bank = sharedBank
		if y.shared.extern {
			v.Symbol = l.externShared(s)
		}
		return reloc.Final, v
	case y.fn != nil && y.fn.dead:
		return reloc.Dropped, v
	case y.section != nil && y.section.bank != noBank:
		v.Bank = uint8(y.section.bank)
		return reloc.Final, v
	case y.weakRef && y.section == nil && !keptReserved[y.name]:
		return reloc.FromTool, v
	}
	return reloc.Loaded, v
}

// sharedBank is what the bank field of a constant operand gets from a shared
// variable: the low bits of its section's type (RELOC-020).
const sharedBank = uint8((uint64(cubin.SectionShared) + 1<<32 - uint64(cubin.SectionConstant0)) & 31)

// externShared is the value of an extern __shared__ array in section s: where it
// begins for the code of s, or -1 for debug information, which is of no kernel.
func (l *laidOut) externShared(s *section) uint64 {
	if s.fn != nil {
		return l.dynamicShared[s.fn]
	}
	return ^uint64(0)
}

// encode gives the bytes of the relocations that stay, in one kind: as nvlink
// holds them, last pushed first (RELOC-002).
func encodeRelocations(s *section, rela bool) []byte {
	var b []byte
	for i := len(s.relocations) - 1; i >= 0; i-- {
		r := &s.relocations[i]
		if r.rela != rela {
			continue
		}
		out := cubin.Relocation{Offset: r.offset, Type: r.typ, Symbol: r.symbol.index, Addend: r.addend}
		if rela {
			b = cubin.AppendRela(b, out)
		} else {
			b = cubin.AppendRel(b, out)
		}
	}
	return b
}

var le = binary.LittleEndian

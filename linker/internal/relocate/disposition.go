package relocate

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// The disposition of a relocation is what the linker does with it. It depends on the type of the relocation, on
// the kind of its target in the linked file, and on the kind of link. Package reloc has the table. For a few
// relocations other properties of the symbol change the disposition. These exceptions are listed in the order in
// which nvlink checks them.

// An exception is a disposition that differs from the table.
type exception struct {
	rule        string
	applies     func(d *Settled, s *program.Section, r *program.Relocation, disposition reloc.Disposition) bool
	disposition reloc.Disposition
}

// exceptions are applied in order. Each one gets the disposition that the previous ones produced.
var exceptions = [...]exception{
	{"RELOC-404", staysForLaterDefinition, reloc.Keep},
	{"MERC-223", (*Settled).keepsSlot, reloc.Keep},
	{"RELOC-400", (*Settled).losesExtern, reloc.Deleted},
	{"RELOC-970", (*Settled).losesShared, reloc.Deleted},
	{"MERGE-303", namesInternal, reloc.Deleted},
	{"RELOC-034", yieldStays, reloc.Keep},
	{"RELOC-034", clearsYield, reloc.Resolve},
}

// losesShared reports whether --preserve-relocs cannot keep a relocation against a shared variable that one kernel alone
// reaches, because the shared memory of that kernel is not laid out.
func (d *Settled) losesShared(s *program.Section, r *program.Relocation, _ reloc.Disposition) bool {
	if !d.Options.PreserveRelocs || d.Options.DebugSymbols() || d.Options.Relocatable || s.Fn == nil || r.Symbol == nil || r.Symbol.Shared == nil {
		return false
	}
	k := d.KernelOf[s.Fn]
	return k != nil && r.Symbol.Shared.Sole == s.Fn && d.StandsAsItIs(k)
}

// yieldStays reports whether the relocation is that of a YIELD that -r leaves to the last link. It does so in a
// link with a Mercury half.
func yieldStays(d *Settled, _ *program.Section, r *program.Relocation, disposition reloc.Disposition) bool {
	return disposition == reloc.Drop && d.HasMercury() && d.Options.Relocatable && isYield(r)
}

// clearsYield reports whether a YIELD becomes a NOP. It does if no input is for a virtual architecture with
// independent threads, which need it. With a Mercury half it always does.
func clearsYield(d *Settled, _ *program.Section, r *program.Relocation, disposition reloc.Disposition) bool {
	const firstIndependent = 70
	return disposition == reloc.Drop && isYield(r) && (d.HasMercury() ||
		!slices.ContainsFunc(d.Origins, func(o nvinfo.Origin) bool { return o.Virtual >= firstIndependent }))
}

// putYieldsLast moves the relocations of YIELD to the end of the section in the output. They stay in the order of
// the input (RELOC-480). The list is in the opposite order of the output.
func putYieldsLast(list []program.Relocation) {
	isOf := func(r program.Relocation) bool { return isYield(&r) }
	if !slices.ContainsFunc(list, isOf) {
		return
	}
	others := slices.DeleteFunc(slices.Clone(list), isOf)
	yields := slices.DeleteFunc(slices.Clone(list), func(r program.Relocation) bool { return !isYield(&r) })
	slices.Reverse(yields)
	copy(list[copy(list, yields):], others)
}

func isYield(r *program.Relocation) bool {
	t, ok := reloc.Lookup(r.Type)
	return ok && t.Use == reloc.Yield
}

// dispositionOf returns the disposition of relocation r of a side of s.
func (d *Settled) dispositionOf(s *program.Section, side *program.Side, r *program.Relocation, t *reloc.Type) reloc.Disposition {
	target := d.target(r.Symbol)
	if in := r.Symbol.Section; side == s.Mercury && in != nil && in.Type == cubin.SectionSharedReserved {
		target = reloc.Variable // only the finalizer knows where it is (MERC-216)
	}
	disposition := t.Disposition(target, relocationMode(d.Options))
	for _, e := range exceptions {
		if e.applies(d, s, r, disposition) {
			disposition = e.disposition
		}
	}
	return disposition
}

// staysForLaterDefinition reports whether -r leaves the relocation to a later link, because that link may find
// another definition of a weak variable. Relocations without a use are not left to it (RELOC-980).
func staysForLaterDefinition(d *Settled, _ *program.Section, r *program.Relocation, disposition reloc.Disposition) bool {
	y := r.Symbol
	if t, ok := reloc.Lookup(r.Type); ok && disposition == reloc.Drop && (t.Use == reloc.NoUse || t.Use == reloc.Unused) {
		return false
	}
	return d.Options.Relocatable && y.Bind == cubin.BindWeak && y.Fn == nil && (y.Section != nil || y.Missing)
}

// keepsSlot reports whether the relocation against a handle is kept. In a file with a Mercury half it is, and the
// machine code contains the preliminary start of the slots.
func (d *Settled) keepsSlot(_ *program.Section, r *program.Relocation, disposition reloc.Disposition) bool {
	return d.HasMercury() && disposition == reloc.ResolveNull && cubin.IsHandle(r.Symbol.Type)
}

// slotStays reports whether r is kept because of keepsSlot.
func (d *Settled) slotStays(r *program.Relocation, t *reloc.Type) bool {
	if !d.HasMercury() || !cubin.IsHandle(r.Symbol.Type) {
		return false
	}
	disposition := t.Disposition(d.target(r.Symbol), relocationMode(d.Options))
	return !staysForLaterDefinition(d, nil, r, disposition) && d.keepsSlot(nil, r, disposition)
}

// losesExtern reports whether the relocation is against an extern __shared__ array without a symbol in the
// output, in code that no kernel reaches.
func (d *Settled) losesExtern(s *program.Section, r *program.Relocation, disposition reloc.Disposition) bool {
	return d.Options.PreserveRelocs && !d.Options.DebugSymbols() && disposition == reloc.Resolve &&
		r.Symbol.IsExternShared() && r.Symbol.Hidden && !d.settlesExtern(s, r.Symbol)
}

// namesInternal reports whether the relocation is against an internal symbol. The relocation tables of an
// executable omit internal symbols.
func namesInternal(_ *Settled, _ *program.Section, r *program.Relocation, disposition reloc.Disposition) bool {
	y := r.Symbol
	return disposition == reloc.Keep && y.Hidden && (y.Section != nil || y.Missing) && y.Other&cubin.OtherVisibility == cubin.OtherInternal
}

// target returns the cached result of targetOf. The result cannot change, because the layout is complete.
func (d *Settled) target(y *program.Symbol) reloc.Target {
	if known := d.targets[y.ID].Load(); known > 0 {
		return reloc.Target(known - 1)
	}
	target := d.targetOf(y)
	d.targets[y.ID].Store(uint32(target) + 1)
	return target
}

// targetOf returns the kind of target that y is in the linked file. The first matching case applies: a function
// in shared memory, for example, is a function.
func (d *Settled) targetOf(y *program.Symbol) reloc.Target {
	switch {
	case y.Fn != nil && y.Fn.Dead:
		return reloc.DeadFunction
	case y.Fn != nil:
		return reloc.Function
	case y.Shared != nil && y.Shared.Extern && !d.Options.Relocatable, y.Name == cubin.ExternInstance:
		return reloc.DynamicShared
	case y.Shared != nil: // with -r also an extern array in code without an instance of it
		return reloc.Shared
	case cubin.IsHandle(y.Type):
		return reloc.Handle
	case y.Section != nil:
		return targetIn(y.Section, y)
	case y == d.Null:
		return reloc.Placed
	}
	return d.targetNowhere(y)
}

// targetIn is targetOf for a symbol in section s that is not a function, a shared variable or a handle.
func targetIn(s *program.Section, y *program.Symbol) reloc.Target {
	switch {
	case !y.IsSection && s.Group == program.GroupText && !s.Dead():
		return reloc.Function
	case y.IsSection && s.Dead():
		return reloc.Parameter
	case s.Type == cubin.SectionGlobal || s.Type == cubin.SectionGlobalInit:
		return reloc.Variable
	case y.IsSection && s.Name == cubin.ModuleSharedName:
		return reloc.Dissolved
	case y.Hidden, !y.IsSection && strings.HasPrefix(s.Name, cubin.ParameterPrefix):
		return reloc.Parameter
	}
	return reloc.Placed
}

// targetNowhere is targetOf for a symbol that no section defines.
func (d *Settled) targetNowhere(y *program.Symbol) reloc.Target {
	switch {
	case y.Name == program.UftOffset && d.Options.Relocatable && d.listsUnified():
		return reloc.UnifiedTable
	case y.Name == program.UftOffset:
		return reloc.UFTOffset
	case program.UnifiedTables[y.Name]:
		return reloc.UnifiedTable
	case y.Input&cubin.OtherSpaceMask == cubin.OtherGlobal:
		return reloc.Variable
	case y.Missing && y.Hidden:
		return reloc.Parameter
	case y.Missing, d.Options.Relocatable && y.IsUndefinedVariable():
		return reloc.Placed
	}
	return reloc.Undefined
}

// listsUnified reports whether the program has a list of unified functions. With -r relocations against __UFT_OFFSET then
// stay, as those against the other symbols of unified tables do (RELOC-971).
func (d *Settled) listsUnified() bool {
	return slices.ContainsFunc(d.Sections, func(s *program.Section) bool { return s.Type == cubin.SectionUFTEntry && s.State != program.Gone })
}

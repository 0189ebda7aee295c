package layout

import (
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// Textures, samplers and surfaces that a program refers to by symbol (.texref) are accessed through constant bank
// 0. The driver writes their handles into four-byte slots after the parameters of every kernel that reaches one,
// and code reads the slot (seed 001 phase 2; LAYOUT-020). On sm_35 and sm_37 the slot of a surface holds the whole
// surface. A function uses the same slot number for a handle in all kernels. All these kernels therefore have all
// slots, at one offset after the largest parameters of any kernel.
//
// In the Mercury half a kernel's slots have their own section, and their numbers begin with 0. The finalizer puts
// them after the parameters (MERC-222).

const (
	handleSlotSize     = 4
	surfaceDescription = 32 // bytes after the slot of a surface if code queries its size or format (KIT-212)
)

// asksSurfaces reports whether a function queries the size or format of surfaces. Only early releases of the
// compiler mark such functions.
func asksSurfaces(fn *program.Function) bool { return fn.Attributes.Has(nvinfo.SurfaceQueries) }

// SlotSize returns the size of the slot of y. The slot holds a handle, or a whole surface (KIT-082).
func (l *Placed) SlotSize(y *program.Symbol) uint64 {
	if size := l.Target.SurfaceSlot(); y.Type == cubin.SymSurface && size != 0 {
		return size
	}
	return handleSlotSize
}

// layoutHandles creates the slots and the relocations with which the driver fills them.
func (l *Placed) layoutHandles(log *diag.Log) {
	if len(l.Handles) == 0 {
		return
	}
	handles := l.HandlesByKind()
	l.AddPassing(".nv.constant0")
	for _, y := range handles {
		l.Mention("$NVLINKBINDLESSOFF_" + y.Name)
	}
	users := l.handleUsers()
	if !slices.ContainsFunc(l.Functions, (*program.Function).ReadsSlots) {
		return
	}
	start := l.startOfHandles()
	queried := slices.ContainsFunc(l.Functions, asksSurfaces)
	room := func(y *program.Symbol) uint64 {
		size := l.SlotSize(y)
		if queried && y.Type == cubin.SymSurface && (size != handleSlotSize || l.Target.Profile.Layout.DescribesSurfaces) {
			size += surfaceDescription
		}
		return size
	}
	order := listSort(handles, func(a, b *program.Symbol) bool { return room(a) > room(b) })
	end := l.endOfBanks(start)
	l.Slots = make(map[*program.Symbol]uint64, len(order))
	for _, y := range slices.Backward(order) {
		l.Slots[y] = end
		end += room(y)
	}
	l.HandleStart = start
	for _, e := range users {
		s := e.Parameters()
		if s.HasSlots { // LAYOUT-842
			log.Report(diag.SlotsOfWholeProgram, e.Fn.Symbol.Name, e.Fn.Symbol.DefinedIn)
			return
		}
		l.HandleBanks = append(l.HandleBanks, s)
		s.Size = end
		s.FillUp()
		if l.HasMercury() {
			l.addHandleBank(s)
		}
		unfilled := l.unfilled(e)
		for _, y := range slices.Backward(order) {
			if y.Type == unfilled || y.Section != nil && y.Section != e.Fn.Text {
				continue
			}
			types := slotRelocation[y.Type]
			switch {
			case l.SlotSize(y) == handleSlotSize:
			case queried:
				types.plain = reloc.SurfDescription
			default:
				types.plain = reloc.SurfDescriptor
			}
			r := program.Relocation{Offset: l.Slots[y], Type: types.plain, Symbol: y, Rela: l.Options.ForceRela, Added: true}
			if l.HasMercury() {
				r.Type, r.Rela = types.finalized, true
				inner := program.Relocation{Offset: l.Slots[y] - start, Type: types.inner, Symbol: y, Rela: true}
				s.Mercury.Relocations = append(s.Mercury.Relocations, inner)
			}
			s.Relocations = append(s.Relocations, r)
		}
	}
}

// startOfHandles returns the offset at which the slots begin, after the largest parameters. With a Mercury half, the
// slots of an extensible whole program do not count as parameters (LAYOUT-711).
func (l *Placed) startOfHandles() uint64 {
	align, start := uint64(handleSlotSize), uint64(0)
	if l.HasMercury() {
		align, start = arch.HandlesAlign, arch.ParametersStart
	}
	for _, e := range l.Kernels {
		if bank := e.Parameters(); bank != nil {
			start = max(start, cubin.AlignUp(bank.Size-innerSlots(bank), align))
		}
	}
	return start
}

// layoutRelocatableHandles gives every slot the start of the slots as its value. In a relocatable file with a
// Mercury half, machine code contains that preliminary value, and the relocations stay (MERC-223).
func (l *Placed) layoutRelocatableHandles() {
	if !l.HasMercury() {
		return
	}
	l.HandleStart = l.startOfHandles()
	l.Slots = make(map[*program.Symbol]uint64, len(l.Handles))
	for _, y := range l.Handles {
		l.Slots[y] = l.HandleStart
	}
}

// addHandleBank adds parameter bank s, which has slots. In the Mercury half it also adds the section of the slots.
// Parameter banks without slots are added last (addParameterBanks).
func (l *Placed) addHandleBank(s *program.Section) {
	s.Group = program.GroupConstant
	l.AddSection(s)
	size := s.Size - l.HandleStart
	s.Mercury = &program.Side{
		Name: cubin.MercuryName(s.Name), Type: cubin.SectionMercBank, Flags: cubin.FlagMercury | s.Flags, Align: handleSlotSize,
		Size: size,
	}
	s.Mercury.FillUp()
	l.RegisterMercury(s)
}

// slotRelocation maps the type of a symbol to the types of the relocations that fill its slot. They differ between
// a plain file and the two halves of a file with a Mercury half.
var slotRelocation = map[cubin.SymbolType]struct{ plain, finalized, inner uint32 }{
	cubin.SymTexture: {reloc.TexHeaderIndex, reloc.TexHeaderIndex, reloc.MercuryTexHeaderIndex},
	cubin.SymSampler: {reloc.SampHeaderIndex, reloc.SampHeaderIndex0, reloc.MercurySampHeaderIndex},
	cubin.SymSurface: {reloc.SurfHeaderIndex, reloc.SurfHeaderIndex, reloc.MercurySurfHeaderIndex},
}

// HandlesByKind lists the symbols that get a slot: textures, samplers, surfaces, and in each kind the last created
// first (LAYOUT-021). Handles that are parameters of a kernel (.param .texref) are local symbols in its code.
func (l *Placed) HandlesByKind() []*program.Symbol {
	var textures, samplers, surfaces []*program.Symbol
	for _, y := range slices.Backward(l.Handles) {
		switch y.Type {
		case cubin.SymTexture:
			textures = append(textures, y)
		case cubin.SymSampler:
			samplers = append(samplers, y)
		case cubin.SymSurface:
			surfaces = append(surfaces, y)
		}
	}
	return slices.Concat(textures, samplers, surfaces)
}

// handleUsers returns the kernels that have parameters and reach code that uses a slot. If the options select a
// single kernel in a file with a Mercury half, only that kernel gets slots (LAYOUT-023).
func (l *Placed) handleUsers() []*Kernel {
	var users []*Kernel
	for _, e := range l.Kernels {
		if l.HasMercury() && l.lone != nil && e != l.lone {
			continue
		}
		if e.Parameters() != nil && slices.ContainsFunc(l.reachedBy(e), (*program.Function).ReadsSlots) {
			users = append(users, e)
		}
	}
	return users
}

// reachedBy returns the functions whose handles kernel e may need.
func (l *Placed) reachedBy(e *Kernel) []*program.Function {
	if e == l.lone {
		return l.Functions
	}
	return e.Reachable()
}

// unfilled returns the type of those symbols whose slots no relocation fills for kernel e. If e reaches only
// textures, with or without their samplers, these are the samplers. If it reaches only samplers, these are the
// textures (LAYOUT-022).
func (l *Placed) unfilled(e *Kernel) cubin.SymbolType {
	only := func(typ cubin.SymbolType) bool {
		return !slices.ContainsFunc(l.reachedBy(e), func(fn *program.Function) bool {
			return fn.Text != nil && slices.ContainsFunc(fn.Text.Relocations, func(r program.Relocation) bool {
				return r.IsSlot() && r.Symbol.Type != typ
			})
		})
	}
	switch {
	case only(cubin.SymTexture):
		return cubin.SymSampler
	case only(cubin.SymSampler):
		return cubin.SymTexture
	}
	return 0
}

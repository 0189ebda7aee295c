package sound

import (
	"encoding/binary"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
)

// An object is an input with its parsed tables.
type object struct {
	name     string
	file     *cubin.File
	symbols  []cubin.Symbol
	entities []*entity // by symbol; nil for sections, labels and symbols that are not linked
	pieces   []*piece  // by section
	infos    map[uint32][]nvinfo.Record
	requests map[uint32][]nvinfo.Record // for cached loads, by symbol of the function
	inner    []cubin.Symbol             // symbols of the Mercury half
	strtab   uint32
	origin   nvinfo.Origin
}

// A piece is a section of an input together with its relocations.
type piece struct {
	object      *object
	index       uint32
	section     *cubin.Section
	data        []byte // nil for memory without contents
	relocations []fixup
	owner       *entity // the function whose code, constants or attributes it holds
	lost        bool    // belongs to a definition that is not linked
	atoms       []*entity
	copy, plain *piece            // its copy in the Mercury half; for a copy, the plain section
	places      codemap.Map       // for code: old and new places, if the finalizer moved it
	operands    []capsule.Operand // for code: values of relocations
	rescheduled bool              // for code: the scoreboards of the output may differ from the input's
	given       *given            // for code that the finalizer moved or replaced: the code of the input
	unspaced    []int             // for code: the number of each instruction in the capsule, if spacing instructions are placed as in the output (KIT-055)
	shortened   []byte            // for code that does not move: the capsule of the finalizer, in which records may be short (KIT-173)

	begin slot // place in the section of the output, if the piece moves as a whole
}

// A fixup is a relocation of an input.
type fixup struct {
	cubin.Relocation
	rela bool
}

func openObject(in Input, kit *arch.Profile) (*object, error) {
	file, err := cubin.OpenBounded(in.Name, in.Data)
	if err != nil {
		return nil, err
	}
	o := &object{name: in.Name, file: file, infos: map[uint32][]nvinfo.Record{}, requests: map[uint32][]nvinfo.Record{}, origin: nvinfo.OriginOf(file)}
	if o.symbols, err = file.Symbols(); err != nil {
		return nil, err
	}
	findMistaken(file, o.symbols)
	o.entities = make([]*entity, len(o.symbols))
	for i := range file.Sections {
		s := &file.Sections[i]
		p := &piece{object: o, index: uint32(i), section: s}
		o.pieces = append(o.pieces, p)
		if p.data, err = file.Data(uint32(i)); err != nil {
			return nil, err
		}
		if bank, ok := s.ConstantBank(); ok { // also the banks of early compilers (KIT-211)
			s.Type = cubin.SectionConstant0 + cubin.SectionType(bank)
		}
		switch s.Type {
		case cubin.SectionInfo, cubin.SectionMercInfo:
			if o.infos[uint32(i)], err = nvinfo.Decode(p.data); err != nil {
				return nil, err
			}
			if s.Name == ".nv.info" {
				for _, r := range values(o.infos[uint32(i)], nvinfo.LoadCacheRequest) {
					o.requests[r.Word(0)] = append(o.requests[r.Word(0)], r)
				}
			}
		case cubin.SectionSymTab:
			o.strtab = s.Link
		}
	}
	for i := range file.Sections {
		s := &file.Sections[i]
		if s.Type != cubin.SectionRel && s.Type != cubin.SectionRela && s.Type != cubin.SectionMercRela || int(s.Info) >= len(o.pieces) {
			continue
		}
		list, err := file.Relocations(uint32(i))
		if err != nil {
			return nil, err
		}
		p := o.pieces[s.Info]
		for _, r := range list {
			if int(r.Symbol) < len(o.symbols) {
				p.relocations = append(p.relocations, fixup{r, s.Type != cubin.SectionRel})
			}
		}
	}
	return o, o.findCopies(kit)
}

// code returns the code section that p belongs to. It is nil if p belongs to the whole module or is code itself.
func (p *piece) code() *piece {
	if !binds(p.section) || p.section.Flags&cubin.FlagExec != 0 || int(p.section.Info) >= len(p.object.pieces) {
		return nil
	}
	return p.object.pieces[p.section.Info]
}

// binds reports whether sh_info contains a section number. The flags tell this, but no file before 12.0 has the flag
// (KIT-071).
func binds(s *cubin.Section) bool {
	if s.Flags&cubin.FlagInfoLink != 0 || s.Info == 0 {
		return s.Flags&cubin.FlagInfoLink != 0
	}
	switch s.Type {
	case cubin.SectionInfo, cubin.SectionRel, cubin.SectionRela, cubin.SectionResolvedRela:
		return true
	}
	return s.Flags&cubin.FlagExec == 0 && (constantBank(s.Name) >= 0 || strings.HasPrefix(s.Name, ".nv.shared."))
}

// pairs reads a table of pairs of words, such as the call graph or the prototypes.
func pairs(data []byte) [][2]uint32 {
	var list [][2]uint32
	for ; len(data) >= 8; data = data[8:] {
		list = append(list, [2]uint32{binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])})
	}
	return list
}

// Groups of the call graph. The record (0, group) starts a group.
const (
	directCalls   = 0xffffffff // caller, callee
	takenAs       = 0xfffffffe // function whose address is taken, prototype
	indirectCalls = 0xfffffffd // caller, prototype
	takesAddress  = 0xfffffffc // function, function whose address it takes
)

// groupsOf lists the groups that occur in a call graph.
func groupsOf(data []byte) (groups []uint32) {
	for _, p := range pairs(data) {
		if p[0] == 0 {
			groups = append(groups, p[1])
		}
	}
	return groups
}

// graphRecords yields the records of a call graph with their group.
func graphRecords(data []byte, yield func(group, a, b uint32)) {
	group := uint32(directCalls)
	for _, p := range pairs(data) {
		if p[0] == 0 && p[1] >= 0xfffffff0 {
			group = p[1]
			continue
		}
		yield(group, p[0], p[1])
	}
}

package cubintext

import (
	"strconv"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// The name of a CUDA section says nearly all of its header. The table below says
// what: type, flags, alignment, entry size, and what sh_link and sh_info refer to.
// A text leaves these fields out where the table is right, which is everywhere in
// the files that ptxas and nvlink write (TEXT-002).

// A kind is what a section name says about the header.
type kind struct {
	prefix  string            // of the name; the whole name when it does not end with a dot
	rel     cubin.SectionType // in a relocatable file
	exec    cubin.SectionType // in an executable
	flags   uint64
	align   uint64
	entsize uint64
	link    reference
	info    reference
}

// A reference says what sh_link or sh_info of a kind refers to.
type reference uint8

const (
	refNone        reference = iota
	refStrtab                // .strtab
	refSymtab                // .symtab
	refMercSymtab            // .nv.merc.symtab
	refTKInfo                // .note.nv.tkinfo
	refCompat                // .nv.compat
	refText                  // .text.X, for a name that ends with X
	refCapMerc               // .nv.capmerc.text.X
	refFunction              // the symbol X in the linked symbol table
	refTarget                // the section that the relocations patch
	refMercTarget            // the same, for .nv.merc.rela.*
	refAfterLocals           // one past the last local symbol
)

const (
	alloc     = cubin.FlagAlloc
	writable  = cubin.FlagAlloc | cubin.FlagWrite
	infoLink  = cubin.FlagInfoLink
	mercury   = cubin.FlagMercury
	bits      = cubin.SectionProgBits
	noBits    = cubin.SectionNoBits
	mercBank  = cubin.SectionType(0x70000079) // .nv.merc.nv.constant.entry_image_header_indices.X
	mercUser  = cubin.SectionType(0x7000007c) // .nv.merc.nv.constant.user
	mercPic   = cubin.SectionType(0x7000007d) // .nv.merc.nv.constant.pic
	mercOpt   = cubin.SectionType(0x70000084) // .nv.merc.nv.constant.optimizer.X
	mercRes   = cubin.SectionType(0x70000088) // .nv.merc.nv.resolvedrela.X
	mercCall  = cubin.SectionType(0x7000008a) // .nv.merc.nv.callgraph
	mercProto = cubin.SectionType(0x7000008b) // .nv.merc.nv.prototype
	capMerc   = cubin.SectionType(0x70000016) // .nv.capmerc.text.X
)

// kinds is searched from the front.
var kinds = []kind{
	{prefix: ".shstrtab", rel: cubin.SectionStrTab, exec: cubin.SectionStrTab, align: 1},
	{prefix: ".strtab", rel: cubin.SectionStrTab, exec: cubin.SectionStrTab, align: 1},
	{prefix: ".symtab", rel: cubin.SectionSymTab, exec: cubin.SectionSymTab, align: 8, entsize: cubin.SymbolSize, link: refStrtab, info: refAfterLocals},
	{prefix: ".symtab_shndx", rel: cubin.SectionSymTabShNdx, exec: cubin.SectionSymTabShNdx, align: 4, entsize: 4, link: refSymtab},

	{prefix: ".note.nv.tkinfo", rel: cubin.SectionNote, exec: cubin.SectionNote, flags: cubin.FlagTKInfo, align: 4},
	{prefix: ".note.nv.cuinfo", rel: cubin.SectionNote, exec: cubin.SectionNote, flags: cubin.FlagCUInfo, align: 4, link: refTKInfo, info: refCompat},
	{prefix: ".nv.info", rel: cubin.SectionInfo, exec: cubin.SectionInfo, align: 4, link: refSymtab},
	{prefix: ".nv.info.", rel: cubin.SectionInfo, exec: cubin.SectionInfo, flags: infoLink, align: 4, link: refSymtab, info: refText},
	{prefix: ".nv.compat", rel: cubin.SectionCompat, exec: cubin.SectionCompat, align: 4},
	{prefix: ".nv.callgraph", rel: cubin.SectionCallGraph, exec: cubin.SectionCallGraph, align: 4, entsize: 8, link: refSymtab},
	{prefix: ".nv.prototype", rel: cubin.SectionPrototype, exec: cubin.SectionPrototype, align: 4, entsize: 8, link: refSymtab},
	{prefix: ".nv.rel.action", rel: cubin.SectionRelAction, exec: cubin.SectionRelAction, align: 8, entsize: 8},
	{prefix: ".nv.resolvedrela.", rel: cubin.SectionResolvedRela, exec: cubin.SectionResolvedRela, flags: infoLink, align: 8, entsize: cubin.RelaSize, link: refSymtab, info: refTarget},
	{prefix: ".rela.", rel: cubin.SectionRela, exec: cubin.SectionRela, flags: infoLink, align: 8, entsize: cubin.RelaSize, link: refSymtab, info: refTarget},
	{prefix: ".rel.", rel: cubin.SectionRel, exec: cubin.SectionRel, flags: infoLink, align: 8, entsize: cubin.RelSize, link: refSymtab, info: refTarget},

	{prefix: ".text.", rel: bits, exec: bits, flags: alloc | cubin.FlagExec, align: 128, link: refSymtab, info: refFunction},
	{prefix: ".nv.global.init", rel: cubin.SectionGlobalInit, exec: bits, flags: writable, align: 4},
	{prefix: ".nv.global", rel: cubin.SectionGlobal, exec: noBits, flags: writable, align: 4},
	{prefix: ".nv.shared.reserved.", rel: cubin.SectionSharedReserved, exec: noBits, flags: writable, align: 4},
	{prefix: ".nv.shared.", rel: cubin.SectionShared, exec: noBits, flags: writable | infoLink, align: 4, info: refText},
	{prefix: ".nv.local.", rel: cubin.SectionLocal, exec: noBits, flags: writable | infoLink, align: 4, info: refText},
	{prefix: ".nv_debug.shared", rel: cubin.SectionShared, exec: noBits, flags: writable, align: 4},
	{prefix: ".nv.uft", rel: cubin.SectionUFT, exec: cubin.SectionUFT, flags: alloc, align: 8},
	{prefix: ".nv.udt", rel: cubin.SectionUDT, exec: cubin.SectionUDT, flags: alloc, align: 8},
	{prefix: ".debug_", rel: bits, exec: bits, align: 1},
	{prefix: ".nv_debug_", rel: bits, exec: bits, align: 1},

	{prefix: ".nv.capmerc.text.", rel: capMerc, exec: capMerc, flags: mercury, align: 16, link: refMercSymtab, info: refFunction},
	{prefix: ".nv.merc.symtab", rel: cubin.SectionMercSymTab, exec: cubin.SectionMercSymTab, flags: mercury, align: 8, entsize: cubin.SymbolSize, link: refStrtab, info: refAfterLocals},
	{prefix: ".nv.merc.nv.info", rel: cubin.SectionMercInfo, exec: cubin.SectionMercInfo, flags: mercury, align: 4, link: refMercSymtab},
	{prefix: ".nv.merc.nv.info.", rel: cubin.SectionMercInfo, exec: cubin.SectionMercInfo, flags: mercury | infoLink, align: 4, link: refMercSymtab, info: refCapMerc},
	{prefix: ".nv.merc.nv.callgraph", rel: mercCall, exec: mercCall, flags: mercury, align: 4, entsize: 8, link: refMercSymtab},
	{prefix: ".nv.merc.nv.prototype", rel: mercProto, exec: mercProto, flags: mercury, align: 4, entsize: 8, link: refMercSymtab},
	{prefix: ".nv.merc.nv.resolvedrela.", rel: mercRes, exec: mercRes, flags: mercury | infoLink, align: 8, entsize: cubin.RelaSize, link: refMercSymtab, info: refMercTarget},
	{prefix: ".nv.merc.rela.", rel: cubin.SectionMercRela, exec: cubin.SectionMercRela, flags: mercury | infoLink, align: 8, entsize: cubin.RelaSize, link: refMercSymtab, info: refMercTarget},
	{prefix: ".nv.merc.nv.constant.user", rel: mercUser, exec: mercUser, flags: mercury | alloc, align: 4},
	{prefix: ".nv.merc.nv.constant.pic", rel: mercPic, exec: mercPic, flags: mercury | alloc, align: 8},
	{prefix: ".nv.merc.nv.constant.optimizer.", rel: mercOpt, exec: mercOpt, flags: mercury | alloc | infoLink, align: 8, info: refCapMerc},
	{prefix: ".nv.merc.nv.constant.entry_image_header_indices.", rel: mercBank, exec: mercBank, flags: mercury | alloc | infoLink, align: 4, info: refCapMerc},
	{prefix: ".nv.merc.nv.global.init", rel: cubin.SectionGlobalInit, exec: cubin.SectionGlobalInit, flags: mercury | writable, align: 4},
	{prefix: ".nv.merc.nv.shared.reserved.", rel: cubin.SectionSharedReserved, exec: cubin.SectionSharedReserved, flags: mercury | writable, align: 4},
	{prefix: ".nv.merc.debug_", rel: bits, exec: bits, flags: mercury, align: 1},
	{prefix: ".nv.merc.nv_debug_", rel: bits, exec: bits, flags: mercury, align: 1},
}

// kindOf gives what the name of a section says, and X of a name like .text.X.
func kindOf(name string) (k kind, x string) {
	for _, k := range kinds {
		if name == k.prefix {
			return k, ""
		}
		if strings.HasSuffix(k.prefix, ".") || strings.HasSuffix(k.prefix, "_") {
			if rest, ok := strings.CutPrefix(name, k.prefix); ok {
				return k, rest
			}
		}
	}
	if rest, ok := strings.CutPrefix(name, ".nv.constant"); ok {
		digits, x, perFunction := strings.Cut(rest, ".")
		if bank, err := strconv.ParseUint(digits, 10, 5); err == nil {
			k := kind{rel: cubin.SectionConstant0 + cubin.SectionType(bank), exec: bits, flags: alloc, align: 4}
			if perFunction {
				k.flags |= infoLink
				k.info = refText
			}
			return k, x
		}
	}
	return kind{rel: bits, exec: bits, align: 1}, ""
}

// typeNames are the words for section types. Constant banks are constant0 to constant17.
var typeNames = map[cubin.SectionType]string{
	cubin.SectionNull: "null", cubin.SectionProgBits: "progbits", cubin.SectionSymTab: "symtab", cubin.SectionStrTab: "strtab",
	cubin.SectionRela: "rela", cubin.SectionNote: "note", cubin.SectionNoBits: "nobits", cubin.SectionRel: "rel",
	cubin.SectionSymTabShNdx: "symtab_shndx", cubin.SectionInfo: "info", cubin.SectionCallGraph: "callgraph",
	cubin.SectionPrototype: "prototype", cubin.SectionResolvedRela: "resolvedrela", cubin.SectionMetadata: "metadata",
	cubin.SectionGlobal: "global", cubin.SectionGlobalInit: "global_init", cubin.SectionLocal: "local", cubin.SectionShared: "shared",
	cubin.SectionRelAction: "rel_action", cubin.SectionUFT: "uft", cubin.SectionUDT: "udt", cubin.SectionSharedReserved: "shared_reserved",
	capMerc: "capmerc", cubin.SectionMercRela: "merc_rela", cubin.SectionMercInfo: "merc_info", cubin.SectionMercSymTab: "merc_symtab",
	cubin.SectionCompat: "compat", mercRes: "merc_resolvedrela", mercCall: "merc_callgraph", mercProto: "merc_prototype",
}

func typeName(t cubin.SectionType) word {
	if s, ok := typeNames[t]; ok {
		return bare(s)
	}
	if t >= cubin.SectionConstant0 && t <= cubin.SectionConstantLast {
		return bare("constant" + strconv.Itoa(int(t-cubin.SectionConstant0)))
	}
	return number(uint64(t))
}

func typeNumber(s string) (cubin.SectionType, bool) {
	for t, n := range typeNames {
		if n == s {
			return t, true
		}
	}
	if digits, ok := strings.CutPrefix(s, "constant"); ok {
		bank, err := strconv.ParseUint(digits, 10, 5)
		return cubin.SectionConstant0 + cubin.SectionType(bank), err == nil && bank <= 17
	}
	v, ok := parseNumber(s)
	return cubin.SectionType(v), ok && v>>32 == 0
}

// What the contents of a section are, by its type.

func isSymtab(t cubin.SectionType) bool {
	return t == cubin.SectionSymTab || t == cubin.SectionMercSymTab
}

func isRelocation(t cubin.SectionType) bool {
	switch t {
	case cubin.SectionRel, cubin.SectionRela, cubin.SectionResolvedRela, cubin.SectionMercRela, mercRes:
		return true
	}
	return false
}

// hasBytes tells whether the contents of s stand in the file: the Mercury half of
// the reserved shared memory has bytes, the plain one has none.
func (s *section) hasBytes() bool {
	t := s.kind()
	return t == cubin.SectionSharedReserved && s.record.get("flags")&mercury != 0 || (&cubin.Section{Type: t}).HasBytes()
}

// flagLetters are the section flags that have a letter, as in readelf.
var flagLetters = []struct {
	letter byte
	bit    uint64
}{{'W', cubin.FlagWrite}, {'A', cubin.FlagAlloc}, {'X', cubin.FlagExec}, {'I', cubin.FlagInfoLink}}

func flagsWord(flags uint64) word {
	var s []byte
	rest := flags
	for _, f := range flagLetters {
		if flags&f.bit != 0 {
			s = append(s, f.letter)
			rest &^= f.bit
		}
	}
	if rest != 0 || len(s) == 0 {
		return number(flags)
	}
	return bare(string(s))
}

func flagsNumber(s string) (uint64, bool) {
	if v, ok := parseNumber(s); ok {
		return v, true
	}
	var flags uint64
next:
	for i := range len(s) {
		for _, f := range flagLetters {
			if f.letter == s[i] {
				flags |= f.bit
				continue next
			}
		}
		return 0, false
	}
	return flags, s != ""
}

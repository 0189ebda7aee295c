package cubin

// These are the numbers of the ELF format and of NVIDIA's extensions (seed 002, sections "Section types" and
// "ELF header").

// Sizes of the fixed records of ELF64, in bytes.
const (
	HeaderSize        = 64
	SectionHeaderSize = 64
	SegmentHeaderSize = 56
	SymbolSize        = 24
	RelSize           = 16
	RelaSize          = 24

	UnifiedEntrySize = 32 // of .nv.uft.entry and .nv.udt.entry
)

// Machine is e_machine of every cubin (EM_CUDA).
const Machine = 190

// OSABI and ABIVersion are the values in files of toolkit 13. The other constants are those of older files.
const (
	OSABI      = 0x41
	ABIVersion = 8

	OSABILegacy      = 0x33
	ABIVersionLegacy = 7
)

// File types (e_type).
const (
	TypeRelocatable = 1      // ET_REL
	TypeExecutable  = 2      // ET_EXEC
	TypeEWP         = 0xff00 // "extended whole program": nvcc -ewp
)

// A SectionType is a value of sh_type.
type SectionType uint32

// Section types: those of ELF that cubins use, and NVIDIA's.
const (
	SectionNull        SectionType = 0
	SectionProgBits    SectionType = 1
	SectionSymTab      SectionType = 2
	SectionStrTab      SectionType = 3
	SectionRela        SectionType = 4
	SectionNote        SectionType = 7
	SectionNoBits      SectionType = 8
	SectionRel         SectionType = 9
	SectionSymTabShNdx SectionType = 18

	SectionInfo           SectionType = 0x70000000 // .nv.info, .nv.info.<function>
	SectionCallGraph      SectionType = 0x70000001 // .nv.callgraph
	SectionPrototype      SectionType = 0x70000002 // .nv.prototype
	SectionResolvedRela   SectionType = 0x70000003 // .nv.resolvedrela.*
	SectionMetadata       SectionType = 0x70000004 // .nv.metadata
	SectionGlobal         SectionType = 0x70000007 // .nv.global
	SectionGlobalInit     SectionType = 0x70000008 // .nv.global.init
	SectionLocal          SectionType = 0x70000009 // .nv.local.<function>
	SectionShared         SectionType = 0x7000000a // .nv.shared.<entry>, .nv_debug.shared
	SectionRelAction      SectionType = 0x7000000b // .nv.rel.action
	SectionUFT            SectionType = 0x7000000e // .nv.uft, .nv.uft.rel.<function>
	SectionUnnamed        SectionType = 0x70000010 // data to nvlink; no compiler is known that makes it
	SectionUFTEntry       SectionType = 0x70000011 // .nv.uft.entry
	SectionUDT            SectionType = 0x70000012 // .nv.udt
	SectionUDTEntry       SectionType = 0x70000014 // .nv.udt.entry
	SectionSharedReserved SectionType = 0x70000015 // .nv.shared.reserved.*
	SectionCapMerc        SectionType = 0x70000016 // .nv.capmerc.text.<function>
	SectionEarlyConstant  SectionType = 0x70000006 // .nv.constant<n> of early compilers; the entry size is n
	SectionConstant0      SectionType = 0x70000064 // .nv.constant<n> is SectionConstant0+n
	SectionConstantLast   SectionType = 0x70000075 // of a bank; the types to SectionConstantEnd are constants too
	SectionMercBank       SectionType = 0x70000079 // .nv.merc.nv.constant.entry_image_header_indices.<entry>
	SectionMercUser       SectionType = 0x7000007c // .nv.merc.nv.constant.user
	SectionMercPIC        SectionType = 0x7000007d // .nv.merc.nv.constant.pic
	SectionConstantEnd    SectionType = 0x7000007e
	SectionMercRela       SectionType = 0x70000082 // .nv.merc.rela.*
	SectionMercInfo       SectionType = 0x70000083 // .nv.merc.nv.info*
	SectionMercOptimizer  SectionType = 0x70000084 // .nv.merc.nv.constant.optimizer.<function>
	SectionMercSymTab     SectionType = 0x70000085 // .nv.merc.symtab
	SectionCompat         SectionType = 0x70000086 // .nv.compat
	SectionHost           SectionType = 0x70000087 // .nv.host
	SectionMercResolved   SectionType = 0x70000088 // .nv.merc.nv.resolvedrela.*
	SectionMercCallGraph  SectionType = 0x7000008a // .nv.merc.nv.callgraph
	SectionMercPrototype  SectionType = 0x7000008b // .nv.merc.nv.prototype
)

// ConstantBanks is the number of constant banks.
const ConstantBanks = int(SectionConstantLast-SectionConstant0) + 1

// IsConstant reports whether t is the type of constants: of a bank, or of a part of one.
func (t SectionType) IsConstant() bool { return t >= SectionConstant0 && t <= SectionConstantEnd }

// IsRelocation reports whether a section of type t contains relocations.
func (t SectionType) IsRelocation() bool {
	switch t {
	case SectionRel, SectionRela, SectionResolvedRela, SectionMercRela, SectionMercResolved:
		return true
	}
	return false
}

// Section flags (sh_flags).
const (
	FlagWrite     = 0x1
	FlagAlloc     = 0x2
	FlagExec      = 0x4
	FlagInfoLink  = 0x40       // sh_info is a section index
	FlagTKInfo    = 0x2000000  // .note.nv.tkinfo
	FlagCUInfo    = 0x1000000  // .note.nv.cuinfo
	FlagMercury   = 0x10000000 // sections of the Mercury half
	FlagBarriers  = 0x7f00000  // barrier count of a function, in objects of ABI 7 (INFO-025)
	BarriersShift = 20
)

// These are special section numbers of symbols. In a file of more than 65,280 sections, 65,521 and 65,522
// are ordinary section numbers. A [Symbol] that is absolute or common therefore has a section number that no
// file can have. st_shndx contains the low 16 bits of it.
const (
	ShnUndef     = 0
	ShnLoReserve = 0xff00     // the first number that does not fit in st_shndx
	ShnXIndex    = 0xffff     // the number is in .symtab_shndx
	ShnAbs       = 0xfffffff1 // absolute
	ShnCommon    = 0xfffffff2 // common
)

// ShortSection is the inverse of [SectionOfSymbol] for absolute and common symbols. It returns other numbers
// unchanged.
func ShortSection(section uint32) uint32 {
	if section == ShnAbs || section == ShnCommon {
		return section & 0xffff
	}
	return section
}

// SectionOfSymbol decodes st_shndx: a section number, [ShnXIndex], [ShnAbs] or [ShnCommon].
func SectionOfSymbol(shndx uint16) uint32 {
	switch n := uint32(shndx); n {
	case ShnAbs & 0xffff, ShnCommon & 0xffff:
		return 0xffff0000 | n
	default:
		return n
	}
}

// A Binding is the high half of st_info.
type Binding uint8

// Symbol bindings.
const (
	BindLocal  Binding = 0
	BindGlobal Binding = 1
	BindWeak   Binding = 2
)

// A SymbolType is the low half of st_info.
type SymbolType uint8

// Symbol types: those of ELF that cubins use, and NVIDIA's.
const (
	SymNone    SymbolType = 0
	SymObject  SymbolType = 1
	SymFunc    SymbolType = 2
	SymSection SymbolType = 3
	SymTexture SymbolType = 10 // STT_CUDA_TEXTURE
	SymSampler SymbolType = 11 // .samplerref
	SymSurface SymbolType = 12 // STT_CUDA_SURFACE
	SymData    SymbolType = 13 // STT_CUDA_OBJECT: a variable, with its memory space in st_other
)

// Bits of st_other.
const (
	OtherVisibility = 0x3 // ELF's visibility: one of the next two, or another value
	OtherInternal   = 0x1 // not part of the linked file's symbol table
	OtherHidden     = 0x2
	OtherManaged    = 0x4  // __managed__
	OtherObscure    = 0x8  // STO_CUDA_OBSCURE
	OtherEntry      = 0x10 // a kernel
	OtherSpaceMask  = 0xe0
	OtherGlobal     = 0x20
	OtherShared     = 0x40
	OtherLocal      = 0x60
	OtherConstant   = 0x80
	OtherReserved   = 0xa0 // reserved shared memory
)

// Program header types (p_type) and flags.
const (
	SegmentLoad = 1
	SegmentPHdr = 6

	SegmentExec  = 1
	SegmentWrite = 2
	SegmentRead  = 4
)

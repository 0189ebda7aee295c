// Package catalogue lists every section that a cubin may contain: the header that
// follows from its name, its place in a linked file, the tool that creates it, and what
// the linker does with it (seed 002, "Complete Section Catalog").
//
// Kinds is the table. docs/sections.md is generated from it, and the text form of cubins
// omits the header fields that follow from it.
package catalogue

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// A Kind is a row of the catalogue.
type Kind struct {
	// Pattern is the name. <f> stands for a function, <s> for the name of another section, <n> for
	// a number, and <x> for anything.
	Pattern string
	// Object and Linked are sh_type in a relocatable file and in an executable. SectionNull means
	// that there is no such section.
	Object, Linked cubin.SectionType
	Flags          uint64 // sh_flags
	EntSize        uint64 // sh_entsize, bytes
	Align          uint64 // sh_addralign, bytes
	Varies         bool   // the alignment depends on the contents; Align is then that of words, for a text form that gives none
	Link           Reference
	Info           Reference
	Group          Group // place in a linked file
	Maker          Maker
	Linker         string // what the linker does with it
}

// A Reference is the target of sh_link or sh_info.
type Reference uint8

// These are the kinds of references.
const (
	NoReference Reference = iota
	StringTable           // .strtab
	SymbolTable           // .symtab
	MercSymbols           // .nv.merc.symtab
	ToolNote              // .note.nv.tkinfo
	CompatInfo            // .nv.compat, where the file has one; else 0
	Code                  // .text.<f>
	MercCode              // .nv.capmerc.text.<f>
	Stub                  // .nv.uft.rel.<f>
	MercStub              // .nv.capmerc.nv.uft.rel.<f>
	Symbol                // the symbol of <f>; above its 24 bits the registers, before sm_90
	Target                // the section that the relocations patch
	Locals                // the number of local symbols
)

var referenceTexts = [...]string{
	NoReference: "", StringTable: ".strtab", SymbolTable: ".symtab", MercSymbols: ".nv.merc.symtab", ToolNote: ".note.nv.tkinfo",
	CompatInfo: ".nv.compat", Code: ".text.<f>", MercCode: ".nv.capmerc.text.<f>", Stub: ".nv.uft.rel.<f>", MercStub: ".nv.capmerc.nv.uft.rel.<f>", Symbol: "symbol of <f>", Target: "patched section", Locals: "number of locals",
}

func (r Reference) String() string { return referenceTexts[r] }

// A Group is a part of the section table of a linked file. The sections of a group are adjacent.
// The groups are in the order of these constants (EMIT-001).
type Group uint8

// The groups.
const (
	Unordered   Group = iota // the Mercury half, and sections that are in no linked file
	Null                     // section 0
	Names                    // .shstrtab
	Strings                  // .strtab
	Symbols                  // .symtab
	Debug                    // .debug_*, .nv_debug_*
	Metadata                 // notes, attributes, call graph
	Relocations              // .rel*, .rela*
	Constants                // .nv.constant*
	Text                     // .text.*
	Data                     // .nv.global.init
	NoBits                   // memory without contents in the file
)

var groupTexts = [...]string{"", "null", "names", "strings", "symbols", "debug", "metadata", "relocations", "constants", "code", "data", "no bits"}

func (g Group) String() string { return groupTexts[g] }

// A Maker is the tool that first writes a section.
type Maker uint8

// These are the tools that create sections.
const (
	Unseen   Maker = iota // named by the tools, seen in no file
	Compiler              // ptxas
	Linker                // nvlink
	Each                  // both tools write their own
)

var makerTexts = [...]string{"not seen", "ptxas", "nvlink", "each"}

func (m Maker) String() string { return makerTexts[m] }

// These are short names for the rows of the table.
const (
	alloc    = cubin.FlagAlloc
	data     = cubin.FlagAlloc | cubin.FlagWrite
	info     = cubin.FlagInfoLink
	merc     = cubin.FlagMercury
	bits     = cubin.SectionProgBits
	nobits   = cubin.SectionNoBits
	rel      = cubin.SectionRel
	rela     = cubin.SectionRela
	relSize  = cubin.RelSize
	relaSize = cubin.RelaSize
	none     = cubin.SectionNull
	bank0    = cubin.SectionConstant0
	fixed    = false
	varies   = true
)

// Texts that several rows share.
const (
	concatenated = "concatenated in the order of the inputs, each part at its alignment"
	mercuryHalf  = "belongs to the Mercury half"
	refused      = "not supported yet"
	unified      = "kept in a relocatable file; any other link ends there (LAYOUT-070, LAYOUT-115)"
)

// Kinds is the catalogue.
var Kinds = []Kind{
	{"", none, none, 0, 0, 0, fixed, NoReference, NoReference, Null, Each, "section 0"},
	{".shstrtab", cubin.SectionStrTab, cubin.SectionStrTab, 0, 0, 1, fixed, NoReference, NoReference, Names, Each, "made anew"},
	{".strtab", cubin.SectionStrTab, cubin.SectionStrTab, 0, 0, 1, fixed, NoReference, NoReference, Strings, Each, "made anew"},
	{".symtab", cubin.SectionSymTab, cubin.SectionSymTab, 0, cubin.SymbolSize, 8, fixed, StringTable, Locals, Symbols, Each, "made anew"},
	{".symtab_shndx", cubin.SectionSymTabShNdx, cubin.SectionSymTabShNdx, 0, 4, 4, fixed, SymbolTable, NoReference, Symbols, Unseen, "made anew when a file has more than 65,279 sections"},

	{".debug_frame", bits, bits, 0, 0, 1, fixed, NoReference, NoReference, Debug, Compiler, concatenated + "; entries of dropped functions stay, with address and length 0"},
	{".debug_<x>", bits, bits, 0, 0, 1, fixed, NoReference, NoReference, Debug, Compiler, concatenated},
	{".nv_debug_line_sass", bits, bits, 0, 0, 1, fixed, NoReference, NoReference, Debug, Compiler, concatenated},
	{".nv_debug_info_reg_sass", bits, bits, 0, 0, 1, fixed, NoReference, NoReference, Debug, Compiler, concatenated},
	{".nv_debug_info_reg_type", bits, bits, 0, 0, 1, fixed, NoReference, NoReference, Debug, Compiler, concatenated},
	{".nv_debug_ptx_txt.<n>", bits, bits, 0, 0, 1, fixed, NoReference, NoReference, Debug, Compiler, "kept; one of each number"},
	{".nv_debug_ptx_txt", bits, bits, 0, 0, 1, fixed, NoReference, NoReference, Debug, Compiler, concatenated},

	{".note.nv.tkinfo", cubin.SectionNote, cubin.SectionNote, cubin.FlagTKInfo, 0, 4, fixed, NoReference, NoReference, Metadata, Each, "the linker's record, then those of the inputs (INFO-020)"},
	{".note.nv.cuinfo", cubin.SectionNote, cubin.SectionNote, cubin.FlagCUInfo, 0, 4, fixed, ToolNote, CompatInfo, Metadata, Each, "the lowest virtual architecture, the linker's toolkit (INFO-021)"},
	{".note.nv.cuver", cubin.SectionNote, cubin.SectionNull, cubin.FlagCUInfo | info, 0, 4, fixed, ToolNote, CompatInfo, Unordered, Compiler, "what 12.8 and 12.9 write in place of .note.nv.cuinfo from sm_100 on, linked files too (KIT-161); read as that (INFO-024)"},
	{".nv.info", cubin.SectionInfo, cubin.SectionInfo, 0, 0, 4, fixed, SymbolTable, NoReference, Metadata, Compiler, "attributes of all functions (docs/attributes.md)"},
	{".nv.compat", cubin.SectionCompat, cubin.SectionCompat, 0, 0, 4, fixed, NoReference, NoReference, Metadata, Compiler, "merged code by code, from sm_90 on (INFO-010)"},
	{".nv.info.__cuda_uf_stub_<f>", cubin.SectionInfo, none, info, 0, 4, fixed, SymbolTable, Stub, Metadata, Compiler, "attributes of the stub of a unified function"},
	{".nv.info.<f>", cubin.SectionInfo, cubin.SectionInfo, info, 0, 4, fixed, SymbolTable, Code, Metadata, Compiler, "attributes of a function; a kernel's are raised (INFO-206)"},
	{".nv.metadata", cubin.SectionMetadata, cubin.SectionMetadata, 0, 0, 4, fixed, NoReference, NoReference, Metadata, Unseen, refused},
	{".nv.callgraph", cubin.SectionCallGraph, cubin.SectionCallGraph, 0, 8, 4, fixed, SymbolTable, NoReference, Metadata, Compiler, "edges of live functions"},
	{".nv.prototype", cubin.SectionPrototype, cubin.SectionPrototype, 0, 8, 4, fixed, SymbolTable, NoReference, Metadata, Compiler, "prototypes of live functions"},
	{".nv.rel.action", none, cubin.SectionRelAction, 0, 8, 8, fixed, NoReference, NoReference, Metadata, Linker, "the same 16 bytes in every executable"},
	{".nv.host", cubin.SectionHost, cubin.SectionHost, 0, 0, 8, fixed, NoReference, NoReference, Metadata, Linker, "the file of -nv-host; not taken from inputs (EMIT-033)"},

	{".rel.nv.constant0.<f>", none, rel, 0, relSize, 8, fixed, SymbolTable, Target, Relocations, Linker, "fills texture and surface headers behind the parameters"},
	{".rel.<s>", rel, rel, info, relSize, 8, fixed, SymbolTable, Target, Relocations, Compiler, "what the driver must apply is kept, the rest applied"},
	{".rela.<s>", rela, rela, info, relaSize, 8, fixed, SymbolTable, Target, Relocations, Compiler, "what the driver must apply is kept, the rest applied"},
	{".nv.resolvedrela.<s>", none, cubin.SectionResolvedRela, info, relaSize, 8, fixed, SymbolTable, Target, Relocations, Linker, "what was applied (--preserve-relocs)"},

	{".nv.constant0.<f>", bank0, bits, alloc | info, 0, 4, fixed, NoReference, Code, Constants, Compiler, "parameters of a kernel; kept, and texture and surface headers added"},
	{".nv.constant<n>.<f>", bank0, bits, alloc | info, 0, 4, varies, NoReference, Code, Constants, Compiler, "the compiler's constants; a function's are copied to the kernels that reach it (LAYOUT-040)"},
	{".nv.constant<n>", bank0, bits, alloc, 0, 4, varies, NoReference, NoReference, Constants, Compiler, concatenated},

	{".text.<f>", bits, bits, alloc | cubin.FlagExec, 0, 128, fixed, SymbolTable, Symbol, Text, Compiler, "code of a live function, relocated"},
	{".nv.global.init", cubin.SectionGlobalInit, bits, data, 0, 4, varies, NoReference, NoReference, Data, Compiler, concatenated},

	{".nv.global", cubin.SectionGlobal, nobits, data, 0, 4, varies, NoReference, NoReference, NoBits, Compiler, concatenated + "; commons follow"},
	{".nv.shared.reserved.<n>", cubin.SectionSharedReserved, nobits, data, 0, 4, varies, NoReference, NoReference, NoBits, Compiler, "shared memory that the system keeps"},
	{".nv.shared.<f>", cubin.SectionShared, nobits, data | info, 0, 4, varies, NoReference, Code, NoBits, Compiler, "laid out anew for each kernel"},
	{".nv_debug.shared", cubin.SectionShared, nobits, data, 0, 4, varies, NoReference, NoReference, NoBits, Compiler, "shared variables of several kernels, and extern ones; moved to the kernels"},
	{".nv.local.<f>", cubin.SectionLocal, nobits, data | info, 0, 4, varies, NoReference, Code, NoBits, Unseen, refused},
	{".nv.uft", cubin.SectionUFT, cubin.SectionUFT, alloc, 0, 8, varies, NoReference, NoReference, Unordered, Unseen, refused},
	{".nv.uft.rel.<f>", cubin.SectionUFT, none, alloc | cubin.FlagExec, 128, 128, fixed, SymbolTable, Symbol, Text, Compiler, "stub of a unified function; " + unified},
	{".nv.uft.entry", cubin.SectionUFTEntry, none, 0, cubin.UnifiedEntrySize, 8, fixed, SymbolTable, NoReference, Metadata, Compiler, unified},
	{".nv.udt", cubin.SectionUDT, none, data, 0, 4, varies, NoReference, NoReference, Data, Compiler, "unified variables; " + unified},
	{".nv.udt.entry", cubin.SectionUDTEntry, none, 0, cubin.UnifiedEntrySize, 8, fixed, SymbolTable, NoReference, Metadata, Compiler, unified},

	{".nv.capmerc.text.<f>", cubin.SectionCapMerc, cubin.SectionCapMerc, merc, 0, 16, fixed, MercSymbols, Symbol, Unordered, Compiler, mercuryHalf},
	{".nv.capmerc.nv.uft.rel.<f>", cubin.SectionCapMerc, cubin.SectionCapMerc, merc, 128, 16, fixed, MercSymbols, Symbol, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.uft.entry", cubin.SectionUFTEntry, cubin.SectionUFTEntry, merc, cubin.UnifiedEntrySize, 8, fixed, MercSymbols, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.udt", cubin.SectionUDT, cubin.SectionUDT, merc | data, 0, 4, varies, NoReference, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.udt.entry", cubin.SectionUDTEntry, cubin.SectionUDTEntry, merc, cubin.UnifiedEntrySize, 8, fixed, MercSymbols, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.symtab", cubin.SectionMercSymTab, cubin.SectionMercSymTab, merc, cubin.SymbolSize, 8, fixed, StringTable, Locals, Unordered, Compiler, mercuryHalf},
	{".nv.merc.symtab_shndx", cubin.SectionSymTabShNdx, cubin.SectionSymTabShNdx, merc, 4, 4, fixed, MercSymbols, NoReference, Unordered, Unseen, mercuryHalf},
	{".nv.merc.nv.host", cubin.SectionHost, cubin.SectionHost, merc, 0, 8, fixed, NoReference, NoReference, Unordered, Linker, mercuryHalf},
	{".nv.merc.nv.info", cubin.SectionMercInfo, cubin.SectionMercInfo, merc, 0, 4, fixed, MercSymbols, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.info.__cuda_uf_stub_<f>", cubin.SectionMercInfo, cubin.SectionMercInfo, merc | info, 0, 4, fixed, MercSymbols, MercStub, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.info.<f>", cubin.SectionMercInfo, cubin.SectionMercInfo, merc | info, 0, 4, fixed, MercSymbols, MercCode, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.callgraph", cubin.SectionMercCallGraph, cubin.SectionMercCallGraph, merc, 8, 4, fixed, MercSymbols, NoReference, Unordered, Compiler, mercuryHalf + "; toolkit 13.5"},
	{".nv.merc.nv.prototype", cubin.SectionMercPrototype, cubin.SectionMercPrototype, merc, 8, 4, fixed, MercSymbols, NoReference, Unordered, Compiler, mercuryHalf + "; toolkit 13.5"},
	{".nv.merc.rela.<s>", cubin.SectionMercRela, cubin.SectionMercRela, merc | info, relaSize, 8, fixed, MercSymbols, Target, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.resolvedrela.<s>", none, cubin.SectionMercResolved, merc | info, relaSize, 8, fixed, MercSymbols, Target, Unordered, Linker, mercuryHalf},
	{".nv.merc.nv.constant.user", cubin.SectionMercUser, cubin.SectionMercUser, merc | alloc, 0, 4, varies, NoReference, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.constant.pic", cubin.SectionMercPIC, cubin.SectionMercPIC, merc | alloc, 0, 8, varies, NoReference, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.constant.optimizer.<f>", cubin.SectionMercOptimizer, cubin.SectionMercOptimizer, merc | alloc | info, 0, 8, varies, NoReference, MercCode, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.constant.entry_image_header_indices.<f>", none, cubin.SectionMercBank, merc | alloc | info, 0, 4, varies, NoReference, MercCode, Unordered, Linker, mercuryHalf},
	{".nv.merc.nv.global.init", cubin.SectionGlobalInit, cubin.SectionGlobalInit, merc | data, 0, 4, varies, NoReference, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv.shared.reserved.<n>", cubin.SectionSharedReserved, cubin.SectionSharedReserved, merc | data, 0, 4, varies, NoReference, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.debug_<x>", bits, bits, merc, 0, 1, fixed, NoReference, NoReference, Unordered, Compiler, mercuryHalf},
	{".nv.merc.nv_debug_<x>", bits, bits, merc, 0, 1, fixed, NoReference, NoReference, Unordered, Compiler, mercuryHalf},
}

// Lookup returns the first row that matches a section name, and the variable part of the name, such
// as the function in ".text.k". It returns nil if no row matches.
func Lookup(name string) (k *Kind, part string) {
	for i := range Kinds {
		if part, ok := match(Kinds[i].Pattern, name); ok {
			return &Kinds[i], part
		}
	}
	return nil, ""
}

// Patched returns the possible names of the section to which a relocation section with this name
// applies. In the Mercury half, there are two possible names for code, and one for other sections.
func Patched(name string) []string {
	_, part, _ := strings.Cut(name, "rel")
	_, part, _ = strings.Cut(part, ".")
	if strings.HasPrefix(name, ".nv.merc.") {
		return []string{".nv.merc." + part, ".nv.capmerc." + part}
	}
	return []string{"." + part}
}

// Type returns sh_type of a section of kind k. The types of constant banks in an object have
// numbers.
func (k *Kind) Type(executable bool, name string) cubin.SectionType {
	if executable || k.Object == none {
		return k.Linked
	}
	if k.Object != bank0 {
		return k.Object
	}
	bank := cubin.SectionType(0)
	for _, digit := range name[len(".nv.constant"):] {
		if digit < '0' || digit > '9' {
			break
		}
		bank = bank*10 + cubin.SectionType(digit-'0')
	}
	return bank0 + bank
}

// match reports whether name matches pattern, and returns its last variable part.
func match(pattern, name string) (part string, ok bool) {
	fixed := 0
	for ; fixed < len(pattern) && pattern[fixed] != '<'; fixed++ {
		if fixed >= len(name) || name[fixed] != pattern[fixed] { // nearly all end here
			return "", false
		}
	}
	tail := name[fixed:]
	if fixed == len(pattern) {
		return "", tail == ""
	}
	what, rest, _ := strings.Cut(pattern[fixed+1:], ">")
	if what != "n" {
		return tail, tail != ""
	}
	digits := len(tail) - len(strings.TrimLeft(tail, "0123456789"))
	if digits == 0 {
		return "", false
	}
	if rest == "" {
		return tail[:digits], digits == len(tail)
	}
	return match(rest, tail[digits:])
}

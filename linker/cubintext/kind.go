package cubintext

import (
	"strconv"
	"strings"

	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
)

// The name of a CUDA section determines most of its header. A text omits the fields that agree with the
// catalogue. All files of ptxas and nvlink agree with it (TEXT-002).

// unknownKind is the kind for a name that the catalogue does not contain.
var unknownKind = catalogue.Kind{Object: cubin.SectionProgBits, Linked: cubin.SectionProgBits, Align: 1}

// kindOf returns the kind for the name of a section, and X for a name like .text.X.
func kindOf(name string) (k *catalogue.Kind, x string) {
	if k, x = catalogue.Lookup(name); k == nil || k.Group == catalogue.Null {
		return &unknownKind, ""
	}
	return k, x
}

// catalogued returns kindOf for the name of s. It stores the result, because the name does not change any
// more.
func (s *section) catalogued() (k *catalogue.Kind, x string) {
	if s.known == nil {
		s.known, s.part = kindOf(s.name)
	}
	return s.known, s.part
}

// typeNames are the words for section types. Constant banks are constant0 to constant17.
var typeNames = map[cubin.SectionType]string{
	cubin.SectionNull: "null", cubin.SectionProgBits: "progbits", cubin.SectionSymTab: "symtab", cubin.SectionStrTab: "strtab",
	cubin.SectionRela: "rela", cubin.SectionNote: "note", cubin.SectionNoBits: "nobits", cubin.SectionRel: "rel",
	cubin.SectionSymTabShNdx: "symtab_shndx", cubin.SectionInfo: "info", cubin.SectionCallGraph: "callgraph",
	cubin.SectionPrototype: "prototype", cubin.SectionResolvedRela: "resolvedrela", cubin.SectionMetadata: "metadata",
	cubin.SectionGlobal: "global", cubin.SectionGlobalInit: "global_init", cubin.SectionLocal: "local", cubin.SectionShared: "shared",
	cubin.SectionRelAction: "rel_action", cubin.SectionUFT: "uft", cubin.SectionUDT: "udt", cubin.SectionUFTEntry: "uft_entry", cubin.SectionUDTEntry: "udt_entry", cubin.SectionSharedReserved: "shared_reserved",
	cubin.SectionCapMerc: "capmerc", cubin.SectionMercRela: "merc_rela", cubin.SectionMercInfo: "merc_info", cubin.SectionMercSymTab: "merc_symtab",
	cubin.SectionCompat: "compat", cubin.SectionMercResolved: "merc_resolvedrela", cubin.SectionMercCallGraph: "merc_callgraph", cubin.SectionMercPrototype: "merc_prototype",
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

// Kinds of section contents, by section type.

func isSymtab(t cubin.SectionType) bool {
	return t == cubin.SectionSymTab || t == cubin.SectionMercSymTab
}

// hasBytes reports whether the file contains the contents of s. The Mercury half of the reserved shared memory
// has bytes, the plain one has none.
func (s *section) hasBytes() bool {
	t := s.kind()
	return t == cubin.SectionSharedReserved && s.record.get("flags")&cubin.FlagMercury != 0 || (&cubin.Section{Type: t}).HasBytes()
}

package diff

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// Formats of an attribute record (.nv.info): one byte format, one byte code, then
// nothing, a byte, a half word, or a half word that is the size of what follows.
const (
	formatNone  = 1
	formatByte  = 2
	formatHalf  = 3
	formatSized = 4
)

// attributeNames are the names of the attribute codes that links carry.
var attributeNames = map[byte]string{
	0x02: "IMAGE_SLOT", 0x03: "JUMPTABLE_RELOCS", 0x04: "CTAIDZ_USED", 0x05: "MAX_THREADS",
	0x06: "IMAGE_OFFSET", 0x07: "IMAGE_SIZE", 0x08: "TEXTURE_NORMALIZED", 0x09: "SAMPLER_INIT",
	0x0a: "PARAM_CBANK", 0x0e: "TEXID_SAMPID_MAP", 0x0f: "EXTERNS", 0x10: "REQNTID",
	0x11: "FRAME_SIZE", 0x12: "MIN_STACK_SIZE", 0x13: "SAMPLER_FORCE_UNNORMALIZED",
	0x14: "BINDLESS_IMAGE_OFFSETS", 0x15: "BINDLESS_TEXTURE_BANK", 0x16: "BINDLESS_SURFACE_BANK",
	0x17: "KPARAM_INFO", 0x18: "SMEM_PARAM_SIZE", 0x19: "CBANK_PARAM_SIZE", 0x1b: "MAXREG_COUNT",
	0x1c: "EXIT_INSTR_OFFSETS", 0x1d: "S2RCTAID_INSTR_OFFSETS", 0x1e: "CRS_STACK_SIZE",
	0x23: "MAX_STACK_SIZE", 0x28: "COOP_GROUP_INSTR_OFFSETS", 0x29: "COOP_GROUP_MASK_REGIDS",
	0x2b: "WMMA_USED", 0x2f: "REGCOUNT", 0x31: "INT_WARP_WIDE_INSTR_OFFSETS", 0x34: "INDIRECT_BRANCH_TARGETS",
	0x35: "SW2861232_WAR", 0x36: "SW_WAR", 0x37: "CUDA_API_VERSION", 0x38: "NUM_MBARRIERS",
	0x39: "MBARRIER_INSTR_OFFSETS", 0x3d: "CTA_PER_CLUSTER", 0x3e: "EXPLICIT_CLUSTER",
	0x3f: "MAX_CLUSTER_RANK", 0x40: "INSTR_REG_MAP", 0x41: "RESERVED_SMEM_USED",
	0x44: "UNUSED_LOAD_BYTE_OFFSET", 0x45: "KPARAM_INFO_V2", 0x46: "SYSCALL_OFFSETS",
	0x4a: "VRC_CTA_INIT_COUNT", 0x4c: "NUM_BARRIERS", 0x4d: "TEXMODE_INDEPENDENT",
	0x50: "SPARSE_MMA_MASK", 0x5f: "MERCURY_ISA_VERSION",
}

// symbolFirst are the codes whose first word is a symbol; symbolsOnly those whose
// words all are.
var (
	symbolFirst = map[byte]bool{0x02: true, 0x06: true, 0x07: true, 0x08: true, 0x09: true, 0x0a: true, 0x11: true,
		0x12: true, 0x13: true, 0x23: true, 0x2f: true, 0x38: true}
	symbolsOnly = map[byte]bool{0x0f: true}
)

func attributeName(code byte) string {
	if name, found := attributeNames[code]; found {
		return name
	}
	return fmt.Sprintf("%#02x", code)
}

// infoFacts: records of a function are info.FUNCTION.NAME, and so are the records
// of the whole file whose first word is a function; others are info.NAME.
func infoFacts(f *facts, n *names, s *cubin.Section, data []byte) {
	prefix := "info."
	if s.Type == cubin.SectionMercInfo {
		prefix = "merc.info."
	}
	t, owner := n.linked(s), function(s.Name)
	var order []string
	for at := 0; at < len(data); {
		rest := data[at:]
		if len(rest) < 4 {
			f.bytes(RankRelations, prefix+owner+".tail", prefix+"*.tail", rest, 4)
			break
		}
		format, code, half := rest[0], rest[1], binary.LittleEndian.Uint16(rest[2:])
		size := 4
		if format == formatSized {
			size += int(half)
		}
		rest = rest[:min(size, len(rest))]
		at += size
		name := attributeName(code)
		subject, value := owner, ""
		switch format {
		case formatSized:
			words, tail := wordsOf(rest[4:])
			if symbolFirst[code] && len(words) > 0 && owner == "" {
				subject, words = t.symbol(words[0]), words[1:]
			}
			value = describeWords(t, code, words, symbolFirst[code] && owner != "")
			if len(tail) > 0 {
				value += fmt.Sprintf(" %x", tail)
			}
		case formatNone, formatByte, formatHalf:
			value = fmt.Sprintf("%#x", half)
		default:
			value = fmt.Sprintf("%x", rest)
		}
		key, class := prefix+name, prefix+name
		if subject != "" {
			key, class = prefix+subject+"."+name, prefix+"*."+name
		}
		f.words(RankRelations, key, class, "%s", value)
		f.words(RankRelations, key+".format", class+".format", "%d", format)
		if owner == "" && subject != "" {
			name = subject + "." + name
		}
		order = append(order, name)
	}
	key, class := sectionKey(s.Name)
	f.order(RankListOrder, "order."+key, "order."+class, order)
}

func wordsOf(b []byte) (words []uint32, tail []byte) {
	for ; len(b) >= 4; b = b[4:] {
		words = append(words, binary.LittleEndian.Uint32(b))
	}
	return words, b
}

func describeWords(t *symbolTable, code byte, words []uint32, first bool) string {
	out := make([]string, len(words))
	for i, w := range words {
		if symbolsOnly[code] || first && i == 0 {
			out[i] = t.symbol(w)
		} else {
			out[i] = fmt.Sprintf("%#x", w)
		}
	}
	return strings.Join(out, " ")
}

// compatFacts: records of one byte format, one byte code, and a value.
func compatFacts(f *facts, data []byte) {
	var order []string
	for at := 0; at < len(data); {
		rest := data[at:]
		size := 4
		if len(rest) >= 4 && rest[0] == formatSized {
			size += int(binary.LittleEndian.Uint16(rest[2:]))
		}
		rest = rest[:min(size, len(rest))]
		at += size
		name := "tail"
		if len(rest) >= 2 {
			name = fmt.Sprintf("%#02x", rest[1])
		}
		f.words(RankNotes, "compat."+name, "compat."+name, "%x", rest)
		order = append(order, name)
	}
	f.order(RankListOrder, "order.compat", "order.compat", order)
}

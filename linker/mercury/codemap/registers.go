package codemap

import (
	"bytes"
	"encoding/binary"

	"github.com/culink/culink/linker/mercury/capsule"
)

// Registers maps .nv_debug_info_reg_sass, which says where in the code a variable of
// the PTX is in which register:
//
//	name of the function, NUL, u32 number of entries, then for each
//	u32, name of the variable, NUL, u32 register, u32 begin, u32 end
//
// It changes section in place; become says what became of a function (MERC-116). What
// began at a dropped instruction begins at the one before that stayed. The places in a
// dropped function, and in all records of a weak one but the first, are zero (MERC-126).
func Registers(section []byte, at capsule.Place, become func(function string) (m Map, kept bool)) error {
	for pos := 0; pos < len(section); {
		name, next, ok := cutName(section, pos, 4)
		if !ok {
			return at.Fail(pos, "record of registers ends early", len(section)-pos)
		}
		m, kept := become(string(name))
		entries := binary.LittleEndian.Uint32(section[next:])
		for pos = next + 4; entries > 0; entries-- {
			_, next, ok := cutName(section, pos+4, 12)
			if !ok {
				return at.Fail(pos, "record of registers ends early", len(section)-pos)
			}
			if kept {
				begin := uint64(binary.LittleEndian.Uint32(section[next+4:]))
				binary.LittleEndian.PutUint32(section[next+4:], uint32(m.stayed(begin)))
				m.word(section[next+8:])
			} else {
				clear(section[next+4 : next+12])
			}
			pos = next + 12
		}
	}
	return nil
}

// cutName reads the name at pos of b, and tells where it ends and whether as many bytes
// as are asked for follow.
func cutName(b []byte, pos, follow int) (name []byte, next int, ok bool) {
	if pos > len(b) {
		return nil, 0, false
	}
	n := bytes.IndexByte(b[pos:], 0)
	next = pos + n + 1
	return b[pos:max(pos, pos+n)], next, n >= 0 && next+follow <= len(b)
}

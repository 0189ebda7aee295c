package emit

import (
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// nvlink first writes a file of the Mercury half alone, the inner file. Its finalizer makes the
// output from this file. Only a little of the inner file's layout shows in the output. The last
// sections of the inner file have no bytes. One of them is reserved shared memory, which has bytes
// in the output. They are the bytes that follow in the inner file, the beginning of its section
// table (MERC-205).

// An innerFile holds the sizes that differ between the inner file and the output.
type innerFile struct {
	names, strings uint64 // sizes of its .shstrtab and .strtab
}

// leak sets the bytes of the Mercury copy of reserved shared memory.
//
// Before the call, every section has its size.
func (e *emitter) leak() {
	if !e.Target.Profile.Emit.FillsReserved {
		return
	}
	var reserved *program.Side
	var start uint64
	at := uint64(cubin.HeaderSize)
	for _, s := range e.table {
		if s.group > program.GroupNoBits {
			break
		}
		size, align := e.innerSize(s)
		at = cubin.AlignUp(at, align)
		if s.Type == cubin.SectionSharedReserved {
			reserved, start = s.section.Mercury, at
		}
		if !s.noBits() && s.group != program.GroupNoBits {
			at += size
		}
	}
	if reserved != nil {
		reserved.SetBytes(leakedHeaders(reserved.Size, cubin.AlignUp(at, 8)-start, e.inner))
	}
}

// innerSize returns the size and alignment of s in the inner file.
func (e *emitter) innerSize(s *row) (size, align uint64) {
	switch {
	case s.section == e.Std.Shstrtab:
		return e.inner.names, s.Align
	case s.section == e.Std.Strtab:
		return e.inner.strings, s.Align
	case s.section == e.Std.Symtab:
		return uint64(e.numMercury+1) * cubin.SymbolSize, s.Align
	case s.about != nil:
		c := s.about.Mercury
		if c == nil {
			return s.Size, s.Align
		}
		list := c.Relocations
		if s.Type == cubin.SectionResolvedRela {
			list = c.Resolved
		}
		return uint64(len(list)) * cubin.RelaSize, s.Align
	case s.section == e.Std.Compat:
		return uint64(len(nvinfo.Encode(e.Compat.Unfinalized()))), s.Align
	case s.section.Mercury == nil:
		return s.Size, s.Align
	case s.group == program.GroupText:
		return s.section.Addressable(s.section.Mercury), s.section.Mercury.Align
	}
	return s.section.Mercury.Size, s.section.Mercury.Align
}

// leakedHeaders returns size bytes from the beginning of the inner file's section table, which is
// at offset table. They are the null entry and the entries of .shstrtab and .strtab. If size is
// larger, the remaining bytes are zero (E-350).
func leakedHeaders(size, table uint64, inner innerFile) []byte {
	const second = uint32(len("\x00.shstrtab\x00")) // where the name of .strtab is
	headers := make([]byte, 3*cubin.SectionHeaderSize)
	stringTable := func(at int, name uint32, offset, size uint64) {
		h := headers[at*cubin.SectionHeaderSize:]
		binary.LittleEndian.PutUint32(h, name)
		binary.LittleEndian.PutUint32(h[4:], uint32(cubin.SectionStrTab))
		binary.LittleEndian.PutUint64(h[24:], offset)
		binary.LittleEndian.PutUint64(h[32:], size)
		binary.LittleEndian.PutUint64(h[48:], 1)
	}
	stringTable(1, 1, cubin.HeaderSize, inner.names)
	stringTable(2, second, cubin.HeaderSize+inner.names, inner.strings)
	b := make([]byte, size)
	copy(b[min(table, size):], headers)
	return b
}

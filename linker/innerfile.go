package linker

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// nvlink first makes a file of the Mercury half alone, the inner file, from which its
// finalizer makes the output. Little of its layout shows. Its last sections have no bytes;
// one of them, reserved shared memory, has some in the output, and these are what the
// inner file has there: the beginning of its section table (MERC-205).

// An innerFile is what the inner file has that the output has otherwise.
type innerFile struct {
	names, strings uint64 // sizes of its .shstrtab and .strtab
}

// leak gives the copy of reserved shared memory its bytes.
//
// Before: every section has its size.
func (e *emitter) leak() {
	var reserved *section
	var start uint64
	at := uint64(cubin.HeaderSize)
	for _, s := range e.table {
		if s.group >= groupParameters {
			break
		}
		size, align := e.innerSize(s)
		at = alignUp(at, align)
		if s.typ == cubin.SectionSharedReserved {
			reserved, start = s.copy, at
		}
		if !s.noBits && s.group != groupNoBits {
			at += size
		}
	}
	if reserved != nil {
		reserved.data = leakedHeaders(reserved.size, alignUp(at, 8)-start, e.inner)
	}
}

// innerSize gives size and alignment of s in the inner file.
func (e *emitter) innerSize(s *section) (size, align uint64) {
	switch {
	case s == e.std.shstrtab:
		return e.inner.names, s.align
	case s == e.std.strtab:
		return e.inner.strings, s.align
	case s == e.std.symtab:
		return uint64(e.numMercury+1) * cubin.SymbolSize, s.align
	case s.group == groupRelocation:
		c := s.target.copy
		if c == nil {
			return s.size, s.align
		}
		list := c.relocations
		if s.typ == cubin.SectionResolvedRela {
			list = c.resolved
		}
		return uint64(len(list)) * cubin.RelaSize, s.align
	case s == e.std.compat: // the finalizer adds the targets that it can reach
		records := slices.DeleteFunc(e.compat.Records(), func(r nvinfo.Record) bool { return r.Code == nvinfo.CompatFastPath })
		return uint64(len(nvinfo.Encode(records))), s.align
	case s.copy == nil:
		return s.size, s.align
	case s.group == groupText:
		return s.copy.addressable(), s.copy.align
	}
	return s.copy.size, s.copy.align
}

// leakedHeaders is the beginning of the section table, which stands at offset table of
// size bytes: the null entry, then those of the names of sections and of the strings.
// Variables that reach beyond them have zeros there (E-350).
func leakedHeaders(size, table uint64, inner innerFile) []byte {
	const second = uint32(len("\x00.shstrtab\x00")) // where the name of .strtab is
	headers := make([]byte, 3*cubin.SectionHeaderSize)
	stringTable := func(at int, name uint32, offset, size uint64) {
		h := headers[at*cubin.SectionHeaderSize:]
		le.PutUint32(h, name)
		le.PutUint32(h[4:], uint32(cubin.SectionStrTab))
		le.PutUint64(h[24:], offset)
		le.PutUint64(h[32:], size)
		le.PutUint64(h[48:], 1)
	}
	stringTable(1, 1, cubin.HeaderSize, inner.names)
	stringTable(2, second, cubin.HeaderSize+inner.names, inner.strings)
	b := make([]byte, size)
	if table < size {
		copy(b[table:], headers)
	}
	return b
}

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
		reserved.data = leakedHeader(reserved.size, alignUp(at, 8)-start, e.inner.names)
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

// leakedHeader is the beginning of the section table, which stands at offset table of
// size bytes: the null entry, then that of the names of sections.
func leakedHeader(size, table, names uint64) []byte {
	header := make([]byte, cubin.SectionHeaderSize)
	le.PutUint32(header, 1)
	le.PutUint32(header[4:], uint32(cubin.SectionStrTab))
	le.PutUint64(header[24:], cubin.HeaderSize)
	le.PutUint64(header[32:], names)
	le.PutUint64(header[48:], 1)
	b := make([]byte, size)
	if at := table + cubin.SectionHeaderSize; at < size {
		copy(b[at:], header)
	}
	return b
}

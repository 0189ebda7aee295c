package input

import (
	"cmp"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// With -g the tool note of a cubin contains the names of its compiler's files. nvlink's built-in compiler has
// no files, and writes "elf.o". culink's compiler runs on temporary files. culink therefore rewrites the note,
// and moves the following sections up. The result matters because an executable is the final output of -lto
// (LOAD-019, LTO-001).

// ownNote returns a cubin with the tool note that nvlink's built-in compiler would write. With -g that note
// lacks the compiler's file names. In the library it has another build string (LOAD-019, JIT-050). align is the
// alignment of the section table.
func (p *PTXAS) ownNote(data []byte, align uint64) []byte {
	f, err := cubin.Open(compiledOutput, data)
	if err != nil {
		return data
	}
	i := slices.IndexFunc(f.Sections, func(s cubin.Section) bool { return s.Name == ".note.nv.tkinfo" })
	if i < 0 {
		return data
	}
	notes, err := f.Notes(uint32(i))
	if err != nil || len(notes) != 1 {
		return data
	}
	tool, err := nvinfo.DecodeToolInfo(notes[0].Desc)
	if err != nil || tool.Object == "" && p.Library == nil {
		return data
	}
	if tool.Object != "" {
		tool.Object = "elf.o"
		tool.Options = strings.TrimPrefix(tool.Options, compiledInput+" ")
		tool.Options = strings.Replace(tool.Options, "-o "+compiledOutput+" ", "", 1)
	}
	if p.Library != nil {
		tool.Build = p.Library.Build
	}
	if changed, err := withSection(f, i, tool.Append(nil), align); err == nil {
		return changed
	}
	return data
}

// withSection returns f with new contents of section changed. The following sections keep their order. Each is
// at the next multiple of its alignment. The section table, aligned to align, and the program headers follow,
// as in a file of ptxas.
func withSection(f *cubin.File, changed int, contents []byte, align uint64) ([]byte, error) {
	image := cubin.Image{Header: f.Header}
	var order []int // sections in the order of their offsets
	for i, s := range f.Sections {
		data, err := f.Data(uint32(i))
		if err != nil {
			return nil, err
		}
		image.Sections = append(image.Sections, cubin.ImageSection{Section: s, Data: data})
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Sections[a].Offset, f.Sections[b].Offset) })
	image.Sections[changed].Data, image.Sections[changed].Size = contents, uint64(len(contents))
	moved, ends := map[uint64]uint64{}, map[uint64]uint64{} // starts and ends of sections: old offset to new
	end := uint64(0)
	for _, i := range order[slices.Index(order, changed):] {
		s := &image.Sections[i]
		before := s.Offset
		if to, shared := moved[before]; shared { // the Mercury copy of data shares the data
			s.Offset = to
		} else if i != changed {
			s.Offset = alignUp(end, s.AddrAlign)
		}
		end = max(end, s.Offset+uint64(len(s.Data)))
		moved[before] = s.Offset
		ends[before+uint64(len(s.Data))] = s.Offset + uint64(len(s.Data))
	}
	image.Header.ShOff = alignUp(end, align)
	end = image.Header.ShOff + uint64(len(image.Sections))*cubin.SectionHeaderSize
	segments, err := f.Segments()
	if err != nil {
		return nil, err
	}
	if len(segments) > 0 {
		image.Header.PhOff = end
		moved[f.PhOff] = end
		end += uint64(len(segments)) * cubin.SegmentHeaderSize
	}
	for i := range segments {
		g := &segments[i]
		to, ok := moved[g.Offset]
		if !ok {
			continue
		}
		// The gaps between the sections of a segment may change.
		if end, ok := ends[g.Offset+g.FileSize]; ok && g.FileSize > 0 {
			g.MemSize += end - to - g.FileSize
			g.FileSize = end - to
		}
		g.Offset = to
	}
	image.Segments, image.Size = segments, end
	return image.Encode()
}

// tableAlign returns the alignment of the section table in a cubin from the ptxas of the target's release
// (KIT-039).
func tableAlign(target arch.Target) uint64 {
	if target.Profile.Emit.FreshTables && target.Number >= firstFresh {
		return 1
	}
	return 8
}

// firstFresh is the first architecture for which such a release writes its tables anew.
const firstFresh = 90

// alignUp returns the smallest multiple of align that is at least n. align is 0 or a power of two.
func alignUp(n, align uint64) uint64 {
	align = max(align, 1)
	return (n + align - 1) / align * align
}

package sound

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// A loader reads the following parts before it looks at code: header, segments, notes and compatibility records.

// checkLoader compares the parts that a loader reads first with the requirements of the inputs and the target.
func (c *checker) checkLoader() {
	h := &c.out.file.Header
	want := uint64(cubin.TypeExecutable)
	if c.link.Relocatable {
		want = uint64(cubin.TypeRelocatable)
	}
	c.expect("header.type", want, uint64(h.Type))
	kit := c.link.Target.Profile
	c.expect("header.version", c.fileVersion(), uint64(h.Version))
	c.expect("header.entry", 0, h.Entry)
	c.expect("header.sizes", cubin.HeaderSize<<32|cubin.SectionHeaderSize, uint64(h.EhSize)<<32|uint64(h.ShEntSize))
	if h.PhNum > 0 {
		c.expect("header.segments", cubin.SegmentHeaderSize, uint64(h.PhEntSize))
	}
	c.expect("header.osabi", uint64(kit.Emit.OSABI), uint64(h.OSABI))
	c.expect("header.abiversion", uint64(kit.Emit.ABIVersion), uint64(h.ABIVersion))
	c.checkFlags(h.Flags)
	c.checkForm()
	c.checkSections()
	c.checkHeadlines()
	c.checkTables()
	c.checkUnified()
	if c.link.Relocatable {
		c.expect("header.segments", 0, uint64(h.PhNum))
	} else {
		if !c.mercury {
			c.checkAction()
		}
		c.checkSegments()
	}
	c.checkCompat()
}

// fileVersion returns the version that the header must have. In a file without notes it is the release (KIT-011).
func (c *checker) fileVersion() uint64 {
	if kit := c.link.Target.Profile; !kit.Info.Notes {
		return uint64(kit.API)
	}
	return 1
}

// Header flags of a file without notes (KIT-011).
const (
	oldFlags         = 0x500
	oldSpecificFlags = 0xd00 // code for a target that ends in 'a'
)

// checkFlags compares the header's flags with the target. In a file without notes it also compares them with the origin.
func (c *checker) checkFlags(flags uint32) {
	number := uint64(c.link.Target.Number)
	if !c.link.Target.Profile.Info.Notes {
		kind := uint64(oldFlags)
		if c.link.Target.Suffix == 'a' {
			kind = oldSpecificFlags
		}
		c.expect("header.flags", uint64(c.origin().Virtual)<<16|kind|number, uint64(flags))
		return
	}
	kind := uint64(machineKind)
	if c.mercury {
		kind = capsuleKind
	}
	if c.link.Target.Suffix == 'a' && c.link.Target.Profile.Emit.SpecificInFlags {
		kind |= cubin.FlagSpecific
	}
	c.expect("header.flags", number<<8|kind, uint64(flags&0xffffff))
	c.checkOrigin(flags >> 24)
}

// origin returns the merged origin of the inputs. The output must have the same origin.
func (c *checker) origin() nvinfo.Origin {
	var origins []nvinfo.Origin
	for _, in := range c.program.objects {
		origins = append(origins, in.origin)
	}
	return nvinfo.MergeOrigins(c.link.Target, origins)
}

// checkOrigin checks .note.nv.cuinfo. The header's flags contain the index of this section.
func (c *checker) checkOrigin(index uint32) {
	kit := c.link.Target.Profile
	if int(index) >= len(c.out.file.Sections) || c.out.file.Sections[index].Name != kit.OriginNote() {
		c.report("header.flags", "the number of "+kit.OriginNote(), "%d", index)
		return
	}
	want := c.origin()
	if got := c.out.data[index]; !bytes.Equal(got, want.Append(nil, kit.Info.EarlyNotes)) {
		c.report("note.cuinfo", fmt.Sprintf("%+v: %x", want, want.Append(nil, kit.Info.EarlyNotes)), "%x", got)
	}
}

// checkAction checks .nv.rel.action. This section tells the driver how to apply the relocations that are left to it
// (EMIT-006).
func (c *checker) checkAction() {
	want, action := c.link.Target.Profile.Emit.RelocationAction, c.out.data[c.out.byName[".nv.rel.action"]]
	if !bytes.Equal(action, want) {
		c.report("section.nv.rel.action", fmt.Sprintf("%x", want), "%x", action)
	}
}

// startsExterns reports whether the alignment of s may be the start of extern arrays instead. With -r, nvlink
// writes this start as the alignment. From 13.1 on it also does so in a link of outputs of -r, if a symbol of
// an input has this value.
func (c *checker) startsExterns(s *cubin.Section) bool {
	if c.link.Relocatable {
		return s.Type == cubin.SectionShared
	}
	return (strings.HasPrefix(s.Name, ".nv.shared.") || s.Name == cubin.ModuleSharedName) && c.link.Target.Profile.Layout.AlignsExternShared && slices.ContainsFunc(c.program.objects, func(o *object) bool {
		return slices.ContainsFunc(o.symbols, func(y cubin.Symbol) bool {
			return y.Type == cubin.SymData && y.Space() == cubin.OtherShared && y.Size == 0 && y.Value == s.AddrAlign
		})
	})
}

// checkSections checks the header fields of each section by its kind.
func (c *checker) checkSections() {
	given := map[string]cubin.SectionType{}
	if c.link.Relocatable {
		given = c.givenTypes()
	}
	for i := range c.out.file.Sections {
		s := &c.out.file.Sections[i]
		key := "section" + s.Name
		if s.AddrAlign > 1 && s.HasBytes() && s.Offset%s.AddrAlign != 0 {
			c.report(key+".offset", fmt.Sprintf("a multiple of %#x", s.AddrAlign), "%#x", s.Offset)
		}
		c.expect(key+".address", 0, s.Addr)
		if s.AddrAlign&(s.AddrAlign-1) != 0 && !c.startsExterns(s) {
			c.report(key+".alignment", "a power of two", "%#x", s.AddrAlign)
		}
		var want uint64
		switch memoryOf(s) {
		case "global memory":
			want = cubin.FlagAlloc | cubin.FlagWrite
		default:
			if constantBank(s.Name) < 0 {
				continue
			}
			want = cubin.FlagAlloc
		}
		c.expect(key+".flags", want, uint64(s.Flags&^cubin.FlagInfoLink))
		typ, isGiven := given[s.Name]
		switch {
		case isGiven:
		case c.link.Relocatable && !s.HasBytes():
			typ = cubin.SectionGlobal
		case s.HasBytes():
			typ = cubin.SectionProgBits
		default:
			typ = cubin.SectionNoBits
		}
		c.expect(key+".type", uint64(typ), uint64(s.Type))
		if bank := constantBank(s.Name); bank >= 0 && s.Size > maxBank {
			c.report(key+".size", fmt.Sprintf("at most %#x", maxBank), "%#x", s.Size)
		}
	}
}

// maxBank is the size of a constant bank.
const maxBank = 0x10000

// checkSegments checks the program headers. Each loaded section must be inside a segment.
func (c *checker) checkSegments() {
	segments, err := c.out.file.Segments()
	if err != nil {
		c.report("segments", "readable ones", "%v", err)
		return
	}
	for i, g := range segments {
		const known = cubin.SegmentExec | cubin.SegmentWrite | cubin.SegmentRead
		if length := uint64(len(c.out.file.Bytes())); g.VAddr|g.PAddr != 0 || g.Flags&^known != 0 || g.MemSize < g.FileSize || g.Offset > length || g.FileSize > length-g.Offset {
			c.report("segment.header", "one inside of the file, without addresses", "segment %d: %+v", i, g)
		}
		c.checkSegmentHeader(i, &segments[i])
	}
	c.checkSegmentMemory(segments, c.checkLoaded(segments))
	types := []uint32{cubin.SegmentPHdr, cubin.SegmentLoad}
	if c.link.Target.Profile.Emit.EarlySegments { // KIT-214
		types = types[:1]
	}
	for _, typ := range types {
		if !slices.ContainsFunc(segments, func(g cubin.Segment) bool {
			return g.Type == typ && g.Offset == c.out.file.PhOff && g.FileSize == uint64(len(segments))*cubin.SegmentHeaderSize
		}) {
			c.report("segment.phdr", "one for the program headers, and one that loads them", "none of type %d", typ)
		}
	}
}

// checkLoaded checks that each section in memory is inside a segment with the right flags. It returns the total size of
// the sections without contents in each segment, by the segment's index.
func (c *checker) checkLoaded(segments []cubin.Segment) map[int]uint64 {
	needs := map[int]uint64{}
	for i := range c.out.file.Sections {
		s := &c.out.file.Sections[i]
		if s.Flags&cubin.FlagAlloc == 0 || s.Flags&cubin.FlagMercury != 0 || s.Size == 0 {
			continue
		}
		flags := segmentFlags(s)
		found := false
		for k, g := range segments {
			if g.Type != cubin.SegmentLoad || g.Flags&flags != flags || s.Offset < g.Offset || s.Offset-g.Offset > g.FileSize {
				continue
			}
			if s.HasBytes() {
				found = found || s.Size <= g.FileSize-(s.Offset-g.Offset)
			} else if !found {
				found = true
				needs[k] += s.Size
			}
		}
		if !found {
			c.report("segment"+s.Name, fmt.Sprintf("one with flags %#x around it", flags), "none")
		}
	}
	return needs
}

// segmentFlags returns the flags that a segment must have to load s.
func segmentFlags(s *cubin.Section) uint32 {
	flags := uint32(cubin.SegmentRead)
	if s.Flags&cubin.FlagWrite != 0 {
		flags |= cubin.SegmentWrite
	}
	if s.Flags&cubin.FlagExec != 0 {
		flags |= cubin.SegmentExec
	}
	return flags
}

// checkSegmentMemory checks that each segment has as much memory beyond its file contents as the sections
// without contents need. needs is the result of checkLoaded.
func (c *checker) checkSegmentMemory(segments []cubin.Segment, needs map[int]uint64) {
	spare := c.between()
	for k, g := range segments {
		need, ok := needs[k]
		switch have := g.MemSize - g.FileSize; {
		case !ok:
			c.expect(fmt.Sprintf("segment.%d.memory", k), g.FileSize, g.MemSize)
		case have < need || have-need > spare:
			c.report("segment.memory", fmt.Sprintf("%#x bytes without contents, and at most %#x between them", need, spare), "%#x in segment %d", have, k)
		}
	}
}

// between returns an upper bound for the total size of the alignment gaps between sections in memory that have no
// contents.
func (c *checker) between() (most uint64) {
	for i := range c.out.file.Sections {
		if s := &c.out.file.Sections[i]; s.Flags&cubin.FlagAlloc != 0 && !s.HasBytes() {
			most += max(s.AddrAlign, 1) - 1
		}
	}
	return most
}

// isMachineCode reports whether a section contains machine code.
func isMachineCode(s cubin.Section) bool {
	return s.Type == cubin.SectionProgBits && s.Flags&cubin.FlagExec != 0
}

// checkCompat compares .nv.compat with the merged records of the inputs.
func (c *checker) checkCompat() {
	inputs, ok := c.compatOfInputs()
	if !ok {
		return
	}
	want, canFinalize := c.mergedCompat(inputs)
	got := map[nvinfo.Code]uint16{}
	for i := range c.out.file.Sections {
		if c.out.file.Sections[i].Type != cubin.SectionCompat {
			continue
		}
		records, err := nvinfo.Decode(c.out.data[i])
		if err != nil {
			c.report("compat", "readable records", "%v", err)
		}
		for _, r := range records {
			got[r.Code] = r.Value
			if r.Code == nvinfo.CompatFastPath && r.Word(0)&^canFinalize != 0 {
				c.report("compat."+nvinfo.CompatName(r.Code), fmt.Sprintf("%#x at most", canFinalize), "%#x", r.Word(0))
			}
			if r.Code == nvinfo.CompatFastPath && (r.Words() != 2 || r.Word(1) != 0) {
				c.report("compat."+nvinfo.CompatName(r.Code), "a word, and one of zeros", "%x", r.Payload)
			}
			if int(r.Code) < len(nvinfo.Compats) && r.Format != nvinfo.Compats[r.Code].Format {
				c.report("compat."+nvinfo.CompatName(r.Code), nvinfo.Compats[r.Code].Format.String(), "%s", r.Format)
			}
		}
	}
	for code := range nvinfo.Compats {
		code := nvinfo.Code(code)
		w, asked := want[code]
		g, there := got[code]
		if asked != there || w != g && code != nvinfo.CompatFastPath {
			c.report("compat."+nvinfo.CompatName(code), fmt.Sprintf("%#x (%v)", w, asked), "%#x (%v)", g, there)
		}
	}
}

// compatOfInputs returns the records of .nv.compat of each input. It reports records that cannot be read.
func (c *checker) compatOfInputs() (inputs [][]nvinfo.Record, ok bool) {
	for _, o := range c.program.objects {
		for _, p := range o.pieces {
			if p.section.Type != cubin.SectionCompat {
				continue
			}
			records, err := nvinfo.Decode(p.data)
			if err != nil {
				c.report("compat", "readable records in "+o.name, "%v", err)
				return nil, false
			}
			inputs = append(inputs, records)
		}
	}
	return inputs, true
}

// mergedCompat merges the records of the inputs. It returns the values that the output must have, and the set of
// targets, as bits, for which the fast path is allowed.
func (c *checker) mergedCompat(inputs [][]nvinfo.Record) (want map[nvinfo.Code]uint16, canFinalize uint32) {
	want = map[nvinfo.Code]uint16{}
	if !c.link.Target.Compat() || !c.link.Target.Profile.Info.Notes {
		return want, 0
	}
	merger := nvinfo.NewCompatMerger(c.link.Target)
	for _, records := range inputs {
		merger.Add(records)
	}
	if !c.mercury {
		merger.MachineCodeOnly()
	}
	if !c.link.Target.Profile.Info.LimitsFastPath && !slices.ContainsFunc(c.out.file.Sections, isMachineCode) {
		merger.WithoutCode() // in 13.3 and later (KIT-630)
	}
	for _, r := range merger.Records() {
		want[r.Code] = r.Value
		if r.Code == nvinfo.CompatFastPath {
			canFinalize = r.Word(0)
		}
	}
	return want, canFinalize
}

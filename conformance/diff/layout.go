package diff

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
)

// This file describes the structure of a cubin: header, section table, segments and symbol tables.

func headerFacts(f *facts, c *cubin.File) {
	word := func(rank Rank, name string, value uint64) {
		f.words(rank, "header."+name, "header."+name, "%#x", value)
	}
	word(RankKind, "osabi", uint64(c.OSABI))
	word(RankKind, "abiversion", uint64(c.ABIVersion))
	word(RankKind, "type", uint64(c.Type))
	word(RankKind, "version", uint64(c.Version))
	word(RankKind, "entry", c.Entry)
	// The top byte of the flags is the index of .note.nv.cuinfo.
	f.words(RankKind, "header.flags", "header.flags", "%#x", c.Flags&0xffffff)
	word(RankLayout, "flags.cuinfo", uint64(c.Flags>>24))
	word(RankLayout, "shnum", uint64(c.ShNum))
	word(RankLayout, "shstrndx", uint64(c.ShStrNdx))
	word(RankLayout, "shoff", c.ShOff)
	word(RankLayout, "phoff", c.PhOff)
	word(RankLayout, "phnum", uint64(c.PhNum))
	word(RankLayout, "ehsize", uint64(c.EhSize))
	word(RankLayout, "phentsize", uint64(c.PhEntSize))
	word(RankLayout, "shentsize", uint64(c.ShEntSize))
	word(RankLayout, "filesize", uint64(len(c.Bytes())))
}

func sectionFacts(f *facts, c *cubin.File, n *names) {
	f.order(RankOrder, "order.sections", "order.sections", n.sections)
	for i := range c.Sections {
		s := &c.Sections[i]
		key, class := sectionKey(n.sections[i])
		if i == 0 {
			key, class = "null", "null"
		}
		put := func(rank Rank, field, format string, args ...any) {
			f.words(rank, "section."+key+"."+field, "section."+class+"."+field, format, args...)
		}
		f.words(RankSections, "section."+key, "section."+class, "present")
		put(RankAttributes, "type", "%#x", uint32(s.Type))
		put(RankAttributes, "flags", "%v", s.Flags)
		put(RankPlacement, "size", "%#x", s.Size)
		put(RankPlacement, "align", "%d", s.AddrAlign)
		put(RankAttributes, "entsize", "%d", s.EntSize)
		put(RankAttributes, "link", "%s", n.section(s.Link))
		put(RankAttributes, "info", "%s", n.sectionInfo(s))
		put(RankLayout, "addr", "%#x", s.Addr)
		put(RankLayout, "offset", "%#x", s.Offset)
	}
}

// sectionInfo returns the meaning of sh_info in this kind of section.
func (n *names) sectionInfo(s *cubin.Section) string {
	switch {
	case s.Type == cubin.SectionSymTab || s.Type == cubin.SectionMercSymTab:
		return fmt.Sprintf("%d local symbols", s.Info)
	case s.Flags&cubin.FlagExec != 0:
		return fmt.Sprintf("%d registers, symbol %s", s.Info>>24, n.linked(s).symbol(s.Info&0xffffff))
	case s.Flags&cubin.FlagInfoLink != 0 || s.Type == cubin.SectionRel || s.Type == cubin.SectionRela:
		return n.section(s.Info)
	}
	return fmt.Sprintf("%#x", s.Info)
}

func segmentFacts(f *facts, c *cubin.File) {
	segments, err := c.Segments()
	if err != nil {
		f.fail(err)
		return
	}
	for i, g := range segments {
		put := func(field string, value uint64) {
			f.words(RankLayout, fmt.Sprintf("segment.%d.%s", i, field), "segment.*."+field, "%#x", value)
		}
		put("type", uint64(g.Type))
		put("flags", uint64(g.Flags))
		put("offset", g.Offset)
		put("vaddr", g.VAddr)
		put("paddr", g.PAddr)
		put("filesz", g.FileSize)
		put("memsz", g.MemSize)
		put("align", g.Align)
	}
}

func symbolFacts(f *facts, c *cubin.File, n *names) {
	for i := range c.Sections {
		t := n.tables[uint32(i)]
		if t == nil {
			continue
		}
		order := "order." + t.prefix[:len(t.prefix)-1] + "bols" // order.symbols, order.merc.symbols
		f.order(RankOrder, order, order, t.names)
		for k := range t.symbols {
			y := &t.symbols[k]
			key, class := t.prefix+t.names[k], t.prefix+"*"
			if y.Type == cubin.SymSection {
				class = t.prefix + "<section>"
			}
			f.words(RankSymbols, key, class, "%s", n.sectionOf(y.Section))
			put := func(rank Rank, field, format string, args ...any) {
				f.words(rank, key+"."+field, class+"."+field, format, args...)
			}
			put(RankAttributes, "name", "%s", y.Name)
			put(RankAttributes, "bind", "%d", y.Bind)
			put(RankAttributes, "type", "%d", y.Type)
			put(RankAttributes, "other", "%#x", y.Other)
			put(RankPlacement, "value", "%#x", y.Value)
			put(RankPlacement, "size", "%d", y.Size)
		}
	}
}

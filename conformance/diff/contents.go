package diff

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// contentFacts describes the contents of one section. If it knows the structure of the section, the facts are named
// records. Otherwise they are bytes.
func contentFacts(f *facts, c *cubin.File, n *names, i uint32) {
	s := &c.Sections[i]
	data, err := c.Data(i)
	if err != nil {
		f.fail(err)
		return
	}
	if len(data) == 0 || n.tables[i] != nil {
		return
	}
	key, class := sectionKey(n.sections[i])
	switch {
	case s.Type != cubin.SectionProgBits && s.Flags&cubin.FlagExec == 0 && !f.fits(s.Name, len(data)):
		f.bytes(RankContents, "section."+key+".bytes", "section."+class+".bytes", data, 8)
	case s.Type == cubin.SectionStrTab:
		stringFacts(f, key, data)
	case s.Type == cubin.SectionNote:
		noteFacts(f, c, key, i)
	case s.Type == cubin.SectionInfo || s.Type == cubin.SectionMercInfo:
		infoFacts(f, n, s, data)
	case s.Type == cubin.SectionCompat:
		compatFacts(f, data)
	case s.Type == cubin.SectionCallGraph:
		callGraphFacts(f, c, n, s, data)
	case s.Type == cubin.SectionPrototype:
		prototypeFacts(f, c, n, s, data)
	case s.Type.IsRelocation():
		relocationFacts(f, c, n, i)
	case s.Flags&cubin.FlagExec != 0:
		f.instructions("section."+key+".bytes", "section."+class+".bytes", data)
	default:
		f.bytes(RankContents, "section."+key+".bytes", "section."+class+".bytes", data, 8)
	}
}

// stringFacts describes a string table: its strings and their order.
func stringFacts(f *facts, key string, data []byte) {
	text := strings.TrimSuffix(string(data), "\x00")
	list := unique(strings.Split(text, "\x00"))
	for _, s := range list {
		f.words(RankNames, key+"."+quoteEmpty(s), key+".*", "present")
	}
	f.order(RankOrder, "order."+key, "order."+key, list)
	if len(data) > 0 && data[len(data)-1] != 0 {
		f.words(RankNames, key+".end", key+".end", "no NUL at the end")
	}
}

func quoteEmpty(s string) string {
	if s == "" || s[0] == '#' && strings.Trim(s[1:], "0123456789") == "" {
		return "<empty>" + s
	}
	return s
}

func noteFacts(f *facts, c *cubin.File, key string, i uint32) {
	notes, err := c.Notes(i)
	if err != nil {
		f.fail(err)
		data, _ := c.Data(i)
		f.bytes(RankNotes, "section."+key+".bytes", "section."+key+".bytes", data, 8)
		return
	}
	short := strings.TrimPrefix(key, "note.nv.")
	for k, note := range notes {
		name, class := fmt.Sprintf("note.%s.%d", short, k), fmt.Sprintf("note.%s.*", short)
		f.words(RankNotes, name, class, "%q type %d, %d bytes", note.Name, note.Type, len(note.Desc))
		if fields, ok := toolNote(note.Desc); ok && short == "tkinfo" {
			for _, field := range fields {
				f.words(RankNotes, name+"."+field[0], class+"."+field[0], "%q", field[1])
			}
		} else {
			f.bytes(RankNotes, name+".bytes", class+".bytes", note.Desc, 4)
		}
	}
}

// toolNote decodes a .note.nv.tkinfo record.
func toolNote(desc []byte) ([][2]string, bool) {
	info, err := nvinfo.DecodeToolInfo(desc)
	if err != nil {
		return nil, false
	}
	return [][2]string{
		{"version", fmt.Sprint(info.Version)}, {"object", info.Object}, {"tool", info.Tool},
		{"release", info.Release}, {"build", info.Build}, {"options", info.Options},
	}, true
}

// pairs reads a section of pairs of words. An incomplete pair at the end is dropped.
func pairs(data []byte) [][2]uint32 {
	out := make([][2]uint32, 0, len(data)/8)
	for ; len(data) >= 8; data = data[8:] {
		out = append(out, [2]uint32{binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])})
	}
	return out
}

// callGraphFacts describes a call graph. The record (0,-1) starts the direct calls. The record (0,-2) starts the
// functions whose address is taken, with their prototypes. The record (0,-3) starts the functions that make indirect
// calls, with the prototypes of the calls. The record (0,-4) starts the calls that the compiler has recorded.
func callGraphFacts(f *facts, c *cubin.File, n *names, s *cubin.Section, data []byte) {
	t, parts := n.linked(s), map[uint32]string{^uint32(0): "calls", ^uint32(1): "taken", ^uint32(2): "indirect", ^uint32(3): "hidden"}
	part := "head"
	lists := map[string][]string{}
	var order []string
	for _, p := range pairs(data) {
		if name, found := parts[p[1]]; found && p[0] == 0 {
			part = name
			order = append(order, name)
			continue
		}
		record := t.symbol(p[0]) + " -> " + t.symbol(p[1])
		if part == "taken" || part == "indirect" {
			record = t.symbol(p[0]) + " " + n.text(t, p[1])
		}
		f.words(RankRelations, "callgraph."+part+"."+record, "callgraph."+part, "present")
		lists[part] = append(lists[part], record)
	}
	f.order(RankListOrder, "order.callgraph", "order.callgraph", order)
	for _, p := range order {
		f.order(RankListOrder, "order.callgraph."+p, "order.callgraph."+p, lists[p])
	}
}

// text returns the string at an offset of t's string table.
func (n *names) text(t *symbolTable, offset uint32) string {
	if t.section < uint32(len(n.file.Sections)) {
		if s, err := n.file.String(n.file.Sections[t.section].Link, offset); err == nil {
			return s
		}
	}
	return fmt.Sprintf("<string at %#x>", offset)
}

func prototypeFacts(f *facts, c *cubin.File, n *names, s *cubin.Section, data []byte) {
	t := n.linked(s)
	var list []string
	for _, p := range pairs(data) {
		name := t.symbol(p[0])
		f.words(RankRelations, "prototype."+name, "prototype.*", "%s", n.text(t, p[1]))
		list = append(list, name)
	}
	f.order(RankListOrder, "order.prototype", "order.prototype", list)
}

func relocationFacts(f *facts, c *cubin.File, n *names, i uint32) {
	s := &c.Sections[i]
	list, err := c.Relocations(i)
	if err != nil {
		f.fail(err)
		return
	}
	prefix := "reloc."
	switch {
	case strings.HasPrefix(s.Name, ".nv.merc.nv.resolvedrela"):
		prefix = "merc.resolved."
	case strings.HasPrefix(s.Name, ".nv.merc."):
		prefix = "merc.reloc."
	case strings.HasPrefix(s.Name, ".nv.resolvedrela"):
		prefix = "resolved."
	}
	target, targetClass := sectionKey(n.section(s.Info))
	t := n.linked(s)
	var order []string
	for _, r := range list {
		key := fmt.Sprintf("%s%s.%d.%#x", prefix, target, r.Type, r.Offset)
		value := t.symbol(r.Symbol)
		switch {
		case s.Type == cubin.SectionRel:
			value += " (rel)"
		case r.Addend < 0:
			value += fmt.Sprintf("-%#x", -r.Addend)
		default:
			value += fmt.Sprintf("+%#x", r.Addend)
		}
		f.words(RankRelocations, key, fmt.Sprintf("%s%s.%d", prefix, targetClass, r.Type), "%s", value)
		order = append(order, fmt.Sprintf("%d@%#x", r.Type, r.Offset))
	}
	key, class := sectionKey(n.sections[i])
	f.order(RankListOrder, "order."+key, "order."+class, order)
}

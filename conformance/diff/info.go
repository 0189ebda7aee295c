package diff

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// attribute returns the row of a code in the table of attributes. ok is false for an unknown code.
func attribute(code nvinfo.Code) (row nvinfo.Attribute, ok bool) {
	if int(code) < len(nvinfo.Attributes) {
		row = nvinfo.Attributes[code]
	}
	return row, row.Name != ""
}

func attributeName(code nvinfo.Code) string {
	if row, ok := attribute(code); ok {
		return row.Name
	}
	return fmt.Sprintf("%#02x", uint8(code))
}

// infoFacts describes attributes. The key of a function's record is info.FUNCTION.NAME. The same holds for a record of
// the whole file whose first word is a function. The key of any other record is info.NAME.
func infoFacts(f *facts, n *names, s *cubin.Section, data []byte) {
	prefix := "info."
	if s.Type == cubin.SectionMercInfo {
		prefix = "merc.info."
	}
	t, owner := n.linked(s), function(s.Name)
	var order []string
	records, err := nvinfo.Decode(data)
	if err != nil {
		f.fail(fmt.Errorf("%s: %w", s.Name, err))
		f.bytes(RankRelations, prefix+owner+".bytes", prefix+"*.bytes", data, 4)
		return
	}
	for _, r := range records {
		name, subject := attributeName(r.Code), owner
		value := fmt.Sprintf("%#x", r.Value)
		if r.Format == nvinfo.Sized {
			words := t.describe(r)
			if _, ok := r.Symbol(); ok && owner == "" {
				subject, words = words[0], words[1:]
			}
			value = strings.Join(words, " ")
		}
		key, class := prefix+name, prefix+name
		if subject != "" {
			key, class = prefix+subject+"."+name, prefix+"*."+name
		}
		f.words(RankRelations, key, class, "%s", value)
		f.words(RankRelations, key+".format", class+".format", "%d", r.Format)
		if owner == "" && subject != "" {
			name = subject + "." + name
		}
		order = append(order, name)
	}
	key, class := sectionKey(s.Name)
	f.order(RankListOrder, "order."+key, "order."+class, order)
}

// describe returns the words of a sized record, with names in place of symbol numbers.
func (t *symbolTable) describe(r nvinfo.Record) []string {
	var list []string
	for i := range r.Words() {
		list = append(list, fmt.Sprintf("%#x", r.Word(i)))
	}
	if tail := r.Payload[4*r.Words():]; len(tail) > 0 {
		list = append(list, fmt.Sprintf("%x", tail))
	}
	row, _ := attribute(r.Code)
	for i := range r.Words() {
		if row.Symbols == nvinfo.EveryWord || row.Symbols != nvinfo.NoSymbols && i == 0 {
			list[i] = t.symbol(r.Word(i))
		}
	}
	return list
}

// compatFacts describes the records of .nv.compat by name.
func compatFacts(f *facts, data []byte) {
	records, err := nvinfo.Decode(data)
	if err != nil {
		f.fail(fmt.Errorf(".nv.compat: %w", err))
		f.bytes(RankNotes, "compat.bytes", "compat.bytes", data, 4)
		return
	}
	var order []string
	for _, r := range records {
		name := nvinfo.CompatName(r.Code)
		value := fmt.Sprintf("%#x", r.Value)
		if r.Format == nvinfo.Sized {
			value = fmt.Sprintf("%x", r.Payload)
		}
		f.words(RankNotes, "compat."+name, "compat."+name, "format %d: %s", r.Format, value)
		order = append(order, name)
	}
	f.order(RankListOrder, "order.compat", "order.compat", order)
}

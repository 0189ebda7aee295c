package tell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/nvinfo"
)

// Of several weak copies of a function one is linked. They are the same where all files were compiled alike; where they
// are not, an explanation says in what the others differ from the one that is linked (REACH-504).

// Copies are what inputs define of symbols that are to be explained, by symbol and input.
type Copies map[copyOf]definition

type copyOf struct{ symbol, input string }

// A definition is what an input has of a function or a variable.
type definition struct {
	isFunction bool
	size       uint64
	content    []byte // nil for what has no bytes in the file
	registers  uint32
	frame      uint32 // of the stack
	attributes []nvinfo.Record
}

// CopiesOf reads the definitions of symbols in the inputs, before merge lets go of their tables.
//
// Cost: linear in the symbols of the inputs; for each that is wanted, in the sections and attributes of its input.
func CopiesOf(symbols []string, objects []*object.Object) Copies {
	wanted, all := map[string]bool{}, Copies{}
	for _, name := range symbols {
		wanted[name] = true
	}
	for _, o := range objects {
		for i := range o.Symbols {
			y := &o.Symbols[i]
			if wanted[y.Name] && isExplained(y) && y.Defined() && int(y.Section) < len(o.File.Sections) {
				all[copyOf{y.Name, o.Name}] = definitionOf(o, y)
			}
		}
	}
	return all
}

func definitionOf(o *object.Object, y *cubin.Symbol) definition {
	d := definition{isFunction: y.Type == cubin.SymFunc, size: y.Size}
	data, from := o.Data(y.Section), y.Value
	if d.isFunction {
		d.size, from = o.File.Sections[y.Section].Size, 0
		d.registers, _ = o.Registers(y)
		d.readAttributes(o, y)
	}
	if from <= uint64(len(data)) && d.size <= uint64(len(data))-from {
		d.content = data[from : from+d.size]
	}
	return d
}

// readAttributes reads what the attributes say of a function. Numbers of symbols are those of the input, and left out.
func (d *definition) readAttributes(o *object.Object, y *cubin.Symbol) {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if s.Type != cubin.SectionInfo || s.Info != 0 && s.Info != y.Section {
			continue
		}
		for _, r := range o.Attributes(uint32(i), nil) {
			symbol, isOf := r.Symbol()
			switch {
			case s.Info == 0 && r.Code == nvinfo.FrameSize && isOf && symbol == y.Index && r.Words() > 1:
				d.frame = r.Word(1)
			case s.Info == y.Section:
				if r, ok := r.MapSymbols(func(uint32) uint32 { return 1 }); ok {
					d.attributes = append(d.attributes, r)
				}
			}
		}
	}
}

// difference says in what a copy differs from the one that is linked; empty for nothing.
func (d *definition) difference(linked *definition) string {
	var list []string
	compare := func(format string, mine, other uint64) {
		if mine != other {
			list = append(list, fmt.Sprintf(format, mine, other))
		}
	}
	if d.isFunction {
		compare("%d bytes of code, not %d", d.size, linked.size)
		compare("%d registers, not %d", uint64(d.registers), uint64(linked.registers))
		compare("a frame of %d bytes, not %d", uint64(d.frame), uint64(linked.frame))
	} else {
		compare("%d bytes, not %d", d.size, linked.size)
	}
	if d.size == linked.size && !bytes.Equal(d.content, linked.content) {
		what := "other contents"
		if d.isFunction {
			what = "other code"
		}
		list = append(list, what)
	}
	if codes := otherAttributes(d.attributes, linked.attributes); len(codes) > 0 {
		list = append(list, "other attributes: "+strings.Join(codes, " "))
	}
	return strings.Join(list, "; ")
}

// otherAttributes names the attributes that two functions do not share.
func otherAttributes(a, b []nvinfo.Record) (names []string) {
	same := func(r nvinfo.Record) func(nvinfo.Record) bool {
		return func(other nvinfo.Record) bool {
			return r.Code == other.Code && r.Value == other.Value && bytes.Equal(r.Payload, other.Payload)
		}
	}
	note := func(from, other []nvinfo.Record) {
		for _, r := range from {
			name := strings.TrimPrefix(r.Code.String(), "EIATTR_")
			if !slices.ContainsFunc(other, same(r)) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	note(a, b)
	note(b, a)
	return names
}

// Compare adds to explanations in what the copies that lost differ from the one that is linked.
func (c Copies) Compare(all []explain.Explanation) {
	for i := range all {
		d := &all[i].Definition
		linked, ok := c[copyOf{all[i].Symbol, d.Input}]
		if !ok || len(d.Unused) == 0 {
			continue
		}
		d.Differs = make([]string, len(d.Unused))
		for k, input := range d.Unused {
			if other, ok := c[copyOf{all[i].Symbol, input}]; ok {
				d.Differs[k] = other.difference(&linked)
			}
		}
	}
}

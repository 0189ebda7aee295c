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

// Of several weak copies of a function, one prevails. If all files were compiled in the same way, the copies are
// equal. Otherwise an explanation shows how the other copies differ from the prevailing one (REACH-504).

// Copies holds the definitions of the symbols that are to be explained, by symbol and input.
type Copies map[copyOf]definition

type copyOf struct{ symbol, input string }

// A definition is the definition of a function or a variable in an input.
type definition struct {
	isFunction bool
	size       uint64
	content    []byte // nil without bytes in the file
	registers  uint32
	frame      uint32 // of the stack
	attributes []nvinfo.Record
}

// CopiesOf reads the definitions of symbols in the inputs. It must be called before the merge releases the tables of
// the inputs. Inputs that the merge rejects have no definitions.
//
// The time is linear in the symbols of the inputs, and in the sections and attributes of those inputs that define
// one of the symbols.
func CopiesOf(symbols []string, objects []*object.Object) Copies {
	wanted, all := map[string]bool{}, Copies{}
	for _, name := range symbols {
		wanted[name] = true
	}
	for _, o := range objects {
		if o.Refused != "" || o.Unreadable != "" {
			continue
		}
		in := reader{Object: o}
		for i := range o.Symbols {
			y := &o.Symbols[i]
			if wanted[y.Name] && isExplained(y) && y.Defined() && int(y.Section) < len(o.File.Sections) {
				all[copyOf{y.Name, o.Name}] = in.definitionOf(y)
			}
		}
	}
	return all
}

// A reader reads definitions of one input.
type reader struct {
	*object.Object
	infos  map[uint32][]uint32 // attribute sections, by the code section that they describe; nil before the first function
	frames map[uint32]uint32   // of functions, by symbol
}

func (in *reader) definitionOf(y *cubin.Symbol) definition {
	d := definition{isFunction: y.Type == cubin.SymFunc, size: y.Size}
	data, from := in.Data(y.Section), y.Value
	if d.isFunction {
		d.size, from = in.File.Sections[y.Section].Size, 0
		d.registers, _ = in.Registers(y)
		in.findAttributes()
		d.frame, d.attributes = in.frames[y.Index], in.attributesOf(y)
	}
	if from <= uint64(len(data)) && d.size <= uint64(len(data))-from {
		d.content = data[from : from+d.size]
	}
	return d
}

// findAttributes finds the attributes of functions, once.
func (in *reader) findAttributes() {
	if in.infos != nil {
		return
	}
	in.infos, in.frames = map[uint32][]uint32{}, map[uint32]uint32{}
	for i := range in.File.Sections {
		s := &in.File.Sections[i]
		switch {
		case s.Type != cubin.SectionInfo:
		case s.Info != 0:
			in.infos[s.Info] = append(in.infos[s.Info], uint32(i))
		default:
			for _, r := range in.Attributes(uint32(i), nil) {
				if symbol, isOf := r.Symbol(); r.Code == nvinfo.FrameSize && isOf && r.Words() > 1 {
					in.frames[symbol] = r.Word(1)
				}
			}
		}
	}
}

// attributesOf returns the attributes of a function. It removes symbol numbers, because these differ between inputs.
func (in *reader) attributesOf(y *cubin.Symbol) (list []nvinfo.Record) {
	for _, i := range in.infos[y.Section] {
		for _, r := range in.Attributes(i, nil) {
			if r, ok := r.MapSymbols(func(uint32) uint32 { return 1 }); ok {
				list = append(list, r)
			}
		}
	}
	return list
}

// difference describes how a copy differs from the prevailing one. The result is empty if they are equal.
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

// otherAttributes returns the names of the attributes in which two functions differ.
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

// Compare adds to each explanation how the discarded copies differ from the prevailing one.
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

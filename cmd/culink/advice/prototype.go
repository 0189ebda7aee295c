package advice

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// The compiler records a prototype for each function that other files define or call. It encodes the result and the
// parameters by their PTX types. For example, "#viib20" returns nothing and has two 32-bit parameters and one of 20
// bytes (MERGE-033).

// A prototype has the PTX types of a function's result (empty for none) and parameters.
type prototype struct {
	returns    string
	parameters []string
}

// ptxTypes maps each letter of a prototype to its PTX type.
var ptxTypes = map[byte]string{'b': ".b8", 'h': ".b16", 'i': ".b32", 'l': ".b64", 'x': ".b128", 'f': ".f32", 'd': ".f64"}

// For each value, a prototype has a letter and perhaps a size.
const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// parsePrototype parses a prototype. ok is false if the form is unknown.
func parsePrototype(text string) (p prototype, ok bool) {
	rest, ok := strings.CutPrefix(text, "#")
	if !ok || strings.Trim(rest, letters+digits) != "" || strings.TrimLeft(rest, letters) == rest {
		return p, false
	}
	for i := 0; rest != ""; i++ {
		letter, size := rest[0], rest[1:]
		rest = strings.TrimLeft(size, digits)
		size = strings.TrimSuffix(size, rest)
		spelled := ptxTypes[letter]
		switch {
		case i == 0 && letter == 'v' && size == "":
			continue
		case spelled == "":
			return p, false
		}
		if size != "" {
			spelled += "[" + size + "]"
		}
		if i == 0 {
			p.returns = spelled
		} else {
			p.parameters = append(p.parameters, spelled)
		}
	}
	return p, true
}

func (p prototype) String() string {
	parameters := strings.Join(p.parameters, ", ")
	return fmt.Sprintf("parameters %s; result %s", orNone(parameters), orNone(p.returns))
}

// A difference is a parameter or result for which two prototypes have different types. A type is empty if one prototype
// lacks the value.
type difference struct{ what, here, there string }

// isSpelling reports whether the values have the same size and only the types are written differently. nvcc writes .b32
// and .b64 for all values of these sizes.
func (d difference) isSpelling() bool {
	plain := strings.NewReplacer("f", "b", "d", "b")
	return plain.Replace(d.here) == plain.Replace(d.there)
}

// differences returns the parameters and the result in which two prototypes differ.
func (p prototype) differences(q prototype) (list []difference) {
	at := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return ""
	}
	for i := range max(len(p.parameters), len(q.parameters)) {
		list = append(list, difference{fmt.Sprintf("parameter %d", i+1), at(p.parameters, i), at(q.parameters, i)})
	}
	list = append(list, difference{"result", p.returns, q.returns})
	return slices.DeleteFunc(list, func(d difference) bool { return d.here == d.there })
}

// prototypeOf returns the text of an object's last prototype for a function, or the empty string.
func (o *object) prototypeOf(name string) (text string) {
	const record = 8
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		if s.Type != cubin.SectionPrototype || int(s.Link) >= len(o.file.Sections) {
			continue
		}
		names := o.file.Sections[s.Link].Link // the string table of the symbols
		data, err := o.file.Data(s.Index)
		if err != nil {
			continue
		}
		for ; len(data) >= record; data = data[record:] {
			if symbol := binary.LittleEndian.Uint32(data); int(symbol) < len(o.symbols) && o.symbols[symbol].Name == name {
				text, _ = o.file.String(names, binary.LittleEndian.Uint32(data[4:])) // a damaged entry yields an empty text
			}
		}
	}
	return text
}

// prototypes compares two declarations of a function. One is its definition, or else its first declaration. The other is
// the first declaration that differs from it.
func (a *Adviser) prototypes(args []any) (facts []Fact) {
	name := fmt.Sprint(args[0])
	if source := a.source(name); source != name {
		facts = append(facts, Fact{"means", source})
	}
	type place struct {
		file, topic, text string
	}
	var places []place
	for _, o := range a.objects() {
		text := o.prototypeOf(name)
		if text == "" {
			continue
		}
		for _, y := range o.symbols {
			if y.Name != name {
				continue
			}
			p := place{o.name, "declared", text}
			if y.Defined() {
				p.topic = "defined"
			}
			places = append(places, p)
		}
	}
	slices.SortStableFunc(places, func(x, y place) int { return count(x.topic == "declared") - count(y.topic == "declared") })
	i := slices.IndexFunc(places, func(p place) bool { return p.text != places[0].text && p.file == fmt.Sprint(args[1]) })
	if i < 0 {
		i = slices.IndexFunc(places, func(p place) bool { return p.text != places[0].text })
	}
	if i < 0 {
		return facts
	}
	base, other := places[0], places[i]
	alike := fmt.Sprintf("declare it in %s as it is %s in %s, best in one header for all files, and compile again", other.file, base.topic, base.file)
	x, known := parsePrototype(base.text)
	y, isKnown := parsePrototype(other.text)
	if !known || !isKnown {
		facts = append(facts, Fact{base.topic, fmt.Sprintf("in %s: %s", base.file, base.text)}, Fact{other.topic, fmt.Sprintf("in %s: %s", other.file, other.text)})
		return append(facts, Fact{"try", alike})
	}
	facts = append(facts, Fact{base.topic, fmt.Sprintf("in %s: %v", base.file, x)}, Fact{other.topic, fmt.Sprintf("in %s: %v", other.file, y)})
	differences := x.differences(y)
	for _, d := range differences[:min(len(differences), mostNames)] {
		facts = append(facts, Fact{"differs", fmt.Sprintf("%s: %s in %s, %s in %s", d.what, orNone(d.here), base.file, orNone(d.there), other.file)})
	}
	if !slices.ContainsFunc(differences, func(d difference) bool { return !d.isSpelling() }) {
		return append(facts, Fact{"try", "spell the values alike in PTX that is written by hand; nvcc writes .b32 and .b64 for numbers of every type"})
	}
	return append(facts, Fact{"try", alike})
}

func orNone(spelled string) string {
	if spelled == "" {
		return "none"
	}
	return spelled
}

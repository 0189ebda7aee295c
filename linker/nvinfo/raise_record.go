package nvinfo

import "slices"

// This file propagates one attribute of a function to a kernel. The traversal is in raise.go.

// isPassedOn reports whether kernels get an attribute of the code from the functions that they reach.
func (c Code) isPassedOn() bool {
	return int(c) < len(Attributes) && Presence <= Attributes[c].Merge && Attributes[c].Merge <= ExternWords
}

// isList reports whether kernels get words of an attribute of the code.
func (c Code) isList() bool {
	return int(c) < len(Attributes) && slices.Contains([]Merge{MoveWords, ExternWords, UnionWords}, Attributes[c].Merge)
}

// Raised returns the record that a kernel gets if it has no attribute of r's code and reaches a function with
// r. ok is false if the attribute is not passed on to kernels.
func (r Record) Raised() (Record, bool) {
	if !r.Code.isPassedOn() {
		return r, false
	}
	switch Attributes[r.Code].Merge {
	case Presence:
		return Record{Format: NoValue, Code: r.Code}, true
	case MaxByte:
		return Record{Format: Byte, Code: r.Code, Value: r.number() & 0xff}, true
	case LastByte:
		return Record{Format: NoValue, Code: r.Code, Value: r.number() & 0xff}, true
	case OrHalf, SumHalf:
		return Record{Format: Half, Code: r.Code, Value: r.number()}, true
	case MoveWords, ExternWords, UnionWords:
		return r, r.Format == Sized
	}
	return r, false
}

// Raise merges r, an attribute of a function that the kernel reaches, into k, the same attribute of the kernel.
// It returns the result. Symbol indices in both must refer to the same symbol table.
func (k Record) Raise(r Record) Record {
	raised, ok := r.Raised()
	if !ok {
		return k
	}
	own, value := k.Value&0xff, raised.Value
	switch Attributes[k.Code].Merge {
	case MaxByte:
		k.Value = k.Value&0xff00 | max(own, value)
	case LastByte:
		if value != 0 {
			k.Value = k.Value&0xff00 | value
		}
	case OrHalf:
		k.Value |= value
	case SumHalf:
		const unknown = 0xffff
		if k.Value == unknown || value == unknown {
			k.Value = unknown
		} else {
			k.Value += value
		}
	case MoveWords, ExternWords, UnionWords:
		return k.union(r)
	}
	return k
}

// A raiser collects the attributes of one kernel.
type raiser struct {
	records []Record
	firsts  []first // of the codes that are passed on to kernels
}

// A first is the index in the records of a kernel of the first record of a code.
type first struct {
	code Code
	at   int
}

func newRaiser(records []Record) *raiser {
	k := &raiser{records: records}
	for i, r := range records {
		if r.Code.isPassedOn() && !k.has(r.Code) {
			k.firsts = append(k.firsts, first{r.Code, i})
		}
	}
	return k
}

// find returns the index of the first record of a code that is passed on, or -1.
func (k *raiser) find(code Code) int {
	for _, f := range k.firsts {
		if f.code == code {
			return f.at
		}
	}
	return -1
}

func (k *raiser) has(code Code) bool { return k.find(code) >= 0 }

// take merges r, an attribute of a function that the kernel reaches, into the kernel's record of the same code.
// If there is none, it appends a new record.
func (k *raiser) take(r Record) {
	if at := k.find(r.Code); at >= 0 {
		k.records[at] = k.records[at].Raise(r)
	} else if raised, ok := r.Raised(); ok {
		k.firsts = append(k.firsts, first{r.Code, len(k.records)})
		k.records = append(k.records, raised)
	}
}

// number returns the 16-bit number of a record. A sized record has no number. As in nvlink, its length is used
// instead.
func (r Record) number() uint16 {
	if r.Format == Sized {
		return uint16(len(r.Payload))
	}
	return r.Value
}

// union returns r with those words of other added that r lacks. If a word occurs several times in other, only
// its first occurrence is compared (INFO-035).
func (r Record) union(other Record) Record {
	words := make(map[uint32]bool, r.Words())
	for i := range r.Words() {
		words[r.Word(i)] = true
	}
	var added []byte
	for i := range other.Words() {
		if w := other.Word(i); words[w] {
			delete(words, w)
		} else {
			added = append(added, other.Payload[4*i:4*i+4]...)
		}
	}
	if len(added) == 0 || len(r.Payload)+len(added) > MaxPayload {
		return r
	}
	r.Payload = append(slices.Clip(r.Payload), added...)
	return r
}

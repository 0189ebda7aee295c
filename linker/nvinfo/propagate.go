package nvinfo

import "slices"

// A kernel must offer what the functions need that it calls, so their attributes
// travel up to every kernel that reaches them. nvlink does it record by record:
// it walks over the records of all functions that are not kernels, in the order
// of the inputs (file, section, record), and lets each kernel that reaches the
// function take over the record. What a kernel does not have yet is added at the
// end of its list, so the added records keep the order of the inputs (INFO-010).

// Propagate gives records, the attributes of a kernel, after r, one attribute of a
// function that the kernel reaches. Symbol indices in both must be of one symbol
// table. records may be changed in place; r is not.
//
// Only attributes that travel record by record change anything: those whose Merge
// is Presence, MaxByte, LastByte, OrHalf, SumHalf, MoveWords or ExternWords. A
// record of MoveWords is to be taken out of the function's own section afterwards
// (INFO-015).
func Propagate(records []Record, r Record) []Record {
	if int(r.Code) >= len(Attributes) {
		return records
	}
	attribute := &Attributes[r.Code]
	at := slices.IndexFunc(records, func(k Record) bool { return k.Code == r.Code })
	value := r.number()
	switch attribute.Merge {
	case Presence:
		if at < 0 {
			records = append(records, Record{Format: NoValue, Code: r.Code})
		}
	case MaxByte, LastByte:
		low := value & 0xff
		if at < 0 {
			format := Byte
			if attribute.Merge == LastByte {
				format = NoValue
			}
			return append(records, Record{Format: format, Code: r.Code, Value: low})
		}
		k := &records[at]
		if own := k.Value & 0xff; attribute.Merge == MaxByte && low > own || attribute.Merge == LastByte && low != 0 {
			k.Value = k.Value&0xff00 | low
		}
	case OrHalf:
		if at < 0 {
			return append(records, Record{Format: Half, Code: r.Code, Value: value})
		}
		records[at].Value |= value
	case SumHalf:
		if at < 0 {
			return append(records, Record{Format: Half, Code: r.Code, Value: value})
		}
		const unknown = 0xffff
		if k := &records[at]; k.Value == unknown || value == unknown {
			k.Value = unknown
		} else {
			k.Value += value
		}
	case MoveWords, ExternWords:
		if r.Format != Sized {
			return records
		}
		if at < 0 {
			return append(records, Record{Format: Sized, Code: r.Code, Payload: r.Payload})
		}
		records[at] = records[at].union(r)
	}
	return records
}

// number is the 16-bit number of a record; of a sized record, which has none, it
// is the length, as nvlink reads it.
func (r Record) number() uint16 {
	if r.Format == Sized {
		return uint16(len(r.Payload))
	}
	return r.Value
}

// union gives r with the words of other that it does not have. Of a word that
// other has several times only the first is compared (INFO-015).
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

// SparseMMAUnknown is the mask (EIATTR_SPARSE_MMA_MASK) of a function whose
// compiler did not say which sparse matrix instructions it uses. As soon as one
// function of a link has a mask, every function without one gets this one, before
// anything travels to the kernels (INFO-013).
const SparseMMAUnknown = 0x8000

package arch

import "iter"

// From 100 on, cubins record in section .nv.compat which features their code relies on. Code without special
// requirements may be linked for later members of its family (LOAD-005). The section is a sequence of records.
// Each has a form, an attribute, and two bytes of value. In the sized form the value is a length, followed by
// that many bytes.

// Numbers of the attributes of .nv.compat that are checked.
const (
	compatISAClass = 2  // required
	compatISA      = 7  // version of the Mercury instructions
	compatSpecific = 9  // 1 for code of an 'a' name
	compatLaterISA = 13 // a version like that of the instructions
)

// portableLimits contains, for attributes of code for a whole family, the largest valid value of each byte.
// Other attributes have no limit.
var portableLimits = map[byte][]byte{
	compatISAClass: {2}, // and not 0
	6:              {4},
	7:              {1, 1},
	compatSpecific: {0},
}

// Specific reports whether the records of .nv.compat mark code for an architecture whose name ends in 'a'. If
// several records say so, the last one counts.
func Specific(compat []byte) bool {
	specific := false
	for attribute, value := range compatRecords(compat) {
		if attribute == compatSpecific {
			specific = value[0] == 1
		}
	}
	return specific
}

// Finalizes reports whether the finalizer of the release accepts Mercury code with these records of .nv.compat
// (KIT-174). early is set for code of compilers before 13.0, whose records do not contain the name of the
// architecture.
func (p *Profile) Finalizes(compat []byte, early bool) bool {
	const unknownName = 2
	name, named := byte(0), early
	isa, later := uint16(1), uint16(1) // a missing version counts as not later
	for attribute, value := range compatRecords(compat) {
		number := uint16(value[0])
		if len(value) > 1 {
			number |= uint16(value[1]) << 8
		}
		switch attribute {
		case compatSpecific:
			name, named = value[0], true
		case compatISA:
			if isa > p.Accept.MercuryISA && p.Accept.ChecksEachISA {
				return false
			}
			isa = number
		case compatLaterISA:
			later = number
		}
	}
	switch {
	case p.Accept.MercuryISA != 0 && isa > p.Accept.MercuryISA:
		return false
	case p.Accept.ChecksCompat && (!named || name == unknownName || isa == 0):
		return false
	}
	return !p.Accept.ChecksLaterISA || later > 0 && later <= p.Accept.MercuryISA
}

// Portable reports whether code with these records of .nv.compat may run on other members of its family.
func Portable(compat []byte) bool {
	hasClass := false
	for attribute, value := range compatRecords(compat) {
		for i, limit := range portableLimits[attribute] {
			if i < len(value) && value[i] > limit {
				return false
			}
		}
		hasClass = hasClass || attribute == compatISAClass && value[0] != 0
	}
	return hasClass
}

// compatRecords yields the attribute of each record and its one or two bytes of value.
func compatRecords(compat []byte) iter.Seq2[byte, []byte] {
	const formSized = 4
	return func(yield func(byte, []byte) bool) {
		for b := compat; len(b) >= 3; {
			if !yield(b[1], b[2:min(4, len(b))]) {
				return
			}
			size := 4
			if b[0] == formSized && len(b) >= 4 {
				size += int(b[2]) | int(b[3])<<8
			}
			b = b[min(size, len(b)):]
		}
	}
}

package arch

import "iter"

// Cubins from 100 on say in section .nv.compat what their code relies on. Code
// that relies on nothing special may be linked for later members of its family
// (LOAD-005). The section is a row of records: form, attribute, two bytes of
// value; in the sized form the value is a length and that many bytes follow.

// Attributes of .nv.compat that decide, by number.
const (
	compatISAClass = 2  // must be there
	compatISA      = 7  // version of the Mercury instructions
	compatSpecific = 9  // 1 for code of an 'a' name
	compatLaterISA = 13 // a version like that of the instructions
)

// portableLimits gives the largest value that each byte of an attribute may have
// in code for a whole family; other attributes do not matter.
var portableLimits = map[byte][]byte{
	compatISAClass: {2}, // and not 0
	6:              {4},
	7:              {1, 1},
	compatSpecific: {0},
}

// Specific reports whether the records of .nv.compat say that code is for a name that ends in 'a'. The last one that
// tells for which name it is counts.
func Specific(compat []byte) bool {
	specific := false
	for attribute, value := range compatRecords(compat) {
		if attribute == compatSpecific {
			specific = value[0] == 1
		}
	}
	return specific
}

// Finalizes reports whether the finalizer of the release takes Mercury code of which the records of .nv.compat say
// this (KIT-174). Code of compilers before 13.0, early code, does not tell there for which name it is.
func (p *Profile) Finalizes(compat []byte, early bool) bool {
	const unknownName = 2
	name, named := byte(0), early
	isa, later := uint16(1), uint16(1) // a version that is not told is no later one
	for attribute, value := range compatRecords(compat) {
		number := uint16(value[0])
		if len(value) > 1 {
			number |= uint16(value[1]) << 8
		}
		switch attribute {
		case compatSpecific:
			name, named = value[0], true
		case compatISA:
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

// Portable tells from the records of .nv.compat whether code may run on other
// members of its family than its own.
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

// compatRecords yields each record's attribute and its one or two bytes of value.
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

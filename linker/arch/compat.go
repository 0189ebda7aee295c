package arch

import "iter"

// Cubins from 100 on say in section .nv.compat what their code relies on. Code
// that relies on nothing special may be linked for later members of its family
// (LOAD-005). The section is a row of records: form, attribute, two bytes of
// value; in the sized form the value is a length and that many bytes follow.

// Attributes of .nv.compat that decide, by number.
const (
	compatISAClass = 2 // must be there
	compatSpecific = 9 // 1 for code of an 'a' name
)

// portableLimits gives the largest value that each byte of an attribute may have
// in code for a whole family; other attributes do not matter.
var portableLimits = map[byte][]byte{
	compatISAClass: {2}, // and not 0
	6:              {4},
	7:              {1, 1},
	compatSpecific: {0},
}

// Specific reports whether the records of .nv.compat say that code is for a name that ends in 'a'.
func Specific(compat []byte) bool {
	for attribute, value := range compatRecords(compat) {
		if attribute == compatSpecific && value[0] != 0 {
			return true
		}
	}
	return false
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

package arch

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

// Portable tells from the records of .nv.compat whether code may run on other
// members of its family than its own.
func Portable(compat []byte) bool {
	const formSized = 4
	hasClass := false
	for b := compat; len(b) >= 3; {
		form, attribute := b[0], b[1]
		for i, limit := range portableLimits[attribute] {
			if 2+i < len(b) && b[2+i] > limit {
				return false
			}
		}
		hasClass = hasClass || attribute == compatISAClass && b[2] != 0
		size := 4
		if form == formSized && len(b) >= 4 {
			size += int(b[2]) | int(b[3])<<8
		}
		b = b[min(size, len(b)):]
	}
	return hasClass
}

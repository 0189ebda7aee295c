package cubintext

// An ELF record is a fixed sequence of little-endian numbers. A table of fields describes each kind of record.
// The rest of the package uses these tables for reading, writing, comparing with the default, and overriding
// by name.

// A field is one number of a record.
type field struct {
	name  string
	at    int // offset in the record, in bytes
	width int // bytes
}

var headerFields = []field{
	{"magic", 0, 4}, {"class", 4, 1}, {"data", 5, 1}, {"identversion", 6, 1}, {"osabi", 7, 1}, {"abi", 8, 1}, {"pad", 9, 7},
	{"type", 16, 2}, {"machine", 18, 2}, {"version", 20, 4}, {"entry", 24, 8}, {"phoff", 32, 8}, {"shoff", 40, 8},
	{"flags", 48, 4}, {"ehsize", 52, 2}, {"phentsize", 54, 2}, {"phnum", 56, 2}, {"shentsize", 58, 2}, {"shnum", 60, 2}, {"shstrndx", 62, 2},
}

var sectionFields = []field{
	{"name", 0, 4}, {"type", 4, 4}, {"flags", 8, 8}, {"addr", 16, 8}, {"offset", 24, 8}, {"size", 32, 8},
	{"link", 40, 4}, {"info", 44, 4}, {"align", 48, 8}, {"entsize", 56, 8},
}

var segmentFields = []field{
	{"type", 0, 4}, {"flags", 4, 4}, {"offset", 8, 8}, {"vaddr", 16, 8},
	{"paddr", 24, 8}, {"filesz", 32, 8}, {"memsz", 40, 8}, {"align", 48, 8},
}

var symbolFields = []field{
	{"name", 0, 4}, {"info", 4, 1}, {"other", 5, 1}, {"shndx", 6, 2}, {"value", 8, 8}, {"size", 16, 8},
}

// A record contains the bytes of one record, and the names that its fields have in the text.
type record struct {
	fields []field
	bytes  []byte
	given  map[string]bool
}

func newRecord(fields []field) record {
	last := fields[len(fields)-1]
	return record{fields: fields, bytes: make([]byte, last.at+last.width), given: map[string]bool{}}
}

func (r *record) field(name string) (field, bool) {
	for _, f := range r.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (r *record) get(name string) uint64 {
	f, _ := r.field(name)
	var v uint64
	for i := range f.width {
		v |= uint64(r.bytes[f.at+i]) << (8 * i)
	}
	return v
}

// put sets a field. ok reports whether v fits into the field.
func (r *record) put(name string, v uint64) (ok bool) {
	f, _ := r.field(name)
	for i := range f.width {
		r.bytes[f.at+i] = byte(v >> (8 * i))
	}
	return f.width == 8 || v>>(8*f.width) == 0
}

// derive sets a field that is not in the text.
func (r *record) derive(name string, v uint64) {
	if !r.given[name] {
		r.put(name, v)
	}
}

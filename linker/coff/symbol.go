package coff

import "bytes"

// Functions returns the names of the functions that the object defines for other objects. nvlink.exe does not read
// symbols.
func (f *File) Functions() (names []string) {
	// A symbol begins with its name, or with a zero and an offset in the string table, of 4 bytes each. Its value
	// follows, with 4 bytes. Then comes the number of its section, which starts at 1 and has 2 bytes, or 4 in a
	// /bigobj. The last fields are its type (2 bytes), its class (1 byte), and the number of records that belong to
	// it (1 byte).
	const (
		sectionAt = 12
		function  = 0x20
		external  = 2
	)
	size := f.header.symbolSize
	typeAt := size - 4
	if f.header.symbols == 0 || f.header.symbolsEnd < f.header.symbols || f.header.symbolsEnd > uint64(len(f.data)) {
		return nil
	}
	for table := f.data[f.header.symbols:f.header.symbolsEnd]; len(table) >= size; {
		s, more := table[:size], int(table[size-1])
		table = table[min(size+size*more, len(table)):]
		section := int32(int16(le.Uint16(s[sectionAt:])))
		if size == bigSymbolSize {
			section = int32(le.Uint32(s[sectionAt:]))
		}
		if section > 0 && le.Uint16(s[typeAt:]) == function && s[typeAt+2] == external {
			names = append(names, f.symbolName(s[:8]))
		}
	}
	return names
}

// symbolName returns a name of the symbol table. The name is empty if it is outside the string table.
func (f *File) symbolName(field []byte) string {
	if le.Uint32(field) == 0 {
		table := f.strings()
		field = table[min(uint64(le.Uint32(field[4:])), uint64(len(table))):]
	}
	name, _, _ := bytes.Cut(field, []byte{0})
	return string(name)
}

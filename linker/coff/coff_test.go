package coff

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
)

// object returns a host object in which numbers are written at some offsets.
func object(big bool, patches ...uint32) []byte {
	data := craft.COFF{Machine: craft.AMD64, Big: big, Sections: []craft.Section{
		{Name: ".text", Data: []byte{0xc3}},
		{Name: "__nv_relfatbin", Data: []byte("code")},
		{Name: ".nvHRKE", Data: []byte("kernel\x00")},
		{Name: "__nv_relocated", Data: []byte("later")},
	}}.Encode()
	for i := 0; i+1 < len(patches); i += 2 {
		binary.LittleEndian.PutUint32(data[patches[i]:], patches[i+1])
	}
	return data
}

// Is checks the machine of a file, and the version of the long header (WIN-001).
func TestIs(t *testing.T) {
	for _, tt := range []struct {
		data string
		want bool
	}{
		{"\x64\x86", true}, {"\x4c\x01", true}, {"\x64\xaa", true},
		{"\x64", false}, {"", false}, {"\xc4\x01", false}, {"\x00\x02", false}, {"\x41\xa6", false},
		{"\x00\x00\xff\xff\x02\x00\x64\x86", true}, {"\x00\x00\xff\xff\x03\x00\x64\xaa", true},
		{"\x00\x00\xff\xff\x01\x00\x64\x86", false}, {"\x00\x00\xff\xff\x02\x00\xc4\x01", false},
		{"\x00\x00\xff\xff\x02\x00\x64", false}, {"\x01\x00\xff\xff\x02\x00\x64\x86", false},
	} {
		if got := Is([]byte(tt.data)); got != tt.want {
			t.Errorf("%q: %v", tt.data, got)
		}
	}
}

// Only the first eight bytes of a section name count. If several sections have the same name, the
// last one is used (WIN-002).
func TestSection(t *testing.T) {
	for _, big := range []bool{false, true} {
		f, err := Open(object(big), uint64(len(object(big))))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"__nv_rel": "later", "__nv_relfatbin": "later", ".nvHRKE": "kernel\x00", ".text": "\xc3"} {
			if s, ok := f.Section(name); !ok || string(s.Data) != want || s.Size != uint64(len(want)) || !strings.HasPrefix(string(s.Rest), want) {
				t.Errorf("big %v: %s: %q, %v", big, name, s.Data, ok)
			}
		}
		for _, name := range []string{"__nv_re", ".nvHRKEx", ".nvHRK", ""} {
			if s, ok := f.Section(name); ok {
				t.Errorf("big %v: %q is %q", big, name, s.Data)
			}
		}
	}
}

// A section of offset or size 0 is empty (WIN-003).
func TestEmptySection(t *testing.T) {
	const size, offset = 20 + 16, 20 + 20 // of the first section
	for _, field := range []uint32{size, offset} {
		data := object(false, field, 0)
		f, err := Open(data, uint64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := f.Section(".text"); !ok || s.Size != 0 || s.Data != nil || s.Rest != nil {
			t.Errorf("field at %d: %+v, %v", field, s, ok)
		}
	}
}

// A section name can be an offset in base 64 (WIN-002).
func TestBase64Name(t *testing.T) {
	const second = 60                                               // header of a section
	data := object(false, second, 0x41412f2f, second+4, 0x45414141) // //AAAAAE
	f, err := Open(data, uint64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if f.sections[1].name != "__nv_rel" {
		t.Errorf("the name is %q", f.sections[1].name)
	}
}

// Open accepts valid objects, and reports what is wrong with invalid ones (WIN-003).
func TestOpenErrors(t *testing.T) {
	const first, second = 20, 60 // headers of sections
	whole := object(false)
	for _, tt := range []struct {
		what string
		data []byte
		want error
	}{
		{"whole", whole, nil},
		{"no header", whole[:19], ErrTruncated},
		{"no table", whole[:second], ErrTruncated},
		{"no contents", whole[:second+130], ErrTruncated},
		{"a long header that is cut", object(true)[:55], ErrTruncated},
		{"billions of sections", slices.Concat(object(true)[:44], []byte{0xb8, 0x9d, 0xd4, 0xcd}, object(true)[48:]), ErrTruncated},
		{"the end of a section", object(false, first+16, 0x7fffffff), ErrTruncated},
		{"a place that wraps", object(false, first+16, 0x80000000, first+20, 0x80000000), ErrTruncated},
		{"a section in no place", object(false, first+16, 0x7fffffff, first+20, 0), nil},
		{"a section of no size", object(false, first+16, 0, first+20, 0x7fffffff), nil},
		{"big endian", object(false, 16, 0x80000000), ErrBigEndian},
		{"of the other kind", object(false, 16, 0x00800000), ErrBigEndian},
		{"base 64", object(false, second, 0x41412f2f, second+4, 0x45414141), nil}, // //AAAAAE
		{"base 64 of more bits", object(false, second, 0x41452f2f, second+4, 0x45414141), nil},
		{"five digits of base 64", object(false, second, 0x41412f2f, second+4, 0x00414141), ErrBase64},
		{"a digit of no base", object(false, second, 0x41412f2f, second+4, 0x21414141), ErrBase64},
		{"no symbols", object(false, 8, 0), nil},
		{"symbols outside", object(false, 8, 0xffffffff), nil},
		{"names cut off", whole[:len(whole)-20], nil},
	} {
		if _, err := Open(tt.data, uint64(len(tt.data))); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.what, err, tt.want)
		}
	}
	var wrong *NameError
	if _, err := Open(object(false, second, 0x3939392f), uint64(len(whole))); !errors.As(err, &wrong) || wrong.Section != 1 || wrong.Offset != 999 {
		t.Errorf("a name that is nowhere: %v", err)
	}
}

// The offset and the number of the symbols say in 32 bits where the strings begin (WIN-962). A table that would begin far
// after the end of the file ends nvlink.exe (E-391).
func TestOpenSymbolsBeyond(t *testing.T) {
	whole := object(false)
	symbols, count := le.Uint32(whole[8:]), le.Uint32(whole[12:])
	end := symbols + symbolSize*count
	for _, n := range []uint32{count, 0xffffffff, 0x80000000, 0x10000000} {
		f, err := Open(object(false, 8, end-symbolSize*n, 12, n), uint64(len(whole)))
		if err != nil {
			t.Fatalf("%#x symbols: %v", n, err)
		}
		if _, ok := f.Section("__nv_relfatbin"); !ok {
			t.Errorf("%#x symbols: a name is not found", n)
		}
		if names := f.Functions(); n != count && names != nil {
			t.Errorf("%#x symbols: %q", n, names)
		}
	}
	var wrong *NameError
	if _, err := Open(object(false, 12, 60000), uint64(len(whole))); !errors.As(err, &wrong) {
		t.Errorf("strings far after the file: %v", err)
	}
	if _, err := Open(object(false, 12, count+100), uint64(len(whole))); err != nil {
		t.Errorf("strings just after the file: %v", err)
	}
}

// A truncated member is read up to its end, which is after its tables (WIN-011).
func TestOpenCut(t *testing.T) {
	const tables = HeaderSize + 4*sectionSize
	whole := object(false)
	for n := range whole {
		f, err := Open(whole[:n], uint64(len(whole)))
		if n < tables {
			if !errors.Is(err, ErrTruncated) {
				t.Fatalf("%d bytes: %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if s, ok := f.Section(".text"); !ok || len(s.Rest) > n {
			t.Fatalf("%d bytes: a section of %d, %v", n, len(s.Rest), ok)
		}
	}
}

// In a /bigobj, the section number of a symbol has 4 bytes. In another file it has 2 bytes, and
// 0x9000 is not the number of a section.
func TestSectionOfASymbol(t *testing.T) {
	for _, big := range []bool{false, true} {
		data := craft.COFF{Machine: craft.AMD64, Big: big, Functions: []string{"f"}}.Encode()
		f, err := Open(data, uint64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		le.PutUint16(data[f.header.symbols+uint64(f.header.symbolSize)+12:], 0x9000)
		if got := len(f.Functions()); got != 1 && big || got != 0 && !big {
			t.Errorf("big %v: %d functions", big, got)
		}
	}
}

// Functions finds a function among the symbols of a host object, for answers to messages
// (DIAG-502).
func TestFunctions(t *testing.T) {
	for _, big := range []bool{false, true} {
		data := craft.COFF{Machine: craft.AMD64, Big: big, Functions: []string{"f", "a_function_with_a_long_name"}}.Encode()
		f, err := Open(data, uint64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Functions(), " "); got != "f a_function_with_a_long_name" {
			t.Errorf("big %v: %q", big, got)
		}
		if f, err = Open(data[:len(data)-50], uint64(len(data))); err != nil || f.Functions() != nil {
			t.Errorf("big %v: a truncated table: %v, %v", big, f.Functions(), err)
		}
	}
}

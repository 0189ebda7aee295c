package archive

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/limit"
	"pgregory.net/rapid"
)

// read lists members as "name:size", followed by the error.
func read(data []byte) string { return readAs(Loose, data) }

func readAs(how Reading, data []byte) string {
	var list []string
	for m, err := range how.Members(data, new(limit.Budget)) {
		if err != nil {
			list = append(list, "error: "+err.Error())
			break
		}
		entry := fmt.Sprintf("%s:%d", m.Name, len(m.Data))
		if m.Cut {
			entry += " cut"
		}
		if m.NameErr != nil {
			entry += " (" + m.NameErr.Error() + ")"
		}
		list = append(list, entry)
	}
	return strings.Join(list, ", ")
}

// TestMembers checks which members are read from valid and damaged archives (LOAD-020).
func TestMembers(t *testing.T) {
	odd, even := []byte("odd"), []byte("even")
	m := func(name string, data []byte) craft.Member { return craft.Member{Name: name, Data: data} }
	long := m("//", []byte("first_long_name.o/\nd/second.o/\nno_slash"))
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"none", craft.Archive(), ""},
		{"padding", craft.Archive(m("a/", odd), m("b/", even), m("c/", nil)), "a:3, b:4, c:0"},
		{"tables", craft.Archive(m("/", even), m("/SYM64/", odd), long, m("a/", odd)), "a:3"},
		{"long names", craft.Archive(long, m("/0", odd), m("/6", even), m("/19", even), m("/x", odd)), "first_long_name.o:3, long_name.o:4, d:4"},
		{"long name behind the table", craft.Archive(long, m("/31", odd)), "no_slash\n:3"},
		{"empty long name", craft.Archive(m("//", []byte("/\nb/")), m("/0", odd), m("/2", odd)), ":3, b:3"},
		{"long name with NUL", craft.Archive(m("//", []byte("a\x00b/\n")), m("/0", odd)), `error: archive: name: long name outside the table at 0x4a: "/0"`},
		{"text behind the names of tables", craft.Archive(m("/ x", even), m("//x", []byte("long/\n")), m("/SYM64/x", odd), m("/0x", odd)), "long:3"},
		{"name with NUL", craft.Archive(m("a\x00/", odd)), `error: archive: name: unexpected archive format at 0x8: "a"`},
		{"text behind the slash", craft.Archive(m("a/b", odd), m("#1/4", even)), "a:3, #1:4"},
		{"slash after the name", craft.Archive(m("a", []byte("b/c"))), "a               0           0     0     644     3         `\nb:3"},
		{"no slash", craft.Archive(m("a/", odd), m("b", even)), `a:3, error: archive: name: unexpected archive format at 0x48: "b"`},
		{"no long names", craft.Archive(m("/0", even)), `error: archive: name: no table of long names at 0x8: "/0"`},
		{"long name outside", craft.Archive(long, m("/99999", even)), `error: archive: name: long name outside the table at 0x6c: "/99999"`},
		{"no size", craft.Archive(craft.Member{Name: "a/", Size: "?"}, m("b/", odd)), "a:0, b:3"},
		{"negative size", craft.Archive(craft.Member{Name: "a/", Size: "-1"}), `error: archive: size: unexpected archive format at 0x8: "-1"`},
		{"size as of atoi", craft.Archive(craft.Member{Name: "a/", Data: even, Size: " +4x1"}, m("b/", odd)), "a:4, b:3"},
		{"huge size", craft.Archive(craft.Member{Name: "a/", Data: even, Size: "9999999999"}), "a:4 cut"},
		{"header cut", append(craft.Archive(m("a/", even)), "b/  "...), "a:4, b:0"},
		{"thin", craft.Thin(long, craft.Member{Name: "/0", Size: "500"}, craft.Member{Name: "b.o/", Size: "7"}), "first_long_name.o:0, b.o:0"},
	} {
		if got := read(tt.data); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	for _, tt := range []struct { // KIT-124
		name string
		data []byte
		want string
	}{
		{"header cut", append(craft.Archive(m("a/", even)), "b/  "...), `a:4, error: archive: header: unexpected archive format at 0x48: "b/"`},
		{"huge size", craft.Archive(craft.Member{Name: "a/", Data: even, Size: "9999999999"}), `error: archive: size: member goes past the end of the archive at 0x8: "9999999999"`},
		{"long name behind the table", craft.Archive(long, m("/31", odd)), `error: archive: name: long name without end in the table at 0x6c: "/31"`},
		{"long name outside", craft.Archive(long, m("/39", even)), `error: archive: name: long name outside the table at 0x6c: "/39"`},
		{"empty table", craft.Archive(m("//", nil), m("/0", even)), `error: archive: name: no table of long names at 0x44: "/0"`},
		{"NUL", craft.Archive(m("//", []byte("a\x00b/\n")), m("/0", odd), m("c\x00/", odd)), "a:3, c:3"},
		{"thin", craft.Thin(craft.Member{Name: "b.o/", Size: "7"}), "b.o:0"},
		{"slash after the name", craft.Archive(m("a", []byte("b/c"))), `error: archive: name: unexpected archive format at 0x8: "a"`},
	} {
		if got := readAs(Bounded, tt.data); got != tt.want {
			t.Errorf("bounded, %s: %s, want %s", tt.name, got, tt.want)
		}
	}
	var f *FormatError
	for _, err := range Members(craft.Archive(m("b", nil)), new(limit.Budget)) {
		if !errors.Is(err, ErrFormat) || !errors.As(err, &f) || f.Offset != len(Magic) {
			t.Errorf("no slash: %v", err)
		}
	}
}

// A long name may have any length. Names that many members share count against the limit (LOAD-020,
// LIMIT-001).
func TestLongNames(t *testing.T) {
	name := strings.Repeat("x", 50_000)
	members := []craft.Member{{Name: "//", Data: []byte(name + "/\n")}}
	for range 10 {
		members = append(members, craft.Member{Name: "/0"})
	}
	data := craft.Archive(members...)
	five := 5*len(name) - len(data) // total length of the names of five members, less the size of the archive
	for most, want := range map[int]int{five: 5, five - 1: 4} {
		budget := &limit.Budget{}
		if err := budget.Limits.Set(fmt.Sprint("shared=", most)); err != nil {
			t.Fatal(err)
		}
		read := 0
		var last error
		for m, err := range Members(data, budget) {
			if last = err; err == nil && m.Name == name {
				read++
			}
		}
		if exceeded := (*limit.Error)(nil); !errors.As(last, &exceeded) || read != want {
			t.Errorf("%d bytes: after %d members: %v", most, read, last)
		}
	}
}

// The caller of Members may stop at any member.
func TestMembersBreak(t *testing.T) {
	for m := range Members(craft.Archive(craft.Member{Name: "a/"}, craft.Member{Name: "b/"}, craft.Member{Name: "c/"}), new(limit.Budget)) {
		if m.Name == "b" {
			break
		}
		if m.Name == "c" {
			t.Error("c was read")
		}
	}
}

// TestMembersProperty checks that members that were written to an archive are read back.
func TestMembersProperty(t *testing.T) { rapid.Check(t, membersComeBack) }

// FuzzMembers is TestMembersProperty with the bytes of the fuzzing engine.
func FuzzMembers(f *testing.F) { f.Fuzz(rapid.MakeFuzz(membersComeBack)) }

func membersComeBack(t *rapid.T) {
	var members []craft.Member
	var want []Member
	names := []byte{}
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		name := rapid.StringMatching(`[a-z. ]{0,3}[a-z]{1,30}`).Draw(t, "name")
		data := rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "data")
		header := name + "/"
		if len(header) > 16 {
			header = fmt.Sprintf("/%d", len(names))
			names = append(names, name+"/\n"...)
		}
		members = append(members, craft.Member{Name: header, Data: data})
		want = append(want, Member{Name: name, Data: data})
	}
	i := 0
	for m, err := range Members(craft.Archive(append([]craft.Member{{Name: "//", Data: names}}, members...)...), new(limit.Budget)) {
		if err != nil || i == len(want) || m.Name != want[i].Name || !bytes.Equal(m.Data, want[i].Data) {
			t.Fatalf("member %d is %+v, want %+v; error %v", i, m, want, err)
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("%d members, want %d", i, len(want))
	}
}

func TestIs(t *testing.T) {
	for data, want := range map[string][2]bool{"!<arch>\n": {true, false}, "!<thin>\n": {true, true}, "!<arch>": {}, "": {}} {
		if got := [2]bool{Is([]byte(data)), IsThin([]byte(data))}; got != want {
			t.Errorf("%q: archive, thin = %v, want %v", data, got, want)
		}
	}
}

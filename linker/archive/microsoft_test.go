package archive

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/limit"
)

// TestMicrosoft checks how archives in Microsoft's format are read (WIN-011).
func TestMicrosoft(t *testing.T) {
	odd := []byte("odd")
	m := func(name string, data []byte) craft.Member { return craft.Member{Name: name, Data: data} }
	whole := craft.Archive(m("a/", odd), m("b/", odd))
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"tables of symbols", craft.Archive(m("/", odd), m("/", odd), m("/<ECSYMBOLS>/", odd), m("a/", odd)), "a:3"},
		{"long names end at a NUL or a slash", craft.Archive(m("//", []byte("first\x00second/\nlast")), m("/0", odd), m("/6", odd)), "first:3, second:3"},
		{"long names go on after their table", craft.Archive(m("//", []byte("first\x00last")), m("x/", odd), m("/6", odd), m("/9999", odd)), "x:3, lastx:3, :3"},
		{"the last table counts", craft.Archive(m("//", []byte("first\x00")), m("//", []byte("other\x00")), m("/0", odd)), "other:3"},
		{"no slash", craft.Archive(m("a", odd), m("b/", odd)), `:3 (archive: name: unexpected archive format at 0x8: "a"), b:3`},
		{"no table", craft.Archive(m("/0", odd), m("b/", odd)), `:3 (archive: name: no table of long names at 0x8: "/0"), b:3`},
		{"a header that is cut off", whole[:len(whole)-10], "a:3"},
		{"a member that is cut off", craft.Archive(craft.Member{Name: "a/", Data: odd, Size: "9"}), "a:4 cut"},
		{"a negative size", craft.Archive(craft.Member{Name: "a/", Size: "-1"}), `error: archive: size: unexpected archive format at 0x8: "-1"`},
		{"thin", craft.Thin(craft.Member{Name: "a/", Size: "3"}, craft.Member{Name: "b/", Size: "3"}), "a:0, b:0"},
	} {
		if got := readAs(Microsoft, tt.data); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// In a bounded archive in Microsoft's format, everything ends within the archive, and names within their table (WIN-960).
func TestBoundedMicrosoft(t *testing.T) {
	odd, long := []byte("odd"), []byte("first\x00second/\nlast")
	m := func(name string, data []byte) craft.Member { return craft.Member{Name: name, Data: data} }
	whole := craft.Archive(m("a/", odd), m("b/", odd))
	thin := craft.Thin(craft.Member{Name: "a/", Size: "3"})
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"long names end at a NUL or a slash", craft.Archive(m("//", long), m("/0", odd), m("/6", odd)), "first:3, second:3"},
		{"a long name may be empty", craft.Archive(m("//", long), m("/5", odd), m("x/", odd)), ":3, x:3"},
		{"a long name goes past its table", craft.Archive(m("//", long), m("/14", odd), m("x/", odd)), `:3 (archive: name: long name without end in the table at 0x56: "/14"), x:3`},
		{"a long name after its table", craft.Archive(m("//", long), m("/18", odd)), `:3 (archive: name: long name outside the table at 0x56: "/18")`},
		{"an empty table", craft.Archive(m("//", nil), m("/0", odd)), `:3 (archive: name: no table of long names at 0x44: "/0")`},
		{"no slash", craft.Archive(m("a", odd), m("b/", odd)), `:3 (archive: name: unexpected archive format at 0x8: "a"), b:3`},
		{"a NUL does not hide the slash", craft.Archive(m("a\x00b/", odd)), "a:3"},
		{"a header that is cut off", whole[:len(whole)-10], `a:3, error: archive: header: unexpected archive format at 0x48: "b/`},
		{"a member that is cut off", whole[:len(whole)-2], `a:3, error: archive: size: member goes past the end of the archive at 0x48: "3"`},
		{"a negative size", craft.Archive(craft.Member{Name: "a/", Size: "-1"}), `error: archive: size: member goes past the end of the archive at 0x8: "-1"`},
		{"a table that is cut off", craft.Archive(craft.Member{Name: "/", Data: odd, Size: "9"}), `error: archive: size: member goes past the end of the archive at 0x8: "9"`},
	} {
		if got := readAs(Microsoft|Bounded, tt.data); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	// The size of a member of a thin archive is checked if it is no object.
	for isObject, want := range map[bool]error{true: nil, false: ErrBounds} {
		for _, err := range (Microsoft | Bounded).Objects(thin, new(limit.Budget), func([]byte) bool { return isObject }) {
			if !errors.Is(err, want) {
				t.Errorf("thin, object %v: %v, want %v", isObject, err, want)
			}
			want = nil
		}
		if want != nil {
			t.Errorf("thin, object %v: no error, want %v", isObject, want)
		}
	}
}

// WIN-012: what follows the header of a member of a thin archive decides whether it is an object. If not, it is skipped
// with the size that the header states.
func TestThinMicrosoft(t *testing.T) {
	isObject := func(data []byte) bool { return bytes.HasPrefix(data, []byte("object")) }
	text := strings.Repeat("no code ", 20)
	m := func(name, size, data string) string {
		return string(craft.Thin(craft.Member{Name: name, Size: size})[len(ThinMagic):]) + data
	}
	for _, tt := range []struct {
		name, members, want string
	}{
		{"headers alone", m("a/", "100", "") + m("b/", "100", ""), ""},
		{"contents", m("a/", "160", text) + m("b/", "6", "object"), "b"},
		{"an odd size", m("a/", "159", text) + m("b/", "6", "object"), "b"},
		{"no size", m("a/", "0", "") + m("b/", "0", "object"), "b"},
		{"a name without a slash", m("a", "160", text) + m("b/", "6", "object"), "b"},
		{"tables", m("//", "4", "b/c/") + m("a/", "160", text) + m("/2", "6", "object"), "c"},
		{"an object is not skipped", m("a/", "60", "object"+strings.Repeat(" ", 54)) + m("b/", "6", "object"), "a b"},
		{"a negative size", m("a/", "-9", text) + m("b/", "6", "object"), ""},
		{"a size beyond the end", m("a/", "9999999999", text) + m("b/", "6", "object"), ""},
	} {
		var got []string
		for m, err := range Microsoft.Objects([]byte(ThinMagic+tt.members), new(limit.Budget), isObject) {
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got = append(got, m.Name)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

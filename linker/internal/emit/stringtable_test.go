package emit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A string table has each string once. find returns the place of each string, also if addAs stored it in
// another form.
func TestStringTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newStringTable(rapid.IntRange(0, 40).Draw(t, "expected"), 0)
		table.emptyFirst = rapid.Bool().Draw(t, "the empty string first")
		at := map[string]uint32{}
		for range rapid.IntRange(0, 200).Draw(t, "strings") {
			s := rapid.StringMatching("[ab]{0,6}").Draw(t, "string")
			var got uint32
			if rapid.Bool().Draw(t, "as another") {
				got = table.addAs(s, func(b []byte) []byte { return append(b, "a\x00"...) })
			} else {
				got = table.add(s)
			}
			if before, known := at[s]; known && got != before {
				t.Fatalf("%q is at %d, and was at %d", s, got, before)
			}
			at[s] = got
		}
		places := map[uint32]string{}
		for s, want := range at {
			if got, ok := table.find(s); got != want || !ok {
				t.Fatalf("%q is found at %d (%v), not at %d", s, got, ok, want)
			}
			if other, taken := places[want]; taken {
				t.Fatalf("%q and %q are both at %d", s, other, want)
			}
			places[want] = s
		}
		if _, ok := table.find("c"); ok {
			t.Fatal("what was not added is found")
		}
		if n := strings.Count(string(table.bytes), "\x00"); n != len(at)+1 && !(table.emptyFirst && n == len(at)) {
			t.Fatalf("%d strings in the table, want %d", n-1, len(at))
		}
	})
}

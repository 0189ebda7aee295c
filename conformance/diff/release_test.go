package diff

import (
	"testing"

	"github.com/culink/culink/corpus"
)

// If two cubins were made by different releases, the report names the releases (KIT-008).
func TestReleases(t *testing.T) {
	read := func(name string) []byte {
		data, err := corpus.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	old, now := read("merge/objects-of-three-releases/sm_80/in/k.cubin"), read("merge/objects-of-three-releases/sm_80/in/g.cubin")
	for _, tt := range []struct {
		a, b []byte
		want string
	}{
		{old, now, "a is of toolkit 11.8, b of 13.0\n"},
		{now, now, ""},
		{now, []byte("no cubin"), ""},
	} {
		if got := releases("a", "b", tt.a, tt.b); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

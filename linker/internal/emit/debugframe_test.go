package emit

import (
	"testing"

	"github.com/culink/culink/linker/arch"
)

// A place in a common entry follows the entry when that moves. 13.0 loses the place with -r and -g
// (KIT-270, MERC-270).
func TestPlacesInCommonEntries(t *testing.T) {
	t.Parallel()
	list, places := frameList{{at: 0}, {at: 0x30}, {at: 0x60}, {at: 0x90}}, []int{0, 0, 0, 0x30}
	for _, tt := range []struct {
		version  string
		offset   uint64
		kept, by uint64 // without options, with -r or -g
	}{
		{"13.0.88", 0x90 + fdeLocation, 0x30 + fdeLocation, 0x30 + fdeLocation},
		{"13.0.88", 0xb8, 0x58, 0},
		{"13.1.115", 0xb8, 0x58, 0x58},
	} {
		profile, err := arch.Find(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		kept, by := list.moved(tt.offset, places, false), list.moved(tt.offset, places, profile.Emit.LosesCommonEntries)
		if kept != tt.kept || by != tt.by {
			t.Errorf("%s: %#x moves to %#x, with -r to %#x; want %#x, %#x", tt.version, tt.offset, kept, by, tt.kept, tt.by)
		}
	}
}

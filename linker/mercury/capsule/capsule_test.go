package capsule

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// A scheduling hint represents no machine instruction, and has no count (MERC-105).
func TestHints(t *testing.T) {
	aHint := append([]byte{hint, 2}, make([]byte, 14)...)
	record := append([]byte{1}, make([]byte, 15)...)
	end := machinetest.AsTheyAre(14)
	for _, tt := range []struct {
		name    string
		records [][]byte
		machine int // 0: damaged
		want    string
	}{
		{"first, between and last", [][]byte{aHint, record, aHint, aHint, end, aHint}, 15, ""},
		{"long", [][]byte{append([]byte{longHint}, make([]byte, 31)...), record, end}, 15, ""},
		{"none", [][]byte{record, end}, 15, ""},
		{"with a count", [][]byte{record, machinetest.Several(2, aHint), end}, 0, "count before a record that stands for no machine instruction at 0x20: 1"},
		{"cut short", [][]byte{record, end, aHint[:15]}, 0, "capsule ends inside a record"},
		{"48 bytes", [][]byte{record, append([]byte{3}, make([]byte, 47)...), end}, 16, ""}, // MERC-101
		{"48 bytes cut short", [][]byte{record, end, append([]byte{3}, make([]byte, 46)...)}, 0, "capsule ends inside a record"},
		{"unknown neighbour", [][]byte{record, append([]byte{0x33}, make([]byte, 31)...), end}, 0, "unknown kind of record at 0x20: 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Open(machinetest.Capsule(tt.records...), Place{})
			switch {
			case tt.machine == 0:
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
			case err != nil:
				t.Fatal(err)
			case c.Machine() != tt.machine:
				t.Errorf("%d machine instructions, want %d", c.Machine(), tt.machine)
			}
		})
	}
}

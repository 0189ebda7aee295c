package capsule

import (
	"encoding/hex"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// The Mercury forms of instructions at reconvergence points are as expected (KIT-041).
func TestJoinRecords(t *testing.T) {
	for _, tt := range []struct {
		mark uint64
		want string
	}{
		{1 << (73 - 64), "0109020af80001000000020000000000"},
		{1 << (72 - 64), "0109040af80000000000020000000000"},
	} {
		if got := hex.EncodeToString(joinRecord(machine.Word(machinetest.Joins.Low|1<<16, machine.NOP.High|tt.mark))); got != tt.want {
			t.Errorf("%#x: %s, want %s", tt.mark, got, tt.want)
		}
	}
}

// The Mercury forms of IADD are as expected (KIT-043).
func TestAddRecords(t *testing.T) {
	for _, tt := range []struct {
		name      string
		low, high uint64
		want      byte
	}{
		{"registers", 0x0000001904047235, 0x000fc600078e0000, 0x40},
		{"negated", 0x000000ff10107235, 0x000fce00078e0100, 0x40},
		{"a number", 0x0000008001017835, 0x001fe200078e0000, 0x42},
		{"with a carry", 0x8000000aff0d7235, 0x000fc60007800000, 0x40},
		{"carried", 0x800000ff040d7235, 0x000fc600000e0400, 0x30},
		{"a number, carried", 0x00012345040b7835, 0x000fc600000e0400, 0x32},
		{"uniform", 0x0000002603037c35, 0x004fca000f8e0000, 0x44},
	} {
		if got := addRecord(machine.Word(tt.low, tt.high)); got[2] != tt.want {
			t.Errorf("%s: record %x, want %x", tt.name, got, tt.want)
		}
	}
}

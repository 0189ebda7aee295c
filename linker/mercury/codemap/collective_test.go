package codemap

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/sass"
)

// TestPlacesOfCollectives checks which instruction the record lists. 13.0.48 lists the WARPSYNC.COLLECTIVE before an
// integer reduction, or before the instructions of a barrier whose number is in a register. Other builds list the
// reduction or the barrier. It does not matter which of them the object lists. For reductions of bits and of floats, for
// other barriers, and for a WARPSYNC of the program, the place is the same in all builds (KIT-210).
func TestPlacesOfCollectives(t *testing.T) {
	collective := sass.Instruction{Low: 0x00000000050c7348, High: 0x003fde0003c00000}
	all := sass.Instruction{Low: 0x0000000000147948, High: 0x003fde0003c00000} // WARPSYNC.COLLECTIVE.ALL
	shift := sass.Instruction{Low: 0x0000001009097819, High: 0x003fde00000006ff}
	logic := sass.Instruction{Low: 0x0000000f09097812, High: 0x003fde00078ef802}
	barrier := sass.Instruction{Low: 0x000000090000731d, High: 0x0033de0000010000}
	for _, test := range []struct {
		sync  sass.Instruction
		after []sass.Instruction
		moves bool
	}{
		{collective, []sass.Instruction{{Low: 0x00000000044f73c4, High: 0x00321e000000c200}}, true},  // REDUX.SUM.S32
		{collective, []sass.Instruction{{Low: 0x00000000044f73c4, High: 0x00321e0000010200}}, true},  // REDUX.MIN.S32
		{collective, []sass.Instruction{{Low: 0x000000000d4f72cc, High: 0x003fde0000000000}}, true},  // CREDUX.MAX
		{collective, []sass.Instruction{{Low: 0x000000000d4f73c4, High: 0x00321e0000004000}}, false}, // REDUX.OR
		{collective, []sass.Instruction{{Low: 0x000000000d4f73c4, High: 0x00321e0000008000}}, false}, // REDUX.XOR
		{collective, []sass.Instruction{{Low: 0x000000000d4f72cc, High: 0x003fde0000008400}}, false}, // CREDUX.MIN.F32
		{sass.Instruction{Low: 0x0000000002007348}, []sass.Instruction{{Low: 0x000000000000573c4, High: 0x000fe400000001ff}}, false},
		{all, []sass.Instruction{shift, logic, barrier}, true},
		{all, []sass.Instruction{barrier}, false},
		{all, []sass.Instruction{shift, logic, shift}, false},
		{sass.Instruction{Low: 0x0000000000007948}, []sass.Instruction{shift, logic, barrier}, false},
	} {
		code := test.sync.Append(make([]byte, sass.Size))
		for _, x := range test.after {
			code = x.Append(code)
		}
		first, last := uint32(sass.Size), uint32(len(code)-sass.Size)
		for _, named := range []uint32{first, last} {
			for _, ofWarpSync := range []bool{true, false} {
				want := named
				switch {
				case test.moves && ofWarpSync:
					want = first
				case test.moves:
					want = last
				}
				payload := binary.LittleEndian.AppendUint32(nil, named)
				record := nvinfo.Record{Code: nvinfo.CoopGroupOffsets, Payload: slices.Clone(payload)}
				got := binary.LittleEndian.Uint32(PlaceCollectives(record, code, ofWarpSync).Payload)
				if got != want || !slices.Equal(record.Payload, payload) {
					t.Errorf("%x after %x, named at %#x, of the WARPSYNC %v: %#x, want %#x", test.after, test.sync, named, ofWarpSync, got, want)
				}
			}
		}
	}
	for _, at := range []uint32{0, 8, sass.Size, 1 << 20} { // places outside the code
		record := nvinfo.Record{Code: nvinfo.CoopGroupOffsets, Payload: binary.LittleEndian.AppendUint32([]byte{}, at)}
		if got := PlaceCollectives(record, make([]byte, sass.Size), true); !slices.Equal(got.Payload, record.Payload) {
			t.Errorf("%#x became %x", at, got.Payload)
		}
	}
}

package nvinfo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// MapSymbols replaces indices, and drops records whose symbol is removed (INFO-004, INFO-205,
// INFO-008).
func TestMapSymbols(t *testing.T) {
	renumber := func(i uint32) uint32 {
		return map[uint32]uint32{3: 30, 4: 40, 5: 0}[i]
	}
	tests := []struct {
		name string
		in   Record
		want Record
		kept bool
	}{
		{"first word", New(RegCount, 3, 4), New(RegCount, 30, 4), true},
		{"first word is gone", New(FrameSize, 5, 4), New(FrameSize, 0, 4), false},
		{"every word", New(Externs, 3, 5, 4, 3), New(Externs, 30, 40, 30), true},
		{"every word is gone", New(Externs, 5), New(Externs), false},
		{"parameter without symbol", New(KParamInfo, 0, 3, 4), New(KParamInfo, 0, 3, 4), true},
		{"parameter with symbol", New(KParamInfo, 4, 3, 4), New(KParamInfo, 40, 3, 4), true},
		{"no symbols", New(CudaAPIVersion, 3), New(CudaAPIVersion, 3), true},
		{"later code", New(0x66, 3), New(0x66, 3), true},
		{"code past the table", New(0xff, 3), New(0xff, 3), true},
		{"not sized", Record{Format: Byte, Code: RegCount, Value: 3}, Record{Format: Byte, Code: RegCount, Value: 3}, true},
		{"payload too short", Record{Format: Sized, Code: RegCount, Payload: []byte{3, 0}}, Record{Format: Sized, Code: RegCount, Payload: []byte{3, 0}}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := string(test.in.Payload)
			got, kept := test.in.MapSymbols(renumber)
			if kept != test.kept {
				t.Errorf("kept: %v", kept)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if string(test.in.Payload) != before {
				t.Error("the input's payload was changed")
			}
		})
	}
}

// A code that is not in the table has no symbol (INFO-004).
func TestUnknownCodesNameNoSymbol(t *testing.T) {
	for code := len(Attributes); code <= 0xff; code++ {
		r := New(Code(code), 7)
		mapped, ok := r.MapSymbols(func(uint32) uint32 { return 0 })
		if !ok || mapped.Word(0) != 7 {
			t.Errorf("code %#x: %v, %v", code, mapped, ok)
		}
	}
}

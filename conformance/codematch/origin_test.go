package codematch

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/sass"
)

// The schedule of a masked function is that of the input, so it is accepted. If one control bit is changed, it is
// rejected. It is also rejected if only a part of it is nvlink's.
func TestChosen(t *testing.T) {
	const name = ".text.k1"
	input := Codes(recorded(t, folder+"in/a.cubin"))[name]
	want := Codes(recorded(t, folder+"1.out/out.cubin"))[name][0]
	got := Codes(linked(t))[name][0]
	if !Chosen(want, got, input) {
		t.Error("culink's is not the input's")
	}
	if !Chosen(want, want, nil) {
		t.Error("nvlink's is not its own")
	}
	if Chosen(want, got, nil) {
		t.Error("another than nvlink's without an input")
	}
	at, mixed := -1, slices.Clone(got)
	for i := 0; i < len(got); i += sass.Size {
		if !slices.Equal(got[i:i+sass.Size], want[i:i+sass.Size]) {
			at = i
			break
		}
	}
	copy(mixed[at:at+sass.Size], want[at:])
	if Chosen(want, mixed, input) {
		t.Errorf("nvlink's scoreboards at %#x alone", at)
	}
	const firstControl, lastControl = 105, 126
	for i := 0; i < len(got); i += sass.Size {
		for bit := firstControl; bit < lastControl; bit++ {
			spoiled := slices.Clone(got)
			spoiled[i+bit/8] ^= 1 << (bit % 8)
			if Chosen(want, spoiled, input) {
				t.Fatalf("bit %d of the instruction at %#x", bit, i)
			}
		}
	}
}

// Pairs are found for the other instructions even if the linker has added or dropped some.
func TestPair(t *testing.T) {
	code := func(operations ...byte) (text []byte) {
		for _, op := range operations {
			text = append(text, append([]byte{op}, make([]byte, sass.Size-1)...)...)
		}
		return text
	}
	for _, c := range []struct {
		got, in []byte
		want    []int
	}{
		{code(1, 2, 3), code(1, 2, 3), []int{0, 1, 2}},
		{code(1, 3), code(1, 2, 3), []int{0, 2}},
		{code(1, 9, 2), code(1, 2), []int{0, none, 1}},
		{code(7), nil, []int{none}},
	} {
		if got := pair(c.got, c.in); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.got, c.in, got, c.want)
		}
	}
}

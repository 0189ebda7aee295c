package nvinfo

import (
	"slices"
	"testing"
)

// The lists of the only kernel of a link lose their repetitions, also if no other function has one (INFO-982).
func TestLoneListsOnce(t *testing.T) {
	for _, code := range []Code{Externs, Language, AtEntryFragments} {
		for _, tt := range []struct {
			lone     bool
			in, want []uint32
		}{
			{true, []uint32{3, 2, 3}, []uint32{3, 2}},
			{true, []uint32{3, 2}, []uint32{3, 2}},
			{false, []uint32{3, 2, 3}, []uint32{3, 2, 3}},
		} {
			functions := []FunctionInfo{{Kernel: true, Lone: tt.lone, Records: []Record{New(code, tt.in...), {Format: Half, Code: 0x37, Value: 1}}}}
			RaiseKernels(functions, func(int) []int { return nil })
			at := functions[0].find(code)
			var words []uint32
			for i := range functions[0].Records[at].Words() {
				words = append(words, functions[0].Records[at].Word(i))
			}
			if moved := at == 1; !slices.Equal(words, tt.want) || moved != (len(tt.in) > len(tt.want)) {
				t.Errorf("%v, alone %t: %d at %d, want %d", code, tt.lone, words, at, tt.want)
			}
		}
	}
}

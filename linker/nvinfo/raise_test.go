package nvinfo

import (
	"slices"
	"testing"
)

// A kernel with one .cta_group attribute conflicts if it takes over the other one. A kernel that has both, or
// takes over another attribute, does not (INFO-052).
func TestConflicts(t *testing.T) {
	one, two, other := Record{Format: NoValue, Code: TCGen05OneCTA}, Record{Format: NoValue, Code: TCGen05TwoCTA}, Record{Format: Half, Code: NumMBarriers, Value: 1}
	for _, c := range []struct {
		name             string
		kernel, function []Record
		conflict         bool
	}{
		{"the other group", []Record{one}, []Record{two}, true},
		{"the other group, the other way round", []Record{two}, []Record{one}, true},
		{"its own group", []Record{one}, []Record{one}, false},
		{"both groups of its own", []Record{one, two}, []Record{two, one}, false},
		{"no group of its own", nil, []Record{two}, false},
		{"another attribute", []Record{one}, []Record{other}, false},
	} {
		functions := []FunctionInfo{{Kernel: true, Records: slices.Clone(c.kernel)}, {Records: c.function}}
		conflicts := RaiseKernels(functions, func(int) []int { return []int{0} })
		if got := slices.Equal(conflicts, []int{0}); got != c.conflict || !got && len(conflicts) > 0 {
			t.Errorf("%s: conflicts of %v", c.name, conflicts)
		}
	}
}

// A lone kernel gets the attributes of later compilers at places of their own: launch control after reserved shared memory,
// languages before fragments, and the attributes of the grid last (INFO-036, KIT-947).
func TestOrderOfLoneKernel(t *testing.T) {
	made := []Record{
		{Format: Half, Code: GridAttributes, Value: 4}, New(AtEntryFragments, 6), New(Language, 3), {Format: NoValue, Code: LaunchControlUsed},
		{Format: Byte, Code: VRCCTAInitCount, Value: 3}, {Format: NoValue, Code: ReservedSMemUsed},
	}
	functions := []FunctionInfo{{Kernel: true, Lone: true}, {Records: made}}
	RaiseKernels(functions, func(int) []int { return []int{0} })
	var got []Code
	for _, r := range functions[0].Records {
		got = append(got, r.Code)
	}
	if want := []Code{ReservedSMemUsed, LaunchControlUsed, VRCCTAInitCount, Language, AtEntryFragments, GridAttributes}; !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}

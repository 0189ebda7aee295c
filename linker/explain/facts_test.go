package explain

import (
	"fmt"
	"slices"
	"testing"
)

func path(names ...string) (p Path) {
	for _, name := range names {
		p = append(p, Step{Name: name})
	}
	return p
}

// All facts appear, in this order and with these words (REACH-500 to REACH-502, LAYOUT-501).
func TestFacts(t *testing.T) {
	bank := 3
	many := make([]string, mostNames+2)
	for i := range many {
		many[i] = fmt.Sprint("k", i)
	}
	for _, c := range []struct {
		name string
		e    Explanation
		want []string
	}{
		{"nothing", Explanation{Kind: Unknown}, []string{"defined in: no input names it"}},
		{"a name of the source", Explanation{Kind: Function, Source: "f(int)", Definition: Definition{By: ByInput, Input: "a"}}, []string{
			"means: f(int)", "defined in: a",
		}},
		{"weak, with losers and a second name", Explanation{Kind: Function, Definition: Definition{By: ByInput, Input: "a", Weak: true, AliasOf: "f", Unused: []string{"b", "c"}}}, []string{
			"defined in: a, weak", "defined in: the code of <f>, of which it is a second name", "unused in: b", "unused in: c",
		}},
		{"weak, with a loser that differs", Explanation{Kind: Function, Definition: Definition{By: ByInput, Input: "a", Weak: true, Unused: []string{"b", "c"}, Differs: []string{"", "other code"}}}, []string{
			"defined in: a, weak", "unused in: b", "unused in: c, which differs: other code",
		}},
		{"by the driver", Explanation{Kind: Function, Definition: Definition{By: ByDriver, Input: "a"}}, []string{"defined in: the driver; first named in a"}},
		{"by nobody", Explanation{Kind: Function, Definition: Definition{By: ByNobody, Input: "a"}}, []string{"defined in: no input; first named in a"}},
		{"by the program", Explanation{Kind: Texture, Definition: Definition{By: ByProgram}, Places: []Place{{Why: InSlot, Offset: 0x164}}}, []string{
			"defined in: the program that loads it", "reached by: nothing names it", "place: slot at 0x164 of constant bank 0, for the driver to fill",
		}},
		{"of a link that failed", Explanation{
			Kind: SharedVariable, Unplaced: true, Definition: Definition{By: ByInput, Input: "a", Unused: []string{"b"}},
			Reach: Reach{Code: []string{"f"}, Data: []string{".nv.global"}}, Disposition: DroppedUnnamed,
		}, []string{
			"defined in: a", "also in: b", "named in: code of <f>", "named in: .nv.global",
			"not known: who reaches it, and its place: the link failed before",
		}},
		{"a kernel", Explanation{Kind: Kernel, Definition: Definition{By: ByInput, Input: "a"}, Disposition: StaysAsKernel, Needs: &Needs{
			Registers: 40, OwnRegisters: 12, RaisedBy: path("k", "f"), Barriers: 2, Shared: 64, Reaches: []string{"f", "g"},
			Stack: Stack{Bytes: 48, Path: path("k", "f"), Frames: []uint32{16, 32}}, Constants: []Bank{{Bank: 0, Size: 352}, {Bank: 2, Size: 24, By: []Filler{{"f", "b", 16}, {"k", "a", 8}}}},
		}}, []string{
			"defined in: a", "stays: as a kernel", "registers: 40, raised from 12 by <f>: <k> -> <f>",
			"stack: 48 bytes on the path <k> -> <f>: 16 + 32", "barriers: 2", "shared: 64 bytes", "constants: 352 bytes in bank 0", "constants: 24 bytes in bank 2",
			"constants: 16 bytes of bank 2 by <f> of b", "constants: 8 bytes of bank 2 by <k> of a", "reaches: <f>, <g>",
		}},
		{"a kernel alone", Explanation{Kind: Kernel, Definition: Definition{By: ByInput, Input: "a"}, Needs: &Needs{Registers: 40, Stack: Stack{Bytes: 8, Path: path("k")}}}, []string{
			"defined in: a", "registers: 40", "stack: 8 bytes",
		}},
		{"a recursion", Explanation{Kind: Kernel, Definition: Definition{By: ByInput, Input: "a"}, Needs: &Needs{Registers: 9, Stack: Stack{Unknown: true, Path: path("f", "f")}}}, []string{
			"defined in: a", "registers: 9", "stack: unknown: <f> -> <f>, and so on",
		}},
		{"a frame of unknown size", Explanation{Kind: Kernel, Definition: Definition{By: ByInput, Input: "a"}, Needs: &Needs{Registers: 9, Stack: Stack{Unknown: true}}}, []string{
			"defined in: a", "registers: 9", "stack: unknown: a frame of unknown size",
		}},
		{"a function", Explanation{
			Kind: Function, Definition: Definition{By: ByInput, Input: "a"},
			Reach: Reach{Path: Path{{Name: "k"}, {Name: "f", ByPointer: true}}, Kernels: []string{"k", "l"}, AddressTaken: true, Code: []string{"not told"}},
			Needs: &Needs{
				Registers: 20, Raises: []string{"k"}, Stack: Stack{Frame: 8, Bytes: 24}, Barriers: 1,
				SharedUsed: []Usage{{Name: "s", Size: 4}, {Name: "e", Extern: true}}, Constants: []Bank{{Bank: 2, Size: 16}},
			},
		}, []string{
			"defined in: a", "reached by: <k> -> (by pointer) <f>", "reached by: 2 kernels: <k>, <l>",
			"address: is taken; calls through pointers of its prototype may reach it",
			"registers: 20", "registers: raises to 20: <k>", "stack: 8 bytes of its own, 24 with what it calls", "barriers: 1",
			"shared: <s>, 4 bytes", "shared: <e>, extern", "constants: 16 bytes in bank 2 of each kernel that reaches it",
		}},
		{"a function by itself", Explanation{Kind: Function, Definition: Definition{By: ByInput, Input: "a"}, Disposition: StaysByAddress, Needs: &Needs{Stack: Stack{Frame: 8, Alone: true}}}, []string{
			"defined in: a", "stays: because its address is taken; no kernel calls it", "registers: 0", "stack: 8 bytes of its own",
		}},
		{"a function that recurs", Explanation{Kind: Function, Definition: Definition{By: ByInput, Input: "a"}, Needs: &Needs{Stack: Stack{Frame: 8, Unknown: true, Path: path("f")}}}, []string{
			"defined in: a", "registers: 0", "stack: 8 bytes of its own, unknown with what it calls: <f>, and so on",
		}},
		{"dropped with its kernel", Explanation{Kind: SharedVariable, Definition: Definition{By: ByInput, Input: "a"}, Disposition: DroppedWithKernel, Owner: "k", Reach: Reach{Data: []string{"d"}}}, []string{
			"defined in: a", "named in: d", "dropped: with kernel <k>",
		}},
		{"a variable on a path", Explanation{Kind: GlobalVariable, Definition: Definition{By: ByInput, Input: "a"}, Reach: Reach{Path: path("k", "v"), Code: []string{"k"}}}, []string{
			"defined in: a", "reached by: <k> -> <v>",
		}},
		{"a variable that code and data name", Explanation{Kind: GlobalVariable, Definition: Definition{By: ByInput, Input: "a"}, Reach: Reach{Path: path("k", "v"), Code: []string{"k"}, Data: []string{"d"}}}, []string{
			"defined in: a", "reached by: <k> -> <v>", "named in: d",
		}},
		{"a variable that two functions name", Explanation{Kind: GlobalVariable, Definition: Definition{By: ByInput, Input: "a"}, Reach: Reach{Path: path("k", "v"), Code: []string{"k", "f"}}}, []string{
			"defined in: a", "reached by: <k> -> <v>", "named in: code of <k>, <f>",
		}},
		{"the least of all", Explanation{Kind: Kernel, Definition: Definition{By: ByInput, Input: "a"}, Reach: Reach{Path: path("k"), Kernels: []string{"k"}}, Needs: &Needs{
			Registers: 2, OwnRegisters: 1, RaisedBy: path("k"), Barriers: 1, Shared: 1, Reaches: []string{"f"}, Stack: Stack{Bytes: 1, Path: path("k")},
		}}, []string{
			"defined in: a", "reached by: <k>", "registers: 2, raised from 1 by <k>: <k>", "stack: 1 bytes", "barriers: 1", "shared: 1 bytes", "reaches: <f>",
		}},
		{"a variable that code off all paths names", Explanation{Kind: GlobalVariable, Definition: Definition{By: ByInput, Input: "a"}, Reach: Reach{Code: []string{"f"}}}, []string{
			"defined in: a", "named in: code of <f>",
		}},
		{"a variable that much names", Explanation{Kind: GlobalVariable, Definition: Definition{By: ByInput, Input: "a"}, Reach: Reach{Path: path("k0", "v"), Code: many}}, []string{
			"defined in: a", "reached by: <k0> -> <v>",
			"named in: code of <k0>, <k1>, <k2>, <k3>, <k4>, <k5>, <k6>, <k7>, <k8>, <k9>, <k10>, <k11> and 2 more",
		}},
		{"places", Explanation{Kind: Constant, Definition: Definition{By: ByLaunch, Input: "a"}, Reach: Reach{Data: []string{"d"}}, Places: []Place{
			{Why: TooLate, Input: "b"}, {Why: AfterStatic, Offset: 16, Code: "f", Kernels: []string{"k"}}, {Why: ByLastLink, Size: 4, Align: 8},
			{Why: ReachedByOne, Offset: 16, Size: 4, Kernels: []string{"k"}}, {Why: OfOneKernel, Offset: 32, Size: 4, Kernels: []string{"k"}},
			{Why: ReachedBySeveral, Offset: 48, Size: 4, Kernels: []string{"k", "l"}, Overlaps: []string{"s"}},
			{Why: AfterEarlierInputs, Offset: 64, Section: ".nv.global", Size: 4}, {Why: AfterEarlierInputs, Section: ".nv.constant3", Size: 4, Bank: &bank},
		}}, []string{
			"defined in: each launch of a kernel; first named in a", "named in: d",
			"place: none: it was an extern array before b gave it a size; name that file first",
			"place: offset 0x10 in the code of <f>: after the static variables of each kernel that reaches it: <k>",
			"place: 4 bytes, alignment 8: the last link places it",
			"place: offset 0x10, 4 bytes: only kernel <k> reaches it, so it is one of its own variables",
			"place: offset 0x20, 4 bytes: a variable of kernel <k>",
			"place: offset 0x30, 4 bytes: one place in the kernels that reach it: <k>, <l>",
			"place: shares bytes with <s>, which no kernel reaches together with it",
			"place: offset 0x40 of .nv.global, 4 bytes: after what earlier inputs put there",
			"place: offset 0x0 of .nv.constant3, 4 bytes: after what earlier inputs put there",
			"constants: 4 bytes in bank 3 of all kernels",
		}},
	} {
		var got []string
		for _, f := range c.e.Facts(func(name string) string { return "<" + name + ">" }) {
			got = append(got, f.Topic+": "+f.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

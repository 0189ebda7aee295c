package layout

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
	"github.com/culink/culink/linker/internal/reach"
)

// placed runs the phases before layout on a program.
func placed(p *programtest.Program) *Placed {
	r := reach.Kernels(reach.Functions(p.Finish()))
	l := &Placed{Propagated: r, KernelOf: map[*program.Function]*Kernel{}, dynamic: map[dynamicKey]uint64{}}
	for _, e := range r.Entries {
		k := &Kernel{Entry: e}
		l.Kernels = append(l.Kernels, k)
		l.KernelOf[e.Fn] = k
		if e == r.Lone {
			l.lone = k
		}
	}
	return l
}

// memory lays out a program, and returns the messages.
func memory(p *programtest.Program) (*Placed, string) {
	log := &diag.Log{}
	l := Memory(reach.Kernels(reach.Functions(p.Finish())), log)
	return l, programtest.Said(log)
}

// TestFirstFree checks that the result is the first group in which none of the kernels has a variable, even
// with hundreds of groups.
func TestFirstFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets, taken := make([]*groupSet, 3), make([]map[int]bool, 3)
		for i := range sets {
			sets[i], taken[i] = &groupSet{}, map[int]bool{}
		}
		for range rapid.IntRange(1, 400).Draw(t, "variables") {
			users := rapid.IntRange(1, 7).Draw(t, "users")
			var of []*groupSet
			want := 0
			for i, s := range sets {
				if users>>i&1 != 0 {
					of = append(of, s)
				}
			}
			for slices.ContainsFunc([]int{0, 1, 2}, func(i int) bool { return users>>i&1 != 0 && taken[i][want] }) {
				want++
			}
			if got := firstFree(of); got != want {
				t.Fatalf("group %d, want %d", got, want)
			}
			for i, s := range sets {
				if users>>i&1 != 0 {
					s.add(want)
					taken[i][want] = true
				}
			}
		}
	})
}

// TestGroupShared checks that common variables that no kernel reaches together share an offset. Each joins the
// first group without a variable that is used together with it (LAYOUT-031).
func TestGroupShared(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sizes   []uint64 // of the variables, in the order of the colouring
		aligns  []uint64
		users   []string // the kernels that use each variable
		offsets []uint64
		end     uint64
		null    bool // -reserve-null-pointer
	}{
		{"none", nil, nil, nil, nil, 0, false},
		{"one", []uint64{8}, []uint64{4}, []string{"ab"}, []uint64{0}, 8, false},
		{"interfere", []uint64{8, 4}, []uint64{4, 4}, []string{"ab", "bc"}, []uint64{0, 8}, 12, false},
		{"apart", []uint64{8, 4}, []uint64{4, 4}, []string{"ab", "cd"}, []uint64{0, 0}, 8, false},
		{"the third joins the first", []uint64{8, 4, 4}, []uint64{4, 4, 4}, []string{"ab", "bc", "cd"}, []uint64{0, 8, 0}, 12, false},
		{"the third joins the second", []uint64{8, 8, 4}, []uint64{4, 4, 4}, []string{"ab", "bc", "ad"}, []uint64{0, 8, 8}, 16, false},
		{"a group has the kernels of all in it", []uint64{8, 8, 8}, []uint64{4, 4, 4}, []string{"ab", "cd", "bc"}, []uint64{0, 0, 8}, 16, false},
		{"all interfere", []uint64{4, 4, 4}, []uint64{4, 4, 4}, []string{"ab", "ab", "ab"}, []uint64{0, 4, 8}, 12, false},
		{"the largest of a group is its size", []uint64{4, 16, 4}, []uint64{4, 4, 4}, []string{"ab", "cd", "ac"}, []uint64{0, 0, 16}, 20, false},
		{"the largest alignment of a group", []uint64{4, 4, 4}, []uint64{4, 4, 16}, []string{"ab", "bc", "ad"}, []uint64{0, 16, 16}, 20, false},
		{"groups are aligned", []uint64{5, 8}, []uint64{1, 8}, []string{"ab", "ab"}, []uint64{0, 8}, 16, false},
		{"a byte left out", []uint64{4, 4}, []uint64{4, 1}, []string{"ab", "ab"}, []uint64{4, 8}, 9 + 3, true},
		{"nobody's first", []uint64{4, 4}, []uint64{4, 4}, []string{"", "ab"}, []uint64{0, 0}, 4, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{ReserveNullPointer: tt.null})
			kernels := map[rune]*program.Function{}
			for _, name := range "abcd" {
				kernels[name] = p.Kernel(string(name))
			}
			var common []*program.SharedObject
			for i := range tt.sizes {
				common = append(common, p.Shared(fmt.Sprint("v", i), tt.sizes[i], tt.aligns[i]))
			}
			l := placed(p)
			users := map[*program.Symbol][]*Kernel{}
			for i, o := range common {
				for _, name := range tt.users[i] {
					users[o.Symbol] = append(users[o.Symbol], l.KernelOf[kernels[name]])
				}
			}
			end := l.groupShared(common, users)
			var offsets []uint64
			for _, o := range common {
				offsets = append(offsets, o.Symbol.Value)
			}
			if !slices.Equal(offsets, tt.offsets) || end != tt.end {
				t.Errorf("offsets %v and end %d, want %v and %d", offsets, end, tt.offsets, tt.end)
			}
		})
	}
}

// TestJoinDynamic checks that kernels that reach the same use of an extern array get the same start for it
// (LAYOUT-033).
func TestJoinDynamic(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sizes  []uint64 // of the kernels' static variables, rounded up
		keys   []string // the uses in each kernel
		after  []uint64 // sizes
		starts string   // expected starts, by use
	}{
		{"no use", []uint64{16, 32}, []string{"", ""}, []uint64{16, 32}, ""},
		{"one use", []uint64{16}, []string{"x"}, []uint64{16}, "x16"},
		{"two kernels apart", []uint64{16, 32}, []string{"x", "y"}, []uint64{16, 32}, "x16 y32"},
		{"two kernels share", []uint64{16, 32}, []string{"x", "x"}, []uint64{32, 32}, "x32"},
		{"the first is larger", []uint64{64, 32}, []string{"x", "x"}, []uint64{64, 64}, "x64"},
		{"a chain", []uint64{16, 32, 48}, []string{"x", "xy", "y"}, []uint64{48, 48, 48}, "x48 y48"},
		{"a chain back", []uint64{48, 32, 16}, []string{"x", "xy", "y"}, []uint64{48, 48, 48}, "x48 y48"},
		{"a kernel without a use keeps its size", []uint64{16, 64, 32}, []string{"x", "", "x"}, []uint64{32, 64, 32}, "x32"},
		{"nothing static", []uint64{0, 0}, []string{"x", "x"}, []uint64{0, 0}, "x0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			use := map[rune]*program.Function{'x': p.Device("x"), 'y': p.Device("y")}
			for i := range tt.sizes {
				p.Kernel(fmt.Sprint("k", i)).Shared.Size = tt.sizes[i]
			}
			l := placed(p)
			for i, keys := range tt.keys {
				for _, key := range keys {
					l.Kernels[i].dynamic = append(l.Kernels[i].dynamic, dynamicKey{fn: use[key]})
				}
			}
			l.joinDynamic()
			var after []uint64
			for _, k := range l.Kernels {
				after = append(after, k.Fn.Shared.Size)
			}
			var starts []string
			for _, name := range "xy" {
				if at, ok := l.dynamic[dynamicKey{fn: use[name]}]; ok {
					starts = append(starts, fmt.Sprintf("%c%d", name, at))
				}
			}
			if got := strings.Join(starts, " "); !slices.Equal(after, tt.after) || got != tt.starts {
				t.Errorf("sizes %v and starts %q, want %v and %q", after, got, tt.after, tt.starts)
			}
		})
	}
}

// TestJoinDynamicDebug checks that with -g an array has one start, even if no kernel reaches it (LAYOUT-408).
func TestJoinDynamicDebug(t *testing.T) {
	for null, want := range map[bool]uint64{false: 0, true: 16} {
		p := programtest.New(t, program.Options{Debug: true, ReserveNullPointer: null})
		array := p.ExternShared("array")
		p.Kernel("k")
		l := placed(p)
		l.joinDynamic()
		if at, ok := l.StartOfExtern(nil, array.Symbol); !ok || at != want {
			t.Errorf("null pointer reserved %v: start %d (%v), want %d", null, at, ok, want)
		}
	}
}

// TestStartOfExtern checks that an extern array has a start for each function's code, but only one with -g.
func TestStartOfExtern(t *testing.T) {
	p := programtest.New(t, program.Options{})
	array, late := p.ExternShared("array"), p.ExternShared("late")
	late.Late = true
	f, g := p.Device("f"), p.Device("g")
	l := placed(p)
	l.dynamic[dynamicKey{fn: f}] = 32
	if at, ok := l.StartOfExtern(f, array.Symbol); !ok || at != 32 {
		t.Errorf("in f: %d, %v", at, ok)
	}
	if _, ok := l.StartOfExtern(g, array.Symbol); ok {
		t.Error("g has a start, and no kernel reaches it")
	}
	if _, ok := l.StartOfExtern(f, late.Symbol); ok {
		t.Error("an array that got a size later has a start")
	}
}

// TestCloseShared checks whether a kernel's section is kept, and how much of it is reserved for the system
// (LAYOUT-034, LAYOUT-035, LAYOUT-056).
func TestCloseShared(t *testing.T) {
	const kept, reserved = program.Kept, program.Reserved
	for _, tt := range []struct {
		name   string
		arch   string
		extern bool // the program declares an extern array
		set    func(s *program.Section, f *program.Function)
		state  program.State
		size   uint64
		null   uint64
	}{
		{"nothing", "sm_80", false, nil, reserved, 0, 0},
		{"a variable, nothing reserved", "sm_80", false, size(kept, 8, 4), kept, 8, 0},
		{"a variable behind reserved memory", "sm_90", false, size(kept, 8, 4), kept, 0x408, 0},
		{"nothing, an extern array elsewhere", "sm_80", true, size(reserved, 0, 4), reserved, 0, 0},
		{"and the alignment of one", "sm_80", true, size(reserved, 0, 16), kept, 0, 0},
		{"a larger alignment", "sm_80", true, size(reserved, 0, 32), reserved, 0, 0},
		{"a larger alignment, with reserved memory", "sm_90", true, size(reserved, 0, 32), kept, 0x400, 0},
		{"the alignment, with reserved memory", "sm_90", true, size(reserved, 0, 16), kept, 0x400, 0},
		{"no symbol of its own", "sm_90", true, func(s *program.Section, f *program.Function) { s.Align, s.Symbol = 16, nil }, reserved, 0, 0},
		{"kept and empty", "sm_80", false, size(kept, 0, 4), reserved, 0, 0},
		{"kept and empty, aligned", "sm_80", false, size(kept, 0, 16), kept, 0, 0},
		{"of a whole program", "sm_90", false, func(s *program.Section, f *program.Function) { size(kept, 8, 4)(s, f); f.WholeShared = true }, kept, 0x408, 0},
		{"of two whole programs", "sm_90", false, func(s *program.Section, f *program.Function) {
			size(kept, 8, 4)(s, f)
			f.WholeShared, f.SharedLocals = true, []*program.SharedObject{{Nameless: true}, {Nameless: true}}
		}, kept, 0x408, 0x800},
		{"that is empty", "sm_90", false, func(s *program.Section, f *program.Function) { size(kept, 0, 4)(s, f); f.WholeShared = true }, kept, 0, 0},
		{"that the layout does not see", "sm_90", false, func(s *program.Section, f *program.Function) {
			size(kept, 8, 4)(s, f)
			f.WholeShared, f.LooseShared = true, true
		}, kept, 8, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{Arch: tt.arch})
			f := p.Kernel("k")
			l := placed(p)
			l.hasExternShared = tt.extern
			if tt.set != nil {
				tt.set(f.Shared, f)
			}
			l.closeShared(l.Kernels[0])
			if s := f.Shared; s.State != tt.state || s.Size != tt.size || l.NullValue != tt.null {
				t.Errorf("state %d, size %#x, null symbol %#x; want %d, %#x, %#x", s.State, s.Size, l.NullValue, tt.state, tt.size, tt.null)
			}
		})
	}
}

func size(state program.State, size, align uint64) func(*program.Section, *program.Function) {
	return func(s *program.Section, _ *program.Function) { s.State, s.Size, s.Align = state, size, align }
}

// TestSplitShared checks three kinds of variables. One that a single kernel uses becomes that kernel's own.
// Those that several kernels use stay common, the largest first. One that no code refers to is removed
// (LAYOUT-030).
func TestSplitShared(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sizes  []uint64
		users  []string // functions that refer to each variable: f is reached by a and b, g by b
		common string
		own    string // of kernel b
		hidden string // with their names
	}{
		{"of two kernels", []uint64{4}, []string{"f"}, "v0", "", ""},
		{"of one", []uint64{4}, []string{"g"}, "", "v0", ""},
		{"of one by two functions", []uint64{4}, []string{"bg"}, "", "v0", ""},
		{"of nobody", []uint64{4}, []string{""}, "", "", "v0"},
		{"named by dead code only", []uint64{4}, []string{"d"}, "v0", "", ""},
		{"the largest first", []uint64{4, 16, 8}, []string{"f", "f", "f"}, "v1 v2 v0", "", ""},
		{"mixed", []uint64{4, 16, 8, 2}, []string{"f", "g", "ab", ""}, "v2 v0", "v1", "v3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			f := map[rune]*program.Function{'a': p.Kernel("a"), 'b': p.Kernel("b"), 'f': p.Device("f"), 'g': p.Device("g"), 'd': p.Device("d")}
			p.Call(f['a'], f['f'])
			p.Call(f['b'], f['f'], f['g'])
			for i := range tt.sizes {
				o := p.Shared(fmt.Sprint("v", i), tt.sizes[i], 4)
				o.Symbol.Hidden, o.Symbol.Unnamed = false, false
				for _, user := range tt.users[i] {
					p.Use(f[user], o)
				}
			}
			l := placed(p)
			log := &diag.Log{}
			common := objectNames(l.splitShared(l.usersOfShared(l.sharedUses()), log))
			var hidden []*program.SharedObject
			for _, o := range l.SharedInOrder {
				if o.Symbol.Hidden && o.Symbol.Unnamed {
					hidden = append(hidden, o)
				}
			}
			own := objectNames(l.KernelOf[f['b']].Localised)
			if common != tt.common || own != tt.own || objectNames(hidden) != tt.hidden {
				t.Errorf("common %q, of b %q, hidden %q; want %q, %q, %q", common, own, objectNames(hidden), tt.common, tt.own, tt.hidden)
			}
		})
	}
}

func objectNames(objects []*program.SharedObject) string {
	names := make([]string, 0, len(objects))
	for _, o := range objects {
		names = append(names, o.Symbol.Name)
	}
	return strings.Join(names, " ")
}

// TestSharedOfWholeProgram checks that a kernel of an extensible whole program cannot reach variables outside of kernels
// through a function, and that its own code may use them. The message stands once for each relocation (LAYOUT-054).
func TestSharedOfWholeProgram(t *testing.T) {
	for _, tt := range []struct {
		name string
		user string // of the function f and the kernel k, which calls f
		refs int    // relocations
	}{{"through a function", "f", 1}, {"through two relocations", "f", 2}, {"its own use", "k", 1}} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			users := map[string]*program.Function{"k": p.Kernel("k"), "f": p.Device("f")}
			users["k"].Extensible = true
			p.Call(users["k"], users["f"])
			user, v := users[tt.user], p.Shared("v", 4, 4)
			p.Use(user, v)
			for range tt.refs {
				user.Text.Relocations = append(user.Text.Relocations, program.Relocation{Symbol: v.Symbol})
			}
			want := tt.refs
			if tt.user == "k" {
				want = 0
			}
			if _, said := memory(p); strings.Count(said, "object 'v' with partially linked kernel 'k'") != want {
				t.Errorf("said %q, want %d messages", said, want)
			}
		})
	}
}

// TestSharedOutsideOfWholeProgram checks that variables outside of kernels stay where the compiler of an extensible whole program
// put them, and that variables of ordinary inputs add to the size of the kernel (LAYOUT-986). The section that they stood in is a
// variable without a name that no code uses. Its symbol is the null symbol, which is lost (LAYOUT-987).
func TestSharedOutsideOfWholeProgram(t *testing.T) {
	for _, tt := range []struct {
		name        string
		relocatable bool
		whole       bool   // the kernel has memory from the compiler
		fixed, size uint64 // place of v, size of the section
		null        uint64
	}{
		{"at its place", false, false, 0x110, 0x120, 0},
		{"before the ordinary one", false, false, 4, 0x20, 0},
		{"in memory of the kernel", false, true, 0x110, 0x120, 0},
		{"in the larger memory of the kernel", false, true, 4, 0x60, 0},
		{"-r", true, false, 0x110, 0x180, 0x20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{Arch: "sm_80", Relocatable: tt.relocatable})
			k := p.Kernel("k")
			k.Extensible, k.FirstWhole, k.WholeShared = true, tt.whole, tt.whole
			if tt.whole {
				k.SharedLocals = append(k.SharedLocals, nameless(0x40, 8))
				k.Shared.State = program.Kept
			}
			v, w := p.Shared("v", 0x10, 1), p.Shared("w", 0x20, 1)
			v.Fixed, v.Place = true, tt.fixed
			p.Use(k, v, w)
			u := nameless(0x40, 0x20)
			p.SharedInOrder, p.SharedObjects = append(p.SharedInOrder, u), append(p.SharedObjects, u)
			u.Section = v.Section
			l, said := memory(p)
			s := k.Shared
			if tt.relocatable {
				s = v.Section
			}
			if said != "" || s.Size != tt.size || l.LosesNull == tt.relocatable || l.NullValue != tt.null {
				t.Errorf("said %q, size %#x, null symbol lost: %v, its value %#x; want %#x, %v, %#x", said, s.Size, l.LosesNull, l.NullValue, tt.size, !tt.relocatable, tt.null)
			}
			if !tt.relocatable && (v.Symbol.Value != tt.fixed || w.Symbol.Value != math.MaxUint32) {
				t.Errorf("v at %#x, w at %#x", v.Symbol.Value, w.Symbol.Value)
			}
		})
	}
}

// nameless returns shared memory without a name.
func nameless(size, align uint64) *program.SharedObject {
	return &program.SharedObject{Symbol: &program.Symbol{Size: size, Value: align, Hidden: true}, Nameless: true, Size: size, Align: align}
}

// TestEntryShared checks that a kernel's own variables follow the common ones that it uses, by decreasing
// alignment and increasing size (LAYOUT-032).
func TestEntryShared(t *testing.T) {
	for _, tt := range []struct {
		name   string
		own    [][2]uint64 // size and alignment
		common uint64      // size of a common variable that the kernel uses
		extern bool        // the kernel uses an extern array
		at     []uint64
		size   uint64
		align  uint64
	}{
		{"one", [][2]uint64{{8, 4}}, 0, false, []uint64{0}, 8, 4},
		{"the larger alignment first", [][2]uint64{{4, 4}, {16, 16}}, 0, false, []uint64{16, 0}, 20, 16},
		{"of one alignment the smaller first", [][2]uint64{{12, 4}, {4, 4}}, 0, false, []uint64{4, 0}, 16, 4},
		{"equal ones as the sort gives them", [][2]uint64{{4, 4}, {4, 4}, {4, 4}}, 0, false, []uint64{4, 8, 0}, 12, 4},
		{"after the common ones", [][2]uint64{{8, 8}}, 12, false, []uint64{16}, 24, 8},
		{"before an extern array", [][2]uint64{{4, 4}}, 0, true, []uint64{0}, 16, 16},
		{"an extern array alone", nil, 0, true, nil, 0, 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, program.Options{})
			k, other := p.Kernel("k"), p.Kernel("other")
			for i, own := range tt.own {
				p.OwnShared(k, fmt.Sprint("v", i), own[0], own[1])
			}
			if tt.common > 0 {
				o := p.Shared("common", tt.common, 4)
				p.Use(k, o)
				p.Use(other, o)
			}
			if tt.extern {
				p.Use(k, p.ExternShared("array"))
			}
			if _, said := memory(p); said != "" {
				t.Fatal(said)
			}
			var at []uint64
			for _, o := range k.SharedLocals {
				at = append(at, o.Symbol.Value)
			}
			if s := k.Shared; !slices.Equal(at, tt.at) || s.Size != tt.size || s.Align != tt.align || s.State != program.Kept {
				t.Errorf("places %v, size %d, alignment %d, state %d; want %v, %d, %d, kept", at, s.Size, s.Align, s.State, tt.at, tt.size, tt.align)
			}
		})
	}
}

// TestMaxShared checks the limit of a kernel's shared memory. The memory that is reserved for the system does
// not count (LAYOUT-050, LAYOUT-051, LAYOUT-055).
func TestMaxShared(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  program.Options
		size uint64
		said bool
	}{
		{"the limit", program.Options{}, arch.MaxShared, false},
		{"more", program.Options{}, arch.MaxShared + 4, true},
		{"more, extended", program.Options{ExtendedShared: true}, arch.MaxShared + 4, false},
		{"the limit, beside reserved memory", program.Options{Arch: "sm_90"}, arch.MaxShared, false},
		{"a target of its own", program.Options{Arch: "sm_90a"}, 0x38c00, false},
		{"and more", program.Options{Arch: "sm_90a"}, 0x38c04, true},
		{"a byte left out", program.Options{ReserveNullPointer: true}, arch.MaxShared, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			p.OwnShared(p.Kernel("k"), "v", tt.size, 4)
			if _, said := memory(p); strings.Contains(said, "'k'") != tt.said && strings.Contains(said, "k ") != tt.said {
				t.Errorf("said %q, want a message: %v", said, tt.said)
			}
		})
	}
}

// TestReservedSharedSize checks how much shared memory is reserved for the system (LAYOUT-050, LAYOUT-051).
func TestReservedSharedSize(t *testing.T) {
	for _, tt := range []struct {
		opt        program.Options
		size, from uint64
	}{
		{program.Options{Arch: "sm_80"}, 0, 0},
		{program.Options{Arch: "sm_90"}, 0x400, 0},
		{program.Options{Arch: "sm_90", NoReservedShared: true}, 0, 0},
		{program.Options{Arch: "sm_90", ReserveNullPointer: true}, 0x400, 1},
	} {
		l := placed(programtest.New(t, tt.opt))
		if l.ReservedShared() != tt.size || l.sharedStart() != tt.from {
			t.Errorf("%+v: %#x bytes, first variable from %d; want %#x, %d", tt.opt, l.ReservedShared(), l.sharedStart(), tt.size, tt.from)
		}
	}
}

// TestModuleShared checks what remains of .nv_debug.shared (LAYOUT-036).
func TestModuleShared(t *testing.T) {
	for _, tt := range []struct {
		name   string
		opt    program.Options
		align  uint64
		end    uint64
		extern bool
		state  program.State
		size   uint64
	}{
		{"static variables only", program.Options{}, 4, 8, false, program.Reserved, 0},
		{"an extern array", program.Options{}, 4, 0, true, program.Kept, 0},
		{"beside a larger alignment", program.Options{}, 32, 0, true, program.Reserved, 0},
		{"-g, variables", program.Options{Debug: true}, 4, 8, false, program.Kept, 8},
		{"-g, nothing", program.Options{Debug: true}, 4, 0, false, program.Reserved, 0},
		{"-g with reserved memory", program.Options{Arch: "sm_90", Debug: true}, 4, 8, false, program.Kept, 0x408},
		{"--preserve-relocs and an extern array", program.Options{PreserveRelocs: true}, 32, 0, true, program.Kept, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := placed(programtest.New(t, tt.opt))
			l.hasExternShared = tt.extern
			module := &program.Section{Side: program.Side{Align: tt.align}}
			if l.showsShared() {
				module.Size = tt.end
			}
			l.closeModuleShared(module, tt.end)
			if module.State != tt.state || module.Size != tt.size {
				t.Errorf("state %d, size %#x; want %d, %#x", module.State, module.Size, tt.state, tt.size)
			}
		})
	}
}

// TestSharedSymbols checks the addresses of shared variables in the symbol table (LAYOUT-037, LAYOUT-047).
func TestSharedSymbols(t *testing.T) {
	for _, tt := range []struct {
		name           string
		opt            program.Options
		static, extern uint64 // addresses
		shown          bool   // the extern array is shown, though it was hidden before
	}{
		{"neither -g nor --preserve-relocs", program.Options{Arch: "sm_90"}, 0, 0, false},
		{"-g", program.Options{Debug: true}, 0, 16, false},
		{"-g with reserved memory", program.Options{Arch: "sm_90", Debug: true}, 0x400, 0x410, false},
		{"--preserve-relocs", program.Options{PreserveRelocs: true}, 0, ^uint64(0), false},
		{"--preserve-relocs with reserved memory", program.Options{Arch: "sm_90", PreserveRelocs: true}, 0x400, 0x3ff, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			static, extern := p.Shared("static", 4, 4), p.ExternShared("array")
			static.Symbol.Hidden, extern.Symbol.Hidden = true, true
			l := placed(p)
			l.dynamic[l.dynamicKey(nil, extern.Symbol)] = 16
			l.placeSharedSymbols(p.ByName[cubin.ModuleSharedName], 4)
			if static.Symbol.Addend != tt.static || extern.Symbol.Addend != tt.extern || extern.Symbol.Hidden == tt.shown {
				t.Errorf("static %#x, extern %#x, hidden %v", static.Symbol.Addend, extern.Symbol.Addend, extern.Symbol.Hidden)
			}
		})
	}
}

// TestRelocatableShared checks that -r adds up the sizes of the variables and gives them no place (LAYOUT-038,
// LAYOUT-046, LAYOUT-400 to LAYOUT-402).
func TestRelocatableShared(t *testing.T) {
	for _, tt := range []struct {
		name     string
		opt      program.Options
		own      []uint64 // sizes; the alignment is 8
		extern   bool
		size     uint64
		instance bool
		value    uint64 // of it
	}{
		{"two variables, without a gap", program.Options{Relocatable: true}, []uint64{12, 4}, false, 16, false, 0},
		{"not larger than the alignment", program.Options{Relocatable: true}, []uint64{4}, false, 12, false, 0},
		{"an extern array", program.Options{Relocatable: true}, []uint64{20}, true, 32, true, 32},
		{"an extern array alone", program.Options{Relocatable: true}, nil, true, 16, true, 0},
		{"--keep-relocs makes no instance", program.Options{Relocatable: true, KeepRelocs: true}, []uint64{20}, true, 32, false, 0},
		{"-g makes no instance", program.Options{Relocatable: true, Debug: true}, []uint64{20}, true, 32, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			k := p.Kernel("k")
			for i, size := range tt.own {
				k.Shared.Align = 8
				p.OwnShared(k, fmt.Sprint("v", i), size, 8).Symbol.Value = 8
			}
			if tt.extern {
				p.Use(k, p.ExternShared("array"))
			}
			l, said := memory(p)
			if said != "" {
				t.Fatal(said)
			}
			if k.Shared.Size != tt.size {
				t.Errorf("size %d, want %d", k.Shared.Size, tt.size)
			}
			for _, o := range k.SharedLocals {
				if o.Symbol.Value != 8 {
					t.Errorf("%s has value %d, want its alignment", o.Symbol.Name, o.Symbol.Value)
				}
			}
			if y := l.Instances[k]; (y != nil) != tt.instance || y != nil && y.Value != tt.value {
				t.Errorf("instance %+v, want one of value %d: %v", y, tt.value, tt.instance)
			}
		})
	}
}

// TestReservedVariables checks that the program's variables in the memory reserved for the system are placed
// after the system's own (LAYOUT-062).
func TestReservedVariables(t *testing.T) {
	p := programtest.New(t, program.Options{Arch: "sm_110"})
	s := p.AddSection(&program.Section{Side: program.Side{Name: ".nv.shared.reserved.0", Type: cubin.SectionSharedReserved}, Bank: program.NoBank})
	a := p.Local(program.Symbol{Name: "a", Section: s, Value: 4, Size: 6})
	b := p.Local(program.Symbol{Name: "b", Section: s, Value: 16, Size: 4})
	c := p.Local(program.Symbol{Name: "c", Section: s, Value: 4, Size: 4})
	l := placed(p)
	l.layoutReserved()
	for y, want := range map[*program.Symbol]uint64{b: 0x40, c: 0x44, a: 0x48} { // by falling alignment and rising size
		if y.Value != want || y.Mercury.Value != want-0x40 {
			t.Errorf("%s at %#x, in the Mercury half at %#x; want %#x", y.Name, y.Value, y.Mercury.Value, want)
		}
	}
	if s.Size != 0x4e || s.Align != 16 {
		t.Errorf("%#x bytes, alignment %d", s.Size, s.Align)
	}
}

// TestUnified checks that tables of unified functions lead to an error, because they need a file whose format
// is not known (LAYOUT-070).
func TestUnified(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typ   cubin.SectionType
		state program.State
		said  bool
	}{
		{".nv.uft", cubin.SectionUFT, program.Kept, true},
		{".nv.udt", cubin.SectionUDT, program.Reserved, true},
		{".nv.udt", cubin.SectionUDT, program.Gone, false},
		{".nv.udt", cubin.SectionGlobal, program.Kept, true},
		{".nv.uft.rel.f", cubin.SectionUFT, program.Kept, false},
		{".nv.uft.entry", cubin.SectionUFTEntry, program.Kept, true},
		{".nv.udt.entry", cubin.SectionUDTEntry, program.Kept, false},
		{".foo", cubin.SectionUDT, program.Kept, false},
	} {
		p := programtest.New(t, program.Options{})
		p.AddSection(&program.Section{Side: program.Side{Name: tt.name, Type: tt.typ}, Bank: program.NoBank, State: tt.state})
		if _, said := memory(p); (said != "") != tt.said {
			t.Errorf("%s of type %#x, state %d: said %q", tt.name, tt.typ, tt.state, said)
		}
	}
}

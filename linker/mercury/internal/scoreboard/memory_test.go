package scoreboard

import (
	"slices"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

// These instructions use tensor memory and mbarriers. They have no scoreboards and no waits.
var (
	makeRoom    = machinetest.Asm("[B------:R-:W-:-:S04] DEPBAR.LE SB1, 0x36")
	findColumns = machinetest.Asm("[B------:R-:W-:-:S02] UTCATOMSWS.FIND_AND_SET.ALIGN UP0, UR4, UR4")
	fenceTensor = machinetest.Asm("[B------:R-:W-:-:S02] FENCE.VIEW.ASYNC.T")
	storeTensor = machinetest.Asm("[B------:R-:W-:-:S01] STTM.x8 tmem[UR8], R12")
	tryWait     = machinetest.Asm("[B------:R-:W-:-:S02] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R0+URZ+0x8], R3")
	testWait    = machine.Word(tryWait.Low, tryWait.High&^(1<<(72-64))) // SYNCS.PHASECHK.TRANS64
	retry       = machinetest.Asm("[B------:R-:W-:-:S05] @!P0 BRA -0x40")
	sleep       = machinetest.Asm("[B------:R-:W-:-:S05] @!P0 NANOSLEEP.SYNCS 0x989680")
)

// A DEPBAR before a search for columns frees the scoreboard of the search and reserves none; other DEPBARs
// reserve theirs (MERC-240).
func TestMakesRoom(t *testing.T) {
	code := []machine.Instr{makeRoom, findColumns.WithWriteBarrier(1), tryWait.WithWriteBarrier(1), machinetest.End}
	if !MakesRoom(code, 0) || MakesRoom(code, 1) || MakesRoom(code, 3) {
		t.Error("another instruction makes room")
	}
	if counted, known := countedBoards(code); counted != 0 || !known {
		t.Errorf("scoreboards %06b are set aside, known: %t", counted, known)
	}
	for _, code := range [][]machine.Instr{{makeRoom, findColumns.WithWriteBarrier(2)}, {makeRoom, machinetest.End}, {makeRoom}} {
		if MakesRoom(code, 0) {
			t.Errorf("%x makes room", code)
		}
	}
	if x := makeRoom.CountingOn(4); x.CountsOn() != 4 || x.CountingOn(1) != makeRoom {
		t.Errorf("%x counts on %d", x, x.CountsOn())
	}
}

// The DEPBAR before a search for columns gets the same new scoreboard as the search (MERC-240).
func TestRoomMoves(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), makeRoom, findColumns.WithWriteBarrier(1), tryWait.WithWriteBarrier(2).WithWaitMask(1), storeTensor.WithWaitMask(0b010), machinetest.End}
	allocated, _, ok := Reallocate(code, nil, 100, Goal{FreesStack: true, To: laterRelease})
	if !ok {
		t.Fatal("not known")
	}
	if room, search := allocated[1].CountsOn(), allocated[2].WriteBarrier(); search != 0 || room != search {
		t.Errorf("room is made on %d, the search counts on %d", room, search)
	}
}

// A DEPBAR after a counted fence gets the same new scoreboard as the fence. Other DEPBARs do not change
// (MERC-255).
func TestAwaitsFence(t *testing.T) {
	fence := machinetest.Asm("[B------:R1:W-:-:S06] MEMBAR.SC.CTA")
	for b, want := range map[int]bool{1: true, 2: false} {
		if got := makeRoom.CountingOn(b).AwaitsFence(fence); got != want {
			t.Errorf("on %d: %v", b, got)
		}
	}
}

// If an instruction waits for a fence in the input, it depends on the fence if nothing else explains the
// wait, or if it accesses tensor memory (MERC-241).
func TestDependByMemory(t *testing.T) {
	const needed = 1
	for _, tt := range []struct {
		name string
		code []machine.Instr
		at   int
		want bool
	}{
		{"alone", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), fenceTensor.WithWriteBarrier(1), machinetest.Move(4, 5).WithWaitMask(0b10), machinetest.End}, 2, true},
		{"not waited for", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), fenceTensor.WithWriteBarrier(1), machinetest.Move(4, 5), storeTensor.WithWaitMask(0b10), machinetest.End}, 2, false},
		{"beside what is needed", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), fenceTensor.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 5).WithWriteBarrier(1), machinetest.Move(4, 5).WithWaitMask(0b10), machinetest.End}, 3, false},
		{"an access beside what is needed", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), fenceTensor.WithWriteBarrier(1), machinetest.Into(machinetest.ReadID, 12).WithWriteBarrier(1), storeTensor.WithWaitMask(0b10), machinetest.End}, 3, true},
	} {
		s, ok := scheduleOf(tt.code, nil, 100, Goal{})
		if !ok {
			t.Fatalf("%s: not known", tt.name)
		}
		if got := s.deps[tt.at].Has(needed); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// Accesses to memory depend on a fence if other threads see them in order (MERC-241).
func TestIsStrong(t *testing.T) {
	for high, want := range map[uint64]bool{0xc1e1900: false, 0xc1e9900: false, 0xc1f5900: true, 0xc1ef900: true} {
		x := machine.Word(sass.OpLDG|7<<12, high)
		if x.IsStrong() != want || x.Follows(fence) != want {
			t.Errorf("%x: %t", high, x.IsStrong())
		}
	}
}

var fence, exchange = machine.Word(sass.OpFENCE|0x200|7<<12, 0), machine.Word(sass.OpSYNCSExchange|0x200|7<<12, 0)

// Bulk copies depend on a fence before them, as do LDGSTS, stores to other blocks of the cluster, and operations of several threads;
// LDGSTS depends on an operation on an mbarrier too (MERC-241, MERC-264, MERC-331).
func TestFollows(t *testing.T) {
	for _, tt := range []struct {
		op, of uint64
		want   bool
	}{
		{sass.OpUBLKCP, 0, true}, {sass.OpUTMASTG, 0, true}, {sass.OpUTMALDG, 0, true}, {sass.OpMOV, 0, false}, {sass.OpUTCMMA, 0, false},
		{sass.OpLDGSTS, sass.OpSYNCSExchange, true}, {sass.OpLDGSTS, 0, true}, {sass.OpUBLKCP, sass.OpSYNCSExchange, false},
		{sass.OpBAR, sass.OpSYNCSExchange, false}, {sass.OpHMMA, sass.OpSYNCSExchange, false},
		{sass.OpHMMA, 0, true}, {sass.OpDMMA, 0, true}, {sass.OpMOVM, 0, true}, {sass.OpMATCH, 0, true}, {sass.OpVOTE, 0, true},
		{sass.OpREDUX, 0, true}, {sass.OpCREDUX, 0, true}, {sass.OpSTAS, 0, true}, {sass.OpREDAS, 0, true}, {sass.OpLDSM, 0, false},
	} {
		from := fence
		if tt.of != 0 {
			from = exchange
		}
		if x := machine.Word(tt.op|0x200|7<<12, 0); x.Follows(from) != tt.want {
			t.Errorf("%v after %v: %t", x.Op(), from.Op(), !tt.want)
		}
	}
}

// The reduction of multicast memory (LDGMC) is a load (MERC-265).
func TestMulticast(t *testing.T) {
	load := machine.Word(0x9a4|7<<12, 0x80341ff)
	if !load.Loads() || load.Op() != sass.OpLDGMC || load.Op().String() != "LDGMC" {
		t.Errorf("%v loads: %t", load.Op(), load.Loads())
	}
}

// Operands are not counted if the next instruction reads the results (KIT-184).
func TestDropsOperands(t *testing.T) {
	for _, tt := range []struct {
		name   string
		behind machine.Instr
		want   bool
	}{{"sleep", sleep.WithWaitMask(0b10), true}, {"another", machinetest.Move(4, 5), false}} {
		code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), tryWait.WithWriteBarrier(1).WithReadBarrier(2), tt.behind, machinetest.Move(3, 5).WithWaitMask(0b100), machinetest.End}
		s, ok := scheduleOf(code, nil, 100, Goal{})
		if !ok {
			t.Fatal("not known")
		}
		if got := len(s.onDemand(onDemand{}, true).defs[1]) == 1; got != tt.want {
			t.Errorf("%s: dropped %t", tt.name, got)
		}
	}
}

// Nothing waits at the entry of a loop that tries to wait for an mbarrier. Other loops wait there, also those that only test one
// (KIT-144).
func TestRetries(t *testing.T) {
	for _, tt := range []struct {
		name string
		code []machine.Instr
		want bool
	}{
		{"asks", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Move(4, 5), tryWait.WithWriteBarrier(2), retry.WithWaitMask(0b100), machinetest.End}, true},
		{"tries, but asks something else", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), tryWait.WithWriteBarrier(2), machinetest.Move(4, 5).WithWaitMask(0b100), retry, machinetest.End}, true},
		{"only tests", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Move(4, 5), testWait.WithWriteBarrier(2), retry.WithWaitMask(0b100), machinetest.End}, false},
		{"does something else", []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(1), machinetest.Move(4, 5), machinetest.Move(6, 5), retry, machinetest.End}, false},
	} {
		s, ok := scheduleOf(tt.code, nil, 100, Goal{})
		if !ok {
			t.Fatal("not known")
		}
		l := s.onDemand(onDemand{reserves: true}, true)
		list := l.flow.Loops()
		if len(list) != 1 {
			t.Fatalf("%d loops", len(list))
		}
		if got := l.retries(list[0]); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// These instructions are a fence that acquires a tensor map, by the compiler of 13.5, without scoreboards and waits.
var (
	awaitAll    = machine.Word(0x0000003f0000791a, 0x000fc80000000000)
	forgetMap   = machine.Word(0x0000000006007540, 0x000fe40009c08000)
	forgetCopy  = machine.Word(0x00000000060079b9, 0x000fe20008000000)
	flushCopies = machine.Word(0x00000000000079b7, 0x000fe40000000000)
	awaitFlush  = machine.Word(0x0000000000007918, 0x000fe20000000000)
)

// The DEPBAR for all scoreboards reserves none and is known, other DEPBARs for several are not (MERC-256). An UTMACMDFLUSH
// reserves SB0 (MERC-257).
func TestTensorMapFencesReserve(t *testing.T) {
	someBoards := machine.Word(0x000000070000791a, awaitAll.High)
	for _, tt := range []struct {
		name    string
		code    []machine.Instr
		counted boardSet
		known   bool
	}{
		{"all", []machine.Instr{awaitAll, forgetMap, forgetCopy}, 0, true},
		{"some", []machine.Instr{someBoards, forgetMap, forgetCopy}, 0, false},
		{"a count", []machine.Instr{machine.Word(awaitAll.Low|1<<47, awaitAll.High)}, 0, false},
		{"flush", []machine.Instr{awaitAll, forgetMap, forgetCopy, flushCopies.WithReadBarrier(2), awaitFlush}, 1, true},
		{"flush that the finalizer adds", []machine.Instr{awaitAll, forgetMap, forgetCopy, flushCopies, awaitFlush}, 0, true},
	} {
		if counted, known := countedBoards(tt.code); counted != tt.counted || known != tt.known {
			t.Errorf("%s: %06b are reserved, known: %t", tt.name, counted, known)
		}
	}
}

// In a fence that acquires a tensor map the UTMACCTL depends on the CCTL, and the NOP on the UTMACMDFLUSH (MERC-257). So the
// events of the fence get new scoreboards, and the waits for them follow.
func TestTensorMapFencesWait(t *testing.T) {
	code := []machine.Instr{
		machinetest.LoadPointer.WithWriteBarrier(1), awaitAll, forgetMap.WithWriteBarrier(2), forgetCopy.WithWaitMask(1 << 2),
		flushCopies.WithReadBarrier(2), awaitFlush.WithWaitMask(1 << 2), machinetest.End,
	}
	allocated, refused, ok := Reallocate(code, nil, 100, Goal{FreesStack: true})
	if !ok {
		t.Fatalf("not known: %v", refused)
	}
	want := slices.Clone(code)
	want[0] = want[0].WithWriteBarrier(sass.NoBarrier)
	want[2], want[3] = want[2].WithWriteBarrier(1), want[3].WithWaitMask(1<<1)
	want[4], want[5] = want[4].WithReadBarrier(1), want[5].WithWaitMask(1<<1)
	for i := range want {
		if allocated[i] != want[i] {
			t.Errorf("%d: %016x %016x, want %016x", i, allocated[i].High, allocated[i].Low, want[i].High)
		}
	}
	if awaitsTensorMap([]machine.Instr{forgetMap, awaitFlush}, 1) || awaitsTensorMap([]machine.Instr{flushCopies, forgetCopy}, 1) {
		t.Error("another instruction waits")
	}
}

// A flush that the finalizer adds to a fence gets a scoreboard, for which the NOP after it waits. The first scoreboard is reserved
// then, so that what had it gets another one (KIT-980).
func TestTensorMapFencesFlush(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W0:-:S02] LDC R1, c[0x0][0x37c]")
	code := []machine.Instr{
		load, machinetest.Into(machinetest.ReadID, 5).WithWriteBarrier(1), awaitAll, forgetMap.WithWriteBarrier(0), forgetCopy.WithWaitMask(1), flushCopies, awaitFlush,
		machinetest.Move(3, 5).WithWaitMask(1 << 1), machinetest.End,
	}
	allocated, refused, ok := Reallocate(code, nil, 100, Goal{FreesStack: true, To: arch.Scheduler{Later: true}})
	if !ok {
		t.Fatalf("not known: %v", refused)
	}
	if x := allocated[3]; x.WriteBarrier() == boardOfBulkCopies || !allocated[4].WaitsFor(x.WriteBarrier()) {
		t.Errorf("CCTL counts on %d, the next instruction waits for %06b", x.WriteBarrier(), allocated[4].WaitMask())
	}
	if x := allocated[5]; x.ReadBarrier() == boardOfBulkCopies || x.ReadBarrier() == sass.NoBarrier || !allocated[6].WaitsFor(x.ReadBarrier()) {
		t.Errorf("the flush counts on %d, the next instruction waits for %06b", x.ReadBarrier(), allocated[6].WaitMask())
	}
}

// What has the first scoreboard long before such a flush gets another one too (KIT-980).
func TestTensorMapFencesMoveAll(t *testing.T) {
	code := []machine.Instr{
		machinetest.Into(machinetest.ReadID, 5).WithWriteBarrier(0), machinetest.Move(3, 5).WithWaitMask(1), machinetest.MayExit,
		awaitAll, forgetMap.WithWriteBarrier(1), forgetCopy.WithWaitMask(1 << 1), flushCopies, awaitFlush, machinetest.End,
	}
	allocated, refused, ok := Reallocate(code, nil, 100, Goal{To: arch.Scheduler{Later: true}})
	if !ok {
		t.Fatalf("not known: %v", refused)
	}
	if x := allocated[0]; x.WriteBarrier() == boardOfBulkCopies || !allocated[1].WaitsFor(x.WriteBarrier()) {
		t.Errorf("S2R counts on %d, the next instruction waits for %06b", x.WriteBarrier(), allocated[1].WaitMask())
	}
}

// Operands of a bulk copy are not counted if the block waits for those of a later one (KIT-981). The EXIT of the block is their
// consumer (KIT-982). Before 13.1 all are counted, and none has a consumer.
func TestBulkCopiesReadInOrder(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W0:-:S02] LDC R1, c[0x0][0x37c]")
	first, second := forgetCopy.WithReadBarrier(1), forgetCopy.WithReadBarrier(2)
	branch, overwrite := machinetest.Jump(3, 5, false), machinetest.Asm("[B------:R-:W-:-:S02] UMOV UR6, 0x1")
	for _, tt := range []struct {
		name    string
		code    []machine.Instr
		counted bool // the operands of the first
	}{
		{"in the block of the EXIT", []machine.Instr{load, first, second, machinetest.End.WithWaitMask(0b110)}, false},
		{"in another block", []machine.Instr{load, first, second, branch, machine.NOP, machinetest.End.WithWaitMask(0b110)}, true},
		{"overwritten before", []machine.Instr{load, first, overwrite.WithWaitMask(0b010), second, machinetest.End.WithWaitMask(0b100)}, true},
		{"another queue", []machine.Instr{load, first, machinetest.Into(machinetest.ReadID, 5).WithWriteBarrier(2), machinetest.End.WithWaitMask(0b110)}, true},
	} {
		s, ok := scheduleOf(tt.code, nil, 100, Goal{})
		if !ok {
			t.Fatalf("%s: not known", tt.name)
		}
		later := s.onDemand(onDemand{}, true)
		if got := len(later.defs[1]) == 1; got != tt.counted || len(s.defs[1]) != 1 {
			t.Errorf("%s: counted %t, before 13.1 %d", tt.name, got, len(s.defs[1]))
		}
		if n := len(tt.code) - 1; !tt.counted && (later.defs[2][0].consumer != n || s.defs[2][0].consumer != never) {
			t.Errorf("%s: consumer %d, before 13.1 %d", tt.name, later.defs[2][0].consumer, s.defs[2][0].consumer)
		}
	}
}

// A counted fence before another one that will be dropped is not counted, and what it waited for is waited for where it is needed
// (KIT-983).
func TestDroppedFencesAreNotCounted(t *testing.T) {
	load := machinetest.Asm("[B------:R-:W0:-:S02] LDC R1, c[0x0][0x37c]")
	weakest, fence := machinetest.Asm("[B------:R1:W-:-:S06] MEMBAR.ALL.CTA"), machinetest.Asm("[B-1----:R-:W-:-:S06] MEMBAR.ALL.GPU")
	code := []machine.Instr{load, machinetest.Into(machinetest.ReadID, 5).WithWriteBarrier(1), weakest, fence, machinetest.Move(3, 5), machinetest.End}
	later := arch.Scheduler{Later: true}
	for _, drops := range []bool{false, true} {
		s, ok := scheduleOf(code, nil, 100, Goal{From: later, To: later, DropsFences: drops})
		if !ok {
			t.Fatal("not known")
		}
		if got := len(s.onDemand(onDemand{}, true).defs[2]) == 0; got != drops {
			t.Errorf("drops %t: not counted %t", drops, got)
		}
		if n := len(s.onDemand(onDemand{}, false).defs[2]); n != 1 {
			t.Errorf("drops %t: the schedule of the input counts it %d times", drops, n)
		}
	}
	allocated, refused, ok := Reallocate(code, nil, 100, Goal{From: later, To: later, DropsFences: true})
	if !ok {
		t.Fatalf("kept: %v", refused)
	}
	if allocated[3].WaitMask() != 0 || !allocated[4].WaitsFor(allocated[1].WriteBarrier()) {
		t.Errorf("the fence waits for %06b, what follows it for %06b", allocated[3].WaitMask(), allocated[4].WaitMask())
	}
}

// The predicate of an atomic on generic addresses is complete when its operands are read, and not with its result (MERC-989).
func TestAtomicsFindSpace(t *testing.T) {
	atomic := machine.Word(sass.OpATOMFloat|0x200|7<<12|4<<16|6<<24|8<<32, 0x000fe200081ff300|1<<(84-64)).WithReadBarrier(1).WithWriteBarrier(2)
	if !atomic.FindsSpace() || machinetest.Move(4, 5).FindsSpace() || !atomic.Loads() || !atomic.Follows(fence) {
		t.Error("the atomic is not known")
	}
	s, ok := scheduleOf([]machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), atomic, machinetest.End}, nil, 100, Goal{})
	if !ok || len(s.defs[1]) != 2 {
		t.Fatalf("not known, or %d events", len(s.defs[1]))
	}
	operands, result := s.defs[1][0], s.defs[1][1]
	if result.registers.Only(sass.Predicate) != (sass.Registers{}) {
		t.Error("the predicate comes with the result")
	}
	writes, _, _ := sass.Uses(atomic.Instruction, 100)
	if predicate := writes.Only(sass.Predicate); predicate != (sass.Registers{}) && !operands.registers.Overlaps(predicate) {
		t.Error("the predicate does not come with the operands")
	}
}

// An asynchronous copy that fills with zeros reads its predicate when it issues. Nothing that writes the predicate later depends on
// the copy (MERC-332).
func TestFilledCopy(t *testing.T) {
	copies := machine.Word(0x000000000a057fae, 0x000fe200081e1406) // LDGSTS.E.64.ZFILL [R5], desc[UR6][R10.64], P0
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), copies.WithReadBarrier(1), machinetest.End}
	s, known := scheduleOf(code, nil, 100, Goal{})
	if !known || len(s.events) != 2 {
		t.Fatalf("known: %t", known)
	}
	if of := s.events[1].registers; of.Only(sass.Predicate) != (sass.Registers{}) || of.Only(sass.General) == (sass.Registers{}) {
		t.Errorf("counted for %v", of)
	}
}

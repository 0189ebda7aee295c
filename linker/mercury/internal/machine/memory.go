package machine

import (
	"github.com/culink/culink/linker/sass"
)

// TriesToWait reports whether x is SYNCS.PHASECHK.TRYWAIT, which may suspend the thread until a phase of an mbarrier is complete.
func (x Instr) TriesToWait() bool {
	const formPHASECHK, tries = 0x5a7, 1 << (72 - 64)
	return x.Low&0xfff == formPHASECHK && x.High&tries != 0
}

// OrdersMemory reports whether accesses to memory after x wait for its results. That holds for operations on an mbarrier and for
// fences.
func (x Instr) OrdersMemory() bool { return x.is(ordersMemory) }

// Follows reports whether x always waits for from, an instruction that orders memory, if it waits for its scoreboard. It does
// for a fence if it accesses tensor memory, is an atomic, an operation of several threads or a bulk copy, or makes an ordered
// access to memory (MERC-241). So it does if it copies to shared memory or stores to another block of the cluster (MERC-331). An
// asynchronous copy to shared memory does for operations on an mbarrier too (MERC-264).
func (x Instr) Follows(from Instr) bool {
	if from.Op() != sass.OpFENCE {
		return x.Op() == sass.OpLDGSTS
	}
	switch x.Op() {
	case sass.OpLDTM, sass.OpSTTM, sass.OpFENCE, sass.OpBAR, sass.OpSHFL, sass.OpATOM, sass.OpATOMCAS, sass.OpATOMFloat, sass.OpATOMS, sass.OpATOMSCAS, sass.OpATOMG, sass.OpATOMGCAS, sass.OpATOMGFloat, sass.OpRED, sass.OpREDGFloat, sass.OpSYNCS:
		return true
	case sass.OpLDGSTS, sass.OpSTAS, sass.OpREDAS, sass.OpVOTE, sass.OpMOVM, sass.OpMATCH, sass.OpREDUX, sass.OpCREDUX:
		return true
	case sass.OpLD, sass.OpLDG, sass.OpST, sass.OpSTG:
		return x.IsStrong()
	}
	return x.is(copiesBulk | matrix)
}

// IsStrong reports whether x is an access to memory that other threads see in order.
func (x Instr) IsStrong() bool {
	const weak, constant = 0, 4
	order := x.High >> (77 - 64) & 0xf
	return order != weak && order != constant
}

// InvalidatesAll reports whether x is CCTL.IVALL.
func (x Instr) InvalidatesAll() bool { return x.Low&0xfff == formCCTL && x.High>>(89-64)&1 == 1 }

// InvalidatesTensorMap reports whether x is UTMACCTL.IV.
func (x Instr) InvalidatesTensorMap() bool {
	return x.Op() == sass.OpUTMACCTL && x.High>>(82-64)&7 == 0
}

// IsDeadLoad reports whether x is `@!PT LDS RZ, [RZ]`, a load that never executes.
func (x Instr) IsDeadLoad() bool { return x.Low == 0xfffff984 }

// IsOfFence reports whether x is one of the instructions that a fence consists of: dead loads, barriers, and CCTL.IVALL.
func (x Instr) IsOfFence() bool {
	return x.IsDeadLoad() || x.Op() == sass.OpMEMBAR || x.Op() == sass.OpERRBAR || x.InvalidatesAll()
}

// WritesSurface reports whether x writes to a surface.
func (x Instr) WritesSurface() bool { return x.is(writesSurface) }

// ReadsLate reports whether x may read its operands after its thread has ended, unless the EXIT waits for it.
func (x Instr) ReadsLate() bool { return x.WritesSurface() || x.IsAsynchronous() }

// OutlastsLoops reports whether x may read its operands so late that no block before a loop waits for them because they are read.
func (x Instr) OutlastsLoops() bool { return x.ReadsLate() && x.Op() != sass.OpUREDGR }

// IsAsynchronous reports whether an asynchronous unit executes x with operands in uniform registers. These are bulk copies and
// tensor copies, reductions, operations on tensor memory, and the initialisation of an mbarrier.
func (x Instr) IsAsynchronous() bool { return x.is(asynchronous) }

// QueuesBehind reports whether x reads its operands after those of before, an earlier instruction of the same asynchronous queue.
// Bulk copies have a queue, and initialisations of mbarriers have one (KIT-981).
func (x Instr) QueuesBehind(before Instr) bool {
	return x.is(copiesBulk) && before.is(copiesBulk) || x.Op() == sass.OpSYNCSExchange && before.Op() == sass.OpSYNCSExchange
}

// AwaitsReduction reports whether x is the DEPBAR that waits until before, an asynchronous reduction directly before it, has read its
// operands (MERC-330).
func (x Instr) AwaitsReduction(before Instr) bool {
	return before.Op() == sass.OpUREDGR && x.awaitsOperands(before)
}

// AwaitsFence reports whether x is a DEPBAR that waits for before, a counted fence directly before it (MERC-255).
func (x Instr) AwaitsFence(before Instr) bool {
	return before.Op() == sass.OpMEMBAR && x.awaitsOperands(before)
}

// awaitsOperands reports whether x is a DEPBAR for the scoreboard that counts the operands of before.
func (x Instr) awaitsOperands(before Instr) bool {
	b := before.ReadBarrier()
	return x.Op() == sass.OpDEPBAR && b < Scoreboards && x.CountsOn() == b
}

// FindsSpace reports whether x is an atomic on generic addresses that writes a predicate: whether the address was global. The
// predicate comes when the operands are read (MERC-989).
func (x Instr) FindsSpace() bool { return x.Op() == sass.OpATOMFloat }

// Scopes of MEMBAR.
const (
	ScopeSCVC   = 0x50
	ScopeAllCTA = 0x80
)

// Scope returns the kind of fence that the MEMBAR x is, with its scope.
func (x Instr) Scope() uint64 { return x.High >> (72 - 64) & 0xff }

// IsWeakestFence reports whether x is MEMBAR.ALL.CTA, the kind of fence that is put before another one only as a work-around.
func (x Instr) IsWeakestFence() bool {
	return x.Op() == sass.OpMEMBAR && x.Scope() == ScopeAllCTA
}

// IsCountedFence reports whether a scoreboard counts the fence x.
func (x Instr) IsCountedFence() bool {
	return x.Op() == sass.OpMEMBAR && x.ReadBarrier() != sass.NoBarrier
}

package machine

import (
	"github.com/culink/culink/linker/sass"
)

// OrdersMemory reports whether what comes after x by memory waits for its results: an instruction on mbarriers, or a fence.
func (x Instr) OrdersMemory() bool { return x.is(ordersMemory) }

// FollowsFence reports whether x comes after a fence before accesses to tensor memory, whatever else it waits for: such an access,
// an atomic, what threads do together, or an access to memory that others see in order.
func (x Instr) FollowsFence() bool {
	switch x.Op() {
	case sass.OpLDTM, sass.OpSTTM, sass.OpFENCE, sass.OpBAR, sass.OpSHFL, sass.OpATOM, sass.OpATOMCAS, sass.OpATOMS, sass.OpATOMSCAS, sass.OpATOMG, sass.OpATOMGCAS, sass.OpATOMGFloat, sass.OpRED, sass.OpREDGFloat, sass.OpSYNCS:
		return true
	case sass.OpLD, sass.OpLDG, sass.OpST, sass.OpSTG:
		return x.IsStrong()
	}
	return false
}

// IsStrong reports whether x, an access to memory, is one that others see in order.
func (x Instr) IsStrong() bool {
	const weak, constant = 0, 4
	order := x.High >> (77 - 64) & 0xf
	return order != weak && order != constant
}

// InvalidatesAll reports whether x is CCTL.IVALL.
func (x Instr) InvalidatesAll() bool { return x.Low&0xfff == formCCTL && x.High>>(89-64)&1 == 1 }

// IsDummy reports whether x is one of the loads that are never done.
func (x Instr) IsDummy() bool { return x.Low == 0xfffff984 }

// WritesSurface reports whether x writes to a surface.
func (x Instr) WritesSurface() bool { return x.is(writesSurface) }

// ReadsLate reports whether an EXIT after x waits until its operands are read.
func (x Instr) ReadsLate() bool { return x.WritesSurface() || x.IsAsynchronous() }

// IsAsynchronous reports whether another unit does x when it comes to it, with operands in uniform registers: bulk copies and those of
// tensors, what tensor memory is about, and what an mbarrier begins with.
func (x Instr) IsAsynchronous() bool { return x.is(asynchronous) }

// IsCountedFence reports whether x is a fence that a scoreboard counts.
func (x Instr) IsCountedFence() bool {
	return x.Op() == sass.OpMEMBAR && x.ReadBarrier() != sass.NoBarrier
}

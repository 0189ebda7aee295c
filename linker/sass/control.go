package sass

// Control contains the control fields of an instruction, bits 105 to 125: the compiler's schedule.
type Control struct {
	Stall int    // cycles until the next instruction may issue, 0 to 15
	Yield bool   // other warps may issue meanwhile
	Write int    // write barrier: the scoreboard that counts its results (RAW); [NoBarrier] if none
	Read  int    // read barrier: the scoreboard that counts its operands (WAR); [NoBarrier] if none
	Wait  uint64 // wait mask: a bit for each scoreboard that it waits for
	Reuse uint64 // a bit for each operand that is kept in its operand-reuse slot
}

// NoBarrier is the value of a write or read barrier without a scoreboard.
const NoBarrier = 7

// These are the control fields, by first bit and width. The bit after the stall is clear if other warps may
// issue.
const (
	controlAt                    = 105
	stallAt, stallWidth          = 105, 4
	noYieldAt                    = 109
	writeBarrierAt               = 110
	readBarrierAt                = 113
	barrierWidth                 = 3
	waitMaskAt, waitWidth        = 116, 6
	reuseAt, reuseWidth          = 122, 4
	controlEnd                   = 126
	controlMask           uint64 = (1<<(controlEnd-controlAt) - 1) << (controlAt - 64)
)

// Control returns the control fields of x.
func (x Instruction) Control() Control {
	return Control{x.Stall(), x.Yields(), x.WriteBarrier(), x.ReadBarrier(), x.WaitMask(), x.High >> (reuseAt - 64) & (1<<reuseWidth - 1)}
}

// WithControl returns x with other control fields.
func (x Instruction) WithControl(c Control) Instruction {
	x = x.WithStall(c.Stall).WithYield(c.Yield).WithWriteBarrier(c.Write).WithReadBarrier(c.Read).WithWaitMask(c.Wait)
	return x.with(reuseAt, reuseWidth, c.Reuse)
}

// WithControlOf returns x with the control fields of y.
func (x Instruction) WithControlOf(y Instruction) Instruction {
	x.High = x.High&^controlMask | y.High&controlMask
	return x
}

// SameButControl reports whether x and y differ at most in their control fields.
func (x Instruction) SameButControl(y Instruction) bool {
	return x.Low == y.Low && (x.High^y.High)&^controlMask == 0
}

// SameButSchedule reports whether two pieces of machine code, of whole instructions, differ at most in control
// fields and in the scoreboard of DEPBAR (MERC-121).
func SameButSchedule(a, b []byte) bool {
	if len(a) != len(b) || len(a)%Size != 0 {
		return false
	}
	for i := 0; i < len(a); i += Size {
		x, y := Decode(a[i:]), Decode(b[i:])
		if x.Op() == OpDEPBAR {
			const scoreboard = 7 << 44
			x.Low, y.Low = x.Low|scoreboard, y.Low|scoreboard
		}
		if !x.SameButControl(y) {
			return false
		}
	}
	return true
}

// Stall returns the number of cycles until the next instruction may issue.
func (x Instruction) Stall() int { return int(x.High >> (stallAt - 64) & (1<<stallWidth - 1)) }

// WithStall returns x with another stall, of 0 to 15 cycles.
func (x Instruction) WithStall(cycles int) Instruction {
	return x.with(stallAt, stallWidth, uint64(cycles))
}

// Yields reports whether other warps may issue while x stalls.
func (x Instruction) Yields() bool { return x.High>>(noYieldAt-64)&1 == 0 }

// WithYield returns x with its yield flag set or cleared. The flag lets other warps issue while x stalls.
func (x Instruction) WithYield(yield bool) Instruction {
	if yield {
		x.High &^= 1 << (noYieldAt - 64)
	} else {
		x.High |= 1 << (noYieldAt - 64)
	}
	return x
}

// WriteBarrier returns the scoreboard that counts the results of x, or [NoBarrier].
func (x Instruction) WriteBarrier() int {
	return int(x.High >> (writeBarrierAt - 64) & (1<<barrierWidth - 1))
}

// WithWriteBarrier returns x with another write barrier.
func (x Instruction) WithWriteBarrier(b int) Instruction {
	return x.with(writeBarrierAt, barrierWidth, uint64(b))
}

// ReadBarrier returns the scoreboard that counts the operands of x, or [NoBarrier].
func (x Instruction) ReadBarrier() int {
	return int(x.High >> (readBarrierAt - 64) & (1<<barrierWidth - 1))
}

// WithReadBarrier returns x with another read barrier.
func (x Instruction) WithReadBarrier(b int) Instruction {
	return x.with(readBarrierAt, barrierWidth, uint64(b))
}

// WaitMask returns a mask with a bit for each scoreboard that x waits for.
func (x Instruction) WaitMask() uint64 { return x.High >> (waitMaskAt - 64) & (1<<waitWidth - 1) }

// WaitsFor reports whether x waits for a scoreboard.
func (x Instruction) WaitsFor(b int) bool { return x.WaitMask()>>b&1 == 1 }

// WithWaitMask returns x with another wait mask.
func (x Instruction) WithWaitMask(mask uint64) Instruction {
	return x.with(waitMaskAt, waitWidth, mask)
}

// Reuses reports whether an operand of x is kept in its operand-reuse slot.
func (x Instruction) Reuses(operand int) bool { return x.High>>(reuseAt-64+operand)&1 == 1 }

// WithReuse returns x with the reuse flag of an operand set or cleared. The flag keeps the operand in its
// operand-reuse slot.
func (x Instruction) WithReuse(operand int, reuse bool) Instruction {
	x.High &^= 1 << (reuseAt - 64 + operand)
	if reuse {
		x.High |= 1 << (reuseAt - 64 + operand)
	}
	return x
}

// with returns x with a changed field in the upper half.
func (x Instruction) with(at, width uint, v uint64) Instruction {
	mask := uint64(1)<<width - 1
	x.High = x.High&^(mask<<(at-64)) | v&mask<<(at-64)
	return x
}

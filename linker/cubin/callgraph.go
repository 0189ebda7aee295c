package cubin

// Groups of .nv.callgraph: the second word of a record that starts one. Records before the
// first group, and of any other, count for nothing.
const (
	CallsDirect   = 0xffffffff // (caller, callee)
	CallsTaken    = 0xfffffffe // (function whose address is taken, prototype)
	CallsIndirect = 0xfffffffd // (function that calls through pointers, prototype)
	TakesAddress  = 0xfffffffc // (function, function whose address its code takes)
)

// IsCallGroup reports whether a group is one of these.
func IsCallGroup(group uint32) bool { return group >= TakesAddress }

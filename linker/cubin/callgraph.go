package cubin

// The records of .nv.callgraph are in groups. The second word of the record that starts a group identifies
// the group. Records before the first group, and those of other groups, are ignored.
const (
	CallsDirect   = 0xffffffff // (caller, callee)
	CallsTaken    = 0xfffffffe // (function whose address is taken, prototype)
	CallsIndirect = 0xfffffffd // (function that calls through pointers, prototype)
	TakesAddress  = 0xfffffffc // (function, function whose address its code takes)
)

// IsCallGroup reports whether group is one of these groups.
func IsCallGroup(group uint32) bool { return group >= TakesAddress }

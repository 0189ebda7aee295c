package machine

// SMs differ in the speed of their units. This is the only file of the finalizer that compares the numbers of SMs.

// firstConsumer is the lowest number of the SMs that have the units of sm_120.
const firstConsumer = 120

// IsConsumer reports whether an SM has the units of sm_120. These have IADD for additions of two numbers.
func IsConsumer(sm int) bool { return sm >= firstConsumer }

// ConsumerUnits returns the SM whose units determine the stalls of renewed code for an SM (KIT-050, KIT-106).
func ConsumerUnits(sm int) int { return max(sm, firstConsumer) }

// HasFastDoubles reports whether FP64 is fast on an SM. If so, its results have a fixed latency, and its instructions keep no
// issue distance.
func HasFastDoubles(sm int) bool { return sm == 100 }

// IsUltra reports whether an SM is sm_103. There conversions are faster than on sm_100, and FP64 and integer matrix products are
// slower.
func IsUltra(sm int) bool { return sm == 103 }

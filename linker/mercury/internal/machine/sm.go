package machine

// SMs differ in the speed of their units. No other file of the finalizer compares the numbers of SMs.

// firstConsumer is the first of the SMs with the units of sm_120.
const firstConsumer = 120

// IsConsumer reports whether an SM has the units of sm_120, with IADD for additions of two numbers.
func IsConsumer(sm int) bool { return sm >= firstConsumer }

// ConsumerUnits returns the SM of whose units the stalls of renewed code for an SM are (KIT-050, KIT-106).
func ConsumerUnits(sm int) int { return max(sm, firstConsumer) }

// HasFastDoubles reports whether FP64 is fast on an SM: its results have a fixed latency, and its instructions no issue distance.
func HasFastDoubles(sm int) bool { return sm == 100 }

// IsUltra reports whether an SM is sm_103: conversions are faster than on sm_100, FP64 and integer matrix products slower.
func IsUltra(sm int) bool { return sm == 103 }

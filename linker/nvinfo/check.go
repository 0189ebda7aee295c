package nvinfo

// What the linker refuses because of what an input says about itself. The checks
// are pure: the linker asks them, and says the messages.

// A Refusal says why an object cannot be linked.
type Refusal uint8

// The refusals of an object because of its origin.
const (
	Accepted Refusal = iota
	Newer            // "newer than toolkit"
	Older            // "must be recompiled with toolkit >= Cuda 12.0"
)

// Objects for sm_90 must come from toolkit 12.0 or later: before, no .nv.compat
// could be derived from them.
const oldestToolkit90 = 120

// Check tells whether a linker of the given toolkit (130 for 13.0) takes an object
// of origin o for architecture sm (INFO-023, INFO-024).
func (o Origin) Check(sm int, toolkit uint16) Refusal {
	switch {
	case o.Toolkit > toolkit:
		return Newer
	case sm == 90 && o.Toolkit < oldestToolkit90:
		return Older
	}
	return Accepted
}

// largeParametersToolkit is the first toolkit whose objects can be linked with
// kernels that have more than 4 KB of parameters.
const largeParametersToolkit = 121

// LargeParametersRefused tells whether kernels with more than 4 KB of parameters
// (each parameter then is a KParamInfoV2 record) cannot be linked: on sm_7x and
// sm_8x, when an object is older than toolkit 12.1 (INFO-051).
func LargeParametersRefused(sm int, inputs []Origin) bool {
	if sm >= 90 {
		return false
	}
	for _, o := range inputs {
		if o.Toolkit < largeParametersToolkit {
			return true
		}
	}
	return false
}

// RegisterLimit gives the most registers that a kernel may use, of its attribute
// r (MaxRegCount); ok is false when there is no limit (INFO-050).
func RegisterLimit(r Record) (limit uint32, ok bool) {
	limit = uint32(r.number() & 0xff)
	return limit, limit != 0
}

// A TensorGeneration tells the toolkit whose way of sharing tensor memory (tcgen05)
// an object follows. One link cannot hold both: the object that brings the second
// one is refused (INFO-053).
type TensorGeneration uint8

// The generations; most objects follow none.
const (
	NoTensorMemory TensorGeneration = iota
	TensorMemory12                  // toolkit 12
	TensorMemory13                  // toolkit 13
)

// tensorSymbols are the reserved shared variables by which a generation is known.
var tensorSymbols = map[string]TensorGeneration{
	"__nv_reservedSMEM_allocation_phase":                         TensorMemory12,
	"__nv_reservedSMEM_allocation_mask":                          TensorMemory12,
	"__nv_reservedSMEM_tmem_allocation_pipeline_mbarrier":        TensorMemory12,
	"__nv_reservedSMEM_tmem_allocation_pipeline_mbarrier_parity": TensorMemory12,
	"__nv_reservedSMEM_tcgen05_partition":                        TensorMemory13,
}

// SymbolTensorGeneration gives the generation of a reserved shared variable.
func SymbolTensorGeneration(name string) TensorGeneration { return tensorSymbols[name] }

// TensorGeneration gives the generation of an attribute: of AtEntryFragments, that
// of its last fragment that has one.
func (r Record) TensorGeneration() TensorGeneration {
	generation := NoTensorMemory
	if r.Code == AtEntryFragments {
		for i := range r.Words() {
			switch r.Word(i) {
			case 4, 5:
				generation = TensorMemory12
			case 6, 7:
				generation = TensorMemory13
			}
		}
	}
	return generation
}

// Add notes another generation in g, and tells whether the two can be linked.
func (g *TensorGeneration) Add(other TensorGeneration) bool {
	if *g == NoTensorMemory {
		*g = other
	}
	return other == NoTensorMemory || other == *g
}

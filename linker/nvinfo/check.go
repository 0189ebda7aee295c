package nvinfo

import "math"

// The functions in this file check whether the linker must refuse an input because of its metadata. They have
// no side effects. The linker reports the messages.

// HasPreV10 reports whether an executable contains EIATTR_HAS_PRE_V10_OBJECT before the MIN_STACK_SIZE records.
// It does if an input is older than toolkit 10, or if its age is not known (INFO-023).
func HasPreV10(inputs []Origin) bool { return oldest(inputs) < 100 }

func oldest(inputs []Origin) uint16 {
	toolkit := uint16(math.MaxUint16)
	for _, o := range inputs {
		toolkit = min(toolkit, o.Toolkit)
	}
	return toolkit
}

// largeParametersToolkit is the first toolkit whose objects can be linked with kernels that have more than 4 KB
// of parameters.
const largeParametersToolkit = 121

// LargeParametersRefused reports whether kernels with more than 4 KB of parameters cannot be linked. Each
// parameter of such a kernel is a KParamInfoV2 record. On sm_7x and sm_8x they cannot be linked if an object is
// older than toolkit 12.1 (INFO-051).
func LargeParametersRefused(sm int, inputs []Origin) bool {
	return sm < 90 && oldest(inputs) < largeParametersToolkit
}

// RegisterLimit returns the maximum number of registers of a kernel. r is the kernel's MaxRegCount attribute.
// ok is false if there is no limit (INFO-050).
func RegisterLimit(r Record) (limit uint32, ok bool) {
	limit = uint32(r.number() & 0xff)
	return limit, limit != 0
}

// A TensorGeneration is the way in which an object shares tensor memory (tcgen05). It depends on the toolkit.
// One link cannot have objects of both generations: the first object of another generation is refused
// (INFO-053).
type TensorGeneration uint8

// The generations; most objects have none.
const (
	NoTensorMemory TensorGeneration = iota
	TensorMemory12                  // toolkit 12
	TensorMemory13                  // toolkit 13
)

// TensorGeneration returns the generation that an attribute shows. For AtEntryFragments the last fragment with
// a generation counts.
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

// Add merges another generation into g, and reports whether objects of both can be linked together.
func (g *TensorGeneration) Add(other TensorGeneration) bool {
	if *g == NoTensorMemory {
		*g = other
	}
	return other == NoTensorMemory || other == *g
}

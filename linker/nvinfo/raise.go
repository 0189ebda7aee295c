package nvinfo

import "slices"

// A kernel must offer what the functions need that it calls, so their attributes
// rise to every kernel that reaches them. nvlink does it in two ways.
//
// A link without a lone kernel walks over the records of all functions, in the order of the inputs (file, section,
// record), and lets each kernel that reaches the function by calls take over the record; what a kernel does not
// have yet is added at the end of its list (INFO-206). A kernel that another one calls is a function there, with
// what it has taken over so far (INFO-060).
//
// A link that has, or asks for, one kernel only does not look at calls: it gets what all functions
// of the output say together, in a fixed order of attributes, and with smaller
// rules of its own (INFO-036).

// A FunctionInfo is a function of the output, with its attributes in the order of the
// output: the reverse of the input's.
type FunctionInfo struct {
	Kernel          bool
	Lone            bool // is the only kernel that the link asks for
	ReversesExterns bool // of a lone kernel (KIT-088)
	KeepsLanguage   bool // does not give it to kernels (KIT-094)
	Undefined       bool // or dead: has no attributes, and counts as one without a mask (INFO-032)
	Records         []Record
}

// RaiseKernels returns the kernels among functions what they take over from the
// functions that they reach, and takes from functions what moves to kernels. Records
// that say nothing (code 0, or an empty payload) are left out (INFO-002).
//
// functions are those of the output, in the order in which the inputs gave their
// attributes; undefined ones may stand anywhere. Symbol indices in the records are
// of one symbol table. Lists of externs hold only what stays outside (INFO-205); an
// empty one must be there all the same, since it decides the place of a kernel's.
// reachedBy(f) are the kernels that reach functions[f], as indices of functions; the
// last one first, as nvlink goes through them; they are read before the next call.
//
// It returns the kernels that would use both .cta_group::1 and .cta_group::2, in
// the order in which nvlink complains of them (INFO-052).
//
// Cost: linear in the records of each pair (kernel, function that it reaches).
func RaiseKernels(functions []FunctionInfo, reachedBy func(f int) []int) (conflicts []int) {
	filled := fillSparseMask(functions)
	if lone := slices.IndexFunc(functions, func(f FunctionInfo) bool { return f.Lone }); lone >= 0 {
		if raiseOnly(functions, lone, filled) {
			conflicts = append(conflicts, lone)
		}
	} else {
		conflicts = raiseByCalls(functions, reachedBy)
	}
	for f := range functions {
		kernel := functions[f].Kernel
		functions[f].Records = slices.DeleteFunc(functions[f].Records, func(r Record) bool {
			return r.Empty() ||
				!kernel && int(r.Code) < len(Attributes) && Attributes[r.Code].Merge == MoveWords
		})
	}
	return conflicts
}

// Empty reports whether r says nothing, so that no output holds it: it has code 0, or
// an empty payload (INFO-002).
func (r Record) Empty() bool { return r.Code == Error || r.Format == Sized && len(r.Payload) == 0 }

// raiseByCalls raises the attributes of functions to the kernels that reach them
// (INFO-206).
func raiseByCalls(functions []FunctionInfo, reachedBy func(f int) []int) (conflicts []int) {
	raisers := make([]*raiser, len(functions))
	for f := range functions {
		if functions[f].Kernel {
			raisers[f] = newRaiser(functions[f].Records)
		}
	}
	for f := range functions {
		if functions[f].Undefined {
			continue
		}
		kernels := reachedBy(f)
		for i := len(functions[f].Records) - 1; i >= 0; i-- {
			for _, k := range kernels {
				r := functions[f].Records[i]
				if raisers[f] != nil { // what it has taken over counts, but for new records
					r = raisers[f].records[i]
				}
				if _, rises := r.Raised(); !rises || r.Code == Language && functions[f].KeepsLanguage {
					continue
				}
				if raisers[k].opposes(r.Code) {
					conflicts = append(conflicts, k)
				}
				raisers[k].take(r)
			}
		}
	}
	for f, k := range raisers {
		if k != nil {
			functions[f].Records = k.records
		}
	}
	return conflicts
}

// opposes reports whether the kernel has the tcgen05 attribute that excludes code.
func (k *raiser) opposes(code Code) bool {
	switch code {
	case TCGen05OneCTA:
		return k.has(TCGen05TwoCTA) && !k.has(TCGen05OneCTA)
	case TCGen05TwoCTA:
		return k.has(TCGen05OneCTA) && !k.has(TCGen05TwoCTA)
	}
	return false
}

func (f *FunctionInfo) find(code Code) int {
	return slices.IndexFunc(f.Records, func(r Record) bool { return r.Code == code })
}

// SparseMMAUnknown is the mask (EIATTR_SPARSE_MMA_MASK) of a function whose
// compiler did not say which sparse matrix instructions it uses. As soon as one
// function of a link has a mask, every function without one gets this one, before
// anything rises (INFO-032).
const SparseMMAUnknown = 0x8000

func fillSparseMask(functions []FunctionInfo) (filled bool) {
	has := func(f FunctionInfo) bool { return f.find(SparseMMAMask) >= 0 }
	if !slices.ContainsFunc(functions, has) {
		return false
	}
	for f := range functions {
		switch {
		case functions[f].Undefined:
			filled = true
		case !has(functions[f]):
			functions[f].Records = append(functions[f].Records, Record{Format: Half, Code: SparseMMAMask, Value: SparseMMAUnknown})
			filled = true
		}
	}
	return filled
}

// onlyOrder is the order in which the attributes of a single kernel are raised.
var onlyOrder = [...]Code{
	SparseMMAMask, CTAIDZUsed, ReservedSMemUsed, VRCCTAInitCount, TCGen05OneCTA, TCGen05TwoCTA,
	NumBarriers, RegReconfig, NumMBarriers, Externs, AtEntryFragments, Language,
}

// raiseOnly raises the attributes of the only kernel of a link (INFO-036), and tells
// whether its two .cta_group attributes are in conflict.
func raiseOnly(functions []FunctionInfo, only int, filled bool) (conflict bool) {
	kernel := &functions[only]
	conflict = kernel.find(TCGen05OneCTA) < 0 != (kernel.find(TCGen05TwoCTA) < 0)
	own := len(kernel.Records)
	for _, code := range onlyOrder {
		var all []Record // of the code, in the order of the inputs
		others := false
		for f := range functions {
			records := functions[f].Records
			if f == only {
				records = records[:own]
			}
			for _, r := range slices.Backward(records) {
				if r.Code == code {
					all = append(all, r)
					others = others || f != only
				}
			}
		}
		if others && (code != SparseMMAMask || filled) && (code != Language || !kernel.KeepsLanguage) {
			kernel.raiseTo(code, all)
		}
	}
	return conflict && kernel.find(TCGen05OneCTA) >= 0 && kernel.find(TCGen05TwoCTA) >= 0
}

// raiseTo returns the only kernel of a link its record of a code; all are the records
// of that code of all functions, the kernel's own among them.
func (f *FunctionInfo) raiseTo(code Code, all []Record) {
	at := f.find(code)
	var value uint16
	for _, r := range all {
		switch n := r.number(); Attributes[code].Merge {
		case MaxByte:
			value = max(value, n&0xff)
		case OrHalf:
			value |= n
		case SumHalf:
			const unknown = 0xffff
			if value == unknown || n == unknown {
				value = unknown
			} else {
				value += n
			}
		}
	}
	record := Record{Format: NoValue, Code: code}
	switch Attributes[code].Merge {
	case Presence, LastByte:
		if at >= 0 {
			return
		}
	case MaxByte:
		record.Format, record.Value = Byte, value
		switch {
		case code == VRCCTAInitCount && at >= 0, value == 0 && code == NumBarriers:
			return
		case at >= 0:
			record = f.Records[at]
			record.Value = record.Value&0xff00 | max(record.Value&0xff, value)
		}
	case OrHalf, SumHalf:
		record.Format, record.Value = Half, value
		switch {
		case value == 0:
			return
		case at >= 0:
			record = f.Records[at]
			record.Value = value
		}
	case MoveWords, ExternWords, UnionWords:
		words := distinctWords(all)
		if code == Externs && f.ReversesExterns {
			slices.Reverse(words)
		}
		if len(words) == 0 || at >= 0 && len(words) <= f.Records[at].Words() {
			return
		}
		record = New(code, words...)
		if at >= 0 {
			f.Records = slices.Delete(f.Records, at, at+1)
			at = -1
		}
	}
	if at >= 0 {
		f.Records[at] = record
	} else {
		f.Records = append(f.Records, record)
	}
}

// distinctWords returns the words of sized records, each once, in order.
func distinctWords(records []Record) []uint32 {
	var words []uint32
	seen := map[uint32]bool{}
	for _, r := range records {
		for i := range r.Words() {
			if w := r.Word(i); !seen[w] {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	return words[:min(len(words), MaxPayload/4)]
}

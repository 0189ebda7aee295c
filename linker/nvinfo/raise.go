package nvinfo

import "slices"

// A kernel must provide what the functions that it calls need. The attributes of a function therefore propagate
// to every kernel that reaches it. nvlink does this in two ways.
//
// In a link with several kernels, nvlink processes the records of all functions in the order of the inputs
// (file, section, record). Each kernel that reaches the function by calls takes over the record. If the kernel
// lacks the record, it is appended to the kernel's list (INFO-206). A kernel called by another kernel counts as
// a function, with the records that it has taken over so far (INFO-060).
//
// If a link has only one kernel, or the options select one, nvlink ignores calls. The kernel takes over the
// merged attributes of all functions of the output, in a fixed order of attributes and with slightly different
// rules (INFO-036).

// A FunctionInfo is a function of the output. Its attributes are in the order of the output, which is the
// reverse of the input's.
type FunctionInfo struct {
	Kernel          bool
	Lone            bool // the only kernel that the link requests
	ReversesExterns bool // set for a lone kernel (KIT-088)
	KeepsLanguage   bool // its LANGUAGE does not propagate to kernels (KIT-094)
	Undefined       bool // undefined or dead: it has no attributes, and counts as one without a mask (INFO-032)
	Records         []Record
}

// RaiseKernels merges attributes of functions into the kernels that reach them. It removes records from
// functions if these move to kernels. It omits empty records, which have code 0 or an empty payload (INFO-002).
//
// functions are those of the output, in the order of their attributes in the inputs. Undefined functions may be
// at any place. The symbol indices in the records refer to one symbol table. Lists of externs contain only
// symbols that stay external (INFO-205). An empty list must be present too, because it determines the place of
// the kernel's list. reachedBy(f) returns the kernels that reach functions[f], as indices of functions. As in
// nvlink, the last kernel is first. The result is read before the next call.
//
// RaiseKernels returns the kernels that would use both .cta_group::1 and .cta_group::2, in the order of
// nvlink's messages (INFO-052).
//
// The time is linear in the records of each pair of a kernel and a function that it reaches.
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

// Empty reports whether r has no information, because its code is 0 or its payload is empty. No output contains
// such a record (INFO-002).
func (r Record) Empty() bool { return r.Code == Error || r.Format == Sized && len(r.Payload) == 0 }

// raiseByCalls propagates the attributes of functions to the kernels that reach them (INFO-206).
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
				if raisers[f] != nil { // including taken-over values, but not new records
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

// opposes reports whether the kernel has a tcgen05 attribute that must not occur together with code.
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

// SparseMMAUnknown is the mask (EIATTR_SPARSE_MMA_MASK) of a function whose compiler did not record its sparse
// matrix instructions. If any function of a link has a mask, every function without one gets this mask before
// attributes propagate (INFO-032).
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

// onlyOrder is the order in which attributes propagate to a single kernel.
var onlyOrder = [...]Code{
	SparseMMAMask, CTAIDZUsed, ReservedSMemUsed, LaunchControlUsed, VRCCTAInitCount, TCGen05OneCTA, TCGen05TwoCTA,
	NumBarriers, RegReconfig, NumMBarriers, Externs, Language, AtEntryFragments, GridAttributes,
}

// raiseOnly propagates attributes to the only kernel of a link (INFO-036). It reports whether the two
// .cta_group attributes of the kernel conflict.
func raiseOnly(functions []FunctionInfo, only int, filled bool) (conflict bool) {
	kernel := &functions[only]
	conflict = kernel.find(TCGen05OneCTA) < 0 != (kernel.find(TCGen05TwoCTA) < 0)
	own := len(kernel.Records)
	for _, code := range onlyOrder {
		var all []Record // of the code, in input order
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
		if (others || code.isList() && len(all) > 0) && (code != SparseMMAMask || filled) && (code != Language || !kernel.KeepsLanguage) {
			kernel.raiseTo(code, all)
		}
	}
	return conflict && kernel.find(TCGen05OneCTA) >= 0 && kernel.find(TCGen05TwoCTA) >= 0
}

// raiseTo sets the record of a code in the only kernel of a link. all contains the records of that code in all
// functions, including the kernel.
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
		if len(words) == 0 || at >= 0 && len(words) == f.Records[at].Words() {
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

// distinctWords returns the words of sized records without repetitions, in order.
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

package nvinfo

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/arch"
)

// .nv.compat, in files for sm_90 and later, records on which other devices the code may run, and what a
// finalizer may do with the code. The linker begins the section with its own record. It then merges the records
// of every input in order, and adds default records for those that an input lacks (INFO-010 to INFO-014).

// A CompatMerge determines how the numbers of two inputs are merged.
type CompatMerge uint8

// The ways to merge compatibility records.
const (
	CompatIgnore   CompatMerge = iota // not copied
	CompatLeastMax                    // the larger number; but 0 ("nowhere else") stays 0
	CompatMax                         // the larger number
	CompatOr                          // all bits
	CompatFieldMax                    // CompatLeastMax of bits 0 and 1, and of bits 2 and 3; the other bits come from the first input
	CompatDiffer                      // 1 if they differ
	CompatMaxOfAll                    // the larger number; omitted from the output if an input lacks the record
	CompatAnd                         // the bits common to all payloads, in the length of the first one
	CompatOwn                         // the linker's own record
)

var compatMergeTexts = [...]string{
	CompatIgnore: "not taken over", CompatLeastMax: "maximum, but 0 stays", CompatMax: "maximum",
	CompatOr: "bits of all", CompatFieldMax: "maximum of bits 0-1 and of bits 2-3, but 0 stays; other bits of the first",
	CompatDiffer: "1 when they differ", CompatMaxOfAll: "maximum, if every input has it", CompatAnd: "bits that all have", CompatOwn: "the linker's own",
}

func (m CompatMerge) String() string { return compatMergeTexts[m] }

// A Compat describes one code of .nv.compat.
type Compat struct {
	Name     string // without EICOMPAT_ATTR_
	Format   Format // in the output; 0 if it never occurs there
	Merge    CompatMerge
	Required bool   // an input without the record counts as having the default
	Default  uint16 // the number for a missing record
	Warn     bool   // a missing record limits the output to its own target

	// Releases are numbered as in arch.Profile.API. 0 means that there is no limit.
	Since         uint32 // the first one that copies the record
	Until         uint32 // the last one that does so
	RequiredSince uint32 // the first one for which a missing record counts
	SilentSince   uint32 // the first one that omits a record with the default value

	Meaning string
}

// Compats lists the codes of .nv.compat that nvlink 13.0.88 knows, and the later ones that cuobjdump 13 knows.
var Compats = [...]Compat{
	0x00: {Name: "ERROR", Meaning: "no attribute"},
	0x01: {Name: "PAD", Meaning: "padding"},
	0x02: {Name: "ISA_CLASS", Format: Byte, Merge: CompatLeastMax, Required: true, Warn: true, Meaning: "class of the instructions used; 0: runs on its own target only"},
	0x03: {Name: "INST_TENSORMAP_V1", Format: Byte, Merge: CompatOr, Required: true, Default: 3, Meaning: "tensor map instructions of the first version"},
	0x04: {Name: "INST_TCGEN05_MMA_DEPRECATED", Meaning: "tcgen05.mma, as toolkit 12 wrote it"},
	0x05: {Name: "INST_TCGEN05_MMA", Format: Byte, Merge: CompatFieldMax, Required: true, SilentSince: 131, Meaning: "two fields of two bits: tcgen05.mma kinds"},
	0x06: {Name: "ENABLE_OPPORTUNISTIC_FINALIZATION", Format: Byte, Merge: CompatDiffer, Required: true, Default: 1, SilentSince: 131, Meaning: "the finalizer may try other targets"},
	0x07: {Name: "MERCURY_ISA_MAJOR_MINOR_VERSION", Format: Half, Merge: CompatMax, Required: true, Default: 0x100, Since: 130, SilentSince: 133, Meaning: "Mercury instruction set: major and minor byte"},
	0x08: {Name: "MERCURY_ISA_PATCH_VERSION", Format: Half, Merge: CompatMax, Required: true, RequiredSince: 133, SilentSince: 131, Meaning: "Mercury instruction set: patch version"},
	0x09: {Name: "CUDA_ACCELERATOR_TARGET", Format: Byte, Merge: CompatOwn, Meaning: "1 when the target is an 'a' architecture"},
	0x0a: {Name: "CUDA_DRIVER_VERSION", Meaning: "driver version"},
	0x0b: {Name: "CAN_FASTPATH_FINALIZE", Format: Sized, Merge: CompatAnd, Since: 132, Meaning: "64 bits: targets that a fast finalizer can make; the linker's own beside a Mercury half"},
	0x0c: {Name: "CUDA_INTERNAL_TARGET", Format: Byte, Merge: CompatMax, Required: true, Default: 2, Since: 134, Meaning: "a kind of target"},
	0x0d: {Format: Half, Merge: CompatMax, Required: true, Default: 0x100, Since: 133, Meaning: "a version"},
	0x0e: {Name: "FINALIZER_VERSION", Format: Half, Merge: CompatMaxOfAll, Since: 134, Meaning: "version of the finalizer; the linker's own beside a Mercury half"},
	0x0f: {Name: "MIN_FINALIZER_VERSION_FOR_MVC", Format: Half, Merge: CompatMaxOfAll, Since: 134, Meaning: "a version of the finalizer"},
	0x10: {Name: "ERROR_LAST", Meaning: "end of the codes that cuobjdump 13 knows"},
}

// CompatName returns the name of the .nv.compat code c, as printed by cuobjdump.
func CompatName(c Code) string {
	if int(c) < len(Compats) && Compats[c].Name != "" {
		return "EICOMPAT_ATTR_" + Compats[c].Name
	}
	return fmt.Sprintf("EICOMPAT_ATTR %#02x", uint8(c))
}

// A CompatMerger builds the .nv.compat of an output.
type CompatMerger struct {
	toolkit   *arch.Profile
	records   []Record
	lacked    [len(Compats)]bool // an input lacked the record
	finalized bool               // the output has a Mercury half
	fastPath  uint32             // the bits of CAN_FASTPATH_FINALIZE in this case
	isOwn     bool               // the target's name ends in 'a'
	hasCode   bool               // the output has code
}

// NewCompatMerger begins the .nv.compat section of an output. The target must have this section.
func NewCompatMerger(target arch.Target) *CompatMerger {
	m := &CompatMerger{toolkit: target.Profile, finalized: target.Number >= arch.MinFastPath, fastPath: target.FastPaths(), isOwn: target.Suffix == 'a', hasCode: true}
	if m.toolkit.Info.LateCompat {
		return m
	}
	own := Record{Format: Byte, Code: CompatAcceleratorTarget}
	if target.Suffix == 'a' {
		own.Value = 1
	}
	m.records = []Record{own}
	return m
}

// Add merges the records of one input's .nv.compat. An older object without this section is not added. missing
// holds the codes without which the output can only run on its own target. nvlink warns about each of them
// (INFO-012).
func (m *CompatMerger) Add(records []Record) (missing []Code) {
	var seen [len(Compats)]bool
	for _, r := range records {
		if int(r.Code) < len(Compats) {
			seen[r.Code] = true
			m.take(r)
		}
	}
	for code := range Compats {
		c := &Compats[code]
		if seen[code] {
			continue
		}
		m.lacked[code] = true
		if c.Required && arch.Holds(m.toolkit.API, c.RequiredSince, 0) {
			m.take(Record{Format: c.Format, Code: Code(code), Value: c.Default})
			if c.Warn {
				missing = append(missing, Code(code))
			}
		}
	}
	return missing
}

// take merges one record with the previous records of the same code.
func (m *CompatMerger) take(r Record) {
	c := &Compats[r.Code]
	if c.Merge == CompatIgnore || c.Merge == CompatOwn || !arch.Holds(m.toolkit.API, c.Since, c.Until) {
		return
	}
	value := r.number()
	if c.Format == Byte {
		value &= 0xff
	}
	for i := range m.records {
		if known := &m.records[i]; known.Code == r.Code {
			known.Value = c.Merge.of(known.Value, value)
			for k := range min(len(known.Payload), len(r.Payload)) {
				known.Payload[k] &= r.Payload[k]
			}
			return
		}
	}
	if r = (Record{Format: c.Format, Code: r.Code, Value: value, Payload: slices.Clone(r.Payload)}); c.Format != Sized {
		r.Payload = nil
	}
	m.records = append(m.records, r)
}

// of merges a, the number of the previous inputs, with b, that of another input.
func (m CompatMerge) of(a, b uint16) uint16 {
	switch m {
	case CompatLeastMax:
		if a == 0 || b == 0 {
			return 0
		}
		return max(a, b)
	case CompatMax, CompatMaxOfAll:
		return max(a, b)
	case CompatOr:
		return a | b
	case CompatFieldMax:
		if a == 0 || b == 0 {
			return 0
		}
		low := CompatLeastMax.of(a&3, b&3)
		high := CompatLeastMax.of(a&0xc, b&0xc)
		return a&^0xf | high | low
	case CompatDiffer:
		if a != b {
			return 1
		}
	}
	return a
}

// LimitFastPath limits the targets to which a fast finalizer can convert the code of the output.
func (m *CompatMerger) LimitFastPath(targets uint32) { m.fastPath &= targets }

// WithoutCode records that the output has no code.
func (m *CompatMerger) WithoutCode() { m.hasCode = false }

// MachineCodeOnly records that the output has no Mercury half. The linker then adds no records about
// finalizers.
func (m *CompatMerger) MachineCodeOnly() { m.finalized = false }

// Unfinalized returns the records of the file as it is before finalization. The records that nvlink's finalizer
// adds are not among them (KIT-142).
func (m *CompatMerger) Unfinalized() []Record {
	records := slices.DeleteFunc(m.merged(), func(r Record) bool { return r.Code == CompatFinalizer })
	if m.toolkit.Info.AddsFastPath {
		return slices.DeleteFunc(records, func(r Record) bool { return r.Code == CompatFastPath })
	}
	return replaceRecord(records, New(CompatFastPath, m.fastPaths(), 0))
}

// fastPaths returns the bits of CAN_FASTPATH_FINALIZE. If the name of the target ends in 'a', its code is
// limited to that target, the lowest bit. It is not if the records of all inputs contain the usual values for
// both kinds of tcgen05.mma (KIT-262). From 13.3 on an output without code has no such limit (KIT-630).
func (m *CompatMerger) fastPaths() uint32 {
	const usual = 5 // both kinds
	if !m.isOwn || !m.hasCode || !m.toolkit.Info.TiesFastPath || slices.ContainsFunc(m.records, func(r Record) bool { return r.Code == CompatTCGen05MMA && r.Value == usual }) {
		return m.fastPath
	}
	return m.fastPath & -m.fastPath
}

// Records returns the records of the output for the inputs added so far.
func (m *CompatMerger) Records() []Record {
	records := m.merged()
	if !m.finalized || m.toolkit.Info.LateCompat {
		return records
	}
	records = replaceRecord(records, New(CompatFastPath, m.fastPaths(), 0))
	if version := m.toolkit.Info.FinalizerVersion; version != 0 {
		records = slices.DeleteFunc(records, func(r Record) bool { return Compats[r.Code].Merge == CompatMaxOfAll })
		records = append(records, Record{Format: Half, Code: CompatFinalizer, Value: version})
	}
	return records
}

// merged returns the records that follow from the inputs added so far.
func (m *CompatMerger) merged() []Record {
	records := make([]Record, 0, len(m.records)+2)
	for _, r := range m.records {
		c := &Compats[r.Code]
		silent := r.Value == c.Default && c.SilentSince != 0 && m.toolkit.API >= c.SilentSince
		if silent || c.Merge == CompatMaxOfAll && m.lacked[r.Code] {
			continue
		}
		records = append(records, r)
	}
	return records
}

// replaceRecord replaces the record that has the code of r, or appends r if there is none.
func replaceRecord(records []Record, r Record) []Record {
	if i := slices.IndexFunc(records, func(known Record) bool { return known.Code == r.Code }); i >= 0 {
		records[i] = r
		return records
	}
	return append(records, r)
}

// MergeCompat builds the .nv.compat section of an output for target. inputs are the records of those inputs
// that have the section. missing lists, for each of them, the codes that nvlink warns about.
func MergeCompat(target arch.Target, inputs [][]Record) (records []Record, missing [][]Code) {
	m := NewCompatMerger(target)
	missing = make([][]Code, len(inputs))
	for i, input := range inputs {
		missing[i] = m.Add(input)
	}
	return m.Records(), missing
}

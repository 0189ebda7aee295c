// Package trace describes the steps of a link as events (--trace).
//
// Options.Trace of package linker receives one event, with its numbers, for each step that the documents list in their
// verbose output, in the order of the steps. The texts are those of the documents (seeds 000 to 004, "Verbose Trace
// Strings"). nvlink contains these texts, but has no option that prints them. culink therefore chose the point in the
// link where each event occurs (OPT-500). A link without Trace makes no events.
//
// OrderedBy, the finalizer's messages and the names at the end of ResolvesRelocation exist in culink only.
//
// Numbers of sections and symbols are those of their creation, as nvlink counts them while it links. Sections are
// numbered from 0, local symbols from 1, and global symbols from -1 downwards. A kernel's number is that of its
// function, from 0.
package trace

import (
	"fmt"
)

// A Phase is a part of the link that can be traced by itself.
type Phase string

const (
	Merge     Phase = "merge"
	Reach     Phase = "reach"
	Propagate Phase = "propagate"
	Layout    Phase = "layout"
	Finalize  Phase = "finalize" // of culink alone: the documents do not mention it
	Relocate  Phase = "relocate"
	Time      Phase = "time" // the duration of each phase, which differs between links
)

// Phases lists all phases, in the order of a link.
func Phases() []Phase {
	return []Phase{Merge, Reach, Propagate, Layout, Finalize, Relocate, Time}
}

// A Message is the kind of an event.
type Message int

// The messages, by phase.
const (
	ReplacesWeak Message = iota
	ReplacesWeakFewerRegisters
	ReplacesWeakNewerPTX
	SeeksNewRegisters
	SeeksOldRegisters
	RemovesWeakRelocation
	RemovesWeakDebugRelocation
	RemovesWeakInfo
	RemovesWeakFrameSize
	RemovesWeakConstants
	WeakDone
	WeakRelocated
	RemovesLaterWeakRelocation
	SecondParameterBank
	InitReplacesCommon
	CommonGrows
	UnknownCompat
	MapsSection
	MapsSymbol
	SkipsMercury

	RemovesSection
	DeadConstantsElsewhere

	PropagatesRegisters
	RaisesBarriers
	CreatesBarriers

	GlobalShared
	SharedOfOneEntry
	SharedUnused
	SharedObjectSeen
	SharedEdge
	SharedGroup
	SharedPlace
	SharedEntry
	SharedEntryAlone
	WholeSharedIgnored
	VariablePlaced
	EntryShared
	EntrySharedSize
	ExternShared
	ExternSharedPlaced
	ExternSharedInstance
	ExternSharedOverlaps
	ReservedSharedHeader
	SharedMoved
	CompilerConstantBank
	CompilerConstantsReach
	CompilerBankNeeded
	CompilerConstantsPlaced
	CompilerConstantReset
	ConstantEntry
	LocalEntry
	LocalConstantPlaced
	ConstantPlaced
	OrderedBy

	FinalizedFunction
	FinalizerPass
	KeptSchedule

	ReplacesExternShared
	IgnoresYield
	ResolvesRelocation

	PhaseTook
)

// traceTexts holds the texts of the documents. It has %d and %x of Go in place of %lld and %llx.
var traceTexts = [...]struct {
	phase Phase
	text  string
}{
	ReplacesWeak:               {Merge, "replace weak function %s"},
	ReplacesWeakFewerRegisters: {Merge, "replace weak function %s with weak that uses fewer registers"},
	ReplacesWeakNewerPTX:       {Merge, "replace weak function %s with weak from newer PTX"},
	SeeksNewRegisters:          {Merge, "no new register count found for %s, checking .nv.info"},
	SeeksOldRegisters:          {Merge, "no original register count found for %s, checking .nv.info"},
	RemovesWeakRelocation:      {Merge, "remove weak reloc"},
	RemovesWeakDebugRelocation: {Merge, "remove weak reloc from debug"},
	RemovesWeakInfo:            {Merge, "remove weak nvinfo"},
	RemovesWeakFrameSize:       {Merge, "remove weak frame_size"},
	RemovesWeakConstants:       {Merge, "remove weak ocg constants"},
	WeakDone:                   {Merge, "weak %s already processed"},
	WeakRelocated:              {Merge, "weak sym %d already relocated"},
	RemovesLaterWeakRelocation: {Merge, "remove reloc for subsequent weak %d"},
	SecondParameterBank:        {Merge, "duplicate param bank on weak entry %s"},
	InitReplacesCommon:         {Merge, "global.init replaces common for %s"},
	CommonGrows:                {Merge, "increase size of common %s"},
	UnknownCompat:              {Merge, "unknown .nv.compat attribute (%x) encoutered with value %x."},
	MapsSection:                {Merge, "map_section_index[%d] = %d, offset = %d"},
	MapsSymbol:                 {Merge, "map_symbol_index[%d] = %d"},
	SkipsMercury:               {Merge, "skip mercury section %d"},

	RemovesSection:         {Reach, "removed un-used section %s (%d)"},
	DeadConstantsElsewhere: {Reach, "dead ocg constant section %s has multiple instances"},

	PropagatesRegisters: {Propagate, "regcount %d for %s propagated to entry %s"},
	RaisesBarriers:      {Propagate, "Propagating higher barcount %d to the section flags of %s of entry symbol %s"},
	CreatesBarriers:     {Propagate, "Creating new EIATTR_NUM_BARRIERS and moving barcount %d from section flags of %s to nvinfo for entry symbol %s"},

	GlobalShared:            {Layout, "global shared:"},
	SharedOfOneEntry:        {Layout, "global shared %s only used in entry %d"},
	SharedUnused:            {Layout, "remove unused global shared %s"},
	SharedObjectSeen:        {Layout, "for shared object (%d) %s:"},
	SharedEdge:              {Layout, "  edge to %d"},
	SharedGroup:             {Layout, "  allocate to group %d"},
	SharedPlace:             {Layout, "  offset = 0x%x, size = 0x%x"},
	SharedEntry:             {Layout, "shared entry %s:"},
	SharedEntryAlone:        {Layout, "entry %s does not reach global shared"},
	WholeSharedIgnored:      {Layout, "shared entry %s from EWP ignored"},
	VariablePlaced:          {Layout, "variable %s at offset %d"},
	EntryShared:             {Layout, "esh %s has offset %d"},
	EntrySharedSize:         {Layout, "esh %s size = %d"},
	ExternShared:            {Layout, "extern shared"},
	ExternSharedPlaced:      {Layout, "extern shared variable %s at offset %d"},
	ExternSharedInstance:    {Layout, "extern shared instance %d at offset %d"},
	ExternSharedOverlaps:    {Layout, "overlapping sets %d and %d"},
	ReservedSharedHeader:    {Layout, "global reserved shared:"},
	SharedMoved:             {Layout, "shared variable %s updated offset to %d"},
	CompilerConstantBank:    {Layout, "ocg const bank %s, size=%d:"},
	CompilerConstantsReach:  {Layout, "OCG constant section %d reaches entry %d(%s)"},
	CompilerBankNeeded:      {Layout, "need new ocg section %s"},
	CompilerConstantsPlaced: {Layout, "new ocg %s offset = %d in %d"},
	CompilerConstantReset:   {Layout, "reset ocg constant reloc offset from %d to %d"},
	ConstantEntry:           {Layout, "constant entry %s:"},
	LocalEntry:              {Layout, "local entry %s:"},
	LocalConstantPlaced:     {Layout, "local constant %s at offset %d"},
	ConstantPlaced:          {Layout, "constant %s at offset %d"},
	OrderedBy:               {Layout, "  ordered by %s: alignment %d, size %d"},

	FinalizedFunction: {Finalize, "function %s: %s"},
	FinalizerPass:     {Finalize, "pass %s"},
	KeptSchedule:      {Finalize, "kept: %s"},

	ReplacesExternShared: {Relocate, "reloc of extern shared %d replaced with symbol %d"},
	IgnoresYield:         {Relocate, "Ignoring the reloc to convert YIELD to NOP due to forward progress requirement."},
	ResolvesRelocation:   {Relocate, "resolve reloc %d for sym=%d+%d at <section=%d,offset=%x>, %s in %s"},

	PhaseTook: {Time, "%s time: %f"},
}

// An Event is one step of a link.
type Event struct {
	Message Message
	Args    []any // names, and numbers as the text shows them
}

// Phase returns the phase to which the step belongs.
func (e Event) Phase() Phase { return traceTexts[e.Message].phase }

// String returns the event in the words of the documents.
func (e Event) String() string {
	return fmt.Sprintf(traceTexts[e.Message].text, e.Args...)
}

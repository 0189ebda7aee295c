package linker

import (
	"fmt"
	"slices"
	"time"
)

// A link can tell what it does and with which numbers: Options.Trace receives one
// event for each step that the documents' verbose output speaks of, in the order of
// the steps. The texts are the documents' (seeds 000 to 004, "Verbose Trace
// Strings"); the release has them, and no option that prints them, so where one
// stands in the link is our choice (OPT-500). A link without Trace makes no events.
//
// Numbers of sections and symbols are those of creation, as nvlink counts them while
// it links: sections from 0; local symbols from 1, global ones from -1 downwards. A
// kernel's number is that of its function, from 0.

// A TracePhase is a part of the link that can be traced by itself.
type TracePhase string

const (
	TraceMerge     TracePhase = "merge"
	TraceReach     TracePhase = "reach"
	TracePropagate TracePhase = "propagate"
	TraceLayout    TracePhase = "layout"
	TraceFinalize  TracePhase = "finalize" // culink's own: documents do not tell of it
	TraceRelocate  TracePhase = "relocate"
	TraceTime      TracePhase = "time" // how long each phase took: not the same in any two links
)

// TracePhases lists all phases, in the order of a link.
func TracePhases() []TracePhase {
	return []TracePhase{TraceMerge, TraceReach, TracePropagate, TraceLayout, TraceFinalize, TraceRelocate, TraceTime}
}

// A TraceMessage says what an event tells.
type TraceMessage int

// The messages, by phase.
const (
	replacesWeak TraceMessage = iota
	replacesWeakFewerRegisters
	replacesWeakNewerPTX
	seeksNewRegisters
	seeksOldRegisters
	removesWeakRelocation
	removesWeakDebugRelocation
	removesWeakInfo
	removesWeakFrameSize
	removesWeakConstants
	weakDone
	weakRelocated
	removesLaterWeakRelocation
	secondParameterBank
	initReplacesCommon
	commonGrows
	unknownCompat
	mapsSection
	mapsSymbol
	skipsMercury

	removesSection
	deadConstantsElsewhere

	propagatesRegisters
	raisesBarriers
	createsBarriers

	globalShared
	sharedOfOneEntry
	sharedUnused
	sharedObjectSeen
	sharedEdge
	sharedGroup
	sharedPlace
	sharedEntry
	sharedEntryAlone
	wholeSharedIgnored
	variablePlaced
	entryShared
	entrySharedSize
	externShared
	externSharedPlaced
	externSharedInstance
	externSharedOverlaps
	reservedSharedHeader
	sharedMoved
	compilerConstantBank
	compilerConstantsReach
	compilerBankNeeded
	compilerConstantsPlaced
	compilerConstantReset
	constantEntry
	localEntry
	localConstantPlaced
	constantPlaced

	finalizedFunction

	replacesExternShared
	ignoresYield
	resolvesRelocation

	phaseTook
)

// traceTexts has the documents' texts, %lld and %llx written as Go's %d and %x.
var traceTexts = [...]struct {
	phase TracePhase
	text  string
}{
	replacesWeak:               {TraceMerge, "replace weak function %s"},
	replacesWeakFewerRegisters: {TraceMerge, "replace weak function %s with weak that uses fewer registers"},
	replacesWeakNewerPTX:       {TraceMerge, "replace weak function %s with weak from newer PTX"},
	seeksNewRegisters:          {TraceMerge, "no new register count found for %s, checking .nv.info"},
	seeksOldRegisters:          {TraceMerge, "no original register count found for %s, checking .nv.info"},
	removesWeakRelocation:      {TraceMerge, "remove weak reloc"},
	removesWeakDebugRelocation: {TraceMerge, "remove weak reloc from debug"},
	removesWeakInfo:            {TraceMerge, "remove weak nvinfo"},
	removesWeakFrameSize:       {TraceMerge, "remove weak frame_size"},
	removesWeakConstants:       {TraceMerge, "remove weak ocg constants"},
	weakDone:                   {TraceMerge, "weak %s already processed"},
	weakRelocated:              {TraceMerge, "weak sym %d already relocated"},
	removesLaterWeakRelocation: {TraceMerge, "remove reloc for subsequent weak %d"},
	secondParameterBank:        {TraceMerge, "duplicate param bank on weak entry %s"},
	initReplacesCommon:         {TraceMerge, "global.init replaces common for %s"},
	commonGrows:                {TraceMerge, "increase size of common %s"},
	unknownCompat:              {TraceMerge, "unknown .nv.compat attribute (%x) encoutered with value %x."},
	mapsSection:                {TraceMerge, "map_section_index[%d] = %d, offset = %d"},
	mapsSymbol:                 {TraceMerge, "map_symbol_index[%d] = %d"},
	skipsMercury:               {TraceMerge, "skip mercury section %d"},

	removesSection:         {TraceReach, "removed un-used section %s (%d)"},
	deadConstantsElsewhere: {TraceReach, "dead ocg constant section %s has multiple instances"},

	propagatesRegisters: {TracePropagate, "regcount %d for %s propagated to entry %s"},
	raisesBarriers:      {TracePropagate, "Propagating higher barcount %d to the section flags of %s of entry symbol %s"},
	createsBarriers:     {TracePropagate, "Creating new EIATTR_NUM_BARRIERS and moving barcount %d from section flags of %s to nvinfo for entry symbol %s"},

	globalShared:            {TraceLayout, "global shared:"},
	sharedOfOneEntry:        {TraceLayout, "global shared %s only used in entry %d"},
	sharedUnused:            {TraceLayout, "remove unused global shared %s"},
	sharedObjectSeen:        {TraceLayout, "for shared object (%d) %s:"},
	sharedEdge:              {TraceLayout, "  edge to %d"},
	sharedGroup:             {TraceLayout, "  allocate to group %d"},
	sharedPlace:             {TraceLayout, "  offset = 0x%x, size = 0x%x"},
	sharedEntry:             {TraceLayout, "shared entry %s:"},
	sharedEntryAlone:        {TraceLayout, "entry %s does not reach global shared"},
	wholeSharedIgnored:      {TraceLayout, "shared entry %s from EWP ignored"},
	variablePlaced:          {TraceLayout, "variable %s at offset %d"},
	entryShared:             {TraceLayout, "esh %s has offset %d"},
	entrySharedSize:         {TraceLayout, "esh %s size = %d"},
	externShared:            {TraceLayout, "extern shared"},
	externSharedPlaced:      {TraceLayout, "extern shared variable %s at offset %d"},
	externSharedInstance:    {TraceLayout, "extern shared instance %d at offset %d"},
	externSharedOverlaps:    {TraceLayout, "overlapping sets %d and %d"},
	reservedSharedHeader:    {TraceLayout, "global reserved shared:"},
	sharedMoved:             {TraceLayout, "shared variable %s updated offset to %d"},
	compilerConstantBank:    {TraceLayout, "ocg const bank %s, size=%d:"},
	compilerConstantsReach:  {TraceLayout, "OCG constant section %d reaches entry %d(%s)"},
	compilerBankNeeded:      {TraceLayout, "need new ocg section %s"},
	compilerConstantsPlaced: {TraceLayout, "new ocg %s offset = %d in %d"},
	compilerConstantReset:   {TraceLayout, "reset ocg constant reloc offset from %d to %d"},
	constantEntry:           {TraceLayout, "constant entry %s:"},
	localEntry:              {TraceLayout, "local entry %s:"},
	localConstantPlaced:     {TraceLayout, "local constant %s at offset %d"},
	constantPlaced:          {TraceLayout, "constant %s at offset %d"},

	finalizedFunction: {TraceFinalize, "function %s: %s"},

	replacesExternShared: {TraceRelocate, "reloc of extern shared %d replaced with symbol %d"},
	ignoresYield:         {TraceRelocate, "Ignoring the reloc to convert YIELD to NOP due to forward progress requirement."},
	resolvesRelocation:   {TraceRelocate, "resolve reloc %d for sym=%d+%d at <section=%d,offset=%x>"},

	phaseTook: {TraceTime, "%s time: %f"},
}

// A TraceEvent is one step of a link.
type TraceEvent struct {
	Message TraceMessage
	Args    []any // names, and numbers as the text shows them
}

// Phase is the phase that the step belongs to.
func (e TraceEvent) Phase() TracePhase { return traceTexts[e.Message].phase }

// String is the event in the documents' words.
func (e TraceEvent) String() string {
	if text := traceTexts[e.Message].text; len(e.Args) > 0 {
		return fmt.Sprintf(text, e.Args...)
	}
	return traceTexts[e.Message].text
}

// trace tells of a step, if anyone listens.
func (o *Options) trace(m TraceMessage, args ...any) {
	if o.Trace != nil {
		o.Trace(TraceEvent{m, args})
	}
}

// A stopwatch tells how long the phases of a link take.
type stopwatch struct {
	options *Options
	since   time.Time
}

func (o *Options) stopwatch() *stopwatch {
	if o.Trace == nil {
		return nil
	}
	return &stopwatch{o, time.Now()}
}

// lap tells how long the phase took that ends here, in seconds.
func (w *stopwatch) lap(phase string) {
	if w != nil {
		now := time.Now()
		w.options.trace(phaseTook, phase, now.Sub(w.since).Seconds())
		w.since = now
	}
}

// number is the place of s among the sections in order of creation; traces only.
func (m *merged) number(s *section) int { return slices.Index(m.sections, s) }

// numbers gives the numbers of all sections and symbols at once, for traces that
// tell of many.
func (m *merged) numbers() (sections map[*section]int, symbols map[*symbol]int) {
	sections, symbols = map[*section]int{}, map[*symbol]int{}
	for i, s := range m.sections {
		sections[s] = i
	}
	for i, y := range m.locals {
		symbols[y] = i + 1
	}
	for i, y := range m.globals {
		symbols[y] = -i - 1
	}
	return sections, symbols
}

// traceMapping tells where the sections and symbols of the input went: what has no
// part in the link is left out (seed 004, the mapping arrays).
func (in *merger) traceMapping() {
	if in.options.Trace == nil {
		return
	}
	sections, symbols := in.numbers()
	for i, p := range in.places {
		if p.state == placed {
			in.options.trace(mapsSection, i, sections[p.section], p.base)
		}
	}
	for i, y := range in.symbolOf {
		if y != nil {
			in.options.trace(mapsSymbol, i, symbols[y])
		}
	}
}

// traceBanks tells of the kernels' local memory and parameters, and where the user's
// constants lie.
func (l *laidOut) traceBanks() {
	if l.options.Trace == nil {
		return
	}
	for _, e := range l.entries {
		if local := e.fn.bound[localPrefix+e.fn.symbol.name]; local != nil {
			l.options.trace(localEntry, local.name)
		}
	}
	for _, e := range l.entries {
		if bank := e.parameters(); bank != nil {
			l.options.trace(constantEntry, bank.name)
		}
	}
	user := l.byName[userConstantName]
	for _, y := range l.locals {
		if user != nil && y.section == user && !y.isSection {
			l.options.trace(localConstantPlaced, y.name, y.value)
		}
	}
	for _, y := range l.globals {
		if user != nil && y.section == user {
			l.options.trace(constantPlaced, y.name, y.value)
		}
	}
}

// traceExternShared tells where the extern __shared__ arrays of each function begin.
func (l *laidOut) traceExternShared() {
	if l.options.Trace == nil || len(l.dynamic) == 0 {
		return
	}
	l.options.trace(externShared)
	l.traceOverlaps()
	for _, fn := range l.functions {
		for _, y := range fn.uses {
			if at, ok := l.dynamic[l.dynamicKey(fn, y)]; ok && y.shared.extern && !fn.dead {
				l.options.trace(externSharedPlaced, y.name, at)
			}
		}
	}
}

// traceOverlaps tells which uses of extern __shared__ have a kernel in common, and so one
// start: sets of kernels, by their numbers in the order in which kernels reach the uses.
func (l *laidOut) traceOverlaps() {
	var keys []dynamicKey
	users := map[dynamicKey][]*entry{}
	for _, e := range l.entries {
		for _, key := range e.dynamic {
			if len(users[key]) == 0 {
				keys = append(keys, key)
			}
			users[key] = append(users[key], e)
		}
	}
	for i, key := range keys {
		mine := map[*entry]bool{}
		mark(users[key], mine)
		for k := i + 1; k < len(keys); k++ {
			if anyIn(users[keys[k]], mine) {
				l.options.trace(externSharedOverlaps, i, k)
			}
		}
	}
}

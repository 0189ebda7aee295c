package linker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// An explanation answers what nvlink never tells of a symbol: which input defines
// it and which ones lost, which kernel gets to it on which path, why it stands
// where it does, and what it adds to registers, stack, shared memory and constants.

// An Explanation is what there is to say of one symbol.
type Explanation struct {
	Symbol string `json:"symbol"`
	Kind   string `json:"kind"` // "kernel", "function", "global variable"; "unknown" when no input names it
	Facts  []Fact `json:"facts,omitempty"`
}

// A Fact is one line of an explanation.
type Fact struct {
	Topic string `json:"topic"` // "defined in", "reached by", "stack"
	Text  string `json:"text"`
}

// String gives the explanation as text, each fact on a line of its own.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", e.Symbol, e.Kind)
	for _, f := range e.Facts {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Topic, f.Text)
	}
	return b.String()
}

func (e *Explanation) add(topic, format string, args ...any) {
	e.Facts = append(e.Facts, Fact{topic, fmt.Sprintf(format, args...)})
}

// noteUnused notes that input defines y, and that another definition is linked.
func (m *merged) noteUnused(y *symbol, input string) {
	if !slices.Contains(m.options.Explain, y.name) {
		return
	}
	if m.alsoIn == nil {
		m.alsoIn = map[*symbol][]string{}
	}
	m.alsoIn[y] = append(m.alsoIn[y], input)
}

// explain tells of the symbols that the options name. Local symbols of several
// inputs may have one name; each is explained.
//
// Before: every symbol has its value; relocations are those of the inputs.
// After:  the program is as it was.
// Cost: for each symbol linear in symbols, calls, relocations and the pairs of kernel
// and function that it reaches.
func explain(l *laidOut) (all []Explanation) {
	for _, name := range l.options.Explain {
		found := false
		for _, list := range [][]*symbol{l.locals, l.globals} {
			for _, y := range list {
				if y.name == name && !y.isSection {
					x := &explainer{laidOut: l, symbol: y}
					all = append(all, x.explain())
					found = true
				}
			}
		}
		if !found {
			all = append(all, Explanation{Symbol: name, Kind: "unknown", Facts: []Fact{{"defined in", "no input names it"}}})
		}
	}
	return all
}

type explainer struct {
	*laidOut
	symbol *symbol
	Explanation
}

func (x *explainer) explain() Explanation {
	y := x.symbol
	x.Symbol, x.Kind = y.name, y.kind()
	x.definition()
	switch {
	case y.fn != nil:
		x.function(y.fn)
	case y.shared != nil:
		x.users()
		x.sharedPlace(y.shared)
	default:
		x.users()
		x.place()
	}
	return x.Explanation
}

// kind says what y is.
func (y *symbol) kind() string {
	switch {
	case y.fn != nil && y.fn.entry:
		return "kernel"
	case y.typ == cubin.SymFunc:
		return "function"
	case y.shared != nil && y.shared.isDynamic():
		return "extern shared array"
	case y.shared != nil:
		return "shared variable"
	case y.typ == cubin.SymTexture:
		return "texture"
	case y.typ == cubin.SymSampler:
		return "sampler"
	case y.typ == cubin.SymSurface:
		return "surface"
	case y.section != nil && y.section.bank != noBank, y.input&cubin.OtherSpaceMask == cubin.OtherConstant:
		return "constant"
	}
	return "global variable"
}

// definition says where the symbol comes from, and who else defines it (REACH-500).
func (x *explainer) definition() {
	y := x.symbol
	switch {
	case y.definedIn != "" && y.bind == cubin.BindWeak:
		x.add("defined in", "%s, weak", y.definedIn)
	case y.definedIn != "":
		x.add("defined in", "%s", y.definedIn)
	case providedByDriver(y.name):
		x.add("defined in", "the driver; first named in %s", y.mentioned)
	case isHandle(y.typ):
		x.add("defined in", "the program that loads it")
	case y.shared != nil && y.shared.extern:
		x.add("defined in", "each launch of a kernel; first named in %s", y.mentioned)
	default:
		x.add("defined in", "no input; first named in %s", y.mentioned)
	}
	if y.alias != nil {
		x.add("defined in", "the code of %s, of which it is a second name", y.alias.name)
	}
	for _, input := range x.alsoIn[y] {
		x.add("unused in", "%s", input)
	}
}

// function tells of a kernel or function.
func (x *explainer) function(fn *function) {
	paths := x.pathsFromKernels()
	switch {
	case fn.dead && fn.entry:
		x.add("dropped", "the options or the host code leave this kernel out")
	case fn.dead:
		x.add("dropped", "no kernel reaches it, and nothing takes its address")
	case fn.entry:
		x.add("stays", "as a kernel")
	}
	if reaching := x.kernelsReaching(fn); len(reaching) > 0 && !fn.entry {
		x.add("reached by", "%s", paths.to(fn))
		if len(reaching) > 1 {
			x.add("reached by", "%d kernels: %s", len(reaching), functionNames(reaching))
		}
	} else if !fn.dead && !fn.entry {
		switch {
		case fn.takenAs != nil:
			x.add("stays", "because its address is taken; no kernel calls it")
		case x.options.keepsDeadCode():
			x.add("stays", "because the options drop nothing; no kernel calls it")
		default:
			x.add("stays", "because a function that stays names it")
		}
	}
	if fn.takenAs != nil {
		x.add("address", "is taken; calls through pointers of its prototype may reach it")
	}
	if fn.text == nil || fn.dead {
		return
	}
	if e := x.entryOf[fn]; e != nil {
		x.kernelNeeds(e)
	} else {
		x.functionNeeds(fn)
	}
}

// functionNeeds says what a function asks of the kernels that reach it (REACH-502).
func (x *explainer) functionNeeds(fn *function) {
	counts, _ := x.registerCounts()
	registers := counts[fn.order]
	x.add("registers", "%d", registers)
	var raised []*function
	for _, e := range x.entries {
		if x.needs[e].registers == registers && x.raisedBy(e, counts) == fn {
			raised = append(raised, e.fn)
		}
	}
	if len(raised) > 0 {
		x.add("registers", "raises to %d: %s", registers, functionNames(raised))
	}
	frame, depth := x.stacks.frames[fn.order], x.stacks.depth[fn.order]
	switch {
	case x.stacks.state[fn.order] != done:
		x.add("stack", "%d bytes of its own", frame)
	case depth == stackUnknown:
		x.add("stack", "%d bytes of its own, unknown with what it calls: %s", frame, x.recursion(fn))
	default:
		x.add("stack", "%d bytes of its own, %d with what it calls", frame, depth)
	}
	if n := fn.barrierCount(); n > 0 {
		x.add("barriers", "%d", n)
	}
	x.sharedOf(fn)
	if s := fn.compilerConstants(); s != nil && s.size > 0 {
		x.add("constants", "%d bytes in bank %d of each kernel that reaches it", s.size, s.bank)
	}
}

// kernelNeeds says what a kernel needs, and which functions make it so (REACH-502).
func (x *explainer) kernelNeeds(e *entry) {
	fn, needs := e.fn, x.needs[e]
	counts, _ := x.registerCounts()
	own := counts[fn.order]
	if raiser := x.raisedBy(e, counts); raiser != nil {
		x.add("registers", "%d, raised from %d by %s: %s", needs.registers, own, raiser.symbol.name, x.pathsFrom(fn).to(raiser))
	} else {
		x.add("registers", "%d", needs.registers)
	}
	if needs.stack == stackUnknown {
		x.add("stack", "unknown: %s", x.recursion(fn))
	} else {
		x.add("stack", "%d bytes%s", needs.stack, x.deepest(fn))
	}
	if n := x.barriersOf(e); n > 0 {
		x.add("barriers", "%d", n)
	}
	if s := fn.shared; s != nil && s.kept {
		x.add("shared", "%d bytes", s.size)
	}
	for _, b := range fn.constantBanks() {
		x.add("constants", "%d bytes in bank %d", b.Bytes, b.Bank)
	}
	if len(e.reachable) > 1 {
		x.add("reaches", "%s", functionNames(e.reachable[1:]))
	}
}

// sharedOf names the shared variables that the code of fn uses.
func (x *explainer) sharedOf(fn *function) {
	for _, y := range fn.uses {
		if y.shared.extern {
			x.add("shared", "%s, extern", y.name)
		} else {
			x.add("shared", "%s, %d bytes", y.name, y.shared.size)
		}
	}
}

func (f *function) barrierCount() (most uint16) {
	for _, a := range f.attributes {
		if a.Code == nvinfo.NumBarriers {
			most = max(most, a.Value&0xff)
		}
	}
	return most
}

// raisedBy gives the function that raises the registers of a kernel above its own;
// nil when none does.
func (x *explainer) raisedBy(e *entry, counts []uint32) *function {
	if counts[e.fn.order] == x.needs[e].registers {
		return nil
	}
	var first *function // by creation
	for _, fn := range e.reachable {
		if counts[fn.order] == x.needs[e].registers && (first == nil || fn.order < first.order) {
			first = fn
		}
	}
	return first
}

// users says which code and data name a variable, and how a kernel gets there
// (REACH-500).
func (x *explainer) users() {
	paths := x.pathsFromKernels()
	var code []*function
	seen := map[*function]bool{}
	var data []string
	for _, s := range x.sections {
		if s.dead() || s.group == groupDebug || !slices.ContainsFunc(s.relocations, func(r relocation) bool { return r.symbol == x.symbol }) {
			continue
		}
		switch {
		case s.fn == nil || s.fn.text != s:
			data = append(data, s.name)
		case !seen[s.fn]:
			code = append(code, s.fn)
			seen[s.fn] = true
		}
	}
	var nearest *function
	for _, fn := range code {
		if d := paths.length(fn); d >= 0 && (nearest == nil || d < paths.length(nearest)) {
			nearest = fn
		}
	}
	if nearest != nil {
		x.add("reached by", "%s -> %s", paths.to(nearest), x.symbol.name)
	}
	if len(code) > 1 || nearest == nil && len(code) > 0 {
		x.add("named in", "code of %s", functionNames(code))
	}
	for _, name := range data {
		x.add("named in", "%s", name)
	}
	if len(code)+len(data) == 0 {
		x.add("reached by", "nothing names it")
	}
}

// sharedPlace says why a shared variable stands where it does (LAYOUT-501).
func (x *explainer) sharedPlace(o *sharedObject) {
	if o.late {
		x.add("place", "none: it was an extern array before %s gave it a size; name that file first", o.symbol.definedIn)
		return
	}
	if o.extern {
		for _, fn := range x.functions {
			if fn.dead || !slices.Contains(fn.uses, o.symbol) {
				continue
			}
			if at, ok := x.dynamic[x.dynamicKey(fn, o.symbol)]; ok {
				x.add("place", "offset %#x in the code of %s: behind the static variables of each kernel that reaches it: %s",
					x.reservedShared()+at, fn.symbol.name, functionNames(x.kernelsReaching(fn)))
			}
		}
		return
	}
	if o.missing {
		return
	}
	if x.options.Relocatable {
		x.add("place", "%d bytes, alignment %d: the last link places it", o.size, o.align)
		return
	}
	var commonTo []*function
	for _, e := range x.entries {
		switch {
		case slices.Contains(e.localised, o):
			x.add("place", "offset %#x, %d bytes: only kernel %s reaches it, so it is one of its own variables", x.sharedOffset(o), o.size, e.fn.symbol.name)
			return
		case slices.Contains(e.common, o):
			commonTo = append(commonTo, e.fn)
		}
	}
	switch {
	case o.owner != nil && o.owner.dead:
		x.add("dropped", "with kernel %s", o.owner.symbol.name)
	case o.owner != nil:
		x.add("place", "offset %#x, %d bytes: a variable of kernel %s", x.sharedOffset(o), o.size, o.owner.symbol.name)
	case len(commonTo) > 0:
		x.add("place", "offset %#x, %d bytes: one place in the kernels that reach it: %s", x.sharedOffset(o), o.size, functionNames(commonTo))
		for _, other := range x.sharedObjects {
			if other != o && !other.extern && x.isCommon(other) && other.symbol.value < o.symbol.value+o.size && o.symbol.value < other.symbol.value+other.size {
				x.add("place", "shares bytes with %s, which no kernel reaches together with it", other.symbol.name)
			}
		}
	default:
		x.add("dropped", "no kernel reaches code that names it")
	}
}

// isCommon tells whether several kernels reach o.
func (x *explainer) isCommon(o *sharedObject) bool {
	return slices.ContainsFunc(x.entries, func(e *entry) bool { return slices.Contains(e.common, o) })
}

// place says where a variable in global or constant memory stands (LAYOUT-501).
func (x *explainer) place() {
	y := x.symbol
	switch {
	case isHandle(y.typ):
		if len(x.handleBanks) > 0 {
			x.add("place", "slot at %#x of constant bank 0, for the driver to fill", y.slot)
		}
	case y.section != nil:
		x.add("place", "offset %#x of %s, %d bytes: behind what earlier inputs put there", y.value, y.section.name, y.size)
		if y.section.bank != noBank {
			x.add("constants", "%d bytes in bank %d of all kernels", y.size, y.section.bank)
		}
	}
}

// kernelsReaching gives the kernels that get to fn, itself too if it is one.
func (x *explainer) kernelsReaching(fn *function) (kernels []*function) {
	for _, e := range x.entries {
		if slices.Contains(e.reachable, fn) {
			kernels = append(kernels, e.fn)
		}
	}
	return kernels
}

// mostNames is how many names a list of functions shows.
const mostNames = 12

// functionNames lists functions.
func functionNames(list []*function) string {
	var b strings.Builder
	for i, fn := range list {
		if i == mostNames {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(fn.symbol.name)
	}
	return b.String()
}

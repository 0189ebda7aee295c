package tell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// An explanation answers what nvlink never tells of a symbol: which input defines
// it and which ones lost, which kernel gets to it on which path, why it stands
// where it does, and what it adds to registers, stack, shared memory and constants.

func (e *explainer) add(topic, format string, args ...any) {
	e.Facts = append(e.Facts, trace.Fact{Topic: topic, Text: fmt.Sprintf(format, args...)})
}

// Explain tells of the symbols that the options name. Local symbols of several
// inputs may have one name; each is explained.
//
// Before: every symbol has its value; relocations are those of the inputs.
// After:  the program is as it was.
// Cost: for each symbol linear in symbols, calls, relocations and the pairs of kernel
// and function that it reaches.
func Explain(l *layout.Placed) (all []trace.Explanation) {
	for _, name := range l.Options.Explain {
		found := false
		for _, list := range [][]*program.Symbol{l.Locals, l.Globals} {
			for _, y := range list {
				if y.Name == name && !y.IsSection {
					x := &explainer{Placed: l, symbol: y}
					all = append(all, x.explain())
					found = true
				}
			}
		}
		if !found {
			all = append(all, trace.Explanation{Symbol: name, Kind: "unknown", Facts: []trace.Fact{{Topic: "defined in", Text: "no input names it"}}})
		}
	}
	return all
}

type explainer struct {
	*layout.Placed
	symbol *program.Symbol
	trace.Explanation
}

func (x *explainer) explain() trace.Explanation {
	y := x.symbol
	x.Symbol, x.Kind = y.Name, kind(y)
	x.definition()
	switch {
	case y.Fn != nil:
		x.function(y.Fn)
	case y.Shared != nil:
		x.users()
		x.sharedPlace(y.Shared)
	default:
		x.users()
		x.place()
	}
	return x.Explanation
}

// kind says what y is.
func kind(y *program.Symbol) string {
	switch {
	case y.Fn != nil && y.Fn.Entry:
		return "kernel"
	case y.Type == cubin.SymFunc:
		return "function"
	case y.Shared != nil && y.Shared.IsDynamic():
		return "extern shared array"
	case y.Shared != nil:
		return "shared variable"
	case y.Type == cubin.SymTexture:
		return "texture"
	case y.Type == cubin.SymSampler:
		return "sampler"
	case y.Type == cubin.SymSurface:
		return "surface"
	case y.Section != nil && y.Section.Bank != program.NoBank, y.Input&cubin.OtherSpaceMask == cubin.OtherConstant:
		return "constant"
	}
	return "global variable"
}

// definition says where the symbol comes from, and who else defines it (REACH-500).
func (x *explainer) definition() {
	y := x.symbol
	switch {
	case y.DefinedIn != "" && y.Bind == cubin.BindWeak:
		x.add("defined in", "%s, weak", y.DefinedIn)
	case y.DefinedIn != "":
		x.add("defined in", "%s", y.DefinedIn)
	case program.ProvidedByDriver(y.Name):
		x.add("defined in", "the driver; first named in %s", y.Mentioned)
	case cubin.IsHandle(y.Type):
		x.add("defined in", "the program that loads it")
	case y.Shared != nil && y.Shared.Extern:
		x.add("defined in", "each launch of a kernel; first named in %s", y.Mentioned)
	default:
		x.add("defined in", "no input; first named in %s", y.Mentioned)
	}
	if y.Alias != nil {
		x.add("defined in", "the code of %s, of which it is a second name", y.Alias.Name)
	}
	for _, input := range x.AlsoIn[y] {
		x.add("unused in", "%s", input)
	}
}

// function tells of a kernel or function.
func (x *explainer) function(fn *program.Function) {
	paths := pathsFromKernels(x.Placed)
	switch {
	case fn.Dead && fn.Entry:
		x.add("dropped", "the options or the host code leave this kernel out")
	case fn.Dead:
		x.add("dropped", "no kernel reaches it, and nothing takes its address")
	case fn.Entry:
		x.add("stays", "as a kernel")
	}
	if reaching := x.kernelsReaching(fn); len(reaching) > 0 && !fn.Entry {
		x.add("reached by", "%s", paths.to(fn))
		if len(reaching) > 1 {
			x.add("reached by", "%d kernels: %s", len(reaching), functionNames(reaching))
		}
	} else if !fn.Dead && !fn.Entry {
		switch {
		case fn.TakenAs != nil:
			x.add("stays", "because its address is taken; no kernel calls it")
		case x.Options.KeepsDeadCode():
			x.add("stays", "because the options drop nothing; no kernel calls it")
		default:
			x.add("stays", "because a function that stays names it")
		}
	}
	if fn.TakenAs != nil {
		x.add("address", "is taken; calls through pointers of its prototype may reach it")
	}
	if fn.Text == nil || fn.Dead {
		return
	}
	if e := x.EntryOf[fn]; e != nil {
		x.kernelNeeds(e)
	} else {
		x.functionNeeds(fn)
	}
}

// functionNeeds says what a function asks of the kernels that reach it (REACH-502).
func (x *explainer) functionNeeds(fn *program.Function) {
	counts, _ := x.RegisterCounts()
	registers := counts[fn.Order]
	x.add("registers", "%d", registers)
	var raised []*program.Function
	for _, e := range x.Entries {
		if x.Needs[e].Registers == registers && x.raisedBy(e, counts) == fn {
			raised = append(raised, e.Fn)
		}
	}
	if len(raised) > 0 {
		x.add("registers", "raises to %d: %s", registers, functionNames(raised))
	}
	frame, depth := x.Stacks.Frames[fn.Order], x.Stacks.Depth[fn.Order]
	switch {
	case x.Stacks.State[fn.Order] != reach.Done:
		x.add("stack", "%d bytes of its own", frame)
	case depth == reach.StackUnknown:
		x.add("stack", "%d bytes of its own, unknown with what it calls: %s", frame, recursion(x.Placed, fn))
	default:
		x.add("stack", "%d bytes of its own, %d with what it calls", frame, depth)
	}
	if n := barrierCount(fn); n > 0 {
		x.add("barriers", "%d", n)
	}
	x.sharedOf(fn)
	if s := fn.CompilerConstants(); s != nil && s.Size > 0 {
		x.add("constants", "%d bytes in bank %d of each kernel that reaches it", s.Size, s.Bank)
	}
}

// kernelNeeds says what a kernel needs, and which functions make it so (REACH-502).
func (x *explainer) kernelNeeds(e *reach.Entry) {
	fn, needs := e.Fn, x.Needs[e]
	counts, _ := x.RegisterCounts()
	own := counts[fn.Order]
	if raiser := x.raisedBy(e, counts); raiser != nil {
		x.add("registers", "%d, raised from %d by %s: %s", needs.Registers, own, raiser.Symbol.Name, pathsFrom(x.Placed, fn).to(raiser))
	} else {
		x.add("registers", "%d", needs.Registers)
	}
	if needs.Stack == reach.StackUnknown {
		x.add("stack", "unknown: %s", recursion(x.Placed, fn))
	} else {
		x.add("stack", "%d bytes%s", needs.Stack, deepest(x.Placed, fn))
	}
	if n := barriersOf(x.Placed, e); n > 0 {
		x.add("barriers", "%d", n)
	}
	if s := fn.Shared; s != nil && s.State == program.Kept {
		x.add("shared", "%d bytes", s.Size)
	}
	for _, b := range constantBanks(fn) {
		x.add("constants", "%d bytes in bank %d", b.Bytes, b.Bank)
	}
	if len(e.Reachable) > 1 {
		x.add("reaches", "%s", functionNames(e.Reachable[1:]))
	}
}

// sharedOf names the shared variables that the code of fn uses.
func (x *explainer) sharedOf(fn *program.Function) {
	for _, y := range fn.Uses {
		if y.Shared.Extern {
			x.add("shared", "%s, extern", y.Name)
		} else {
			x.add("shared", "%s, %d bytes", y.Name, y.Shared.Size)
		}
	}
}

func barrierCount(f *program.Function) (most uint16) {
	for _, a := range f.Attributes {
		if a.Code == nvinfo.NumBarriers {
			most = max(most, a.Value&0xff)
		}
	}
	return most
}

// raisedBy returns the function that raises the registers of a kernel above its own;
// nil when none does.
func (x *explainer) raisedBy(e *reach.Entry, counts []uint32) *program.Function {
	if counts[e.Fn.Order] == x.Needs[e].Registers {
		return nil
	}
	var first *program.Function // by creation
	for _, fn := range e.Reachable {
		if counts[fn.Order] == x.Needs[e].Registers && (first == nil || fn.Order < first.Order) {
			first = fn
		}
	}
	return first
}

// users says which code and data name a variable, and how a kernel gets there
// (REACH-500).
func (x *explainer) users() {
	paths := pathsFromKernels(x.Placed)
	var code []*program.Function
	seen := map[*program.Function]bool{}
	var data []string
	for _, s := range x.Sections {
		if s.Dead() || s.Group == program.GroupDebug || !slices.ContainsFunc(s.Relocations, func(r program.Relocation) bool { return r.Symbol == x.symbol }) {
			continue
		}
		switch {
		case s.Fn == nil || s.Fn.Text != s:
			data = append(data, s.Name)
		case !seen[s.Fn]:
			code = append(code, s.Fn)
			seen[s.Fn] = true
		}
	}
	var nearest *program.Function
	for _, fn := range code {
		if d := paths.length(fn); d >= 0 && (nearest == nil || d < paths.length(nearest)) {
			nearest = fn
		}
	}
	if nearest != nil {
		x.add("reached by", "%s -> %s", paths.to(nearest), x.symbol.Name)
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
func (x *explainer) sharedPlace(o *program.SharedObject) {
	if o.Late {
		x.add("place", "none: it was an extern array before %s gave it a size; name that file first", o.Symbol.DefinedIn)
		return
	}
	if o.Extern {
		for _, fn := range x.Functions {
			if fn.Dead || !slices.Contains(fn.Uses, o.Symbol) {
				continue
			}
			if at, ok := x.StartOfExtern(fn, o.Symbol); ok {
				x.add("place", "offset %#x in the code of %s: behind the static variables of each kernel that reaches it: %s",
					x.ReservedShared()+at, fn.Symbol.Name, functionNames(x.kernelsReaching(fn)))
			}
		}
		return
	}
	if o.Missing {
		return
	}
	if x.Options.Relocatable {
		x.add("place", "%d bytes, alignment %d: the last link places it", o.Size, o.Align)
		return
	}
	var commonTo []*program.Function
	for _, e := range x.Kernels {
		switch {
		case slices.Contains(e.Localised, o):
			x.add("place", "offset %#x, %d bytes: only kernel %s reaches it, so it is one of its own variables", sharedOffset(x.Placed, o), o.Size, e.Fn.Symbol.Name)
			return
		case slices.Contains(e.Common, o):
			commonTo = append(commonTo, e.Fn)
		}
	}
	switch {
	case o.Owner != nil && o.Owner.Dead:
		x.add("dropped", "with kernel %s", o.Owner.Symbol.Name)
	case o.Owner != nil:
		x.add("place", "offset %#x, %d bytes: a variable of kernel %s", sharedOffset(x.Placed, o), o.Size, o.Owner.Symbol.Name)
	case len(commonTo) > 0:
		x.add("place", "offset %#x, %d bytes: one place in the kernels that reach it: %s", sharedOffset(x.Placed, o), o.Size, functionNames(commonTo))
		for _, other := range x.SharedObjects {
			if other != o && !other.Extern && x.isCommon(other) && other.Symbol.Value < o.Symbol.Value+o.Size && o.Symbol.Value < other.Symbol.Value+other.Size {
				x.add("place", "shares bytes with %s, which no kernel reaches together with it", other.Symbol.Name)
			}
		}
	default:
		x.add("dropped", "no kernel reaches code that names it")
	}
}

// isCommon reports whether several kernels reach o.
func (x *explainer) isCommon(o *program.SharedObject) bool {
	return slices.ContainsFunc(x.Kernels, func(e *layout.Kernel) bool { return slices.Contains(e.Common, o) })
}

// place says where a variable in global or constant memory stands (LAYOUT-501).
func (x *explainer) place() {
	y := x.symbol
	switch {
	case cubin.IsHandle(y.Type):
		if len(x.HandleBanks) > 0 {
			x.add("place", "slot at %#x of constant bank 0, for the driver to fill", y.Slot)
		}
	case y.Section != nil:
		x.add("place", "offset %#x of %s, %d bytes: behind what earlier inputs put there", y.Value, y.Section.Name, y.Size)
		if y.Section.Bank != program.NoBank {
			x.add("constants", "%d bytes in bank %d of all kernels", y.Size, y.Section.Bank)
		}
	}
}

// kernelsReaching returns the kernels that get to fn, itself too if it is one.
func (x *explainer) kernelsReaching(fn *program.Function) (kernels []*program.Function) {
	for _, e := range x.Entries {
		if slices.Contains(e.Reachable, fn) {
			kernels = append(kernels, e.Fn)
		}
	}
	return kernels
}

// mostNames is how many names a list of functions shows.
const mostNames = 12

// functionNames lists functions.
func functionNames(list []*program.Function) string {
	var b strings.Builder
	for i, fn := range list {
		if i == mostNames {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(fn.Symbol.Name)
	}
	return b.String()
}

package tell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/explain"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/nvinfo"
)

// An explanation contains what nvlink does not report about a symbol. It describes which definition prevails and which
// are discarded, which kernel reaches the symbol on which path, why it has its address, and what it adds to registers,
// stack, shared memory and constants.

// Explain explains the symbols that the options name. Local symbols of several inputs may have the same name; each of
// them is explained.
//
// Before the call, every symbol has its value, and relocations are those of the inputs. The program does not change. The
// time is linear in symbols, calls, relocations, and pairs of a kernel and a function that it reaches. For each symbol,
// the time is also linear in what the symbol reaches, in kernels with shared memory, and in functions if its stack is
// unknown.
func Explain(l *layout.Placed) (all []explain.Explanation) {
	if len(l.Options.Explain) == 0 {
		return nil
	}
	k := newKnown(l)
	for _, name := range l.Options.Explain {
		for _, y := range k.named[name] {
			x := &explainer{known: k, symbol: y}
			all = append(all, x.explain())
		}
		if len(k.named[name]) == 0 {
			all = append(all, unknown(name))
		}
	}
	return all
}

// known holds what all explanations of a link have in common.
type known struct {
	*layout.Placed
	named    map[string][]*program.Symbol           // the symbols to explain, by name
	users    map[*program.Symbol][]*program.Section // by variable to explain, the sections with relocations against it
	reaching *reach.KernelSet                       // the kernels that reach a function; a kernel reaches itself
	paths    *callPaths                             // from kernels
	counts   []uint32                               // registers, by order of function
}

func newKnown(l *layout.Placed) *known {
	k := &known{
		Placed: l, named: map[string][]*program.Symbol{}, users: map[*program.Symbol][]*program.Section{},
		reaching: l.CallersThat(func(*reach.Entry, *program.Function) bool { return true }), paths: pathsFromKernels(l),
	}
	k.counts, _ = l.RegisterCounts()
	for _, name := range l.Options.Explain {
		k.named[name] = nil
	}
	for _, list := range [][]*program.Symbol{l.Locals, l.Globals} {
		for _, y := range list {
			if found, wanted := k.named[y.Name]; wanted && !y.IsSection {
				k.named[y.Name] = append(found, y)
				if y.Fn == nil {
					k.users[y] = nil
				}
			}
		}
	}
	for _, s := range l.Sections {
		if !s.Dead() && s.Group != program.GroupDebug {
			k.addUser(s)
		}
	}
	return k
}

// addUser adds section s to the users of the variables that it refers to.
func (k *known) addUser(s *program.Section) {
	for _, r := range s.Relocations {
		if users, wanted := k.users[r.Symbol]; wanted && (len(users) == 0 || users[len(users)-1] != s) {
			k.users[r.Symbol] = append(users, s)
		}
	}
}

// kernelsReaching returns the names of the kernels that reach fn, in the order of the kernels.
func (k *known) kernelsReaching(fn *program.Function) (names []string) {
	for e := range k.reaching.Of(fn) {
		names = append(names, e.Fn.Symbol.Name)
	}
	slices.Reverse(names)
	return names
}

// unknown returns the explanation of a name that no input contains.
func unknown(name string) explain.Explanation {
	return explain.Explanation{Symbol: name, Kind: explain.Unknown, Definition: explain.Definition{By: explain.ByNobody}}
}

type explainer struct {
	*known
	symbol *program.Symbol
	explain.Explanation
}

func (x *explainer) explain() explain.Explanation {
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

// kind returns the kind of y.
func kind(y *program.Symbol) explain.Kind {
	switch {
	case y.Fn != nil && y.Fn.Entry:
		return explain.Kernel
	case y.Type == cubin.SymFunc:
		return explain.Function
	case y.Shared != nil && y.Shared.IsDynamic():
		return explain.ExternShared
	case y.Shared != nil:
		return explain.SharedVariable
	case cubin.IsHandle(y.Type):
		return handleKind(y.Type)
	case y.Section != nil && y.Section.Bank != program.NoBank, y.Input&cubin.OtherSpaceMask == cubin.OtherConstant:
		return explain.Constant
	}
	return explain.GlobalVariable
}

// handleKind returns the kind of a symbol whose type is that of a texture, a sampler or a surface.
func handleKind(t cubin.SymbolType) explain.Kind {
	switch t {
	case cubin.SymTexture:
		return explain.Texture
	case cubin.SymSampler:
		return explain.Sampler
	}
	return explain.Surface
}

// definition explains where the symbol comes from, and which other inputs define it (REACH-500).
func (x *explainer) definition() {
	y, d := x.symbol, &x.Definition
	switch {
	case y.DefinedIn != "":
		*d = explain.Definition{By: explain.ByInput, Input: y.DefinedIn, Weak: y.Bind == cubin.BindWeak}
	case program.ProvidedByDriver(y.Name):
		*d = explain.Definition{By: explain.ByDriver, Input: y.Mentioned}
	case cubin.IsHandle(y.Type):
		*d = explain.Definition{By: explain.ByProgram, Input: y.Mentioned}
	case y.Shared != nil && y.Shared.Extern:
		*d = explain.Definition{By: explain.ByLaunch, Input: y.Mentioned}
	default:
		*d = explain.Definition{By: explain.ByNobody, Input: y.Mentioned}
	}
	if y.Alias != nil {
		d.AliasOf = y.Alias.Name
	}
	d.Unused = x.AlsoIn[y]
}

// function explains a kernel or function.
func (x *explainer) function(fn *program.Function) {
	reaching := x.kernelsReaching(fn)
	x.Reach.AddressTaken = fn.TakenAs != nil
	switch {
	case fn.Dead && fn.Entry:
		x.Disposition = explain.DroppedKernel
	case fn.Dead:
		x.Disposition = explain.DroppedUnreached
	case fn.Entry:
		x.Disposition = explain.StaysAsKernel
	case len(reaching) > 0:
		x.Reach.Path, x.Reach.Kernels = x.paths.to(fn), reaching
	case fn.TakenAs != nil:
		x.Disposition = explain.StaysByAddress
	case x.Options.KeepsDeadCode():
		x.Disposition = explain.StaysByOption
	default:
		x.Disposition = explain.StaysNamed
	}
	if fn.Text == nil || fn.Dead {
		return
	}
	if e := x.EntryOf(fn); e != nil {
		x.Needs = x.kernelNeeds(e)
	} else {
		x.Needs = x.functionNeeds(fn)
	}
}

// functionNeeds returns what a function requires of every kernel that reaches it (REACH-502).
func (x *explainer) functionNeeds(fn *program.Function) *explain.Needs {
	l, counts := x.Placed, x.counts
	n := &explain.Needs{Registers: counts[fn.Order], OwnRegisters: counts[fn.Order], Barriers: int(barrierCount(fn))}
	for e := range x.reaching.Of(fn) {
		if l.Needs(e).Registers == n.Registers && raisedBy(l, e, x.counts) == fn {
			n.Raises = append(n.Raises, e.Fn.Symbol.Name)
		}
	}
	slices.Reverse(n.Raises)
	n.Stack.Frame = l.Stacks.Frames[fn.Order]
	switch depth := l.Stacks.Depth[fn.Order]; {
	case l.Stacks.State[fn.Order] != reach.Done:
		n.Stack.Alone = true
	case depth == reach.StackUnknown:
		n.Stack.Unknown, n.Stack.Path = true, recursion(l, fn)
	default:
		n.Stack.Bytes = depth
		n.Stack.Path, n.Stack.Frames = deepestPath(l, fn)
	}
	for _, y := range fn.Uses {
		n.SharedUsed = append(n.SharedUsed, explain.Usage{Name: y.Name, Size: y.Shared.Size, Extern: y.Shared.Extern})
	}
	if s := fn.CompilerConstants(); s != nil && s.Size > 0 {
		n.Constants = []explain.Bank{{Bank: s.Bank, Size: s.Size}}
	}
	return n
}

// kernelNeeds returns what a kernel needs, and which functions are the reason (REACH-502).
func (x *explainer) kernelNeeds(e *reach.Entry) *explain.Needs {
	l, fn, needs := x.Placed, e.Fn, x.Placed.Needs(e)
	barriers, _ := barriersOf(l, e)
	n := &explain.Needs{Registers: needs.Registers, OwnRegisters: x.counts[fn.Order], Barriers: int(barriers)}
	if raiser := raisedBy(l, e, x.counts); raiser != nil {
		n.RaisedBy = pathsFrom(l, fn).to(raiser)
	}
	n.Stack.Frame = l.Stacks.Frames[fn.Order]
	if needs.Stack == reach.StackUnknown {
		n.Stack.Unknown, n.Stack.Path = true, recursion(l, fn)
	} else {
		n.Stack.Bytes = needs.Stack
		n.Stack.Path, n.Stack.Frames = deepestPath(l, fn)
	}
	if s := fn.Shared; s != nil && s.State == program.Kept {
		n.Shared = s.Size
	}
	for _, b := range constantBanks(fn) {
		bank := explain.Bank{Bank: b.Bank, Size: b.Bytes}
		if s := fn.CompilerConstants(); s != nil && s.Bank == b.Bank {
			bank.By = fillers(fn, s)
		}
		n.Constants = append(n.Constants, bank)
	}
	n.Reaches = functionNames(e.Reachable()[1:])
	return n
}

// fillers returns the functions whose constants are in the bank of a kernel, the largest share first. A constant that
// several functions share counts for the first one.
func fillers(kernel *program.Function, s *program.Section) (list []explain.Filler) {
	for _, p := range s.Pieces {
		function := strings.TrimPrefix(p.What, layout.ConstantsOf)
		if p.Origin == "" {
			continue
		}
		if p.What == "" {
			function = kernel.Symbol.Name
		}
		i := slices.IndexFunc(list, func(f explain.Filler) bool { return f.Function == function })
		if i < 0 {
			i, list = len(list), append(list, explain.Filler{Function: function, Input: p.Origin})
		}
		list[i].Size += p.Size
	}
	slices.SortStableFunc(list, func(a, b explain.Filler) int { return cmp.Compare(b.Size, a.Size) })
	return list
}

func barrierCount(f *program.Function) (most uint16) {
	for a := range f.Attributes.Pushed() {
		if a.Code == nvinfo.NumBarriers {
			most = max(most, a.Value&0xff)
		}
	}
	return most
}

// raisedBy returns the function because of which the register count of a kernel is higher than its own. It returns nil if
// there is none.
func raisedBy(l *layout.Placed, e *reach.Entry, counts []uint32) *program.Function {
	if counts[e.Fn.Order] == l.Needs(e).Registers {
		return nil
	}
	var first *program.Function // by creation
	for _, fn := range e.Reachable() {
		if counts[fn.Order] == l.Needs(e).Registers && (first == nil || fn.Order < first.Order) {
			first = fn
		}
	}
	return first
}

// users explains which code and data refer to a variable, and how a kernel reaches them
// (REACH-500).
func (x *explainer) users() {
	var nearest *program.Function
	for _, s := range x.known.users[x.symbol] {
		fn := s.Fn
		if fn == nil || fn.Text != s {
			x.Reach.Data = append(x.Reach.Data, s.Name)
			continue
		}
		x.Reach.Code = append(x.Reach.Code, fn.Symbol.Name)
		if d := x.paths.length(fn); d >= 0 && (nearest == nil || d < x.paths.length(nearest)) {
			nearest = fn
		}
	}
	if nearest != nil {
		x.Reach.Path = append(x.paths.to(nearest), explain.Step{Name: x.symbol.Name})
	}
}

// sharedPlace explains why a shared variable has the address that it has (LAYOUT-501).
func (x *explainer) sharedPlace(o *program.SharedObject) {
	place := explain.Place{Size: o.Size}
	switch {
	case o.Late:
		x.Places = []explain.Place{{Why: explain.TooLate, Input: o.Symbol.DefinedIn}}
		return
	case o.Extern:
		x.externPlaces(o)
		return
	case o.Missing:
		return
	case x.Options.Relocatable:
		place.Why, place.Align = explain.ByLastLink, o.Align
		x.Places = []explain.Place{place}
		return
	}
	place.Offset = sharedOffset(x.Placed, o)
	for _, e := range x.Kernels {
		switch {
		case slices.Contains(e.Localised, o):
			place.Why, place.Kernels = explain.ReachedByOne, []string{e.Fn.Symbol.Name}
			x.Places = []explain.Place{place}
			return
		case slices.Contains(e.Common, o):
			place.Kernels = append(place.Kernels, e.Fn.Symbol.Name)
		}
	}
	switch {
	case o.Owner != nil && o.Owner.Dead:
		x.Disposition, x.Owner = explain.DroppedWithKernel, o.Owner.Symbol.Name
		return
	case o.Owner != nil:
		place.Why, place.Kernels = explain.OfOneKernel, []string{o.Owner.Symbol.Name}
	case len(place.Kernels) > 0:
		place.Why = explain.ReachedBySeveral
		for _, other := range x.SharedObjects {
			if other != o && !other.Extern && x.isCommon(other) && other.Symbol.Value < o.Symbol.Value+o.Size && o.Symbol.Value < other.Symbol.Value+other.Size {
				place.Overlaps = append(place.Overlaps, other.Symbol.Name)
			}
		}
	default:
		x.Disposition = explain.DroppedUnnamed
		return
	}
	x.Places = []explain.Place{place}
}

// externPlaces explains where an extern array begins, for each function that refers to it.
func (x *explainer) externPlaces(o *program.SharedObject) {
	for _, fn := range x.Functions {
		if fn.Dead || !slices.Contains(fn.Uses, o.Symbol) {
			continue
		}
		if at, ok := x.StartOfExtern(fn, o.Symbol); ok {
			x.Places = append(x.Places, explain.Place{
				Why: explain.AfterStatic, Offset: x.ReservedShared() + at,
				Code: fn.Symbol.Name, Kernels: x.kernelsReaching(fn),
			})
		}
	}
}

// isCommon reports whether several kernels reach o.
func (x *explainer) isCommon(o *program.SharedObject) bool {
	return slices.ContainsFunc(x.Kernels, func(e *layout.Kernel) bool { return slices.Contains(e.Common, o) })
}

// place explains where a variable in global or constant memory is (LAYOUT-501).
func (x *explainer) place() {
	y := x.symbol
	switch {
	case cubin.IsHandle(y.Type):
		if offset, ok := x.Slots[y]; ok && len(x.HandleBanks) > 0 {
			x.Places = []explain.Place{{Why: explain.InSlot, Offset: offset}}
		}
	case y.Section != nil:
		place := explain.Place{Why: explain.AfterEarlierInputs, Section: y.Section.Name, Offset: y.Value, Size: y.Size}
		if bank := y.Section.Bank; bank != program.NoBank {
			place.Bank = &bank
		}
		x.Places = []explain.Place{place}
	}
}

func functionNames(list []*program.Function) (names []string) {
	for _, fn := range list {
		names = append(names, fn.Symbol.Name)
	}
	return names
}

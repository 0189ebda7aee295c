package merge

import (
	"cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Two inputs may make different claims about one name. nvlink checks the kind of function, memory space, managed
// attribute, size and definition, in this order. Its messages were tested for all 576 ordered pairs of 24 kinds of
// symbols (MERGE-030).

// A claim is the information of an input about a name.
type claim struct {
	kind    claimKind
	handle  cubin.SymbolType // the kind of handle
	entry   bool             // a kernel
	space   uint8            // memory space in st_other; noSpace for textures
	managed bool
	size    uint64
	sized   bool // a definition: a size of 0 counts
	defined bool // not weak
	weak    bool
	local   bool
	init    bool // has contents in global memory
	bare    bool // in global memory without contents
}

// noSpace is the memory space of handles. No variable has it.
const noSpace = 0xff

type claimKind uint8

const (
	claimData claimKind = iota
	claimFunction
	claimHandle // a texture, sampler or surface
	claimCommon
	claimExternShared // only for claims of earlier inputs
)

// claimOf returns the claim of y in the input.
func (in *merger) claimOf(y *cubin.Symbol) claim {
	c := claim{
		space: uint8(y.Space()), managed: y.Other&cubin.OtherManaged != 0, size: y.Size,
		defined: y.Defined() && y.Bind != cubin.BindWeak, weak: y.Bind == cubin.BindWeak, sized: y.Defined(), local: y.Bind == cubin.BindLocal,
	}
	switch {
	case y.Type == cubin.SymFunc:
		c.kind, c.space, c.entry = claimFunction, 0, y.IsEntry()
	case cubin.IsHandle(y.Type):
		c.kind, c.handle, c.space = claimHandle, y.Type, noSpace
	case y.Section == cubin.ShnCommon:
		c.kind = claimCommon
	case int(y.Section) < len(in.object.File.Sections):
		typ := in.object.File.Sections[y.Section].Type
		c.init, c.bare = typ == cubin.SectionGlobalInit, typ == cubin.SectionGlobal
	}
	return c
}

// claimSoFar returns the combined claim of the previous inputs about y.
func claimSoFar(y *program.Symbol) claim {
	c := claim{
		space: y.Input & cubin.OtherSpaceMask, managed: y.Input&cubin.OtherManaged != 0, size: y.Size,
		defined: y.Section != nil && y.Bind != cubin.BindWeak, weak: y.Bind == cubin.BindWeak, sized: y.Section != nil && y.Shared == nil,
	}
	switch {
	case y.Fn != nil:
		c.kind, c.entry = claimFunction, y.Fn.Entry
	case cubin.IsHandle(y.Type):
		c.kind, c.handle, c.space = claimHandle, y.Type, noSpace
	case y.Met:
		c.defined, c.sized, c.bare = true, true, true
	case y.Common:
		c.kind = claimCommon
	case y.Shared != nil && y.Shared.IsDynamic():
		c.kind, c.size = claimExternShared, 0
	case y.Section != nil:
		c.init, c.bare = y.Section.Type == cubin.SectionGlobalInit, y.Section.Type == cubin.SectionGlobal
	}
	return c
}

// agrees reports conflicts between y of the input and the previous claims about its name. It returns false if
// there is one.
func (in *merger) agrees(known *program.Symbol, y *cubin.Symbol) bool {
	had, has := claimSoFar(known), in.claimOf(y)
	givesWay := in.Target.Profile.Merge.DiscardsCommon
	ok := true
	wrong := func(id diag.ID, args ...any) {
		in.log.Report(id, args...)
		ok = false
	}
	if has.kind == claimFunction && had.entry != has.entry {
		in.reportKind(y)
		ok = false
	}
	if spacesClash(had, has) {
		wrong(diag.SpaceMismatch, y.Name, in.object.Name, known.Mentioned)
	}
	if has.isVariable() && had.managed != has.managed {
		wrong(diag.ManagedMismatch, y.Name, in.object.Name, known.Mentioned)
	}
	if had.init && has.kind == claimCommon && has.size > had.size {
		wrong(diag.CommonLargerThanInit, y.Name, in.object.Name)
	}
	if outgrows(had, has, givesWay) {
		wrong(diag.CommonLargerThanInit, y.Name, known.Mentioned)
	}
	if sizesClash(had, has, givesWay) {
		wrong(diag.SizeMismatch, y.Name, in.object.Name, known.Mentioned)
	}
	if definedTwice(had, has, givesWay) {
		first := known.Mentioned
		if known.Fn != nil && known.DefinedIn != "" {
			first = cmp.Or(known.Fn.FirstIn, known.DefinedIn)
		}
		wrong(diag.MultipleDefinition, y.Name, in.object.Name, first)
	}
	if has.kind == claimFunction && known.Fn == nil && had.weak && known.Section != nil && has.weak && y.Defined() {
		in.stop("no such original reg count") // cannot determine the better definition (MERGE-301)
	}
	return ok
}

// reportKind reports that y is a kernel and that its name is a function elsewhere, or the other way around. This is the
// only message about symbols that shows the name as it is in the source (DIAG-106.2).
func (in *merger) reportKind(y *cubin.Symbol) {
	in.log.Report(diag.NotDeclaredGlobal, in.Options.ShownName(y.Name))
}

// spacesClash reports whether the memory spaces of two claims differ. The memory space does not matter for handles, nor
// if both are functions. A function has none, and clashes with earlier data without one too (MERGE-930). A variable
// without a memory space agrees with an earlier handle (MERGE-740).
func spacesClash(had, has claim) bool {
	switch {
	case has.kind == claimHandle:
		return false
	case has.kind == claimFunction:
		return had.kind != claimFunction
	case had.kind == claimHandle && has.isVariable():
		return has.space != 0
	}
	return had.space != has.space
}

// outgrows reports whether a common symbol is larger than its later definition. If givesWay is set, a definition without
// contents counts too.
func outgrows(had, has claim, givesWay bool) bool {
	return had.kind == claimCommon && (has.init || has.bare && givesWay) && had.size > has.size && had.managed == has.managed
}

// isVariable reports whether the claim is about data, and not about a function or handle.
func (c claim) isVariable() bool { return c.kind != claimFunction && c.kind != claimHandle }

// sizesClash reports whether the sizes of two claims differ. A size of 0 matters only for a definition. Next to a common
// symbol it matters only if the definition replaces the common symbol (KIT-024). The size of a function matters only if
// the function comes first.
func sizesClash(had, has claim, commonGivesWay bool) bool {
	switch {
	case !has.isVariable(), had.kind == claimHandle, had.kind == claimCommon && (has.kind == claimCommon || has.init), had.init && has.kind == claimCommon:
		return false
	case had.kind == claimExternShared && has.kind == claimCommon:
		return true
	case commonGivesWay && (had.bare && has.kind == claimCommon || had.kind == claimCommon && has.bare):
		return had.size != has.size
	}
	common := had.kind == claimCommon || has.kind == claimCommon
	counts := func(c claim) bool { return c.size != 0 || c.sized && !common }
	return had.size != has.size && counts(had) && counts(has)
}

// definedTwice reports whether both claims are strong definitions. Some kinds count as a definition only as the first
// claim or only as the second one. The same is true of a weak or local reference to a handle (MERGE-383, MERGE-740).
func definedTwice(had, has claim, commonGivesWay bool) bool {
	switch {
	case has.kind == claimHandle:
		return had.kind != claimHandle || had.handle != has.handle || (has.weak || has.local) && !has.sized
	case had.kind == claimHandle:
		return false
	case has.kind == claimCommon:
		return !has.weak && (had.defined && !had.init && had.kind != claimCommon && !(commonGivesWay && had.bare) || had.kind == claimExternShared)
	case had.kind == claimCommon:
		return has.defined && has.kind == claimFunction
	case had.kind == claimExternShared:
		return has.defined && !had.weak && (has.space != cubin.OtherShared || has.size == 0) // an array that -r has defined
	}
	return had.defined && has.defined
}

// stop ends the link with one of nvlink's internal errors.
func (in *merger) stop(message string) {
	in.log.Report(diag.InternalError, message)
	in.stopped = true
}

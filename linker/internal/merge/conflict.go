package merge

import (
	"cmp"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
)

// Two inputs may say different things of one name. What nvlink complains of was
// asked for all 576 ordered pairs of 24 kinds of symbols (MERGE-030):
// kind of function, memory space, managed attribute, size, definition, in this
// order.

// A claim is what an input says of a name.
type claim struct {
	kind    claimKind
	handle  cubin.SymbolType // which kind of handle
	entry   bool             // a kernel
	space   uint8            // memory space in st_other; noSpace for textures
	managed bool
	size    uint64
	defined bool // and not weak
	weak    bool
	init    bool // has contents in global memory
	bare    bool // stands in global memory without contents
}

// noSpace is where handles are, no memory space of a variable.
const noSpace = 0xff

type claimKind uint8

const (
	claimData claimKind = iota
	claimFunction
	claimHandle // a texture, sampler or surface
	claimCommon
	claimExternShared // of what is known so far only
)

// claimOf is what y of the input says.
func (in *merger) claimOf(y *cubin.Symbol) claim {
	c := claim{
		space: uint8(y.Space()), managed: y.Other&cubin.OtherManaged != 0, size: y.Size,
		defined: y.Defined() && y.Bind != cubin.BindWeak, weak: y.Bind == cubin.BindWeak,
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

// claimSoFar is what the inputs so far say of y.
func claimSoFar(y *program.Symbol) claim {
	c := claim{
		space: y.Input & cubin.OtherSpaceMask, managed: y.Input&cubin.OtherManaged != 0, size: y.Size,
		defined: y.Section != nil && y.Bind != cubin.BindWeak, weak: y.Bind == cubin.BindWeak,
	}
	switch {
	case y.Fn != nil:
		c.kind, c.entry = claimFunction, y.Fn.Entry
	case cubin.IsHandle(y.Type):
		c.kind, c.handle, c.space = claimHandle, y.Type, noSpace
	case y.Common:
		c.kind = claimCommon
	case y.Shared != nil && y.Shared.IsDynamic():
		c.kind, c.size = claimExternShared, 0
	case y.Section != nil:
		c.init, c.bare = y.Section.Type == cubin.SectionGlobalInit, y.Section.Type == cubin.SectionGlobal
	}
	return c
}

// agrees reports what is wrong with y of the input after all that is known of its
// name; false when anything is.
func (in *merger) agrees(known *program.Symbol, y *cubin.Symbol) bool {
	had, has := claimSoFar(known), in.claimOf(y)
	givesWay := in.Target.Profile.Merge.DiscardsCommon
	ok := true
	wrong := func(id diag.ID, args ...any) {
		in.log.Report(id, args...)
		ok = false
	}
	if has.kind == claimFunction && had.entry != has.entry {
		wrong(diag.NotDeclaredGlobal, y.Name)
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
		in.stop("no such original reg count") // of which copy is better (MERGE-301)
	}
	return ok
}

// spacesClash reports whether memory spaces differ. Handles have none that counts, nor have two functions.
func spacesClash(had, has claim) bool {
	return has.kind != claimHandle && (has.kind != claimFunction || had.kind != claimFunction) && had.space != has.space
}

// outgrows reports whether a common symbol is larger than the definition after it; givesWay: also than one without contents.
func outgrows(had, has claim, givesWay bool) bool {
	return had.kind == claimCommon && (has.init || has.bare && givesWay) && had.size > has.size && had.managed == has.managed
}

// isVariable tells data from functions and textures.
func (c claim) isVariable() bool { return c.kind != claimFunction && c.kind != claimHandle }

// sizesClash reports whether a size differs. A size of 0 says nothing, but of the definition that
// a common gives way to (KIT-024); a function has a size when it comes first only.
func sizesClash(had, has claim, commonGivesWay bool) bool {
	switch {
	case !has.isVariable(), had.kind == claimHandle, had.kind == claimCommon && (has.kind == claimCommon || has.init), had.init && has.kind == claimCommon:
		return false
	case had.kind == claimExternShared && has.kind == claimCommon:
		return true
	case commonGivesWay && (had.bare && has.kind == claimCommon || had.kind == claimCommon && has.bare):
		return had.size != has.size
	}
	return had.size != has.size && had.size != 0 && has.size != 0
}

// definedTwice reports whether both claims are strong definitions. Some kinds count
// as such on one side only.
func definedTwice(had, has claim, commonGivesWay bool) bool {
	switch {
	case has.kind == claimHandle:
		return had.kind != claimHandle || had.handle != has.handle
	case had.kind == claimHandle:
		return false
	case has.kind == claimCommon:
		return !has.weak && (had.defined && !had.init && had.kind != claimCommon && !(commonGivesWay && had.bare) || had.kind == claimExternShared)
	case had.kind == claimCommon:
		return has.defined && has.kind == claimFunction
	case had.kind == claimExternShared:
		return has.defined && (has.space != cubin.OtherShared || has.size == 0) // an array that -r has defined
	}
	return had.defined && has.defined
}

// stop ends the link with an internal error of nvlink.
func (in *merger) stop(message string) {
	in.log.Report(diag.InternalError, message)
	in.stopped = true
}

package sound

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// The attributes of a function propagate to the kernels that reach it (docs/attributes.md). The value in a kernel must
// cover the functions that the kernel reaches. It may cover any function of the output, because nvlink ignores the calls
// if there is only one kernel (INFO-207).

// rising holds the merge rules that make the value of a kernel depend on other functions.
var rising = map[nvinfo.Merge]bool{
	nvinfo.Presence: true, nvinfo.MaxByte: true, nvinfo.LastByte: true, nvinfo.UnionWords: true, nvinfo.OrHalf: true, nvinfo.SumHalf: true,
	nvinfo.MoveWords: true, nvinfo.ExternWords: true, nvinfo.PathSum: true, nvinfo.Preference: true, nvinfo.Computed: true,
}

func (c *checker) rises(r nvinfo.Record) bool {
	if !c.link.Target.Profile.Info.SharesCachePreference && (r.Code == nvinfo.LoadCacheRequest || r.Code == nvinfo.ExplicitCaching) {
		return false // KIT-018
	}
	if !c.link.Target.Profile.Info.RaisesLanguage && r.Code == nvinfo.Language {
		return false // KIT-094
	}
	return !c.link.Relocatable && int(r.Code) < len(nvinfo.Attributes) && rising[nvinfo.Attributes[r.Code].Merge]
}

// checkRising checks the records of e for an attribute that propagates. The lower bound comes from the functions that e
// reaches, and the upper bound from all functions of the output.
func (c *checker) checkRising(key string, e *entity, code nvinfo.Code, got []nvinfo.Record) {
	attribute := &nvinfo.Attributes[code]
	key += "." + attribute.Name
	if attribute.Merge == nvinfo.PathSum {
		c.checkPathSum(key, e, code, got)
		return
	}
	if attribute.Merge == nvinfo.Computed {
		c.checkComputed(key, e, code, got)
		return
	}
	least, most := c.bounds(e, code)
	own := values(c.said[e], code)
	for _, r := range got {
		sameFormat := func(in nvinfo.Record) bool { return in.Format == r.Format }
		if r.Format != attribute.Format && attribute.Format != 0 && !slices.ContainsFunc(own, sameFormat) {
			c.report(key, attribute.Format.String(), "%s", r.Format)
		}
		if r.Format == nvinfo.NoValue && r.Value != 0 && !slices.ContainsFunc(most, func(in nvinfo.Record) bool { return in.Value == r.Value }) {
			c.report(key, "no value", "%#x", r.Value)
		}
		if attribute.Merge == nvinfo.MaxByte && r.Value>>8 != 0 && !slices.ContainsFunc(own, func(in nvinfo.Record) bool { return in.Value>>8 == r.Value>>8 }) {
			c.report(key, "a byte", "%#x", r.Value)
		}
	}
	switch attribute.Merge {
	case nvinfo.OrHalf, nvinfo.MaxByte, nvinfo.SumHalf:
		c.within(key, presence(own), presence(got), 1)
	}
	switch attribute.Merge {
	case nvinfo.Presence:
		c.within(key, presence(least), presence(got), presence(most))
	case nvinfo.MaxByte:
		c.within(key, largest(least), largest(got), max(largest(most), largest(least)))
	case nvinfo.SumHalf:
		if c.countsAgain(e) {
			most = append(most, nvinfo.Record{Value: unknownSum})
		}
		c.within(key, sum(least), sum(got), sum(most))
	case nvinfo.OrHalf:
		c.subset(key, bits(least), bits(got))
		if c.lacksMask(e) {
			most = append(most, nvinfo.Record{Value: nvinfo.SparseMMAUnknown})
		}
		c.subset(key, bits(got), bits(most))
	case nvinfo.LastByte:
		c.subset(key, lows(got), append(lows(most), 0))
		c.within(key, presence(least), presence(got), presence(most))
	case nvinfo.ExternWords, nvinfo.MoveWords, nvinfo.UnionWords:
		c.subset(key, words(least), words(got))
		c.subset(key, words(got), words(most))
	case nvinfo.Preference:
		c.within(key, 0, presence(got), 0)
	}
}

// countsAgain reports whether the sum of e may count a function more than once. It may if e reaches a kernel, whose sum
// also counts the function, or if e is called recursively (INFO-060).
func (c *checker) countsAgain(e *entity) bool {
	return slices.ContainsFunc(e.reach, func(f *entity) bool { return f != e && f.isKernel() || slices.Contains(f.calls, e) }) ||
		e.takenAs != nil && slices.ContainsFunc(e.reach, func(f *entity) bool { return slices.Contains(f.via, *e.takenAs) })
}

// lacksMask reports whether e, a function that it may reach, or an alias has no mask of sparse instructions. nvlink then
// sets a separate bit (INFO-032).
func (c *checker) lacksMask(e *entity) bool {
	functions := []*entity{e}
	if e.isKernel() {
		functions = c.program.entities
	}
	return c.hasAlias(e) || slices.ContainsFunc(functions, func(f *entity) bool {
		return f.kind == function && f.out != nil && len(values(c.said[f], nvinfo.SparseMMAMask)) == 0
	})
}

// bounds returns the records of an attribute in the functions that kernel e reaches, and in all functions of the output.
// If e is not a kernel, it has only its own records, without those that move to kernels.
func (c *checker) bounds(e *entity, code nvinfo.Code) (least, most []nvinfo.Record) {
	if !e.isKernel() {
		if nvinfo.Attributes[code].Merge == nvinfo.MoveWords {
			return nil, nil
		}
		least = c.says(e, code)
		return least, least
	}
	for _, f := range e.reach {
		least = append(least, c.says(f, code)...)
	}
	most, ok := c.anyone[code]
	if !ok {
		for _, f := range c.program.entities {
			if f.kind == function && f.out != nil {
				most = append(most, c.says(f, code)...)
			}
		}
		c.anyone[code] = most
	}
	return least, most
}

// says returns the input records of function f for an attribute, with the symbol numbers of the output. An old object
// has the number of barriers in the flags of its code section instead.
func (c *checker) says(f *entity, code nvinfo.Code) []nvinfo.Record {
	var list []nvinfo.Record
	for _, r := range values(c.said[f], code) {
		if r, ok := c.mapped(f.object, r); ok && !r.Empty() {
			list = append(list, r)
		}
	}
	if piece := f.piece(); code == nvinfo.NumBarriers && piece != nil {
		list = append(list, barriers(piece.section)...)
	}
	return list
}

// barriers returns the number of barriers in the flags of a code section, as a record.
func barriers(s *cubin.Section) []nvinfo.Record {
	if n := s.Flags & cubin.FlagBarriers >> cubin.BarriersShift; n > 0 {
		return []nvinfo.Record{{Format: nvinfo.Byte, Code: nvinfo.NumBarriers, Value: uint16(n)}}
	}
	return nil
}

// checkPathSum checks the stack size for calls, which is the largest sum along a call path. Either of the two records
// may have it.
func (c *checker) checkPathSum(key string, e *entity, code nvinfo.Code, got []nvinfo.Record) {
	if code != nvinfo.CRSStackSize {
		return
	}
	own := func(records []nvinfo.Record) (size uint32) {
		for _, r := range records {
			if r.Code == nvinfo.CRSStackSize || r.Code == nvinfo.SyncStack {
				size = r.Word(0)
			}
		}
		return size
	}
	records := append(values(c.infosOf(e), nvinfo.SyncStack), got...)
	isSaid := len(values(c.said[e], nvinfo.CRSStackSize))+len(values(c.said[e], nvinfo.SyncStack)) > 0
	c.within(key, one(isSaid), presence(records), 1)
	if !e.isKernel() {
		c.expect(key, uint64(own(c.said[e])), uint64(own(records)))
		return
	}
	sizes := map[*entity]uint32{}
	for f := range c.said {
		if f.out != nil {
			sizes[f] = own(c.said[f])
		}
	}
	least, most := c.depths(e, sizes)
	leastStack, mostStack := c.depths(e, c.frames)
	if leastStack == unknownStack {
		least = unknownStack
	}
	if mostStack == unknownStack {
		most = unknownStack
	}
	c.within(key, uint64(least), uint64(own(records)), uint64(most))
}

// checkComputed checks the record of cached loads. A kernel must have it if the kernel or a function that it reaches
// requests cached loads.
func (c *checker) checkComputed(key string, e *entity, code nvinfo.Code, got []nvinfo.Record) {
	if code != nvinfo.ExplicitCaching {
		return
	}
	wishes := func(f *entity) (yes, no bool) {
		for _, r := range c.requests(f) {
			yes, no = yes || r.Word(1) != 0, no || r.Word(1) == 0
		}
		return
	}
	own, refused := wishes(e)
	least, most := own && !refused, own
	if e.isKernel() && !own && !refused {
		var some, none bool
		for _, f := range e.reach {
			yes, no := wishes(f)
			some, none = some || yes, none || no
		}
		least, most = some && !none, some
	}
	c.within(key, one(least && e.isKernel()), presence(got), one(most && e.isKernel()))
}

// requests returns the records of f that request cached loads or exclude them.
func (c *checker) requests(f *entity) []nvinfo.Record {
	list := values(c.said[f], nvinfo.LoadCacheRequest)
	if f.object == nil {
		return list
	}
	return append(list, f.object.requests[f.symbol.Index]...)
}

// within reports a number that is outside its bounds.
func (c *checker) within(key string, least, got, most uint64) {
	if got < least || got > most {
		want := fmt.Sprintf("%#x to %#x", least, most)
		if least == most {
			want = fmt.Sprintf("%#x", least)
		}
		c.report(key, want, "%#x", got)
	}
}

// subset checks that a list of numbers contains a second list. It reports the first number that is missing.
func (c *checker) subset(key string, part, all []uint32) {
	for _, n := range part {
		if !slices.Contains(all, n) {
			c.report(key, fmt.Sprintf("%#x in both", n), "in one only")
			return
		}
	}
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func presence(records []nvinfo.Record) uint64 { return one(len(records) > 0) }

func largest(records []nvinfo.Record) (most uint64) {
	for _, r := range records {
		most = max(most, uint64(r.Value&0xff))
	}
	return most
}

// unknownSum is the value of a sum that is not known.
const unknownSum = 0xffff

// sum returns the sum of the values. It returns unknownSum if a value is unknown or the sum is at least unknownSum.
func sum(records []nvinfo.Record) (total uint64) {
	for _, r := range records {
		if r.Value == unknownSum {
			return unknownSum
		}
		total += uint64(r.Value)
	}
	return min(total, unknownSum)
}

func bits(records []nvinfo.Record) (list []uint32) {
	for _, r := range records {
		for bit := uint32(1); bit < 1<<16; bit <<= 1 {
			if uint32(r.Value)&bit != 0 {
				list = append(list, bit)
			}
		}
	}
	return list
}

func lows(records []nvinfo.Record) (list []uint32) {
	for _, r := range records {
		list = append(list, uint32(r.Value&0xff))
	}
	return list
}

func words(records []nvinfo.Record) (list []uint32) {
	for _, r := range records {
		for i := range r.Words() {
			list = append(list, r.Word(i))
		}
	}
	return list
}

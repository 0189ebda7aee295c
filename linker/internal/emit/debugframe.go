package emit

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
)

// .debug_frame is a list of entries. Each function has an FDE, which comes after a CIE that several FDEs may share.
// Entries differ in length between the two halves of a file. In the relocations of the plain half, ptxas writes the offset
// that the CIE has in the Mercury half. nvlink's finalizer corrects this offset; culink corrects it in the merge. The
// finalizer also omits the entries of functions that are not in the output (RELOC-411).

// A frame is an entry of .debug_frame.
type frame struct {
	at   int64 // where it begins
	data []byte
	cie  int      // of an FDE, the index of its CIE; otherwise -1
	of   codePart // of an FDE, the code that it describes; empty if that is not in the output
}

// A codePart is the code of a function from an offset on. Another function may begin at that offset.
type codePart struct {
	code *program.Symbol
	from int64
}

// rebuildFrames rebuilds the plain .debug_frame as the finalizer does. It omits FDEs of code that is not in the output,
// and CIEs that only these FDEs use.
//
// Several inputs may define a weak function, and the last definition prevails. The finalizer then describes the code in
// the first FDE of the function, but only if no alias of the code precedes its symbol. The other FDEs have no rules, and
// their CIEs are those of the Mercury half.
func (r *emitter) rebuildFrames(second map[codePart]bool) error {
	s := r.ByName[cubin.DebugFrameName]
	if s == nil || s.Mercury == nil {
		return nil
	}
	list, inner := readFrames(s.Bytes()), readFrames(s.Mercury.Bytes())
	list.attribute(s.Relocations)
	inner.attribute(s.Mercury.Relocations)
	used := make([]bool, len(list))
	entries := map[codePart][]int{}
	parts := map[*program.Symbol][]int64{} // where the parts of code begin that have entries
	for i, f := range list {
		if f.of.code != nil {
			used[i], used[f.cie] = true, true
			entries[f.of] = append(entries[f.of], i)
			parts[f.of.code] = append(parts[f.of.code], f.of.from)
		}
	}
	pairs := list.pairs(inner)
	if r.Target.Profile.Emit.InnerPlaces {
		list.takeWords(pairs)
	}
	said := maps.Clone(second) // code that has its entry
	for i := range list {
		f := &list[i]
		switch {
		case f.of.code == nil:
		case !said[f.of]:
			own, found := r.ownEntry(list, entries[f.of], parts[f.of.code])
			f.data = own.data
			said[f.of] = true
			if fn := f.of.code.Fn; !found && pairs[i] != nil {
				if r.describe(f, fn, pairs[i]) {
					list[f.cie].countWords()
				}
			} else if fn != nil && r.Places(fn).Moved() {
				f.data = slices.Clone(f.data)
				if err := r.Places(fn).Frame(f.data, uint64(f.of.from), capsule.Place{Part: partOf(s)}); err != nil {
					return err
				}
			}
			r.addReplaced(f, pairs, entries[f.of])
			if fn := f.of.code.Fn; r.Target.Profile.Emit.TellsCopies && fn != nil && f.of.from == 0 {
				f.data = codemap.AddCopies(f.data, list[f.cie].data, fn.Text.Bytes(), fn.Text.Mercury.Bytes())
			}
		case pairs[i] != nil:
			f.data = pairs[i].withoutRules()
			list[f.cie].data = inner[pairs[i].cie].data
		}
	}
	data, places := list.join(used)
	r.moveFrames(s, list, places, func(i int) uint64 { return list.refound(inner, s.Mercury.Relocations[i].Offset, pairs) }, data)
	s.SetBytes(data)
	return nil
}

// moveFrames moves the relocations of the frames s to the new places of their entries in data. refound returns the place
// of a relocation that an earlier link lost, from its number.
func (r *emitter) moveFrames(s *program.Section, list frameList, places []int, refound func(i int) uint64, data []byte) {
	loses := (r.Options.Relocatable || r.Options.DebugSymbols()) && r.Target.Profile.Emit.LosesCommonEntries
	for i := range s.Relocations {
		rel := &s.Relocations[i]
		entry, names := list.naming(rel.Offset)
		if list.begins(rel.Offset) && !loses && len(s.Mercury.Relocations) == len(s.Relocations) {
			rel.Offset = refound(i)
		}
		rel.Offset = list.moved(rel.Offset, places, loses)
		if names && list[entry].of.code != nil && rel.Symbol.Fn != nil {
			r.movePart(rel, data)
		}
	}
}

// join returns the bytes of those entries that are used, in which each FDE has the new place of its CIE. places holds the
// new place of each entry.
func (list frameList) join(used []bool) (data []byte, places []int) {
	places = make([]int, len(list))
	for i, f := range list {
		if !used[i] {
			continue
		}
		places[i] = len(data)
		data = append(data, f.data...)
		if f.of.code != nil {
			binary.LittleEndian.PutUint64(data[places[i]+cieField:], uint64(places[f.cie]))
		}
	}
	return data, places
}

// takeWords gives each entry the relocated word of its entry in the Mercury half. The compiler of CUDA 13.5 writes them so, and
// nvlink 13.5 does it for code of earlier compilers (KIT-941).
func (list frameList) takeWords(pairs []*frame) {
	for i := range list {
		f, inner := &list[i], pairs[i]
		if inner == nil || len(f.data) < fdeSize || len(inner.data) < fdeSize {
			continue
		}
		word := inner.data[fdeLocation:fdeSize]
		if !bytes.Equal(f.data[fdeLocation:fdeSize], word) {
			f.data = slices.Clone(f.data)
			copy(f.data[fdeLocation:], word)
		}
	}
}

// movePart updates the relocation of an FDE that refers to a part of a function whose code has moved (MERC-270). If the
// relocated word also holds the addend, it is updated too. The compiler of CUDA 13.5 stores the offset in the Mercury code
// in that word instead (KIT-941).
func (r *emitter) movePart(rel *program.Relocation, data []byte) {
	moved := r.Places(rel.Symbol.Fn).Offset(uint64(rel.Addend))
	if word := data[rel.Offset:]; !r.Target.Profile.Emit.InnerPlaces && len(word) >= 8 && binary.LittleEndian.Uint64(word) == uint64(rel.Addend) {
		binary.LittleEndian.PutUint64(word, moved)
	}
	rel.Addend = int64(moved)
}

// A frameList holds the entries of .debug_frame in order.
type frameList []frame

// naming returns the index of the entry whose field for the code location is at offset.
func (list frameList) naming(offset uint64) (i int, ok bool) {
	return slices.BinarySearchFunc(list, int64(offset)-fdeLocation, func(f frame, at int64) int { return cmp.Compare(f.at, at) })
}

// begins reports whether an entry begins at an offset. An earlier link that lost the place of a relocation has it where the
// entries of its file begin (KIT-270).
func (list frameList) begins(offset uint64) bool {
	_, exact := slices.BinarySearchFunc(list, int64(offset), func(f frame, at int64) int { return cmp.Compare(f.at, at) })
	return exact
}

// moved returns the new offset of a field after the entries were moved. The field is the code location of an FDE, or a
// place in a CIE. A release may lose the latter (KIT-270).
func (list frameList) moved(offset uint64, places []int, loses bool) uint64 {
	if i, ok := list.naming(offset); ok {
		return uint64(places[i] + fdeLocation)
	}
	if loses {
		return 0
	}
	i, exact := slices.BinarySearchFunc(list, int64(offset), func(f frame, at int64) int { return cmp.Compare(f.at, at) })
	if !exact {
		i--
	}
	if i < 0 {
		return offset
	}
	return offset + uint64(int64(places[i])-list[i].at)
}

// refound returns the place in the list that corresponds to offset, a place in a CIE of the Mercury half. It is 0 if
// there is none. pairs holds the entry of that half for each entry of the list.
func (list frameList) refound(inner frameList, offset uint64, pairs []*frame) uint64 {
	i, exact := slices.BinarySearchFunc(inner, int64(offset), func(f frame, at int64) int { return cmp.Compare(f.at, at) })
	if !exact {
		i--
	}
	for j, pair := range pairs {
		if pair != nil && pair.cie == i {
			return uint64(list[list[j].cie].at + int64(offset) - inner[i].at)
		}
	}
	return 0
}

// attribute finds the code that each FDE describes.
func (list frameList) attribute(relocations []program.Relocation) {
	for _, rel := range relocations {
		if i, ok := list.naming(rel.Offset); ok && list[i].cie >= 0 {
			list[i].of = codePart{rel.Symbol, rel.Addend}
		}
	}
}

// pairs finds, for each FDE of the plain half, the FDE in the Mercury half. For the same code, it pairs the first of each
// half, the second of each, and so on. An earlier -r may have omitted entries of the plain half.
func (list frameList) pairs(inner frameList) []*frame {
	of := map[*program.Symbol][]*frame{}
	for i := range inner {
		if f := &inner[i]; f.of.code != nil {
			of[f.of.code] = append(of[f.of.code], f)
		}
	}
	pairs := make([]*frame, len(list))
	for i, f := range list {
		if rest := of[f.of.code]; f.of.code != nil && len(rest) > 0 {
			pairs[i], of[f.of.code] = rest[0], rest[1:]
		}
	}
	return pairs
}

// ownEntry returns the FDE of the linked code among the FDEs of a function or of a part of one. It is the last one whose
// length matches, so that the code ends with it or another part begins there. An earlier link may have added FDEs without
// rules after it. If an earlier link did not find the function because of an alias before it, there is no such FDE.
func (r *emitter) ownEntry(list frameList, entries []int, parts []int64) (own frame, found bool) {
	for _, i := range slices.Backward(entries) {
		f := list[i]
		end := uint64(f.of.from) + binary.LittleEndian.Uint64(f.data[fdeSize:])
		if fn := f.of.code.Fn; fn != nil && fn.Text != nil && (r.Places(fn).Offset(end) == fn.Text.Size || slices.Contains(parts, int64(end))) {
			return f, true
		}
	}
	return list[entries[len(entries)-1]], false
}

// describe rebuilds f from its entry in the Mercury half. It does so only if that entry covers all code of fn.
func (r *emitter) describe(f *frame, fn *program.Function, inner *frame) bool {
	if fn == nil || f.of.from != 0 || len(inner.data) < fdeRules || binary.LittleEndian.Uint64(inner.data[fdeSize:]) != fn.Symbol.Mercury.Size {
		return false
	}
	code := r.Inner(fn)
	if code == nil {
		return false
	}
	f.data = codemap.FrameOf(code, inner.data)
	return true
}

// countWords changes CIE f, of the Mercury half, so that its FDEs advance in units of 4 bytes.
func (f *frame) countWords() {
	if len(f.data) > cieUnit && f.data[cieUnit-1] == 0 { // without an augmentation
		f.data = slices.Clone(f.data)
		f.data[cieUnit] = 4
	}
}

// addReplaced adds rules to f, the entry of the linked code. They are the rules of the entries of the code that it
// replaced, which has other lengths.
func (r *emitter) addReplaced(f *frame, inner []*frame, entries []int) {
	fn := f.of.code.Fn
	if fn == nil || f.of.from != 0 || len(entries) < 2 {
		return
	}
	var replaced [][]byte
	for _, i := range entries {
		if inner[i] != nil && len(inner[i].data) >= fdeRules && binary.LittleEndian.Uint64(inner[i].data[fdeSize:]) != fn.Symbol.Mercury.Size {
			replaced = append(replaced, inner[i].data)
		}
	}
	if code := r.Inner(fn); code != nil && len(replaced) > 0 {
		f.data = codemap.AddFrames(code, f.data, replaced)
	}
}

// secondNames returns the functions whose symbol follows an alias of the same code. Some releases have a finalizer that
// does not find these functions; for other releases the result is empty (KIT-104).
func (r *emitter) secondNames() map[codePart]bool {
	second := map[codePart]bool{}
	if r.Target.Profile.Emit.FindsBehindAliases {
		return second
	}
	for _, fn := range r.Functions {
		if code := fn.Symbol.Alias; code != nil && r.number(fn.Symbol) != 0 && r.number(fn.Symbol) < r.number(code) {
			second[codePart{code: code}] = true
		}
	}
	return second
}

// Places in an entry of 64-bit DWARF.
const (
	cieUnit     = 22 // of a CIE, after its version and augmentation: the unit of advances
	cieField    = 12 // where its CIE is
	fdeLocation = 20 // the start of its code
	fdeSize     = 28 // the length of its code
	fdeRules    = 36 // the rules, after the length
)

// readFrames reads the entries of .debug_frame.
func readFrames(data []byte) frameList {
	starts := object.Frames(data)
	list := make(frameList, len(starts))
	for i, at := range starts {
		end := int64(len(data))
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		list[i] = frame{at: at, data: data[at:end], cie: -1}
		f := list[i].data
		if len(f) < fdeRules || binary.LittleEndian.Uint32(f) != math.MaxUint32 || binary.LittleEndian.Uint64(f[cieField:]) == math.MaxUint64 {
			continue
		}
		// Whatever offset the FDE holds, its CIE is the one before it: an earlier -r has resolved the offset for its own
		// output (RELOC-411).
		if i > 0 && list[i-1].cie < 0 {
			list[i].cie = i - 1
		} else if cie, ok := slices.BinarySearch(starts, int64(binary.LittleEndian.Uint64(f[cieField:]))); ok && cie < i {
			list[i].cie = cie
		}
	}
	return list
}

// withoutRules returns an FDE for the same code with padding instead of rules.
func (f frame) withoutRules() []byte {
	if len(f.data) < fdeRules {
		return f.data
	}
	data := append(slices.Clone(f.data[:fdeRules]), 0, 0, 0, 0)
	binary.LittleEndian.PutUint64(data[4:], uint64(len(data)-cieField))
	return data
}

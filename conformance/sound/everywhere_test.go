package sound_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/conformance/spoils"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Each entry of the table wrongs describes a mistake that another linker could make: it omits a record, writes the
// number of another symbol, or uses the low half of an address for the high one. The test makes each mistake in outputs
// of nvlink for a part of the corpus. If the checker misses some of the spoiled outputs, the table gives the share and
// the reason.

// A wrong is one kind of mistake. all returns the spoiled variants of an output.
type wrong struct {
	name string
	all  func(f *cubin.File, data []byte) [][]byte
	// spared is the largest share of variants that the checker may miss. why gives the reason.
	spared float64
	why    string
}

// A kindOf reports whether a section is of a kind.
type kindOf func(s *cubin.Section) bool

func ofType(types ...cubin.SectionType) kindOf {
	return func(s *cubin.Section) bool { return slices.Contains(types, s.Type) }
}

func namedLike(prefixes ...string) kindOf {
	return func(s *cubin.Section) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s.Name, p) })
	}
}

// most is the largest number of variants of one section of an output.
const most = 3

// eachPart returns a function that makes variants of a file. It changes a few entries in each section of a kind. size is
// the size of an entry; 0 means that the whole section is one entry.
func eachPart(is kindOf, size uint64, edit func(part []byte, i int) bool) func(*cubin.File, []byte) [][]byte {
	return func(f *cubin.File, data []byte) (list [][]byte) {
		for i := range f.Sections {
			s := &f.Sections[i]
			if !is(s) || !s.HasBytes() || s.Size == 0 || s.Size < size {
				continue
			}
			entry := size
			if entry == 0 {
				entry = s.Size
			}
			n := int(s.Size / entry)
			for k := range min(n, most) {
				at := k * n / min(n, most)
				b := bytes.Clone(data)
				if part := b[s.Offset+uint64(at)*entry:][:entry]; edit(part, at) && !bytes.Equal(b, data) {
					list = append(list, b)
				}
			}
		}
		return list
	}
}

// eachTable returns a function that makes variants of a file. It gives each section of a kind other contents, which are
// at most as long.
func eachTable(is kindOf, edits func(data []byte) [][]byte) func(*cubin.File, []byte) [][]byte {
	return func(f *cubin.File, data []byte) (list [][]byte) {
		for i := range f.Sections {
			s := &f.Sections[i]
			if !is(s) || !s.HasBytes() || s.Size == 0 {
				continue
			}
			for _, edited := range edits(data[s.Offset : s.Offset+s.Size]) {
				b := bytes.Clone(data)
				copy(b[s.Offset:s.Offset+s.Size], make([]byte, s.Size))
				copy(b[s.Offset:], edited)
				le.PutUint64(b[f.ShOff+uint64(i)*cubin.SectionHeaderSize+32:], uint64(len(edited)))
				if !bytes.Equal(b, data) {
					list = append(list, b)
				}
			}
		}
		return list
	}
}

// spread returns a few of the numbers below n, at equal distances.
func spread(n int) (list []int) {
	for k := range min(n, most) {
		list = append(list, k*n/min(n, most))
	}
	return list
}

// records returns a function that makes variants of a list of attributes.
func records(edit func(list []nvinfo.Record, i int) []nvinfo.Record) func([]byte) [][]byte {
	return func(data []byte) (out [][]byte) {
		list, err := nvinfo.Decode(data)
		if err != nil {
			return nil
		}
		for _, i := range spread(len(list)) {
			if edited := edit(slices.Clone(list), i); edited != nil {
				if b := nvinfo.Encode(edited); len(b) <= len(data) {
					out = append(out, b)
				}
			}
		}
		return out
	}
}

// entries returns a function that makes variants of a table whose entries have the given size.
func entries(size int, edit func(list [][]byte, i int) [][]byte) func([]byte) [][]byte {
	return func(data []byte) (out [][]byte) {
		var list [][]byte
		for at := 0; at+size <= len(data); at += size {
			list = append(list, data[at:at+size])
		}
		for _, i := range spread(len(list)) {
			if edited := edit(slices.Clone(list), i); edited != nil {
				out = append(out, bytes.Join(edited, nil))
			}
		}
		return out
	}
}

func drop[T any](list []T, i int) []T { return slices.Delete(list, i, i+1) }

// next replaces entry i with the entry after it.
func next[T any](list []T, i int) []T {
	if i+1 >= len(list) {
		return nil
	}
	list[i] = list[i+1]
	return list
}

// add returns a change that adds n to a 32-bit number.
func add(at int, n uint32) func([]byte, int) bool {
	return func(p []byte, _ int) bool {
		le.PutUint32(p[at:], le.Uint32(p[at:])+n)
		return true
	}
}

// word returns a function that changes one word of a record with a payload.
func word(code nvinfo.Code, i int, change func(uint32) uint32) func([]nvinfo.Record, int) []nvinfo.Record {
	return func(list []nvinfo.Record, at int) []nvinfo.Record {
		for k := range list {
			if r := &list[(at+k)%len(list)]; r.Code == code && r.Words() > i {
				*r = r.WithWord(i, change(r.Word(i)))
				return list
			}
		}
		return nil
	}
}

func less(n uint32) func(uint32) uint32 { return func(w uint32) uint32 { return w - min(w, n) } }
func more(n uint32) func(uint32) uint32 { return func(w uint32) uint32 { return w + n } }

// swapHalves changes a relocation to the one that writes the other half of the address.
func swapHalves(p []byte, _ int) bool {
	other := map[uint32]uint32{0x38: 0x39, 0x39: 0x38, 0x1b: 0x1c, 0x1c: 0x1b, 0x37: 0x39}
	to, ok := other[le.Uint32(p[8:])]
	if ok {
		le.PutUint32(p[8:], to)
	}
	return ok
}

func reversed(p []byte, _ int) bool {
	slices.Reverse(p)
	return true
}

func zeroed(p []byte, _ int) bool {
	clear(p)
	return true
}

func flipped(at, bit int) func([]byte, int) bool {
	return func(p []byte, _ int) bool {
		p[at] ^= 1 << bit
		return true
	}
}

func wrongs() []wrong {
	const (
		forged   = "records that no compiler writes, which rise: the facet image"
		lost     = "of a copy that lost, or of what nothing reaches: the facet image"
		unneeded = "slots that no code of the kernel needs: the facet image"
		same     = "the next symbol is the section of the function, at the same place"
		notes    = "of the Mercury half, of functions of one name, with -r: the facet image"
		alone    = "one operand alone says where a byte lies, and it may lie anywhere"
		placed   = "with -r what a later link places: the facet image"
		nobody   = "numbers of symbols that nothing names, with -r names that mean nothing: the facet image"
		driver   = "bytes that the driver writes"
		unused   = "names that nothing has"
		twin     = "the section after it is its copy"
	)
	var (
		info      = ofType(cubin.SectionInfo)
		innerInfo = ofType(cubin.SectionMercInfo)
		rel       = ofType(cubin.SectionRel)
		rela      = ofType(cubin.SectionRela)
		innerRela = ofType(cubin.SectionMercRela)
		noted     = ofType(cubin.SectionResolvedRela, cubin.SectionMercResolved)
		symbols   = ofType(cubin.SectionSymTab)
		inner     = ofType(cubin.SectionMercSymTab)
		graph     = ofType(cubin.SectionCallGraph)
		code      = namedLike(".text.")
		capsule   = ofType(cubin.SectionCapMerc)
		data      = namedLike(".nv.global.init", ".nv.constant3", ".nv.constant4")
		innerData = namedLike(".nv.merc.nv.global.init", ".nv.merc.nv.constant.user")
		bank      = namedLike(".nv.constant0.")
		compiled  = namedLike(".nv.constant2.")
		shared    = namedLike(".nv.shared.")
		lines     = namedLike(".debug_line", ".nv_debug_line_sass")
		innerLine = namedLike(".nv.merc.debug_line", ".nv.merc.nv_debug_line_sass")
		frames    = namedLike(".debug_frame")
		innerFram = namedLike(".nv.merc.debug_frame")
		told      = namedLike(".debug_info", ".debug_abbrev", ".debug_str", ".debug_loc", ".debug_ranges", ".debug_pub", ".debug_macinfo", ".nv_debug_ptx_txt", ".nv_debug_info_reg")
		innerTold = namedLike(".nv.merc.debug_info", ".nv.merc.debug_abbrev", ".nv.merc.debug_str", ".nv.merc.debug_loc", ".nv.merc.nv_debug_ptx_txt", ".nv.merc.nv_debug_info_reg")
	)
	return []wrong{
		{"an attribute forgotten", eachTable(info, records(drop)), 0.01, forged},
		{"an attribute in place of the one before", eachTable(info, records(next)), 0.01, forged},
		{"registers of a kernel 1 less", eachTable(info, records(word(nvinfo.RegCount, 1, less(1)))), 0, ""},
		{"registers of a kernel 8 more", eachTable(info, records(word(nvinfo.RegCount, 1, more(8)))), 0, ""},
		{"registers of the next symbol", eachTable(info, records(word(nvinfo.RegCount, 0, more(1)))), 0, ""},
		{"a frame 8 bytes larger", eachTable(info, records(word(nvinfo.FrameSize, 1, more(8)))), 0, ""},
		{"a stack 8 bytes larger", eachTable(info, records(word(nvinfo.MinStackSize, 1, more(8)))), 0, ""},
		{"a parameter 4 bytes further", eachTable(info, records(word(nvinfo.KParamInfo, 1, more(4<<16)))), 0, ""},
		{"parameters 4 bytes further", eachTable(info, records(word(nvinfo.ParamCBank, 1, more(4)))), 0, ""},
		{"parameters of the symbol before", eachTable(info, records(word(nvinfo.ParamCBank, 0, less(1)))), 0, ""},
		{"a word of an attribute", eachTable(info, records(func(list []nvinfo.Record, i int) []nvinfo.Record {
			if list[i].Words() == 0 {
				list[i].Value++
				return list
			}
			last := list[i].Words() - 1
			list[i] = list[i].WithWord(last, list[i].Word(last)+1)
			return list
		})), 0.01, forged},
		{"a Mercury attribute forgotten", eachTable(innerInfo, records(drop)), 0.01, forged},
		{"a Mercury attribute in place of the one before", eachTable(innerInfo, records(next)), 0.01, forged},

		{"a relocation with addend forgotten", eachTable(rela, entries(24, drop)), 0.06, lost},
		{"a relocation forgotten", eachTable(rel, entries(16, drop)), 0.15, unneeded},
		{"a relocation in place of the one before", eachTable(rela, entries(24, next)), 0.03, lost},
		{"a relocation of the next symbol", eachPart(rela, 24, add(12, 1)), 0.2, same},
		{"a relocation of the symbol before", eachPart(rel, 16, add(12, ^uint32(0))), 0.05, same},
		{"a relocation 16 bytes further", eachPart(rela, 24, add(0, 16)), 0.01, lost},
		{"a relocation 8 bytes further", eachPart(rel, 16, add(0, 8)), 0.05, unneeded},
		{"an addend 4 more", eachPart(rela, 24, add(16, 4)), 0.02, lost},
		{"the low half for the high half", eachPart(rela, 24, swapHalves), 0, ""},
		{"the low half for the high half, without addends", eachPart(rel, 16, swapHalves), 0, ""},
		{"a Mercury relocation forgotten", eachTable(innerRela, entries(24, drop)), 0.1, lost},
		{"a Mercury relocation of the next symbol", eachPart(innerRela, 24, add(12, 1)), 0.2, same},
		{"a Mercury relocation 4 bytes further", eachPart(innerRela, 24, add(0, 4)), 0.05, unneeded},
		{"a Mercury addend 16 more", eachPart(innerRela, 24, add(16, 16)), 0.08, lost},
		{"a note of a settled relocation forgotten", eachTable(noted, entries(24, drop)), 0.7, notes},
		{"a note of a settled relocation of the next symbol", eachPart(noted, 24, add(12, 1)), 0.1, notes},

		{"an immediate 1 more", eachPart(code, 16, add(4, 1)), 0.01, alone},
		{"another register", eachPart(code, 16, flipped(2, 0)), 0, ""},
		{"another guard", eachPart(code, 16, flipped(1, 7)), 0, ""},
		{"an operation of another kind", eachPart(code, 16, flipped(0, 1)), 0, ""},
		{"an instruction that is left out", eachTable(code, entries(16, drop)), 0, ""},
		{"a bit of a capsule", eachPart(capsule, 8, flipped(3, 2)), 0, ""},
		{"a capsule 4 bytes short", eachTable(capsule, func(d []byte) [][]byte { return [][]byte{d[:len(d)-4]} }), 0, ""},

		{"a value the other way round", eachPart(data, 4, reversed), 0.05, lost},
		{"no initial values", eachPart(data, 0, zeroed), 0, ""},
		{"values 4 bytes further", eachPart(data, 0, func(p []byte, _ int) bool { copy(p[4:], bytes.Clone(p)); return true }), 0.1, lost},
		{"values of the Mercury half the other way round", eachPart(innerData, 4, reversed), 0, ""},
		{"a parameter bank that is not empty", eachPart(bank, 8, flipped(0, 3)), 0.01, lost},
		{"a parameter bank 8 bytes short", eachTable(bank, func(d []byte) [][]byte { return [][]byte{d[:len(d)-8]} }), 0.02, lost},
		{"a constant of the compiler the other way round", eachPart(compiled, 8, reversed), 0.25, lost},
		{"shared memory 4 bytes short", eachSection(func(s *cubin.Section, p []byte) bool {
			le.PutUint64(p[32:], s.Size-min(4, s.Size))
			return shared(s) && s.Size > 0
		}), 0.3, placed},

		{"a symbol forgotten", eachTable(symbols, entries(24, drop)), 0.02, nobody},
		{"a symbol in place of the one before", eachTable(symbols, entries(24, next)), 0.02, nobody},
		{"two symbols that change places", eachTable(symbols, entries(24, func(l [][]byte, i int) [][]byte {
			if i+1 >= len(l) || i == 0 {
				return nil
			}
			l[i], l[i+1] = l[i+1], l[i]
			return l
		})), 0.5, nobody},
		{"a symbol that is weak", eachPart(symbols, 24, func(p []byte, i int) bool { p[4] = p[4]&15 | 2<<4; return i > 0 }), 0, ""},
		{"a symbol that is local", eachPart(symbols, 24, func(p []byte, i int) bool { p[4] &= 15; return i > 0 }), 0, ""},
		{"a symbol of another type", eachPart(symbols, 24, func(p []byte, i int) bool { p[4] ^= 3; return i > 0 }), 0, ""},
		{"a symbol that nothing defines", eachPart(symbols, 24, func(p []byte, i int) bool { le.PutUint16(p[6:], 0); return i > 0 }), 0, ""},
		{"a name one letter short", eachPart(symbols, 24, func(p []byte, i int) bool { le.PutUint32(p, le.Uint32(p)+1); return i > 0 }), 0, ""},
		{"a size 4 more", eachPart(symbols, 24, func(p []byte, i int) bool { le.PutUint64(p[16:], le.Uint64(p[16:])+4); return i > 0 }), 0.01, placed},
		{"a Mercury symbol forgotten", eachTable(inner, entries(24, drop)), 0, ""},
		{"a Mercury symbol in place of the one before", eachTable(inner, entries(24, next)), 0, ""},

		{"a call forgotten", eachTable(graph, entries(8, drop)), 0.02, lost},
		{"a call the other way round", eachPart(graph, 8, func(p []byte, _ int) bool {
			a, b := le.Uint32(p), le.Uint32(p[4:])
			le.PutUint32(p, b)
			le.PutUint32(p[4:], a)
			return a != b
		}), 0.02, lost},
		{"a prototype of the next function", eachPart(ofType(cubin.SectionPrototype), 8, add(0, 1)), 0, ""},
		{"a prototype forgotten", eachTable(ofType(cubin.SectionPrototype), entries(8, drop)), 0, ""},

		{"a byte of lines", eachPart(lines, 1, flipped(0, 1)), 0, ""},
		{"lines one byte short", eachTable(lines, func(d []byte) [][]byte { return [][]byte{d[:len(d)-1]} }), 0, ""},
		{"a byte of lines of the Mercury half", eachPart(innerLine, 1, flipped(0, 1)), 0, ""},
		{"the length of code in .debug_frame", eachPart(frames, 4, flipped(0, 4)), 0.15, driver},
		{"no unwinding", eachTable(frames, func(d []byte) [][]byte { return [][]byte{nil} }), 0, ""},
		{"the length of code in .debug_frame of the Mercury half", eachPart(innerFram, 4, flipped(0, 4)), 0.05, driver},
		{"a byte of debug information", eachPart(told, 1, flipped(0, 0)), 0, ""},
		{"a byte of debug information of the Mercury half", eachPart(innerTold, 1, flipped(0, 0)), 0, ""},

		{"a byte of .nv.rel.action", eachPart(ofType(cubin.SectionRelAction), 1, flipped(0, 0)), 0, ""},
		{"a record of .nv.compat forgotten", eachTable(ofType(cubin.SectionCompat), records(drop)), 0, ""},
		{"a record of .nv.compat 1 more", eachTable(ofType(cubin.SectionCompat), records(func(l []nvinfo.Record, i int) []nvinfo.Record {
			if l[i].Format == nvinfo.Sized {
				return nil
			}
			l[i].Value++
			return l
		})), 0, ""},
		{"a byte of the origin", eachPart(namedLike(".note.nv.cuinfo"), 1, flipped(0, 0)), 0, ""},
		{"a byte of a section's name", eachPart(namedLike(".shstrtab"), 1, flipped(0, 0)), 0.2, unused},
		{"a byte of a name", eachPart(namedLike(".strtab"), 1, flipped(0, 0)), 0.5, unused},
		{"a segment forgotten", func(f *cubin.File, d []byte) [][]byte {
			return variants(d, min(1, int(f.PhNum)), func(_ int, b []byte) bool { b[56]--; return true })
		}, 0, ""},
		{"a segment 8 bytes short", eachSegment(func(p []byte) bool {
			le.PutUint64(p[32:], le.Uint64(p[32:])-min(8, le.Uint64(p[32:])))
			return le.Uint64(p[32:]) > 0
		}), 0, ""},
		{"a segment 16 bytes further", eachSegment(func(p []byte) bool { le.PutUint64(p[8:], le.Uint64(p[8:])+16); return true }), 0, ""},
		{"a segment of more memory", eachSegment(func(p []byte) bool { le.PutUint64(p[40:], le.Uint64(p[40:])+0x1000); return true }), 0, ""},
		{"a section that overlaps the next", eachSection(func(s *cubin.Section, p []byte) bool {
			le.PutUint64(p[32:], s.Size+max(s.EntSize, 256))
			return s.HasBytes() && s.Size > 0
		}), 0.01, twin},
		{"a byte of the header that says nothing", func(_ *cubin.File, d []byte) [][]byte {
			return variants(d, 7, func(i int, b []byte) bool { b[9+i] = 1; return true })
		}, 0, ""},
		{"a truncated file", func(f *cubin.File, d []byte) [][]byte { return [][]byte{d[:len(d)-64], d[:len(d)/2]} }, 0, ""},
	}
}

// everywhere is the environment variable that sets how many outputs are tried: one in this number. The default is one in
// 97, and 1 means all.
const everywhere = "CULINK_WRONGS_EVERY"

// shown lists outputs that are always tried. For each kind of mistake, the table that package spoils writes names the
// first of them in which the mistake is possible.
var shown = []string{
	functions, printing, textures, sharing, constants, compiler, "basic/line-information/sm_100", "mercury/jump-tables/sm_120",
	"global/strings/sm_80", "texture/two-kernels/sm_120", "options/preserve-relocs-constants/sm_80", "basic/debug-information/sm_80", "basic/debug-information/sm_100", "info/required-threads/sm_90",
	"global/strings/sm_100",
}

// A tally counts the variants of one kind of mistake, and those that the checker misses.
type tally struct {
	all, missed int
	last        string
}

func TestWrongEverywhere(t *testing.T) {
	every := uint32(97)
	if text := os.Getenv(everywhere); text != "" {
		if _, err := fmt.Sscan(text, &every); err != nil {
			t.Fatal(err)
		}
	}
	waivers, err := plan.LoadWaivers(corpus.Files, nil)
	if err != nil {
		t.Fatal(err)
	}
	ways := wrongs()
	counts, rows := make([]tally, len(ways)), make([]spoils.Row, len(ways))
	var group sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	inOrder := steps(t)
	slices.SortStableFunc(inOrder, func(a, b step) int { return cmp.Compare(showing(a), showing(b)) })
	for _, s := range inOrder {
		if s.unsound || showing(s) == len(shown) && !sampled(s, every) {
			continue
		}
		link, output, err := sound.FromCommand(context.Background(), s.before, s.argv)
		if err != nil {
			continue
		}
		data := s.want.Files[output]
		f, err := cubin.Open(output, data)
		if err != nil {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			for i, w := range ways {
				for _, spoiled := range w.all(f, data) {
					passes := len(sound.Check(*link, spoiled)) == 0
					mu.Lock()
					counts[i].add(s, passes)
					mu.Unlock()
				}
			}
		})
		for i, w := range ways {
			if list := w.all(f, data); len(list) > 0 && showing(s) < len(shown) && rows[i].Kind == "" {
				rows[i] = spoils.Row{Kind: w.name, Case: caseOf(s.id), Facets: failing(t, s, output, list[0], waivers)}
			}
		}
	}
	group.Wait()
	for i, w := range ways {
		w.judge(t, &counts[i])
		if rows[i].Kind == "" {
			t.Errorf("%s: in none of the outputs that the table names", w.name)
		}
	}
	if !t.Failed() {
		if err := spoils.Write("everywhere", rows); err != nil {
			t.Error(err)
		}
	}
}

// showing returns the index of a step's output in shown, or the length of shown if it is not there.
func showing(s step) int {
	if i := slices.Index(shown, s.id); i >= 0 {
		return i
	}
	return len(shown)
}

func (c *tally) add(s step, passes bool) {
	c.all++
	if passes {
		c.missed++
		c.last = fmt.Sprint(s.id, " ", s.argv)
	}
}

// judge fails the test if the checker misses a larger share than the table lists.
func (w *wrong) judge(t *testing.T, c *tally) {
	t.Logf("%s: %d of %d noticed", w.name, c.all-c.missed, c.all)
	if float64(c.missed) > w.spared*float64(c.all) {
		t.Errorf("%s: %d of %d outputs are sound, more than %.0f %%, the last of %s", w.name, c.missed, c.all, 100*w.spared, c.last)
	}
	if (w.spared > 0) != (w.why != "") {
		t.Errorf("%s: what passes needs a reason, and nothing else", w.name)
	}
}

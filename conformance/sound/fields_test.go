package sound_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/linker/cubin"
)

// The test changes each number in the headers of segments, sections and symbols, in outputs of nvlink for a part of the
// corpus. Nearly none of these outputs may be sound. If the checker misses some, the table gives the share and the
// reason.

// A headerField changes one number in each header of a table.
type headerField struct {
	name string
	do   func(f *cubin.File, data []byte) [][]byte
	// spared is the largest share of outputs that the checker may miss. why gives the reason.
	spared float64
	why    string
}

var le = binary.LittleEndian

// variants returns n copies of a file. edit changes entry i in copy i, and may reject it.
func variants(data []byte, n int, edit func(i int, b []byte) bool) (list [][]byte) {
	for i := range n {
		b := bytes.Clone(data)
		if edit(i, b) {
			list = append(list, b)
		}
	}
	return list
}

func eachSegment(edit func(p []byte) bool) func(*cubin.File, []byte) [][]byte {
	return func(f *cubin.File, data []byte) [][]byte {
		return variants(data, int(f.PhNum), func(i int, b []byte) bool {
			return edit(b[f.PhOff+uint64(i)*cubin.SegmentHeaderSize:][:cubin.SegmentHeaderSize])
		})
	}
}

func eachSection(edit func(s *cubin.Section, p []byte) bool) func(*cubin.File, []byte) [][]byte {
	return func(f *cubin.File, data []byte) [][]byte {
		return variants(data, len(f.Sections), func(i int, b []byte) bool {
			return i > 0 && edit(&f.Sections[i], b[f.ShOff+uint64(i)*cubin.SectionHeaderSize:][:cubin.SectionHeaderSize])
		})
	}
}

func eachSymbol(table cubin.SectionType, edit func(y *cubin.Symbol, p []byte) bool) func(*cubin.File, []byte) [][]byte {
	return func(f *cubin.File, data []byte) [][]byte {
		for i := range f.Sections {
			s := &f.Sections[i]
			if s.Type != table {
				continue
			}
			list, err := f.SymbolsOf(uint32(i))
			if err != nil {
				return nil
			}
			return variants(data, len(list), func(k int, b []byte) bool {
				return k > 0 && edit(&list[k], b[s.Offset+uint64(k)*cubin.SymbolSize:][:cubin.SymbolSize])
			})
		}
		return nil
	}
}

// allow returns a change that adds a flag to a segment.
func allow(flag byte) func(p []byte) bool {
	return func(p []byte) bool {
		old := p[4]
		p[4] |= flag
		return p[4] != old
	}
}

// raise returns a change that adds one to a byte of a header.
func raise(at int) func(*cubin.Section, []byte) bool {
	return func(_ *cubin.Section, p []byte) bool {
		p[at]++
		return true
	}
}

func headerFields() []headerField {
	const (
		symbols, inner = cubin.SectionSymTab, cubin.SectionMercSymTab
		inputs         = "what inputs alone know (.nv.host, with -r resolved relocations): the facet image"
		unchosen       = "kernels that nobody chose, with -r what a later link makes anew: the facet image"
		placed         = "with -r what a later link places: the facet image"
	)
	noSize := func(y *cubin.Symbol, p []byte) bool { le.PutUint64(p[16:], 0); return y.Size > 0 }
	further := func(y *cubin.Symbol, p []byte) bool { le.PutUint64(p[8:], y.Value+16); return true }
	otherBind := func(_ *cubin.Symbol, p []byte) bool { p[4] ^= 0x10; return true }
	otherVisibility := func(_ *cubin.Symbol, p []byte) bool { p[5] ^= 0x10; return true }
	nextSection := func(_ *cubin.Symbol, p []byte) bool { p[6]++; return true }
	return []headerField{
		{"a segment that may be written", eachSegment(allow(2)), 0, ""},
		{"a segment that may be executed", eachSegment(allow(1)), 0, ""},
		{"a segment's alignment", eachSegment(func(p []byte) bool { p[48] *= 2; return true }), 0, ""},
		{"a segment's type", eachSegment(func(p []byte) bool { p[0]++; return true }), 0, ""},
		{"a section's type", eachSection(raise(4)), 0, ""},
		{"a section's flags", eachSection(raise(8)), 0.01, inputs},
		{"a section's address", eachSection(raise(16)), 0, ""},
		{"a section's link", eachSection(raise(40)), 0.01, inputs},
		{"a section's info", eachSection(raise(44)), 0.04, inputs},
		{"the first symbol that is not local", eachSection(func(s *cubin.Section, p []byte) bool {
			p[44]++
			return s.Type == symbols
		}), 0.25, "nvlink counts symbols with -r that went: the facet image"},
		{"a section's alignment", eachSection(func(s *cubin.Section, p []byte) bool {
			le.PutUint64(p[48:], s.AddrAlign/2)
			return s.AddrAlign > 1
		}), 0.08, unchosen},
		{"a section's entry size", eachSection(raise(56)), 0.06, "of variables, a compiler chooses it: the facet image"},
		{"a symbol of no size", eachSymbol(symbols, noSize), 0.1, placed},
		{"a symbol 16 further", eachSymbol(symbols, further), 0.08, placed},
		{"a symbol's binding", eachSymbol(symbols, otherBind), 0, ""},
		{"a symbol's visibility", eachSymbol(symbols, otherVisibility), 0.05, placed},
		{"a symbol in the next section", eachSymbol(symbols, nextSection), 0.06, placed},
		{"a Mercury symbol of no size", eachSymbol(inner, noSize), 0.15, placed},
		{"a Mercury symbol 16 further", eachSymbol(inner, further), 0.1, placed},
		{"a Mercury symbol's binding", eachSymbol(inner, otherBind), 0, ""},
		{"a Mercury symbol's visibility", eachSymbol(inner, otherVisibility), 0.05, placed},
		{"a Mercury symbol in the next section", eachSymbol(inner, nextSection), 0.03, placed},
	}
}

func TestHeadersAreJudged(t *testing.T) {
	const every = 97
	fields := headerFields()
	all, missed := make([]int, len(fields)), make([]int, len(fields))
	last := make([]string, len(fields))
	for _, s := range steps(t) {
		if !sampled(s, every) {
			continue
		}
		link, output, err := sound.FromCommand(context.Background(), s.before, s.argv)
		if err != nil {
			continue
		}
		data := s.want.Files[output]
		f, err := cubin.Open(output, data)
		if err != nil || s.unsound {
			continue
		}
		for i, field := range fields {
			for _, spoiled := range field.do(f, data) {
				all[i]++
				if len(sound.Check(*link, spoiled)) == 0 {
					missed[i]++
					last[i] = s.id
				}
			}
		}
	}
	for i, field := range fields {
		if all[i] < 15 {
			t.Errorf("%s: only %d outputs", field.name, all[i])
		}
		t.Logf("%s: %d of %d pass", field.name, missed[i], all[i])
		if share := float64(missed[i]) / float64(all[i]); share > field.spared {
			t.Errorf("%s: %d of %d outputs are sound, more than %.0f %%, the last of %s", field.name, missed[i], all[i], 100*field.spared, last[i])
		}
		if (field.spared > 0) != (field.why != "") {
			t.Errorf("%s: what passes needs a reason, and nothing else", field.name)
		}
	}
}

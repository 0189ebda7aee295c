package diff

import (
	"fmt"
	"maps"
	"strings"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/sass"
)

// A fact is a value of a file with a key. The value has one of three forms: words; a list whose order is compared (keys
// "order.*"); or bytes, of which the report shows only the places that differ.
type fact struct {
	key, class string
	rank       Rank
	text       string
	list       []string
	data       []byte
	unit       int  // number of bytes that are shown together; 0 for words and lists
	code       bool // bytes are instructions
}

// facts holds the facts of one file, in the order of the file.
type facts struct {
	list   []fact
	byKey  map[string]int
	taken  map[string]int  // how many facts have had a key, of those that more than one has
	unread []string        // parts that could not be decoded
	left   int             // bytes that further facts may take
	ended  bool            // some did not fit
	whole  map[string]bool // sections that are compared by their bytes: their records do not fit in one of the files
}

// newFacts returns an empty list for a file of the given size. A comparison may use 64 MiB plus eight times the size of
// the files (CONF-016). Three eighths of this are for facts. The rest is for the files, their decoded contents, the report,
// and garbage: the collector cannot hold the limit if nearly all of the memory is in use.
func newFacts(size int) *facts {
	return &facts{byKey: map[string]int{}, taken: map[string]int{}, left: 12<<20 + 3*size, whole: map[string]bool{}}
}

// fits reports whether there is memory to decode the records of a section. A decoded record needs up to sixteen times
// its size in bytes.
func (f *facts) fits(section string, size int) bool {
	if size <= f.left/16 && !f.whole[section] {
		return true
	}
	f.whole[section] = true
	f.unread = append(f.unread, fmt.Sprintf("the records of section %s, only its bytes: the budget of a comparison is 64 MiB and 8 times the files", section))
	return false
}

func (f *facts) get(key string) *fact {
	if i, ok := f.byKey[key]; ok {
		return &f.list[i]
	}
	return nil
}

// add adds a fact if there is memory for it. If the key exists already, the new key ends in "#2", "#3" and so on.
func (f *facts) add(x fact) {
	const own = 200 // size in bytes of a fact in the list and in the map, without its words
	if f.left -= own + 2*len(x.key) + len(x.class) + len(x.text) + 16*len(x.list); f.left < 0 {
		if !f.ended {
			f.ended = true
			f.unread = append(f.unread, fmt.Sprintf("what follows %d facts: the budget of a comparison is 64 MiB and 8 times the files", len(f.list)))
		}
		return
	}
	base := x.key
	for f.get(x.key) != nil {
		f.taken[base] = max(f.taken[base], 1) + 1
		x.key = fmt.Sprintf("%s#%d", base, f.taken[base])
	}
	f.byKey[x.key] = len(f.list)
	f.list = append(f.list, x)
}

// words adds a fact with a text. class is the key with '*' in place of names.
func (f *facts) words(rank Rank, key, class, format string, args ...any) {
	f.add(fact{key: key, class: class, rank: rank, text: fmt.Sprintf(format, args...)})
}

// order adds a list whose order is compared. Repeated elements are numbered first.
func (f *facts) order(rank Rank, key, class string, list []string) {
	f.add(fact{key: key, class: class, rank: rank, list: unique(list)})
}

func (f *facts) bytes(rank Rank, key, class string, data []byte, unit int) {
	f.add(fact{key: key, class: class, rank: rank, data: data, unit: unit})
}

// instructions adds a fact of machine code.
func (f *facts) instructions(key, class string, data []byte) {
	f.add(fact{key: key, class: class, rank: RankContents, data: data, unit: sass.Size, code: true})
}

func (f *facts) fail(err error) { f.unread = append(f.unread, err.Error()) }

// unique numbers repeated strings. For a, a, a it returns a, a#2, a#3.
func unique(list []string) []string {
	seen := make(map[string]int, len(list))
	out := make([]string, len(list))
	for i, s := range list {
		seen[s]++
		out[i] = s
		if n := seen[s]; n > 1 {
			out[i] = fmt.Sprintf("%s#%d", s, n)
		}
	}
	return out
}

// words returns the value of a fact that the other side does not have.
func (x *fact) words() string {
	switch {
	case x.unit > 0:
		return fmt.Sprintf("%d bytes", len(x.data))
	case x.list != nil:
		return strings.Join(x.list, " ")
	}
	return x.text
}

func (x *fact) compare(y *fact) (a, b string, differ bool) {
	switch {
	case x.unit > 0 && y.unit > 0:
		return compareBytes(x.data, y.data, x.unit, x.code && y.code)
	case x.list != nil && y.list != nil:
		return compareOrder(x.list, y.list)
	}
	a, b = x.words(), y.words()
	return a, b, a != b
}

// compareOrder compares the order of the elements that both lists have. It shows the part from the first to the last
// element that is out of place.
func compareOrder(a, b []string) (string, string, bool) {
	a, b = keep(a, b), keep(b, a)
	first := 0
	for first < len(a) && a[first] == b[first] {
		first++
	}
	if first == len(a) {
		return "", "", false
	}
	last := len(a)
	for a[last-1] == b[last-1] {
		last--
	}
	const show = 12
	part := func(l []string) string {
		l = l[first:last]
		more := ""
		if len(l) > show {
			more = fmt.Sprintf(" ... (%d)", len(l)-show)
			l = l[:show]
		}
		return fmt.Sprintf("[%d] %s%s", first, strings.Join(l, " "), more)
	}
	return part(a), part(b), true
}

// keep returns the elements of a that b also has.
func keep(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, s := range b {
		in[s] = true
	}
	var out []string
	for _, s := range a {
		if in[s] {
			out = append(out, s)
		}
	}
	return out
}

// compareBytes shows the units that differ, and the bits that differ in them. For code it also shows the schedules of
// both sides.
func compareBytes(a, b []byte, unit int, code bool) (string, string, bool) {
	const show = 6
	var la, lb []string
	count := 0
	for at := 0; at < max(len(a), len(b)); at += unit {
		ua, ub := window(a, at, unit), window(b, at, unit)
		if string(ua) == string(ub) {
			continue
		}
		if count++; count <= show {
			sa, sb := "", ""
			if code {
				sa, sb = controls(ua, ub)
			}
			la = append(la, fmt.Sprintf("%#x: %s%s", at, hexUnit(ua), sa))
			lb = append(lb, fmt.Sprintf("%#x: %s%s%s", at, hexUnit(ub), bitRanges(ua, ub), sb))
		}
	}
	if count == 0 {
		return "", "", false
	}
	if len(a) != len(b) {
		la = append([]string{fmt.Sprintf("%d bytes", len(a))}, la...)
		lb = append([]string{fmt.Sprintf("%d bytes", len(b))}, lb...)
	}
	if count > show {
		lb = append(lb, fmt.Sprintf("(%d more units of %d bytes differ)", count-show, unit))
	}
	return strings.Join(la, "\n"), strings.Join(lb, "\n"), true
}

// controls describes the schedules of two instructions if they differ.
func controls(a, b []byte) (string, string) {
	if len(a) != sass.Size || len(b) != sass.Size {
		return "", ""
	}
	ca, cb := hazard.ControlOf(sass.Decode(a)).String(), hazard.ControlOf(sass.Decode(b)).String()
	if ca == cb {
		return "", ""
	}
	return "  schedule: " + ca, "  schedule: " + cb
}

func window(b []byte, at, n int) []byte {
	if at >= len(b) {
		return nil
	}
	return b[at:min(at+n, len(b))]
}

// hexUnit prints bytes as little endian words of 8 bytes, most significant first.
func hexUnit(b []byte) string {
	if len(b) == 0 {
		return Absent
	}
	var s strings.Builder
	for i := len(b) - 1; i >= 0; i-- {
		fmt.Fprintf(&s, "%02x", b[i])
		if i > 0 && i%8 == 0 {
			s.WriteByte(' ')
		}
	}
	return s.String()
}

// bitRanges lists the ranges of bits that differ, with their values on both sides.
func bitRanges(a, b []byte) string {
	if len(a) != len(b) {
		return ""
	}
	bit := func(x []byte, i int) uint64 { return uint64(x[i/8]>>(i%8)) & 1 }
	first, last := -1, -1
	for i := range 8 * len(a) {
		if bit(a, i) != bit(b, i) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return fmt.Sprintf("  (bits %d..%d)", first, last)
}

// rawFacts describes a file as bytes.
func rawFacts(data []byte) *facts {
	f := newFacts(len(data))
	f.words(RankPadding, "file.size", "file.size", "%d", len(data))
	f.bytes(RankPadding, "file.bytes", "file.bytes", data, 16)
	return f
}

// finalizerWords describes what a finalizer would still change in a function. It also explains why some scoreboards of
// the input were kept: "scoreboards, kept: S2R at 0x10 result: rule SB1 (MERC-133), input SB4".
func finalizerWords(r mercury.Result) string {
	if r.Kept == nil {
		return r.Changes.String()
	}
	return fmt.Sprintf("%s, kept: %s", r.Changes, r.Kept)
}

// takeApart makes the facts of a cubin. The sections named in whole are not decoded.
func takeApart(c *cubin.File, whole map[string]bool) *facts {
	f := newFacts(len(c.Bytes()))
	maps.Copy(f.whole, whole)
	n := newNames(c, f)
	headerFacts(f, c)
	sectionFacts(f, c, n)
	segmentFacts(f, c)
	symbolFacts(f, c, n)
	finalized := codematch.Results(c)
	for i := range c.Sections {
		if result, ok := finalized[uint32(i)]; ok {
			key, pattern := sectionKey(n.sections[i])
			f.words(RankContents, "section."+key+".finalizer", "section."+pattern+".finalizer", "%s", finalizerWords(result))
		}
		contentFacts(f, c, n, uint32(i))
	}
	return f
}

package fuzz

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
)

// These tests change every field in the tables of a cubin, one at a time. The values violate typical assumptions of
// readers: that a size is at most that of the file, that a value is a power of two, or that an index exists.

// A field is a number in a file.
type field struct {
	what  string
	at    int
	width int // bytes
}

// fieldsOf returns the fields of the header, the section table, symbols, relocations, attributes, the call graph,
// prototypes and notes.
func fieldsOf(t testing.TB, data []byte) []field {
	t.Helper()
	f, err := cubin.Open("seed", data)
	if err != nil {
		t.Fatal(err)
	}
	var fields []field
	record := func(what string, at int, widths ...int) {
		for i, w := range widths {
			fields = append(fields, field{fmt.Sprintf("%s, field %d", what, i), at, w})
			at += w
		}
	}
	record("ELF header", 16, 2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2)
	for i, s := range f.Sections {
		record(fmt.Sprintf("section header %d %s", i, s.Name), int(f.ShOff)+i*cubin.SectionHeaderSize, 4, 4, 8, 8, 8, 8, 4, 4, 8, 8)
		if !s.HasBytes() {
			continue
		}
		var widths []int
		step := 0 // distance between two records, if it is not the size of a record
		switch s.Type {
		case cubin.SectionSymTab, cubin.SectionMercSymTab:
			widths = []int{4, 1, 1, 2, 8, 8}
		case cubin.SectionRel:
			widths = []int{8, 4, 4}
		case cubin.SectionRela, cubin.SectionMercRela:
			widths = []int{8, 4, 4, 8}
		case cubin.SectionInfo, cubin.SectionMercInfo, cubin.SectionCompat:
			widths = []int{1, 1, 2}
		case cubin.SectionCallGraph, cubin.SectionPrototype, cubin.SectionNote:
			widths = []int{4}
		case cubin.SectionCapMerc:
			widths, step = []int{4}, 5*4 // a sample
		default:
			if !strings.Contains(s.Name, ".debug_frame") && s.Name != ".debug_line" {
				continue
			}
			widths, step = []int{4}, 5*4
		}
		size := 0
		for _, w := range widths {
			size += w
		}
		for at := 0; at+size <= int(s.Size); at += max(size, step) {
			record(fmt.Sprintf("%s + %#x", s.Name, at), int(s.Offset)+at, widths...)
		}
	}
	return fields
}

// valuesFor returns the values to write into a field that holds old, in a file of length bytes.
func valuesFor(old, length uint64, width int) []uint64 {
	values := []uint64{
		0, 1, 2, 3, old + 1, old - 1, old ^ 0x10, old << 8, 0xf2, 0xfff1, 0xfff2, 0xffff, length - 1, length,
		0x7fffffff, 1 << 31, 1<<32 - 1, 1 << 40, 1 << 63, 1<<64 - 64, 1<<64 - 1,
		0x70000000, 0x70000007, 0x7000000a, 0x70000064, 0x70000066,
	}
	var distinct []uint64
	for _, v := range values {
		if width < 8 {
			v &= 1<<(8*width) - 1
		}
		if v != old && !slices.Contains(distinct, v) {
			distinct = append(distinct, v)
		}
	}
	return distinct
}

// read and write access a field of data.
func (f field) read(data []byte) uint64 {
	var b [8]byte
	copy(b[:], data[f.at:f.at+f.width])
	return binary.LittleEndian.Uint64(b[:])
}

func (f field) write(data []byte, v uint64) {
	b := binary.LittleEndian.AppendUint64(nil, v)
	copy(data[f.at:f.at+f.width], b)
}

// The test damages every field of the first input of recorded links, one at a time. Each link must satisfy checkLink,
// and its memory must stay within limits (LOAD-500, EMIT-501). CULINK_ALL_DAMAGE=1 tries every value of every field.
func TestDamagedLinks(t *testing.T) {
	links := seedLinks(t)
	step := 73 // does not divide the number of values, so that each field gets different ones
	if os.Getenv("CULINK_ALL_DAMAGE") != "" {
		step = 1
	}
	tried, done, accepted := 0, 0, 0
	var worst extremes
	for _, name := range damagedSeeds {
		data := links[name]
		if data == nil {
			t.Fatalf("%s is not in the corpus", name)
		}
		data = slices.Clone(data)
		step := step
		if step > 1 && strings.HasPrefix(name, "mercury/") {
			step = 307 // their files are large
		}
		for which := range data {
			whole := data[which]
			broken := slices.Clone(whole)
			data[which] = broken
			for _, f := range fieldsOf(t, whole) {
				for _, v := range valuesFor(f.read(whole), uint64(len(whole)), f.width) {
					if tried++; tried%step != 0 {
						continue
					}
					f.write(broken, v)
					done++
					if linkWithinBounds(t, fmt.Sprintf("%s: input %d, %s = %#x", name, which, f.what, v), modes[done%len(modes)], &worst, data) {
						accepted++
					}
					copy(broken[f.at:], whole[f.at:f.at+f.width])
				}
			}
			data[which] = whole
		}
	}
	t.Logf("%d damaged links, %d of them accepted; at most %d bytes and %v for two links and the reading of the output", done, accepted, worst.memory, worst.time)
	if accepted == 0 || accepted == done {
		t.Error("the damage does not tell good links from bad ones")
	}
}

// The test repeats damage that culink once handled wrongly, in every mode.
func TestDamageThatOnceBroke(t *testing.T) {
	links := seedLinks(t)
	for _, c := range []struct {
		link  string
		input int
		field string
		value uint64
	}{
		{"weak/constants-of-lost-copy/sm_80", 1, ".symtab + 0x48, field 3", 0xe},                              // a variable in lost code
		{"shared/dynamic/sm_80", 0, ".symtab + 0xa8, field 3", 0xe},                                           // a variable in a relocation section
		{"weak/kernel-and-strong/sm_90", 0, ".symtab + 0x48, field 3", 7},                                     // in .nv.info
		{"constant/compiler-generated/sm_80", 1, "section header 14 .rela.text._Z2kbPd, field 1", 0x70000064}, // two constant banks 0 in one kernel
		{"weak/kernel-and-strong/sm_90", 0, "section header 12 .text.wk, field 1", 0x70000007},                // discarded weak code without contents
		{"shared/dynamic/sm_80", 0, "section header 4 .debug_frame, field 8", 1 << 31},                        // an alignment of 2 GiB
		{"shared/dynamic/sm_80", 0, "section header 15 .nv.constant0._Z4bothPi, field 8", 1 << 32},            // an alignment of 4 GiB
		{"mercury/sm_110", 0, ".symtab + 0x120, field 3", 0x30},                                               // a symbol in a table of the Mercury half
		{"mercury/sm_110", 0, "section header 50 .nv.merc.nv.constant.user, field 5", 0x1000},                 // a section of the Mercury half that is larger than its plain section
		{"mercury/sm_100", 0, "section header 26 .text.run, field 2", 0x70000066},                             // a function without a capsule
		{"mercury/sm_100", 0, "section header 18 .rela.nv.constant2.choose, field 1", 1<<32 - 1},              // data whose copy is a table
		{"mercury/sm_100", 0, ".symtab + 0x2b8, field 1", 0x11},                                               // a capsule of no function
		{"mercury/sm_100", 0, "section header 24 .nv.constant2.choose, field 7", 0xffff},                      // constants of no function
		{"merge/static-functions/sm_80", 0, ".symtab + 0xf0, field 4", 1<<64 - 1},                             // a variable whose end overflows, in a link that merges equal constants
	} {
		data := slices.Clone(links[c.link])
		fields := fieldsOf(t, data[c.input])
		i := slices.IndexFunc(fields, func(f field) bool { return f.what == c.field })
		if i < 0 {
			t.Errorf("%s has no %s", c.link, c.field)
			continue
		}
		data[c.input] = slices.Clone(data[c.input])
		fields[i].write(data[c.input], c.value)
		for _, mode := range modes {
			linkWithinBounds(t, fmt.Sprintf("%s: input %d, %s = %#x", c.link, c.input, c.field, c.value), mode, &extremes{}, data)
		}
	}
}

// A parameter bank that belongs to no code, beside a Mercury half with slots of textures for it, ended culink.
func TestBankOfNoCode(t *testing.T) {
	data, err := corpus.Files.ReadFile("texture/whole-program/sm_100/in/debug.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const bank = "\nsection .nv.constant0.k1"
	text := strings.Replace(cubintext.Format(data), bank, bank+" info=0", 1)
	damaged, err := cubintext.Parse("debug.cubin", text)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(damaged, data) {
		t.Fatal("the file is as before")
	}
	for _, mode := range modes {
		linkWithinBounds(t, "a bank of no code", mode, &extremes{}, [][]byte{damaged})
	}
}

// extremes holds the highest memory and time of a check.
type extremes struct {
	memory uint64
	time   time.Duration
}

// linkWithinBounds calls checkLink with a limit on memory. All allocations of checkLink count, including freed ones.
// checkLink links twice and reads the output.
func linkWithinBounds(t *testing.T, what string, mode linker.Options, worst *extremes, data [][]byte) bool {
	t.Helper()
	var before, after runtime.MemStats
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v\n%s", what, r, debug.Stack())
		}
	}()
	runtime.ReadMemStats(&before)
	start := cpuTime()
	ok, err := checkLink(mode, data...)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	worst.time = max(worst.time, cpuTime()-start)
	runtime.ReadMemStats(&after)
	worst.memory = max(worst.memory, after.TotalAlloc-before.TotalAlloc)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%s: %d bytes allocated", what, used)
	}
	return ok
}

// damagedSeeds lists links that together have every kind of section.
var damagedSeeds = []string{
	"basic/two-files/sm_80",
	"basic/only-data/sm_90",
	"callgraph/call-targets/sm_80",
	"constant/compiler-generated/sm_80",
	"merge/alias-across-files/sm_90",
	"merge/common-alignment/sm_80",
	"merge/static-functions/sm_80",
	"weak/constants-of-lost-copy/sm_80",
	"weak/shared-variable/sm_80",
	"weak/kernel-and-strong/sm_90",
	"shared/two-files/sm_90",
	"shared/dynamic/sm_80",
	"global/texture-and-surface/sm_80",
	"reloc/function-table/sm_90",
	"stack/mutual-recursion/sm_80",
	"basic/line-and-debug/sm_80",
	"mercury/sm_100",
	"mercury/sm_110",
	"mercury/machine-code-first/sm_100",
	"mercury/machine-code-last/sm_100",
}

// damagedFields returns the fields of the inputs of damagedSeeds.
func damagedFields(tb testing.TB, links map[string][][]byte) map[string][][]field {
	fields := map[string][][]field{}
	for _, name := range damagedSeeds {
		for _, data := range links[name] {
			fields[name] = append(fields[name], fieldsOf(tb, data))
		}
	}
	return fields
}

// damaged returns copies of a link's inputs. Each ten bytes of edits change one field. It also returns a description of
// the changes.
func damaged(link [][]byte, fields [][]field, edits []byte) (data [][]byte) {
	for _, whole := range link {
		data = append(data, slices.Clone(whole))
	}
	for ; len(edits) >= 10; edits = edits[10:] {
		where := int(binary.LittleEndian.Uint16(edits))
		which := where % len(data)
		of := fields[which]
		of[where/len(data)%len(of)].write(data[which], binary.LittleEndian.Uint64(edits[2:]))
	}
	return data
}

// FuzzDamagedLink changes fields of a recorded link. In contrast, [FuzzLink] may change bytes that no code reads.
func FuzzDamagedLink(f *testing.F) {
	fuzzEdits(f, func(_ *testing.T, mode int, link ...[]byte) error {
		_, err := checkLink(modes[mode%len(modes)], link...)
		return err
	})
}

// fuzzEdits runs check on recorded links with any edits of their fields.
func fuzzEdits(f *testing.F, check func(t *testing.T, mode int, link ...[]byte) error) {
	links := seedLinks(f)
	fields := damagedFields(f, links)
	for i := range damagedSeeds {
		f.Add(uint8(i), uint8(i), []byte{10, 1, 0xff, 0xff, 0, 0, 0, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, link, mode uint8, edits []byte) {
		name := damagedSeeds[int(link)%len(damagedSeeds)]
		if err := check(t, int(mode), damaged(links[name], fields[name], edits)...); err != nil {
			t.Fatal(err)
		}
	})
}

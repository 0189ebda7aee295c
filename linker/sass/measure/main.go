// Measure generates the table of forms of package sass. It needs CULINK_ORACLE, the folder of an installed toolkit,
// and takes about ten minutes:
//
//	go run ./linker/sass/measure -from 100 -o linker/sass/forms_table.go -samples linker/sass/testdata/generated.txt
//
// For each SM and each of the 4096 opcodes it tries random encodings, and changes the valid ones bit by bit
// (explore.go, decide.go). The toolkit's disassembler shows which encodings are valid. The life ranges that it prints
// show the registers that each instruction writes and reads. The places of their numbers in the instruction give the
// operands (label.go). A bit decides about the operands if changing only this bit changes them (decide.go). The
// values of these bits identify the forms (tree.go). A form that any sample contradicts is dropped, even if it was in
// the table before. In this way the table grows and stays correct.
//
// With -seeds and -unknown it starts from those instructions of compiled code that are not in the table. This finds
// rare forms.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io"
	"io/fs"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/sass"
)

// sms contains the measured SMs in ascending order. Any other SM is treated like the next lower one.
var sms = []int{75, 80, 86, 89, 90, 100, 120}

// suffixOf returns the suffix that the name of an SM has in a target with all of its instructions.
func suffixOf(sm int) string {
	if sm < 90 {
		return ""
	}
	return "a"
}

// lastSM is the last SM that is treated like the last measured one.
const lastSM = 121

func main() {
	log.SetFlags(0)
	out := flag.String("o", "forms_table.go", "file to write the table to")
	samples := flag.String("samples", "", "file to write some of the samples to")
	effort := flag.Int("effort", 64, "encodings tried for an opcode in each round")
	limit := flag.Int("limit", 300, "instructions measured of an opcode on each SM")
	seed := flag.Uint64("seed", 1, "of the random encodings")
	seeds := flag.String("seeds", "", "folder of cubins whose instructions are changed as well")
	unknown := flag.Bool("unknown", false, "of -seeds take instructions of unknown forms alone, and look at no opcodes but theirs")
	keep := flag.String("keep", "", "file for all that was measured; what it has of an SM is not looked for anew")
	from := flag.Int("from", 0, "first SM to measure; what the table has of those before stays")
	to := flag.Int("to", lastSM, "last SM to measure; what the table has of those after stays")
	only := flag.String("opcodes", "", "opcodes to measure, as 0x203,0x803; what the table has of others stays")
	ask := flag.Bool("ask", true, "measure; else only learn from what -keep has")
	flag.Parse()
	oracle := os.Getenv("CULINK_ORACLE")
	if oracle == "" {
		log.Fatal("CULINK_ORACLE names no installed toolkit: nothing to measure with")
	}
	all, err := load(*keep)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	if *ask {
		m := &measurement{bin: filepath.Join(oracle, "bin"), keep: *keep, all: all, effort: *effort, limit: *limit, seed: *seed, seeded: *unknown, only: opcodesOf(*only), from: *from, to: *to}
		if err := m.run(context.Background(), seedsOf(*seeds, *unknown)); err != nil {
			log.Fatal(err)
		}
		all = m.all
	}
	all = slices.DeleteFunc(all, func(s *sample) bool { return s.sm < *from || s.sm > *to })
	old, err := os.ReadFile(*out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	leaves := confirmed(given(old), formsOfEras(all), all)
	text, err := format.Source(table(leaves))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, text, 0o644); err != nil {
		log.Fatal(err)
	}
	if *samples != "" {
		if err := os.WriteFile(*samples, listing(all), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// opcodesOf parses a list of opcodes.
func opcodesOf(list string) map[uint16]bool {
	all := map[uint16]bool{}
	for name := range strings.SplitSeq(list, ",") {
		if name == "" {
			continue
		}
		op, err := strconv.ParseUint(name, 0, 12)
		if err != nil {
			log.Fatal(err)
		}
		all[uint16(op)] = true
	}
	return all
}

// A measurement tests instructions of all opcodes on all SMs, and keeps the results.
type measurement struct {
	bin, keep     string // folder of the toolkit's programs; file for the results, or ""
	all           []*sample
	effort, limit int
	seed          uint64
	seeded        bool            // only of opcodes with seeds
	only          map[uint16]bool // opcodes to test; empty: all
	from, to      int             // the SMs to test
}

// run searches for instructions of one SM after the other, unless there are results for that SM already. It then
// tries known forms of one SM on the others of its era, and known operations with other kinds of operands.
func (m *measurement) run(ctx context.Context, seeds map[uint16][]sass.Instruction) error {
	wanted := func(op uint16) bool {
		return (!m.seeded || len(seeds[op]) > 0) && (len(m.only) == 0 || m.only[op])
	}
	var explorers []*explorer
	for _, sm := range sms {
		if sm < m.from || sm > m.to {
			continue
		}
		e := &explorer{Rand: rand.New(rand.NewPCG(m.seed, uint64(sm))), effort: m.effort, wanted: wanted,
			disassembler: disassembler{bin: m.bin, sm: sm, suffix: suffixOf(sm)},
			found:        map[uint16][]sass.Instruction{}, texts: map[sass.Instruction]string{}}
		for _, s := range m.all {
			e.know(s)
		}
		explorers = append(explorers, e)
	}
	for _, e := range explorers {
		if len(e.found) == 0 {
			if err := m.with(ctx, e, func() ([]*sample, error) { return e.samples(ctx, seeds, m.limit) }); err != nil {
				return err
			}
		}
	}
	var words [2][]sass.Instruction // before era, and from era on
	for _, l := range formsOfEras(m.all) {
		words[since(l.since)] = append(words[since(l.since)], l.few...)
	}
	for _, e := range explorers {
		if err := m.with(ctx, e, func() ([]*sample, error) {
			added, err := e.try(ctx, slices.Concat(words[since(e.sm)], e.sisters()))
			if err != nil {
				return nil, err
			}
			return e.measureAll(ctx, added)
		}); err != nil {
			return err
		}
	}
	return nil
}

// with opens e for measure, and keeps the resulting samples.
func (m *measurement) with(ctx context.Context, e *explorer, measure func() ([]*sample, error)) (err error) {
	if e.work, err = os.MkdirTemp("", "measure"); err != nil {
		return err
	}
	defer os.RemoveAll(e.work)
	if err := e.open(ctx); err != nil {
		return err
	}
	more, err := measure()
	if err != nil {
		return err
	}
	m.all = append(m.all, more...)
	log.Printf("sm_%d: %d opcodes, %d instructions measured", e.sm, len(e.found), len(more))
	if m.keep == "" {
		return nil
	}
	return save(m.keep, m.all)
}

// seedsOf returns at most forty instructions of each opcode from the cubins in a folder. All get the same scheduling.
// If unknown is set, it returns only instructions of unknown forms.
func seedsOf(dir string, unknown bool) map[uint16][]sass.Instruction {
	seeds := map[uint16][]sass.Instruction{}
	if dir == "" {
		return seeds
	}
	seen := map[sass.Instruction]bool{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".cubin" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := cubin.Open(path, data)
		if err != nil || f.SM() < sms[0] {
			return nil
		}
		for i := range f.Sections {
			s := &f.Sections[i]
			code, err := f.Data(s.Index)
			if s.Flags&cubin.FlagExec == 0 || err != nil {
				continue
			}
			for ; len(code) >= sass.Size; code = code[sass.Size:] {
				x := sass.Decode(code)
				if _, known := sass.FormOf(x, f.SM()); known && unknown {
					continue
				}
				x.High = x.High&(1<<(105-64)-1) | schedule
				for _, at := range registerSlots { // instructions that differ only in registers count once
					if at != 40 {
						x = setField(x, uint(at)+3, 3, 0)
					}
				}
				if op := x.Opcode(); !seen[x] && len(seeds[op]) < 40 {
					seen[x] = true
					seeds[op] = append(seeds[op], x)
				}
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return seeds
}

// A kept sample is a sample in a file.
type kept struct {
	X             sass.Instruction
	SM            int
	Text          string
	Writes, Reads sass.Registers
}

func save(name string, all []*sample) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	out := gob.NewEncoder(f)
	for _, s := range all {
		if err := out.Encode(kept{s.x, s.sm, s.text, s.writes, s.reads}); err != nil {
			return err
		}
	}
	return f.Close()
}

func load(name string) (all []*sample, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	defer f.Close()
	for in := gob.NewDecoder(f); ; {
		var k kept
		if err := in.Decode(&k); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, &sample{x: k.X, sm: k.SM, text: k.Text, writes: k.Writes, reads: k.Reads})
	}
}

// era is the first SM with another encoding of instructions.
const era = 100

// formsOfEras learns the forms of all samples, separately for the SMs of each era.
func formsOfEras(all []*sample) []leaf {
	var of [2][]*sample
	for _, s := range all {
		of[since(s.sm)] = append(of[since(s.sm)], s)
	}
	return append(forms(of[0]), forms(of[1])...)
}

// since returns 1 for an SM from era on, and 0 for an earlier one.
func since(sm int) int {
	if sm < era {
		return 0
	}
	return 1
}

// forms learns the forms of all samples. It drops samples whose operands cannot be determined.
func forms(all []*sample) (leaves []leaf) {
	byOpcode, everyOne := map[uint16][]*sample{}, map[uint16][]*sample{}
	strange := map[uint16]int{}
	for _, s := range labelAll(all) {
		if strange[s.x.Opcode()]++; strange[s.x.Opcode()] <= 2 {
			log.Printf("sm_%d: %016x %016x %s: writes %v, reads %v: no operands explain this", s.sm, s.x.High, s.x.Low, s.text, s.writes, s.reads)
		}
	}
	for _, s := range all {
		everyOne[s.x.Opcode()] = append(everyOne[s.x.Opcode()], s)
		if s.labelled {
			s.reading = fmt.Sprint(s.sm, number.ReplaceAllString(s.text, "N"))
			byOpcode[s.x.Opcode()] = append(byOpcode[s.x.Opcode()], s)
		}
	}
	decide := deciding(all)
	for op, samples := range byOpcode {
		count := predicatesOf(samples)
		shown := slices.SortedFunc(maps.Keys(count), func(a, b sass.Operand) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), compareOperands(a, b))
		})
		for _, l := range learn(samples, decide[op], sass.Instruction{}, sass.Instruction{}, func(text string) { log.Print(text) }) {
			leaves = append(leaves, l.resolved(decide[op], shown, everyOne[op])...)
		}
	}
	for i := range leaves { // an SM that was not measured is treated like the one before it
		until := lastSM
		for k, sm := range sms[:len(sms)-1] {
			if sm == leaves[i].until {
				until = sms[k+1] - 1
			}
		}
		leaves[i].until = until
	}
	slices.SortFunc(leaves, compareLeaves)
	return leaves
}

// remark matches the comment on a row of the table. The comment consists of an instruction and the number of samples.
var remark = regexp.MustCompile(`(?m)^\t\{0x.*\}, +// (\S*), (\d+)$`)

// fewest is the minimum number of samples of a form.
const fewest = 4

// given returns the forms in the existing table, with the comments of its text.
func given(table []byte) (leaves []leaf) {
	remarks := remark.FindAllSubmatch(table, -1)
	for i, f := range sass.Forms() {
		var name string
		var count int
		if i < len(remarks) {
			name = string(remarks[i][1])
			count, _ = strconv.Atoi(string(remarks[i][2]))
		}
		leaves = append(leaves, leaf{text: name, count: count, opcode: f.Opcode, since: int(f.Since), until: int(f.Until), mask: f.Mask, bits: f.Bits, operands: f.Operands()})
	}
	return leaves
}

// resolved checks l against all samples of its opcode, including those whose operands cannot be determined. If some
// contradict it, l is split by the values of one bit. That bit is the one that leaves the fewest samples in
// contradicted forms. If there is no such bit, l is split by SM. shown holds the predicates that instructions of the
// opcode use.
func (l leaf) resolved(decide sass.Instruction, shown []sass.Operand, samples []*sample) []leaf {
	samples = slices.DeleteFunc(slices.Clone(samples), func(s *sample) bool { return !l.covers(s) })
	operands, right := l.completed(shown, samples)
	if right {
		l.operands = operands
		return []leaf{l}
	}
	var best []leaf
	least := len(samples)
	for at := uint(firstBit); at < endBit; at++ {
		if !decide.Bit(at) || l.mask.Bit(at) {
			continue
		}
		halves, doubtful := []leaf{l, l}, 0
		for v := range uint64(2) {
			half := &halves[v]
			half.mask, half.bits = setField(l.mask, at, 1, 1), setField(l.bits, at, 1, v)
			of := slices.DeleteFunc(slices.Clone(samples), func(s *sample) bool { return !half.covers(s) })
			if _, right := half.completed(shown, of); !right {
				doubtful += len(of)
			}
		}
		if doubtful < least {
			best, least = halves, doubtful
		}
	}
	if i := slices.Index(sms, l.since); best == nil && l.since < l.until {
		best = []leaf{l, l}
		best[0].until, best[1].since = l.since, sms[i+1]
	}
	if best == nil {
		return []leaf{l}
	}
	return append(best[0].resolved(decide, shown, samples), best[1].resolved(decide, shown, samples)...)
}

// completed returns the operands of l, and the predicates that its samples use without showing the slot, because the
// numbers occur at several slots. It adds the first predicate that an instruction of the opcode shows and no sample
// lacks. right reports whether the operands explain all samples.
func (l leaf) completed(shown []sass.Operand, samples []*sample) (operands []sass.Operand, right bool) {
	for _, s := range samples {
		if l.explains(s) {
			continue
		}
		writes, reads := sass.UsesOf(l.operands, s.x, s.sm)
		for _, o := range shown {
			used, explained := s.reads, &reads
			if o.Write {
				used, explained = s.writes, &writes
			}
			n := predicateSlot{o.At, o.Inverted}.number(s.x)
			if n != 7 && used.Has(o.File, n) && !explained.Has(o.File, n) && !slices.ContainsFunc(samples, func(s *sample) bool { return !s.wild(o) }) {
				explained.Add(o.File, n, 1)
				l.operands = append(slices.Clone(l.operands), o)
				slices.SortFunc(l.operands, compareOperands)
			}
		}
	}
	return l.operands, !slices.ContainsFunc(samples, func(s *sample) bool { return !l.explains(s) })
}

// covers reports whether s is of form l.
func (l *leaf) covers(s *sample) bool {
	return l.since <= s.sm && s.sm <= l.until && s.x.Low&l.mask.Low == l.bits.Low && s.x.High&l.mask.High == l.bits.High
}

// explains reports whether the registers of l's operands are those that s uses, as far as the life ranges show them.
func (l *leaf) explains(s *sample) bool {
	writes, reads := sass.UsesOf(l.operands, s.x, s.sm)
	if len(everyPredicate(s.text)) > 0 {
		return slices.ContainsFunc(l.operands, func(o sass.Operand) bool { return o.At == sass.EveryPredicate })
	}
	wantWrites, wantReads := s.writes, s.reads
	for _, o := range l.operands {
		if n := s.number(o.File, o.At) & 7; s.leavesOut(o) && !s.writes.Has(o.File, n) {
			wantWrites.Add(o.File, n, 1)
		}
		if o.File == sass.Uniform && !showsUniform(s.number(o.File, o.At), uint(o.Count)) {
			for _, set := range []*sass.Registers{&writes, &reads, &wantWrites, &wantReads} {
				set.UR = [4]uint64{}
			}
		}
	}
	return writes == wantWrites && reads == wantReads
}

// table formats the table as Go code.
func table(leaves []leaf) []byte {
	var lists []string
	number := map[string]int{}
	var rows bytes.Buffer
	for _, l := range leaves {
		var b strings.Builder
		for _, o := range l.operands {
			file := [...]string{"General", "Uniform", "Predicate", "UniformPredicate"}[o.File]
			at := fmt.Sprint(o.At)
			if o.At == sass.EveryPredicate {
				at = "EveryPredicate"
			}
			fmt.Fprintf(&b, "{%t, %s, %s, %d, %t}, ", o.Write, file, at, o.Count, o.Inverted)
		}
		text := "{" + strings.TrimSuffix(b.String(), ", ") + "},"
		if _, ok := number[text]; !ok {
			number[text] = len(lists)
			lists = append(lists, text)
		}
		name, _, _ := strings.Cut(l.text, " ")
		fmt.Fprintf(&rows, "{%#x, %d, %d, Instruction{%#x, %#x}, Instruction{%#x, %#x}, %d}, // %s, %d\n",
			l.opcode, l.since, l.until, l.mask.Low, l.mask.High, l.bits.Low, l.bits.High, number[text], name, l.count)
	}
	var out bytes.Buffer
	out.WriteString("// Code generated by linker/sass/measure. DO NOT EDIT.\n\npackage sass\n\n")
	out.WriteString("// operandLists are the lists of operands that forms have.\nvar operandLists = [...][]Operand{\n")
	for i, text := range lists {
		fmt.Fprintf(&out, "%d: %s\n", i, text)
	}
	out.WriteString("}\n\n// forms has a row for each form, by opcode; the remark names one instruction of the form,\n// and says how many samples there were.\nvar forms = [...]Form{\n")
	rows.WriteTo(&out)
	out.WriteString("}\n")
	return out.Bytes()
}

// listing formats some samples with their registers, for the tests.
func listing(all []*sample) []byte {
	var out bytes.Buffer
	for i := 0; i < len(all); i += every {
		if s := all[i]; s.labelled {
			fmt.Fprintf(&out, "%d %016x %016x|%v|%v|%s\n", s.sm, s.x.High, s.x.Low, s.writes, s.reads, s.text)
		}
	}
	return out.Bytes()
}

// every is the number of samples for each one in the listing.
const every = 1031

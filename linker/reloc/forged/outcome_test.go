package forged_test

// testdata/outcomes.txt records what nvlink 13.0.88 does with every relocation type, tested with forged relocations.
// It has a block for each kind of link, section, symbol and kind of entry, and a line for each outcome. Package reloc
// must predict every line.
//
// If CULINK_ORACLE is set, go test -run TestOutcomesLive runs nvlink again. With -update it writes the file.

import (
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/reloc"
)

var update = flag.Bool("update", false, "write the generated files")

const outcomesFile = "testdata/outcomes.txt"

var modes = []struct {
	mode   reloc.Mode
	option []string
}{
	{reloc.Executable, nil},
	{reloc.Preserving, []string{"--preserve-relocs"}},
	{reloc.Relocatable, []string{"-r"}},
}

// A setting is a section to be tested, in some kinds of link on some targets.
type setting struct {
	site    string
	modes   []reloc.Mode
	archs   []string
	rel     bool // also test .rel entries
	mercury bool
	symbols []string // nil: all
}

var (
	every    = []string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}
	settings = []setting{
		{site: ".text.k", modes: []reloc.Mode{reloc.Executable}, archs: every, rel: true},
		{site: ".text.k", modes: []reloc.Mode{reloc.Preserving, reloc.Relocatable}, archs: []string{"sm_80", "sm_90"}, rel: true},
		{site: ".nv.global.init", modes: []reloc.Mode{reloc.Executable}, archs: []string{"sm_80", "sm_90"}, rel: true, symbols: []string{"live", "dead", "gv", "cpad", "ms"}},
		{site: ".debug_frame", modes: []reloc.Mode{reloc.Executable}, archs: []string{"sm_80", "sm_90"}, rel: true, symbols: []string{"live", "dead", "gv", "cpad", "ms", ".debug_frame"}},
		{site: ".nv.merc.nv.global.init", modes: []reloc.Mode{reloc.Executable}, archs: []string{"sm_100", "sm_120"}, mercury: true},
	}
)

// asked lists the symbols in questions, and which kind of target each is for the linker.
var asked = []struct {
	name   string
	target reloc.Target
}{
	{"live", reloc.Function}, {"k", reloc.Function}, {"vprintf", reloc.Function},
	{"dead", reloc.DeadFunction},
	{"gv", reloc.Variable}, {"gz", reloc.Variable}, {".nv.global.init", reloc.Variable}, {".nv.global", reloc.Variable}, {"undefined weak", reloc.Variable},
	{".nv.reservedSmem.offset0", reloc.Undefined},
	{"tex", reloc.Handle}, {"smp", reloc.Handle}, {"srf", reloc.Handle},
	{"cpad", reloc.Placed}, {"cv", reloc.Placed}, {"", reloc.Placed}, {"label", reloc.Placed},
	{".nv.constant3", reloc.Placed}, {".nv.constant0.k", reloc.Placed}, {".nv.shared.k", reloc.Placed}, {".text.live", reloc.Placed}, {".text.k", reloc.Placed}, {".debug_frame", reloc.Placed},
	{"ms", reloc.Shared}, {"sh", reloc.Shared}, {"spad", reloc.Shared},
	{"dyn", reloc.DynamicShared},
	{"_param", reloc.Parameter}, {".text.dead", reloc.Parameter},
	{".nv_debug.shared", reloc.Dissolved},
	{"__UFT_OFFSET", reloc.UFTOffset},
	{"__UFT", reloc.UnifiedTable}, {"__UDT", reloc.UnifiedTable}, {"__UFT_END", reloc.UnifiedTable}, {"__UDT_END", reloc.UnifiedTable},
	{"__UFT_CANONICAL", reloc.UnifiedTable}, {"__UDT_CANONICAL", reloc.UnifiedTable}, {"__UDT_OFFSET", reloc.UnifiedTable},
}

// numbers returns the types to be tested in a setting. They are all types of its table, and one number after them.
func (s *setting) numbers() []uint32 {
	var all []uint32
	for t := range reloc.Types() {
		if s.mercury == (t.Number >= reloc.MercuryBase) {
			all = append(all, t.Number)
		}
	}
	if s.mercury { // nvlink reads other data for the number after this table
		return all
	}
	return append(all, all[len(all)-1]+1)
}

// questionsOf returns the entries that test a type against a symbol.
func questionsOf(n uint32, symbol string, rela bool) []question {
	zeros, ones, mixed := [2]uint64{}, [2]uint64{^uint64(0), ^uint64(0)}, [2]uint64{0x0123456789abcdef, 0xfedcba9876543210}
	if !rela {
		return []question{{n, symbol, 0, zeros, 0}, {n, symbol, 0, ones, 0}, {n, symbol, 0, mixed, 0}}
	}
	return []question{{n, symbol, 0, zeros, 0}, {n, symbol, 0x123456789abcdef0, ones, 0}, {n, symbol, -0x8000, mixed, 0}}
}

// A block contains the outcomes of all types against one symbol.
type block struct {
	mode    reloc.Mode
	site    string
	symbols []string
	rela    bool
	target  reloc.Target
	value   reloc.Value
	body    string
}

func (b *block) head() string {
	flavour := ".rel"
	if b.rela {
		flavour = ".rela"
	}
	return fmt.Sprintf("%s %s %s target=%d value=%#x align=%d bank=%d", b.mode, b.site, flavour, b.target, b.value.Symbol, b.value.Align, b.value.Bank)
}

// outcome describes the answers to the questions about one type.
func outcome(questions []question, answers []answer) string {
	kept, final, written := 0, uint32(0), false
	var places []string
	for i, a := range answers {
		if a.Kept {
			kept++
			final = a.Type
			if a.Addend != questions[i].Addend {
				return fmt.Sprintf("addend %#x becomes %#x", questions[i].Addend, a.Addend)
			}
		}
		place := difference(questions[i].Fill, a.Bytes)
		written = written || place != "="
		places = append(places, place)
	}
	switch {
	case kept == len(answers) && !written && final == questions[0].Type:
		return "keep"
	case kept == len(answers) && !written:
		return fmt.Sprintf("keep as %d", final)
	case kept == 0 && !written:
		return "drop"
	case kept == 0:
		return "write " + strings.Join(places, " ")
	}
	return fmt.Sprintf("%d of %d kept, %s", kept, len(answers), strings.Join(places, " "))
}

// difference returns the bytes that differ from the fill, with the offset of the first one. It returns "=" if
// none differ.
func difference(fill [2]uint64, place []byte) string {
	first, last := -1, 0
	for i, b := range place {
		if b != byte(fill[i/8%2]>>(8*(i%8))) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return "="
	}
	return fmt.Sprintf("%d:%s", first, hex.EncodeToString(place[first:last+1]))
}

// bodyOf formats the outcomes of a block: one line for each outcome, with its types.
func bodyOf(outcomes map[uint32]string) string {
	types := map[string][]uint32{}
	for n, o := range outcomes {
		types[o] = append(types[o], n)
	}
	var lines []string
	for o, list := range types {
		slices.Sort(list)
		var runs []string
		for i := 0; i < len(list); {
			j := i
			for j+1 < len(list) && list[j+1] == list[j]+1 {
				j++
			}
			runs = append(runs, strconv.Itoa(int(list[i])))
			if j > i {
				runs[len(runs)-1] += fmt.Sprintf("-%d", list[j])
			}
			i = j + 1
		}
		lines = append(lines, fmt.Sprintf("%6d|%s: %s\n", list[0], o, strings.Join(runs, " ")))
	}
	slices.Sort(lines)
	for i := range lines {
		_, lines[i], _ = strings.Cut(lines[i], "|")
	}
	return strings.Join(lines, "")
}

// look finds type n for the block's section.
func (b *block) look(n uint32) *reloc.Type {
	look := reloc.Lookup
	if strings.HasPrefix(b.site, ".nv.merc") {
		look = reloc.LookupMercury
	}
	t, _ := look(n)
	return t
}

// foretell returns the outcome that package reloc predicts for type n. If nvlink crashed, any fatal disposition
// matches. For function descriptors of shared variables, nvlink crashes or not, depending on the position of the
// symbol. A recorded result is therefore accepted too.
func foretell(b *block, n uint32, recorded string) string {
	t := b.look(n)
	disposition := t.Disposition(b.target, b.mode)
	if t.Use == reloc.Descriptor && b.target == reloc.Shared && recorded == "alone" {
		return recorded
	}
	if fault := disposition.Fault(); fault != "" {
		if recorded == "alone" {
			return recorded
		}
		return "exit 1 fatal   : Internal error: " + fault
	}
	questions := questionsOf(n, "", b.rela)
	answers := make([]answer, len(questions))
	for i, q := range questions {
		a := &answers[i]
		for w := range placeSize / 8 {
			a.Bytes = binary.LittleEndian.AppendUint64(a.Bytes, q.Fill[w%2])
		}
		switch disposition {
		case reloc.Keep:
			a.Kept, a.Type, a.Addend = true, n, q.Addend
			if b.mode != reloc.Relocatable {
				a.Type = t.Final
			}
		case reloc.KeepNone:
			a.Kept, a.Type, a.Addend = true, 0, q.Addend
		case reloc.Resolve, reloc.ResolveNull:
			v := b.value
			if disposition == reloc.ResolveNull {
				v = reloc.Value{Bank: reloc.Bank(0)}
			}
			v.Addend, v.HasAddend = q.Addend, b.rela
			if err := t.Apply(a.Bytes, 0, v); err != nil {
				return err.Error()
			}
		}
	}
	return outcome(questions, answers)
}

// A recording is a block of outcomes.txt.
type recording struct {
	block
	head     string
	asked    []string // symbol@target
	outcomes map[uint32]string
}

func readOutcomes(t *testing.T) []recording {
	t.Helper()
	data, err := os.ReadFile(outcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []recording
	for _, text := range strings.Split(string(data), "\n# ")[1:] {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if len(lines) < 3 {
			t.Fatalf("%s: no outcomes", lines[0])
		}
		r := recording{block: parseHead(t, lines[0]), head: lines[0], asked: strings.Fields(lines[1]), outcomes: map[uint32]string{}}
		for _, line := range lines[2:] {
			i := strings.LastIndex(line, ": ")
			if i < 0 {
				t.Fatalf("%s: no types in %q", r.head, line)
			}
			for _, run := range strings.Fields(line[i+2:]) {
				var first, last uint32
				if n, _ := fmt.Sscanf(run, "%d-%d", &first, &last); n == 1 {
					last = first
				}
				for n := first; n <= last; n++ {
					r.outcomes[n] = line[:i]
				}
			}
		}
		all = append(all, r)
	}
	return all
}

// TestOutcomes checks that package reloc predicts nvlink's result for each of the recorded questions (RELOC-001,
// RELOC-002, RELOC-003, RELOC-004, RELOC-005, RELOC-008, RELOC-009, RELOC-010, RELOC-011, RELOC-012, RELOC-013,
// RELOC-014, RELOC-015, RELOC-019, RELOC-020, RELOC-021, RELOC-022, RELOC-023, RELOC-028, RELOC-203).
func TestOutcomes(t *testing.T) {
	questions, crashes := 0, 0
	for _, r := range readOutcomes(t) {
		foretold := map[uint32]string{}
		for n, recorded := range r.outcomes {
			foretold[n] = foretell(&r.block, n, recorded)
			questions += len(questionsOf(n, "", r.rela)) * len(r.asked)
			if recorded == "alone" {
				crashes += len(r.asked)
			}
		}
		if want, got := bodyOf(r.outcomes), bodyOf(foretold); got != want {
			t.Errorf("%s (%s)\n--- nvlink\n%s--- foretold\n%s", r.head, strings.Join(r.asked, " "), want, got)
		}
	}
	if questions < 200000 {
		t.Errorf("only %d questions in %s", questions, outcomesFile)
	}
	t.Logf("%d questions, %d links in which nvlink crashed", questions, crashes)
}

func parseHead(t *testing.T, head string) block {
	t.Helper()
	var b block
	var mode, flavour string
	if _, err := fmt.Sscanf(head, "%s %s %s target=%d value=%v align=%d bank=%d", &mode, &b.site, &flavour, &b.target, &b.value.Symbol, &b.value.Align, &b.value.Bank); err != nil {
		t.Fatalf("%q: %v", head, err)
	}
	for _, m := range modes {
		if m.mode.String() == mode {
			b.mode = m.mode
		}
	}
	b.rela = flavour == ".rela"
	return b
}

// TestOutcomesLive asks nvlink every question again.
func TestOutcomesLive(t *testing.T) {
	c := liveToolchain(t)
	var blocks []*block
	for i := range settings {
		s := &settings[i]
		for _, arch := range s.archs {
			base := c.compile(t, "testdata/forge.ptx", arch)
			for _, mode := range s.modes {
				for _, a := range asked {
					if s.symbols != nil && !slices.Contains(s.symbols, a.name) {
						continue
					}
					target := a.target
					if mode != reloc.Executable { // nothing is dead
						switch a.name {
						case "dead":
							target = reloc.Function
						case ".text.dead":
							target = reloc.Placed
						}
					}
					blocks = s.ask(t, c.nvlink, blocks, base, arch, mode, a.name, target)
				}
			}
		}
	}
	var out strings.Builder
	out.WriteString("What nvlink 13.0.88 does with forged relocations. Made by go test -run TestOutcomesLive -update; not to be edited.\n" +
		"A block is: kind of link, section, flavour, what the symbol is (reloc.Target) and comes to; then symbols@targets;\n" +
		"then outcomes and their types. write gives, for each of the three questions, the bytes that changed.\n")
	for _, b := range blocks {
		fmt.Fprintf(&out, "\n# %s\n%s\n%s", b.head(), strings.Join(b.symbols, " "), b.body)
	}
	if *update {
		if err := os.WriteFile(outcomesFile, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(outcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("nvlink does not do what %s says; see the difference with -update and git diff", outcomesFile)
	}
}

// ask adds the blocks of one symbol. If an equal block exists, it adds the symbol's name to that.
func (s *setting) ask(t *testing.T, link linking, blocks []*block, base []byte, arch string, mode reloc.Mode, symbol string, target reloc.Target) []*block {
	t.Helper()
	value, ok := s.probe(t, link, base, arch, mode, symbol, target)
	if !ok {
		return blocks
	}
	for _, rela := range []bool{true, false} {
		if !rela && !s.rel {
			continue
		}
		b := &block{mode: mode, site: s.site, rela: rela, target: target, value: value}
		b.body = bodyOf(s.outcomes(t, link, base, arch, b, symbol))
		name := symbol
		if name == "" {
			name = "(null)"
		}
		name = strings.ReplaceAll(name, " ", "-") + "@" + arch
		same := slices.IndexFunc(blocks, func(o *block) bool { return o.head() == b.head() && o.body == b.body })
		if same >= 0 {
			blocks[same].symbols = append(blocks[same].symbols, name)
			continue
		}
		b.symbols = []string{name}
		blocks = append(blocks, b)
	}
	return blocks
}

// outcomes asks about all types at once, or one by one if that fails.
func (s *setting) outcomes(t *testing.T, link linking, base []byte, arch string, b *block, symbol string) map[uint32]string {
	t.Helper()
	result := map[uint32]string{}
	put := func(types []uint32) bool {
		var questions []question
		for _, n := range types {
			questions = append(questions, questionsOf(n, symbol, b.rela)...)
		}
		answers, status, text := link.ask(t, base, arch, s.site, b.rela, questions, modes[b.mode].option...)
		if status != 0 && len(types) > 1 {
			return false
		}
		each := 0
		if len(types) > 0 {
			each = len(questions) / len(types)
		}
		for i, n := range types {
			switch {
			case status < 0:
				result[n] = "alone"
			case status != 0:
				lines := strings.Split(text, "\n")
				result[n] = fmt.Sprintf("exit %d %s", status, lines[len(lines)-1])
			default:
				result[n] = outcome(questions[i*each:(i+1)*each], answers[i*each:(i+1)*each])
			}
		}
		return true
	}
	var quiet []uint32
	for _, n := range s.numbers() {
		// A function descriptor keeps a function alive for the other questions.
		if b.look(n).Use == reloc.Descriptor || strings.HasPrefix(foretell(b, n, ""), "exit") {
			put([]uint32{n})
		} else {
			quiet = append(quiet, n)
		}
	}
	if !put(quiet) {
		for _, n := range quiet {
			put([]uint32{n})
		}
	}
	return result
}

// probe determines the value of a symbol with the simplest type that nvlink resolves against it. Alignment and
// bank come from the input.
func (s *setting) probe(t *testing.T, link linking, base []byte, arch string, mode reloc.Mode, symbol string, target reloc.Target) (reloc.Value, bool) {
	t.Helper()
	var v reloc.Value
	f, err := cubin.Open("base", base)
	if err != nil {
		t.Fatal(err)
	}
	y, ok := lookupSymbol(f, s.mercury, symbol)
	if !ok {
		return v, false
	}
	if int(y.Section) < len(f.Sections) {
		v.Bank = reloc.Bank(uint32(f.Sections[y.Section].Type))
	}
	switch target {
	case reloc.Shared:
		v.Align = y.Value
	case reloc.DynamicShared:
		v.Align = 16
	case reloc.Handle:
		v.Bank = 0
	}
	if y.Type == cubin.SymNone { // a label counts as the null symbol
		v.Bank = reloc.Bank(0)
	}
	for _, n := range []uint32{2, 59} { // R_CUDA_64, R_CUDA_ABS16_32
		shift := uint64(0)
		if s.mercury {
			n = map[uint32]uint32{2: reloc.MercuryBase + 2, 59: reloc.MercuryBase + 3}[n]
		} else if n == 59 {
			shift = 4
		}
		answers, status, _ := link.ask(t, base, arch, s.site, true, []question{{Type: n, Symbol: symbol}}, modes[mode].option...)
		if status == 0 && !answers[0].Kept {
			v.Symbol = binary.LittleEndian.Uint64(answers[0].Bytes[shift:])
			break
		}
	}
	return v, true
}

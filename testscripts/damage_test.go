package testscripts

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/fuzz/quick"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubintext"
)

// These tests damage inputs, similar to lld's folder of invalid inputs. The base is a small valid cubin in the text form
// (corpus/sources/damage.N.cutext, for sm_N). The tests change each field of its header, sections, symbols, relocations,
// attributes, notes, call graph and prototypes, one statement at a time. A row of damage.N.tsv has the results for one
// damaged file:
//
//	line of the text, from 1; the broken statement;
//	what nvlink does: exit status, the start of the SHA-256 of the output, the messages;
//	what culink does: "same", or the same three in one column.
//
// In addition to DIAG-302, the rows show which header fields nvlink uses (MERGE-041, MERGE-043, MERGE-310 to MERGE-312,
// STACK-005), and that the Mercury half has precedence (MERC-311, MERC-315, MERC-312).
//
// culink must not crash or hang. If a link fails, it must report why (DIAG-303). A table has no row for damage on which
// nvlink crashes, hangs, or has different results in different runs, because the repository must not contain inputs that
// crash other programs. The test generates these inputs too, but links them only with culink.
//
//	CULINK_ORACLE=/opt/oracle go test ./testscripts -run Damage -update
//
// Without NVIDIA's tools, -update writes only the results of culink.
var damagedTexts = []damagedText{{"80", 1}, {"90", 1}, {"100", 3}}

// A damagedText is a cubin to damage, with its SM. Its table has every row if step is 1, and otherwise one row in step.
// With such a step, each field still has some of its values. The cubin for sm_100 has a Mercury half.
type damagedText struct {
	sm   string
	step int
}

// oddFields holds, for each keyword, the fields to change and the values to write.
var oddFields = map[string]struct{ fields, values string }{
	"header":  {"class data identversion osabi abi type machine version entry phoff shoff flags ehsize phentsize phnum shentsize shnum shstrndx", "0 1 2 0xff 0xffff 0xfffffffffffffff0"},
	"section": {"name type flags addr offset size link info align entsize", "0 1 3 8 0x7fffffff 0x1000000000000000 0xfffffffffffffff0"},
	"symbol":  {"name info other shndx value size", "0 1 4 0x12 0x80 0xfffffffffffffff0"},
}

// oddWords holds the values to write for the words of other statements, by the kind of the word.
var oddWords = []struct {
	word   *regexp.Regexp
	values string
}{
	{regexp.MustCompile(`^R_\w+$`), "0 117 118 255 0x10000 0xffffffff"},              // a relocation type
	{regexp.MustCompile(`^[+]\w+$`), "-1 +0x7fffffffffffffff"},                       // an addend
	{regexp.MustCompile(`^@`), "0 77 0xffffffff"},                                    // a symbol, as a number
	{regexp.MustCompile(`^\w+=`), "0 1 0xff 0xffff"},                                 // a part of a payload
	{regexp.MustCompile(`^[A-Z]`), "0 0x60 0x77 0xff"},                               // an attribute's code
	{regexp.MustCompile(`^(0x)?\d`), "0 1 5 0x3c 0x40 0xffff 0x7fffffff 0xffffffff"}, // a number
	{regexp.MustCompile(`^"#`), "%0 %1 %0x7fffffff %0xffffffff"},                     // a prototype
	{regexp.MustCompile(`^[a-z.]`), "%0 %77 %0xffffffff"},                            // a symbol
}

// more holds optional words that are added to a statement, by keyword.
var more = map[string]string{
	"attr":   "format=0 format=1 format=2 format=3 format=5 length=0 length=1 length=3 length=5 length=0xffff",
	"header": "length=0 length=1 length=56 length=63 length=64 length=65 length=200 length=0x500",
}

// A damage is one row of the table.
type damage struct {
	at        int // line of the text, from 0
	statement string
	nvlink    outcome
	culink    outcome
}

// An outcome is the result of a linker.
type outcome struct{ exit, sum, messages string }

func (o outcome) String() string { return fmt.Sprintf("%s\t%s\t%q", o.exit, o.sum, o.messages) }

func (d damage) String() string {
	culink := "same"
	if d.culink != d.nvlink {
		culink = strings.ReplaceAll(d.culink.String(), "\t", " ")
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\n", d.at+1, d.statement, d.nvlink, culink)
}

// damages returns the rows for a text, without outcomes. It omits a statement that was already damaged in another text
// without a Mercury half.
func damages(text []string, seen map[string]bool) []damage {
	var rows []damage
	var section string
	for i, l := range text {
		words := statementWords(l)
		if words[0] == "section" {
			section = words[1]
		}
		add := func(statement ...string) {
			rows = append(rows, damage{at: i, statement: strings.Join(statement, " ")})
		}
		keyword := words[0]
		if odd, ok := oddFields[keyword]; ok {
			bare, _, _ := strings.Cut(strings.TrimSpace(l), "=")
			key := section + ": " + bare
			if seen[key] {
				continue
			}
			seen[key] = true
			for _, field := range strings.Fields(odd.fields) {
				for _, value := range strings.Fields(odd.values) {
					add(append(without(words, field), field+"="+value)...)
				}
			}
		}
		for _, word := range strings.Fields(more[keyword]) {
			add(append(words[:len(words):len(words)], word)...)
		}
		switch keyword {
		case "rel", "attr", "edge", "proto", "u16", "u32", "cuinfo":
		case "calls":
			add("u32 0 0")
			add("u32 0 0xfffffffb")
			add("u32 1 0xffffffff")
			continue
		default:
			continue
		}
		for at, w := range words[1:] {
			for _, value := range oddValues(w) {
				if value != w {
					broken := append([]string(nil), words...)
					broken[at+1] = value
					add(broken...)
				}
			}
		}
		if keyword == "rel" {
			continue
		}
		add("u8 0") // truncates the record, which shifts everything after it
	}
	return rows
}

// statementWords splits a line into words. Quoted words in it have no blanks.
func statementWords(l string) []string {
	words := strings.Fields(l)
	if len(words) == 0 {
		return []string{""}
	}
	return words
}

// without removes the words that set a field.
func without(words []string, field string) []string {
	var left []string
	for _, w := range words {
		if !strings.HasPrefix(w, field+"=") {
			left = append(left, w)
		}
	}
	return left
}

// oddValues returns the values that replace a word.
func oddValues(w string) []string {
	for _, odd := range oddWords {
		if !odd.word.MatchString(w) {
			continue
		}
		values := strings.Fields(odd.values)
		if key, _, ok := strings.Cut(w, "="); ok {
			for i := range values {
				values[i] = key + "=" + values[i]
			}
		}
		return values
	}
	return nil
}

// A breaker links damaged texts.
type breaker struct {
	sm   string
	text []string
}

func newBreaker(t *testing.T, sm string) breaker {
	text, err := os.ReadFile("../corpus/sources/damage." + sm + ".cutext")
	if err != nil {
		t.Fatal(err)
	}
	return breaker{sm, strings.Split(strings.TrimRight(string(text), "\n"), "\n")}
}

// build makes the damaged file. ok is false if the value does not fit into its field.
func (b breaker) build(d damage) ([]byte, bool) {
	text := append([]string(nil), b.text...)
	text[d.at] = d.statement
	data, err := cubintext.Parse("damage", strings.Join(text, "\n")+"\n")
	return data, err == nil
}

// culink links a damaged file in this process, because that is fast.
func (b breaker) culink(t *testing.T, dir string, data []byte) outcome {
	o, err := quick.Link(t.Context(), dir, "sm_"+b.sm, quick.File{Name: "a.cubin", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return outcome{strconv.Itoa(o.Exit), sumOf(o.Output), o.Stderr}
}

func sumOf(output []byte) string {
	if output == nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(output))[:16]
}

// nvlink links a damaged file with the real nvlink in a separate process.
func (b breaker) nvlink(t *testing.T, nvlink *sandbox.Linker, data []byte) outcome {
	before := attempt.Files{"a.cubin": data}
	o, err := nvlink.Run(t.Context(), before, []string{"-arch", "sm_" + b.sm, "a.cubin", "-o", "out.cubin"})
	switch {
	case err != nil:
		t.Fatal(err)
	case o.Killed != "":
		return outcome{exit: "hang"}
	case o.Class() != attempt.ClassEnd:
		return outcome{exit: "crash"}
	}
	return outcome{strconv.Itoa(o.Exit), sumOf(o.Files["out.cubin"]), string(o.Stderr)}
}

// liveTool returns nvlink from a folder of NVIDIA's tools. Its time limit is short, because valid inputs take some
// milliseconds.
func liveTool(oracle string) *sandbox.Linker {
	limits := sandbox.DefaultLimits
	limits.Time = 5 * time.Second
	return &sandbox.Linker{Command: []string{filepath.Join(oracle, "bin", "nvlink")}, Limits: limits}
}

// tableName returns the name of the file with the table.
func (b breaker) tableName() string { return "damage." + b.sm + ".tsv" }

// A row is a row of a table, with its line number.
type row struct {
	damage
	line string
}

// rows reads the table of damages.
func (b breaker) rows(t *testing.T) (rows []row) {
	t.Helper()
	table, err := os.ReadFile(b.tableName())
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(table)) {
		d, err := parseDamage(l)
		if err != nil {
			t.Fatalf("%s: %v: %s", b.tableName(), err, l)
		}
		rows = append(rows, row{d, l})
	}
	return rows
}

// write writes the table of damages.
func (b breaker) write(t *testing.T, table string) {
	t.Helper()
	if err := os.WriteFile(b.tableName(), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
}

// isMercury reports whether the text has a Mercury half.
func (b breaker) isMercury() bool {
	target, _ := arch.Parse("sm_" + b.sm)
	return target.Mercury()
}

// candidates returns every step-th damage of the text that can be built, with the damaged file. seen has the statements
// that were damaged in another text. It is used only for texts without a Mercury half.
func (b breaker) candidates(seen map[string]bool, step int) iter.Seq2[damage, []byte] {
	if b.isMercury() {
		seen = map[string]bool{}
	}
	return func(yield func(damage, []byte) bool) {
		for i, d := range damages(b.text, seen) {
			if i%step != 0 {
				continue
			}
			if data, ok := b.build(d); ok && !yield(d, data) {
				return
			}
		}
	}
}

func TestDamage(t *testing.T) {
	if *update {
		oracle, err := tools.Oracle()
		switch {
		case err == nil:
			updateDamage(t, oracle)
			return
		case !errors.Is(err, tools.ErrNoOracle):
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	seen := map[string]bool{}
	for _, text := range damagedTexts {
		b := newBreaker(t, text.sm)
		rows := b.rows(t)
		var fresh strings.Builder
		for _, want := range rows {
			data, ok := b.build(want.damage)
			if !ok {
				t.Errorf("cannot be built: %s", want.line)
				continue
			}
			got := want.damage
			got.culink = b.culink(t, dir, data)
			if broken := got.culink.broken(); broken != "" {
				t.Errorf("culink %s: %s", broken, want.line)
			}
			fresh.WriteString(got.String())
			if got.String() != want.line && !*update {
				t.Errorf("sm_%s line %d\n got %swant %s", b.sm, got.at+1, got, want.line)
			}
		}
		if asked := b.others(t, dir, seen, text.step, rows); asked < 100 && b.isMercury() {
			t.Errorf("sm_%s: %d inputs beside the table; there were 100 at least", b.sm, asked)
		}
		if *update {
			b.write(t, fresh.String())
		}
		if len(rows) < 500 {
			t.Errorf("sm_%s: %d rows; there were 500 at least", b.sm, len(rows))
		}
	}
}

// The program of CULINK_HARMLESS links every row of the tables without a crash or a timeout (CONF-012). With -update,
// the test removes the other rows.
func TestDamageEndsNoTool(t *testing.T) {
	tool := harmlessTool(t)
	for _, text := range damagedTexts {
		b := newBreaker(t, text.sm)
		var kept strings.Builder
		rows := b.rows(t)
		lost := 0
		for _, r := range rows {
			if data, ok := b.build(r.damage); ok && !b.nvlink(t, tool, data).ends() {
				t.Errorf("%s: a row of line %d of the text does not end by itself", b.tableName(), r.at+1)
				lost++
				continue
			}
			kept.WriteString(r.line)
		}
		if *update && lost > 0 {
			b.write(t, kept.String())
		}
	}
}

// ends reports whether a linker ended without a crash or a timeout, with the same result each time.
func (o outcome) ends() bool {
	_, err := strconv.Atoi(o.exit)
	return err == nil
}

// others links the damages without a row in the table with culink, and returns their number.
func (b breaker) others(t *testing.T, dir string, seen map[string]bool, step int, rows []row) (asked int) {
	t.Helper()
	type place struct {
		at        int
		statement string
	}
	inTable := map[place]bool{}
	for _, r := range rows {
		inTable[place{r.at, r.statement}] = true
	}
	for d, data := range b.candidates(seen, step) {
		if inTable[place{d.at, d.statement}] {
			continue
		}
		asked++
		if broken := b.culink(t, dir, data).broken(); broken != "" {
			t.Errorf("sm_%s: culink %s: line %d: %s", b.sm, broken, d.at+1, d.statement)
		}
	}
	return asked
}

// broken returns the requirement that an outcome of culink violates, or "" if there is none.
func (o outcome) broken() string {
	switch {
	case o.exit != "0" && o.messages == "":
		return "does not say why it fails"
	case o.exit != "0" && o.sum != "":
		return "fails and leaves an output"
	case strings.Contains(o.messages, " is damaged: ") && !strings.Contains(o.messages, "'a.cubin'"):
		return "does not name the file"
	}
	return ""
}

// parseDamage reads a row. It does not parse the outcome of culink, which stays in the text of the row.
func parseDamage(l string) (damage, error) {
	fields := strings.Split(strings.TrimRight(l, "\n"), "\t")
	if len(fields) != 6 {
		return damage{}, fmt.Errorf("%d columns", len(fields))
	}
	line, err := strconv.Atoi(fields[0])
	if err != nil {
		return damage{}, err
	}
	messages, err := strconv.Unquote(fields[4])
	return damage{at: line - 1, statement: fields[1], nvlink: outcome{fields[2], fields[3], messages}}, err
}

func updateDamage(t *testing.T, oracle string) {
	nvlink := liveTool(oracle)
	dir := t.TempDir()
	seen := map[string]bool{}
	for _, text := range damagedTexts {
		b := newBreaker(t, text.sm)
		var table strings.Builder
		counts := map[string]int{}
		for d, data := range b.candidates(seen, text.step) {
			d.nvlink = b.nvlink(t, nvlink, data)
			if d.nvlink.exit != "hang" && b.nvlink(t, nvlink, data) != d.nvlink {
				d.nvlink = outcome{exit: "varies"}
			}
			if !d.nvlink.ends() {
				counts["left out"]++
				continue
			}
			d.culink = b.culink(t, dir, data)
			table.WriteString(d.String())
			counts["rows"]++
			counts["nvlink "+d.nvlink.exit]++
			if d.culink == d.nvlink {
				counts["same"]++
			}
		}
		b.write(t, table.String())
		t.Logf("sm_%s: %v", b.sm, counts)
	}
}

// Every test and file that docs/security.md names exists.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	cited := regexp.MustCompile("`(scenario|case|test):([^`]+)`").FindAllStringSubmatch(string(page), -1)
	if len(cited) < 15 {
		t.Errorf("%d citations; there were 15 at least", len(cited))
	}
	for _, c := range cited {
		if err := exists(c[1], c[2]); err != nil {
			t.Error(err)
		}
	}
	source := map[string]string{}
	for _, dir := range []string{"../fuzz", "../linker/*", "../linker/jitlink/libnvjitlink", "../cmd/cuconform", "../cmd/culink/*", "../conformance", "../conformance/*", "."} {
		files, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source[file] = string(data)
		}
	}
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`").FindAllStringSubmatch(string(page), -1) {
		found := false
		for _, text := range source {
			found = found || strings.Contains(text, "func "+m[1]+"(")
		}
		if !found {
			t.Errorf("docs/security.md names %s, which is no test", m[1])
		}
	}
}

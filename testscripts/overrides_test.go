package testscripts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/linker/cubintext"
)

// The table of overrides: a small good cubin, and each field of its headers and
// symbols set to five odd values, one at a time. overrides.tsv says what nvlink does
// with each: exit status ("crash" when it dies), the start of the SHA-256 of the
// output, the messages. The last column says whether culink does the same; it must
// never crash or hang, whatever it does (DIAG-303).
//
//	CULINK_ORACLE=/opt/oracle go test ./testscripts -run Overrides -update

// overridden are the fields by the keyword of the statement, and overrides the values.
var overridden = map[string]string{
	"header":  "class data identversion osabi abi type machine version entry phoff shoff flags ehsize phentsize phnum shentsize shnum shstrndx",
	"section": "name type flags addr offset size link info align entsize",
	"symbol":  "name info other shndx value size",
}

var overrides = map[string]string{
	"header":  "0 1 2 0xff 0xffff",
	"section": "0 1 3 8 0x7fffffff",
	"symbol":  "0 1 4 0x12 0x80",
}

// An override is one row of the table.
type override struct {
	line  int // of overrides.cutext, from 0
	field string
	value string
	outcome
	same bool // whether culink does the same
}

// An outcome is what a linker did.
type outcome struct{ exit, sum, messages string }

func (o override) String() string {
	mark := "differs"
	if o.same {
		mark = "same"
	}
	return fmt.Sprintf("%d\t%s=%s\t%s\t%s\t%q\t%s\n", o.line, o.field, o.value, o.exit, o.sum, o.messages, mark)
}

// text is the base with the field overridden.
func (o override) text(base []string) string {
	var b strings.Builder
	for i, l := range base {
		if i == o.line {
			var words []string
			for _, w := range strings.Fields(l) {
				if !strings.HasPrefix(w, o.field+"=") {
					words = append(words, w)
				}
			}
			l = strings.Join(append(words, o.field+"="+o.value), " ")
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}

func baseText(t *testing.T) []string {
	text, err := os.ReadFile("overrides.cutext")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n")
}

// allOverrides lists the rows without their outcomes.
func allOverrides(base []string) []override {
	var rows []override
	for i, l := range base {
		keyword, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		for _, field := range strings.Fields(overridden[keyword]) {
			for _, value := range strings.Fields(overrides[keyword]) {
				rows = append(rows, override{line: i, field: field, value: value})
			}
		}
	}
	return rows
}

// try links one row.
func try(t *testing.T, program, dir string, base []string, row override) (outcome, bool) {
	data, err := cubintext.Parse("overrides.cutext", row.text(base))
	if err != nil {
		return outcome{}, false // the value does not fit into the field
	}
	input, output := filepath.Join(dir, "a.cubin"), filepath.Join(dir, "out.cubin")
	if err := os.WriteFile(input, data, 0o666); err != nil {
		t.Fatal(err)
	}
	os.Remove(output)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, program, "-arch", "sm_80", "a.cubin", "-o", "out.cubin")
	c.Dir, c.Stderr = dir, &stderr
	c.Run()
	o := outcome{exit: strconv.Itoa(c.ProcessState.ExitCode()), messages: stderr.String()}
	if status := c.ProcessState.ExitCode(); status != 0 && status != 1 && status != 255 {
		return outcome{exit: "crash"}, true
	}
	if data, err := os.ReadFile(output); err == nil {
		o.sum = fmt.Sprintf("%x", sha256.Sum256(data))[:16]
	}
	return o, true
}

func TestOverrides(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a thousand links")
	}
	base := baseText(t)
	program, dir := buildLinker(t), t.TempDir()
	if *update {
		updateOverrides(t, program, dir, base)
		return
	}
	table, err := os.ReadFile("overrides.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows, better := 0, 0
	for l := range strings.Lines(string(table)) {
		row, err := parseOverride(l)
		if err != nil {
			t.Fatalf("overrides.tsv: %v: %s", err, l)
		}
		rows++
		got, ok := try(t, program, dir, base, row)
		switch {
		case !ok:
			t.Errorf("cannot be built: %s", l)
		case got.exit == "crash":
			t.Errorf("culink crashes or hangs: %s", l)
		case row.same && got != row.outcome:
			t.Errorf("line %d %s=%s:\n got %v\nwant %v", row.line+1, row.field, row.value, got, row.outcome)
		case !row.same && got == row.outcome:
			better++
		}
	}
	if rows < 1000 {
		t.Errorf("%d rows; there were 1000 at least", rows)
	}
	if better > 0 {
		t.Logf("%d rows that differed are now the same; record the table again", better)
	}
}

func parseOverride(l string) (override, error) {
	var row override
	fields := strings.Split(strings.TrimRight(l, "\n"), "\t")
	if len(fields) != 6 {
		return row, fmt.Errorf("%d columns", len(fields))
	}
	line, err := strconv.Atoi(fields[0])
	if err != nil {
		return row, err
	}
	messages, err := strconv.Unquote(fields[4])
	row.line = line
	row.field, row.value, _ = strings.Cut(fields[1], "=")
	row.outcome = outcome{fields[2], fields[3], messages}
	row.same = fields[5] == "same"
	return row, err
}

func updateOverrides(t *testing.T, program, dir string, base []string) {
	oracle := os.Getenv("CULINK_ORACLE")
	if oracle == "" {
		t.Fatal("-update needs CULINK_ORACLE")
	}
	var b strings.Builder
	same, crashes, rows := 0, 0, 0
	for _, row := range allOverrides(base) {
		var ok bool
		if row.outcome, ok = try(t, filepath.Join(oracle, "bin", "nvlink"), dir, base, row); !ok {
			continue
		}
		got, _ := try(t, program, dir, base, row)
		row.same = got == row.outcome
		rows++
		if row.same {
			same++
		}
		if row.exit == "crash" {
			crashes++
		}
		b.WriteString(row.String())
	}
	if err := os.WriteFile("overrides.tsv", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows, %d the same, nvlink crashes on %d", rows, same, crashes)
}

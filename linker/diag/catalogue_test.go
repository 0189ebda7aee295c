package diag

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
)

var update = flag.Bool("update", false, "write docs/messages.md anew")

// docs/messages.tsv lists the texts that nvlink 13.0.88 can print, followed by culink's own messages. Its
// columns are the group, the text, the name of culink's message or "-", and the evidence. The evidence is a
// file with the printed text, or a rule. For a text that culink does not print, the last column has the
// reason. The reason starts with "not yet" if culink does not report the message so far.

// A catalogueRow is a line of docs/messages.tsv.
type catalogueRow struct{ group, text, name, shown string }

// given reports whether culink can print the text.
func (r *catalogueRow) given() bool { return r.name != "-" && !strings.HasPrefix(r.shown, "not yet") }

// nvlinks reports whether nvlink has the text.
func (r *catalogueRow) nvlinks() bool { return r.group != groupOwn && r.group != groupUnlisted }

const (
	groupOwn      = "culink's own"
	groupUnlisted = "seen, but in no list"

	root = "../.."
)

func readCatalogue(t *testing.T) []catalogueRow {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "docs", "messages.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []catalogueRow
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 4 {
			t.Fatalf("%q has %d columns", line, len(cells))
		}
		rows = append(rows, catalogueRow{cells[0], cells[1], cells[2], cells[3]})
	}
	return rows
}

var (
	cVerb  = regexp.MustCompile(`%l*[a-z]`)
	ruleID = regexp.MustCompile(`^[A-Z]+-[0-9]{3}$`)
)

// Every text has a row, every message of culink is in a row, and the evidence of a row contains the text
// (DIAG-501).
func TestCatalogue(t *testing.T) {
	rows := readCatalogue(t)
	rules, err := os.ReadFile(filepath.Join(root, "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"-": true}
	for id := None + 1; id < numMessages; id++ {
		known[messages[id].Name] = true
	}
	named := map[string]bool{}
	texts := 0
	for _, r := range rows {
		named[r.name] = true
		if !known[r.name] {
			t.Errorf("%q: there is no message %s", r.text, r.name)
		}
		if r.nvlinks() {
			texts++
		}
		switch {
		case !r.given():
			if len(r.shown) < 10 {
				t.Errorf("%q: no reason", r.text)
			}
		case ruleID.MatchString(r.shown):
			if !bytes.Contains(rules, []byte("**"+r.shown+"**")) {
				t.Errorf("%q: docs/rules.md has no %s", r.text, r.shown)
			}
		default:
			read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(root, filepath.FromSlash(name))) }
			name, inCorpus := strings.CutPrefix(r.shown, "corpus/")
			if inCorpus {
				read = corpus.Files.ReadFile
			}
			data, err := read(name)
			if err != nil {
				t.Errorf("%q: %v", r.text, err)
				continue
			}
			if !printed(r.text).MatchString(unescape.Replace(string(data))) {
				t.Errorf("%s does not show %q", r.shown, r.text)
			}
		}
	}
	if texts != 146 {
		t.Errorf("%d texts of nvlink, want 146", texts)
	}
	for name := range known {
		if !named[name] {
			t.Errorf("message %s has no row in docs/messages.tsv", name)
		}
	}
}

// unescape reverts the escaping of texts in JSON and Go files.
var unescape = strings.NewReplacer(`\u0027`, "'", `\u003e`, ">", `\"`, `"`)

// printed returns a pattern that matches a text on one line, with any values in it.
func printed(text string) *regexp.Regexp {
	parts := cVerb.Split(text, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(strings.Join(parts, `.*?`))
}

// docs/messages.md contains docs/messages.tsv as tables (DIAG-501). To regenerate it:
//
//	go test ./linker/diag -run MessagesDocument -update
func TestMessagesDocument(t *testing.T) {
	want := messagesDocument(readCatalogue(t))
	file := filepath.Join(root, "docs", "messages.md")
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Error("docs/messages.md is not what docs/messages.tsv says: go test ./linker/diag -run MessagesDocument -update")
	}
}

func messagesDocument(rows []catalogueRow) string {
	texts, given := 0, 0
	for _, r := range rows {
		if r.nvlinks() {
			texts++
			if r.given() {
				given++
			}
		}
	}
	severity := map[string]string{"-": ""}
	for _, m := range messages {
		severity[m.Name] = m.Severity.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Messages

The texts that nvlink 13.0.88 can print, from its strings, and what culink does about each. Of %d texts culink can give
%d; for the others the last column says why not. Those of the assert kind, which follow "Internal error:", are one row.
The name is the id of --json ([outputs.md](outputs.md)), the severity that without -Werror. "Shown by" is a file that
holds the text as printed, or a rule.

Made from messages.tsv by `+"`go test ./linker/diag -run MessagesDocument -update`"+`; the tests fail for a message without a row.
`, texts, given)
	group := ""
	cell := strings.NewReplacer("|", `\|`)
	for _, r := range rows {
		if r.group != group {
			group = r.group
			fmt.Fprintf(&b, "\n## %s\n\n| text | name | severity | shown by, or why not |\n|---|---|---|---|\n", strings.ToUpper(group[:1])+group[1:])
		}
		shown := r.shown
		if r.given() && !ruleID.MatchString(shown) {
			shown = "`" + shown + "`"
		}
		name := r.name
		if name == "-" {
			name = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", cell.Replace(r.text), name, severity[r.name], cell.Replace(shown))
	}
	return b.String()
}

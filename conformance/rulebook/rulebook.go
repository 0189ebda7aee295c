// Package rulebook checks the rules of the repository. Every behaviour is a rule with an id in docs/rules.tsv, and a
// test must cite every id: a case, a testscript or a Go test. Code cites ids too, so that a reader finds the rule that a
// line implements.
package rulebook

import (
	"bufio"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/culink/culink/conformance/late"
)

// An Area is a group of rules whose ids begin with the same letters.
type Area struct {
	Name         string // "MERGE"
	Title        string
	Introduction string // what holds for all of its rules, or ""
}

// A Rule is one behaviour.
type Rule struct {
	ID      string // area and number: "MERGE-012"
	Clauses []Clause
}

// A Clause is one statement of a rule.
type Clause struct {
	// ID is the id of the rule. If a rule has several clauses, the number of the clause follows, as in "KIT-060.2".
	ID        string
	Statement string
	Evidence  string // which tools showed it, and how often
}

// MaxStatement is the largest number of characters of a statement.
const MaxStatement = 600

// A Book is the parsed docs/rules.tsv.
type Book struct {
	Areas []Area
	Rules []Rule // areas in order, ids rising in each
}

// header is the first line of docs/rules.tsv.
const header = "id\tstatement\tevidence"

var clauseID = late.Regexp(`^([A-Z]+)(?:-([0-9]{3})(?:\.([0-9]+))?)?$`)

// Read reads docs/rules.tsv of a checkout.
func Read(root fs.FS) (*Book, error) {
	text, err := fs.ReadFile(root, "docs/rules.tsv")
	if err != nil {
		return nil, err
	}
	return Parse(string(text))
}

// Parse reads the text of docs/rules.tsv. A line has an id, a statement and the evidence, separated by tabs. If the id
// is only the name of an area, the line starts the area. Its other columns are then the title and the introduction.
func Parse(text string) (*Book, error) {
	book := &Book{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	for line := 1; scanner.Scan(); line++ {
		if line == 1 && scanner.Text() == header {
			continue
		}
		if err := book.add(scanner.Text()); err != nil {
			return nil, fmt.Errorf("docs/rules.tsv:%d: %w", line, err)
		}
	}
	return book, scanner.Err()
}

// add adds a line of the table.
func (b *Book) add(line string) error {
	columns := strings.Split(line, "\t")
	if len(columns) != 3 {
		return fmt.Errorf("%d columns, want 3: %s", len(columns), line)
	}
	id, statement, evidence := columns[0], columns[1], columns[2]
	m := clauseID().FindStringSubmatch(id)
	switch {
	case m == nil:
		return fmt.Errorf("not an id: %s", id)
	case m[2] == "":
		b.Areas = append(b.Areas, Area{id, statement, evidence})
		return nil
	case len(b.Areas) == 0 || b.Areas[len(b.Areas)-1].Name != m[1]:
		return fmt.Errorf("%s stands under another area", id)
	case evidence == "":
		return fmt.Errorf("%s has no evidence", id)
	}
	if n := utf8.RuneCountInString(statement); n > MaxStatement {
		return fmt.Errorf("the statement of %s has %d characters, more than %d: make clauses of it", id, n, MaxStatement)
	}
	return b.addClause(m[1]+"-"+m[2], m[3], Clause{id, statement, evidence})
}

// addClause adds a clause. The clause starts a new rule, or comes after the previous clause of the same rule. number is
// the number of the clause, or "".
func (b *Book) addClause(rule, number string, c Clause) error {
	if len(b.Rules) > 0 {
		last := &b.Rules[len(b.Rules)-1]
		if last.ID == rule && number == strconv.Itoa(len(last.Clauses)+1) && last.Clauses[0].ID != rule {
			last.Clauses = append(last.Clauses, c)
			return nil
		}
		if last.area() == b.Areas[len(b.Areas)-1].Name && last.ID >= rule {
			return fmt.Errorf("%s stands after %s", c.ID, last.Clauses[len(last.Clauses)-1].ID)
		}
	}
	if number != "" && number != "1" {
		return fmt.Errorf("%s is the first clause of its rule", c.ID)
	}
	b.Rules = append(b.Rules, Rule{ID: rule, Clauses: []Clause{c}})
	return nil
}

// Find returns the rules that a word selects. The word is the id of an area, a rule or a clause, or the beginning of an
// id.
func (b *Book) Find(word string) []Rule {
	var out []Rule
	for _, r := range b.Rules {
		if strings.HasPrefix(r.ID, word) {
			out = append(out, r)
			continue
		}
		var clauses []Clause
		for _, c := range r.Clauses {
			if c.ID == word {
				clauses = append(clauses, c)
			}
		}
		if clauses != nil {
			out = append(out, Rule{r.ID, clauses})
		}
	}
	return out
}

// A Citation is a file that names a rule.
type Citation struct {
	File string // path from the root of the repository
	Rule string
	// Tests reports whether the file is a case, a testscript or a Go test.
	Tests bool
}

// Citations returns the citations in the Go files, testscripts and cases under root. It includes ids that are not rules,
// if they belong to an area of the book.
func (b *Book) Citations(root fs.FS) ([]Citation, error) {
	id := regexp.MustCompile(`\b(?:` + strings.Join(b.names(), "|") + `)-[0-9]{3}\b`)
	var out []Citation
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		isCase := path.Base(name) == "case.txt"
		isTest := strings.HasSuffix(name, "_test.go") || path.Ext(name) == ".txtar"
		if !isCase && !isTest && path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		found := map[string]bool{}
		for _, rule := range id.FindAllString(string(text), -1) {
			found[rule] = true
		}
		for _, rule := range slices.Sorted(maps.Keys(found)) {
			out = append(out, Citation{name, rule, isCase || isTest})
		}
		return nil
	})
	return out, err
}

// Orphans lists rules without a test, and cited ids that are not rules. Package suite itself rejects a case without a
// rule.
func (b *Book) Orphans(citations []Citation) []string {
	known, tested := map[string]bool{}, map[string]bool{}
	for _, r := range b.Rules {
		known[r.ID] = true
	}
	var out []string
	for _, c := range citations {
		if !known[c.Rule] {
			out = append(out, fmt.Sprintf("%s cites %s, which is no rule", c.File, c.Rule))
		}
		if c.Tests {
			tested[c.Rule] = true
		}
	}
	for _, r := range b.Rules {
		if !tested[r.ID] {
			out = append(out, fmt.Sprintf("nothing tests %s", r.ID))
		}
	}
	return out
}

// names returns the names of the areas.
func (b *Book) names() []string {
	out := make([]string, len(b.Areas))
	for i, a := range b.Areas {
		out[i] = a.Name
	}
	return out
}

// area returns the area of the rule.
func (r Rule) area() string {
	name, _, _ := strings.Cut(r.ID, "-")
	return name
}

// Text returns the statements with their evidence, one after another.
func (r Rule) Text() string {
	var out []string
	for _, c := range r.Clauses {
		out = append(out, c.Statement+" Evidence: "+c.Evidence)
	}
	return strings.Join(out, " ")
}

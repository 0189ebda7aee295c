// Package rulebook keeps the rules of the repository honest: every behaviour has an id in
// docs/rules.md, and every id is cited where it is tested, in a case, a testscript or a Go
// test. Code cites ids too, so that a reader finds the rule that a line carries out.
package rulebook

import (
	"bufio"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/late"
)

// A Rule is one line of docs/rules.md.
type Rule struct {
	ID        string // area and number
	Statement string // with its source
}

// A Book is the parsed docs/rules.md.
type Book struct {
	Areas []string // "MERGE", in order
	Rules []Rule
}

var (
	areaHeading = late.Regexp(`^## ([A-Z]+): `)
	ruleLine    = late.Regexp(`^- \*\*([A-Z]+)-([0-9]{3})\*\* (.*)$`)
)

// Parse reads the text of docs/rules.md. A rule stands under the heading
// of its area, once, and says its source.
func Parse(text string) (*Book, error) {
	book := &Book{}
	seen := map[string]bool{}
	scanner := bufio.NewScanner(strings.NewReader(text))
	for line := 1; scanner.Scan(); line++ {
		if m := areaHeading().FindStringSubmatch(scanner.Text()); m != nil {
			book.Areas = append(book.Areas, m[1])
			continue
		}
		if !strings.HasPrefix(scanner.Text(), "- **") {
			continue
		}
		fail := func(format string, args ...any) (*Book, error) {
			return nil, fmt.Errorf("docs/rules.md:%d: %s", line, fmt.Sprintf(format, args...))
		}
		m := ruleLine().FindStringSubmatch(scanner.Text())
		if m == nil {
			return fail("not a rule: %s", scanner.Text())
		}
		id := m[1] + "-" + m[2]
		switch {
		case len(book.Areas) == 0 || book.Areas[len(book.Areas)-1] != m[1]:
			return fail("%s stands under another area", id)
		case seen[id]:
			return fail("%s stands twice", id)
		case !strings.Contains(m[3], "Source: "):
			return fail("%s does not say its source", id)
		}
		seen[id] = true
		book.Rules = append(book.Rules, Rule{id, m[3]})
	}
	return book, scanner.Err()
}

// A Citation is a place that names a rule.
type Citation struct {
	File string // from the root of the repository
	Rule string
	// Tests reports whether the file is a case, a testscript or a Go test.
	Tests bool
}

// Citations finds every id of the book's areas, known or not, in the Go files,
// testscripts and cases under root.
func (b *Book) Citations(root fs.FS) ([]Citation, error) {
	id := regexp.MustCompile(`\b(?:` + strings.Join(b.Areas, "|") + `)-[0-9]{3}\b`)
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

// Orphans lists what is wrong between rules and citations: a rule that nothing
// tests, and an id that is no rule. The suite refuses a case without a rule.
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

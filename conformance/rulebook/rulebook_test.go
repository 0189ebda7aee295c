package rulebook

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestEveryRuleIsTestedAndEveryCitationIsARule(t *testing.T) {
	book, err := Read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	citations, err := book.Citations(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, orphan := range book.Orphans(citations) {
		t.Error(orphan)
	}
}

func TestOrphansAreFound(t *testing.T) {
	// The rules in this test belong to an area that does not exist, so that the test above does not find their ids.
	book, err := Parse("ZOO\tanimals\t\nZOO-001\ta.\tx\nZOO-002\tb.\tx\nZOO-003.1\tc.\tx\nZOO-003.2\td.\tx\n")
	if err != nil {
		t.Fatal(err)
	}
	citations, err := book.Citations(fstest.MapFS{
		"corpus/a/b/case.txt": {Data: []byte("rule ZOO-001")},
		"linker/x.go":         {Data: []byte("// ZOO-002 and ZOO-009")},
		"linker/x_test.go":    {Data: []byte("// XZOO-003, ZOO-0031")},
		".git/x_test.go":      {Data: []byte("// ZOO-003")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := book.Orphans(citations)
	want := []string{"linker/x.go cites ZOO-009, which is no rule", "nothing tests ZOO-002", "nothing tests ZOO-003"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"wrong area", "ZOO\ta\t\nCAT-001\ta.\tx", "CAT-001 stands under another area"},
		{"twice", "ZOO\ta\t\nZOO-001\ta.\tx\nZOO-001\ta.\tx", "ZOO-001 stands after ZOO-001"},
		{"out of order", "ZOO\ta\t\nZOO-002\ta.\tx\nZOO-001\ta.\tx", "ZOO-001 stands after ZOO-002"},
		{"no evidence", "ZOO\ta\t\nZOO-001\ta.\t", "ZOO-001 has no evidence"},
		{"bad id", "ZOO\ta\t\nZOO-1\ta.\tx", "docs/rules.tsv:2: not an id: ZOO-1"},
		{"two columns", "ZOO\ta", "docs/rules.tsv:1: 2 columns"},
		{"second clause first", "ZOO\ta\t\nZOO-001.2\ta.\tx", "ZOO-001.2 is the first clause of its rule"},
		{"a clause is missing", "ZOO\ta\t\nZOO-001.1\ta.\tx\nZOO-001.3\ta.\tx", "ZOO-001.3 stands after ZOO-001.1"},
		{"a clause of a rule without", "ZOO\ta\t\nZOO-001\ta.\tx\nZOO-001.2\ta.\tx", "ZOO-001.2 stands after ZOO-001"},
		{"too long", "ZOO\ta\t\nZOO-001\t" + strings.Repeat("a", MaxStatement+1) + "\tx", "has 601 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	book, err := Parse("ZOO\tanimals\t\nZOO-001\ta.\tx\nZOO-002.1\tb.\tx\nZOO-002.2\tc.\ty\n")
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"ZOO":       "ZOO-001 ZOO-002.1 ZOO-002.2",
		"ZOO-002":   "ZOO-002.1 ZOO-002.2",
		"ZOO-002.2": "ZOO-002.2",
		"ZOO-003":   "",
	} {
		var got []string
		for _, r := range book.Find(word) {
			for _, c := range r.Clauses {
				got = append(got, c.ID)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", word, s, want)
		}
	}
}

// docs/rules.md is generated from docs/rules.tsv.
func TestRulesPageIsCurrent(t *testing.T) {
	book, err := Read(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := book.WritePage(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/rules.md")
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/rules.md is old (%v): go run ./cmd/cuconform rules -page docs/rules.md", err)
	}
}

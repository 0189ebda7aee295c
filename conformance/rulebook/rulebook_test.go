package rulebook

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestEveryRuleIsTestedAndEveryCitationIsARule(t *testing.T) {
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	book, err := Parse(string(text))
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
	// The area is made up, so that the test above does not see these ids.
	book, err := Parse("## ZOO: animals\n- **ZOO-001** a. Source: x\n- **ZOO-002** b. Source: x\n- **ZOO-003** c. Source: x\n")
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
		{"wrong area", "## ZOO: a\n- **CAT-001** a. Source: x", "CAT-001 stands under another area"},
		{"twice", "## ZOO: a\n- **ZOO-001** a. Source: x\n- **ZOO-001** a. Source: x", "ZOO-001 stands twice"},
		{"no source", "## ZOO: a\n- **ZOO-001** a.", "ZOO-001 does not say its source"},
		{"bad id", "## ZOO: a\n- **ZOO-1** a.", "docs/rules.md:2: not a rule"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestRulesStandInOrder: in each list of docs/rules.md the numbers rise, so that a rule can
// be found by its id.
func TestRulesStandInOrder(t *testing.T) {
	page, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^- \*\*([A-Z]+-\d+)\*\*`)
	last := ""
	for line := range strings.Lines(string(page)) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			if !strings.HasPrefix(line, "  ") { // else the row goes on
				last = ""
			}
			continue
		}
		if m[1] <= last {
			t.Errorf("%s stands after %s", m[1], last)
		}
		last = m[1]
	}
}

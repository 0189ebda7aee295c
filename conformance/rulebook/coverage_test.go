package rulebook

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestCoverage(t *testing.T) {
	// The rules in this test belong to an area that does not exist, so that the test of the repository does not find their
	// ids.
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	coverage, err := MeasureCoverage(fstest.MapFS{
		"docs/rules.tsv":        file("ZOO\tanimals\t\nZOO-001\ta.\tx\nZOO-002\tb.\tx\nZOO-003\tc.\tx\nZOO-004\td.\tx\n"),
		"corpus/a/b/case.txt":   file("rule ZOO-001"),
		"corpus/a/c/case.txt":   file("rule ZOO-001"),
		"corpus/a/d/case.txt":   file("rule ZOO-001"),
		"corpus/a/e/case.txt":   file("rule ZOO-001"),
		"testscripts/cat.txtar": file("# ZOO-001, ZOO-002"),
		"linker/x_test.go":      file("// ZOO-003"),
		"linker/x.go":           file("// ZOO-004"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := coverage.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"## ZOO\n",
		"| ZOO-001 | a/b, a/c, a/d and 1 more | cat |  |\n",
		"| ZOO-002 |  | cat |  |\n",
		"| ZOO-003 |  |  | linker/x_test.go |\n",
		"| ZOO-004 |  |  |  |\n",
	} {
		if !strings.Contains(page.String(), line) {
			t.Errorf("no %q in\n%s", line, &page)
		}
	}
	if got, want := coverage.Totals(), "4 rules: 1 in cases, 2 in scenarios, 1 in Go tests only, 1 in none"; got != want {
		t.Errorf("totals %q, want %q", got, want)
	}
	if len(coverage.Orphans) != 1 || coverage.Orphans[0] != "nothing tests ZOO-004" {
		t.Errorf("orphans %q", coverage.Orphans)
	}
}

package testscripts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// endsTool is the entry for an erratum whose case would crash nvlink or make it hang. The repository must not contain
// such a case.
const endsTool = "no case: it would end nvlink"

// Each entry of docs/errata.md has the next number and a verdict. If a test can show it, the entry names the test: a
// scenario, a case of the corpus, or a Go test.
func TestErrata(t *testing.T) {
	page, err := os.ReadFile("../docs/errata.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^\| (E-\d+) \| (.+?[^\\]) \| (.*?) \| (.*) \|$`)
	reference := regexp.MustCompile("`(scenario|case|test):([^`]+)`")
	counts := map[string]int{}
	entries, last := 0, ""
	for l := range strings.Lines(string(page)) {
		if !strings.HasPrefix(l, "| E-") {
			continue
		}
		entries++
		m := row.FindStringSubmatch(strings.TrimRight(l, "\n"))
		if m == nil {
			t.Errorf("not an entry: %s", l)
			continue
		}
		id, verdict, evidence := m[1], m[3], m[4]
		if id <= last {
			t.Errorf("%s stands after %s", id, last)
		}
		last = id
		counts[verdict]++
		references := reference.FindAllStringSubmatch(evidence, -1)
		for _, r := range references {
			if err := exists(r[1], r[2]); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		switch verdict {
		case "confirmed", "contradicted", "by choice":
			if len(references) == 0 && (verdict != "by choice" || evidence != endsTool) {
				t.Errorf("%s: nothing shows that it is %s", id, verdict)
			}
		case "not observable", "out of scope":
			if strings.TrimSpace(evidence) == "" {
				t.Errorf("%s: no reason for %q", id, verdict)
			}
		default:
			t.Errorf("%s: unknown verdict %q", id, verdict)
		}
	}
	if entries < 250 {
		t.Errorf("%d entries; there were 250 at least", entries)
	}
	for verdict, n := range counts {
		if !strings.Contains(string(page), fmt.Sprintf("%s %d", verdict, n)) {
			t.Errorf("the page does not count %d entries as %s", n, verdict)
		}
	}
}

// exists checks that the test that an entry names exists.
func exists(kind, name string) error {
	switch kind {
	case "scenario":
		found, err := filepath.Glob("*/" + name + ".txtar")
		if err == nil && len(found) != 1 {
			err = fmt.Errorf("%d scenarios %s", len(found), name)
		}
		return err
	case "case":
		_, err := os.Stat(filepath.Join("../corpus", name))
		return err
	}
	dir, test, _ := strings.Cut(name, ".")
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.Contains(string(source), "func "+test+"(") {
			return nil
		}
	}
	return fmt.Errorf("no test %s in %s", test, dir)
}

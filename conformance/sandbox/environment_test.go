package sandbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// Each kind of environment occurs in many links of the corpus, and a link always has the same environment (CONF-009).
func TestEnvironments(t *testing.T) {
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]int{}
	for _, c := range cases {
		for _, sm := range c.Targets {
			for i := range c.Steps {
				s := EnvironmentOf(c.ID(), sm, i)
				if again := EnvironmentOf(c.ID(), sm, i); again.Folder != s.Folder || again.Locale != s.Locale || !slices.Equal(again.Variables, s.Variables) {
					t.Fatalf("%s sm_%s step %d: %v, then %v", c.ID(), sm, i+1, s, again)
				}
				links[s.Folder]++
				links[s.Locale]++
				links[strings.Join(s.Variables, " ")]++
				if s.Alone {
					links["alone"]++
				}
			}
		}
	}
	if want := len(folders) + len(locales) + len(variables) + 1; len(links) != want {
		t.Errorf("%d kinds, want %d", len(links), want)
	}
	for kind, n := range links {
		if n < 200 {
			t.Errorf("only %d links in %q", n, kind)
		}
	}
}

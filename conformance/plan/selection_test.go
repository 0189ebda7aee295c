package plan

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

func TestStaleSkips(t *testing.T) {
	verdicts := []judge.Verdict{
		{Case: "a/b", SM: "80", Step: 1, Facet: judge.FacetExit, Skip: "a/b", Differences: []judge.Difference{{}}},
		{Case: "a/b", SM: "80", Step: 1, Facet: judge.FacetBytes, Skip: "a/b"},
		{Case: "a/b", SM: "90", Step: 1, Facet: judge.FacetExit, Skip: "a/b"},
	}
	cases := []*suite.Case{{Area: "a", Name: "b", Targets: []string{"80", "90"}}}
	s := Selection{Skips: []Skip{{Glob: "a/b"}, {Glob: "a/c"}}}
	got := s.StaleSkips(cases, verdicts)
	want := []StaleSkip{{"a/c", "names no case"}, {"a/b", "a/b sm_90 passes"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseSkipRefuses(t *testing.T) {
	for text, want := range map[string]string{"a:taste": `unknown facet "taste"`, "[": "bad pattern", "": "bad pattern", ":bytes": "bad pattern"} {
		if _, err := ParseSkip(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// Every link belongs to one shard, and the shards are of equal size.
func TestShardsPartTheCorpus(t *testing.T) {
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	all := len(Selection{}.Units(cases))
	for _, total := range []int{1, 2, 7} {
		seen := map[Unit]int{}
		for i := range total {
			part := Selection{Shard: Shard{i + 1, total}}.Units(cases)
			if len(part) < all/total || len(part) > all/total+1 {
				t.Errorf("shard %d/%d has %d of %d", i+1, total, len(part), all)
			}
			for _, u := range part {
				seen[u]++
			}
		}
		if len(seen) != all {
			t.Errorf("%d shards run %d of %d", total, len(seen), all)
		}
		for u, n := range seen {
			if n != 1 {
				t.Errorf("%d shards run %s %d times", total, u.Case.ID(), n)
			}
		}
	}
}

func TestShardOfEnvironment(t *testing.T) {
	status := filepath.Join(t.TempDir(), "status")
	for _, c := range []struct {
		index, total string
		want         string
	}{
		{"", "", ""},
		{"0", "3", "1/3"},
		{"2", "3", "3/3"},
		{"3", "3", "error"},
		{"", "3", "error"},
		{"x", "3", "error"},
	} {
		env := map[string]string{"TEST_SHARD_INDEX": c.index, "TEST_TOTAL_SHARDS": c.total, "TEST_SHARD_STATUS_FILE": status}
		s, err := ShardOfEnvironment(func(name string) string { return env[name] })
		got := s.String()
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%q of %q: %s (%v), want %s", c.index, c.total, got, err, c.want)
		}
	}
	if _, err := os.Stat(status); err != nil {
		t.Errorf("the status file was not touched: %v", err)
	}
	for _, text := range []string{"", "1", "0/2", "3/2", "a/b"} {
		if _, err := ParseShard(text); err == nil {
			t.Errorf("shard %q is accepted", text)
		}
	}
}

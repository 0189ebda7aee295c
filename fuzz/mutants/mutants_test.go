package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pointsIn returns the changes of one function in the form "from→to".
func pointsIn(t *testing.T, body string) (changes []string) {
	t.Helper()
	points, err := pointsOf("linker/x/x.go", []byte("package x\n\nfunc f() {\n"+body+"\n}\n"), newUsers())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		changes = append(changes, flat(p.From)+"→"+flat(p.To))
	}
	return changes
}

func TestPoints(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string
	}{
		{"return a < b && !c", []string{"&&→||", "<→<=", "!→∅"}},
		{"x += 2", []string{"+=→-=", "x_+=_2→∅", "2→(2_+_1)"}},
		{"x := a &^ b", []string{"&^→&"}},
		{"x.y = true", []string{"x.y_=_true→∅", "true→false"}},
		{"n++", []string{"++→--", "n++→∅"}},
		{"if ok { return }", []string{"ok→!ok", "return→∅"}},
		{"for { break }", []string{"break→∅"}},
		{"call(1)", []string{"call(1)→∅", "1→(1_+_1)"}},
		// The capacity of a slice or map does not change the behaviour, and a panic marks an impossible case. Neither is
		// changed.
		{"x := make([]int, n+1, 10)", []string{"+→-", "1→(1_+_1)"}},
		{"x := make(map[string]int, 4)", nil},
		{"y := slices.Grow(x, 3)", nil},
		{"defer panic(1)", nil},
	} {
		if got := pointsIn(t, c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

func TestApply(t *testing.T) {
	source := []byte("package x\n\nvar limit = 7\n\nfunc (t *T) f(a int) bool { return a < limit }\n")
	points, err := pointsOf("linker/x/x.go", source, newUsers())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range points {
		got = append(got, p.Function+" "+strings.Split(string(p.apply(source)), "\n")[p.Line-1])
	}
	want := []string{"- var limit = (7 + 1)", "T.f func (t *T) f(a int) bool { return a <= limit }"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The key of a mutant stays the same if its function moves within the file. It changes if the function changes.
func TestKeys(t *testing.T) {
	keys := func(source string) (list []string) {
		points, err := pointsOf("linker/x/x.go", []byte(source), newUsers())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			list = append(list, p.Key())
		}
		return list
	}
	const f = "func f(a int) bool { return a < 1 || a < 1 }\n"
	here, there := keys("package x\n\n"+f), keys("package x\n\n// More.\nfunc g() {}\n\n"+f)
	if !slices.Equal(here, there) {
		t.Errorf("moved: %q, %q", here, there)
	}
	if twice := slices.Clone(here); len(slices.Compact(slices.Sorted(slices.Values(twice)))) != len(here) {
		t.Errorf("one key for two points: %q", here)
	}
	other := keys("package x\n\nfunc f(a int) bool { return a < 2 || a < 1 }\n")
	if slices.ContainsFunc(other, func(k string) bool { return slices.Contains(here, k) }) {
		t.Errorf("another function: %q, %q", here, other)
	}
}

// A sample has some points of each package. It depends on its seed, and the choice of a point does not depend on the
// others.
func TestSample(t *testing.T) {
	var all []*point
	for i := range 500 {
		file := "linker/large/x.go"
		if i%50 == 0 {
			file = "linker/small/x.go"
		}
		all = append(all, &point{File: file, nth: i})
	}
	chosen := sample(all, 100, "seed")
	small := 0
	for _, p := range chosen {
		if strings.Contains(p.File, "small") {
			small++
		}
	}
	if len(chosen) != 100 || small != least {
		t.Errorf("%d mutants, %d of the small package", len(chosen), small)
	}
	if !slices.Equal(chosen, sample(all, 100, "seed")) {
		t.Error("one seed, two samples")
	}
	if slices.Equal(chosen, sample(all, 100, "another")) {
		t.Error("two seeds, one sample")
	}
}

// A file of results can be read again. Only the last line of a mutant counts, and incomplete lines are ignored.
func TestRecord(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mutants.tsv")
	r, err := openRecord(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []result{{"a", unnoticed, "", 1.5, false}, {"b", byCorpus, "weak/first-wins", 2, false}, {"a", survived, "", 3, true}} {
		if err := r.add(e); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("c\tcorp")
	f.Close()
	again, err := openRecord(name)
	if err != nil || len(again.by) != 2 || again.by["a"] != (result{"a", survived, "", 3, true}) || again.by["b"].Killer != "weak/first-wins" {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestTable(t *testing.T) {
	points := []*point{
		{File: "linker/a/x.go", Function: "f", From: "<", To: "<="}, {File: "linker/a/x.go", Function: "g", From: "+", To: "-"},
		{File: "linker/a/y.go", Function: "h", From: "x = 1", To: ""}, {File: "linker/b/z.go", Function: "k", From: "1", To: "(1 + 1)"},
		{File: "linker/b/z.go", Function: "not run", From: "1", To: "2"},
	}
	outcomes := []outcome{byCorpus, byTests, survived, equivalent}
	page := writeTable("A sample.", points, func(p *point) (result, bool) {
		if i := slices.Index(points, p); i < len(outcomes) {
			return result{Outcome: outcomes[i], Beyond: i == 1}, true
		}
		return result{}, false
	})
	for _, line := range []string{
		"\nA sample.\n", "| linker/a | 3 | 1 | 1 (33 %) | 2 (67 %) | 1 | 0 |\n", "| linker/b | 1 | 0 | 0 () | 0 () | 0 | 1 |\n",
		"| all | 4 | 1 | 1 (33 %) | 2 (67 %) | 1 | 1 |\n", "- `linker/a/y.go` h: `x = 1` becomes `nothing`\n",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("no %q in\n%s", line, page)
		}
	}
	if strings.Contains(page, "not run") {
		t.Error("a mutant that was not run")
	}
}

// Each known survivor has one reason.
func TestEquivalents(t *testing.T) {
	for name, text := range map[string]string{"equivalent.txt": equivalents, "own.txt": own} {
		if _, err := parseReasons(name, text); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"key\n", "key\t \n", "key\twhy\nkey\twhy\n"} {
		if _, err := parseReasons("text", text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// If the corpus is known to notice a mutant, it is noticed. A mutant that changes nothing is not noticed, and one that
// does not compile is detected. This holds for mutants inside and outside functions.
func TestJudge(t *testing.T) {
	if os.Getenv("CULINK_JUDGE_MUTANTS") == "" {
		t.Skip("CULINK_JUDGE_MUTANTS is not set: it takes a minute of processor time to build culink four times")
	}
	c := campaign{packages: "linker/reloc", jobs: 1}
	all, err := c.find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.prepare(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(c.temp)
	c.waivers = nil // the waivers are for other cases
	c.asked = slices.DeleteFunc(c.asked, func(q question) bool { return q.of.Area != "reloc" || q.asks.release != nil })
	find := func(from, to string, alone bool) point {
		i := slices.IndexFunc(all, func(p *point) bool { return p.From == from && p.To == to && p.isAlone() == alone })
		if i < 0 {
			t.Fatalf("no %s in linker/reloc", from)
		}
		return *all[i]
	}
	inside, outside := find("<<", ">>", false), find("32", "(32 + 1)", true)
	same, wrong, outsideWrong := inside, inside, outside
	same.To, wrong.To, outsideWrong.To = same.From, "<<<", "(32 +"
	mutants := []*point{&inside, &same, &wrong, &outside, &outsideWrong}
	for i, p := range mutants {
		p.number = i + 1
	}
	invalids, err := c.buildTogether(t.Context(), mutants)
	if err != nil {
		t.Fatal(err)
	}
	if !invalids[wrong.number] || len(invalids) != 1 {
		t.Errorf("invalid are %v, not %d", invalids, wrong.number)
	}
	for p, want := range map[*point]outcome{&inside: byCorpus, &same: unnoticed, &outside: byCorpus, &outsideWrong: invalid} {
		if r, err := c.judgeByCorpus(t.Context(), p, result{}); r.Outcome != want || (r.Killer != "") != (want == byCorpus) || err != nil {
			t.Errorf("%s: %s by %q, %v", p, r.Outcome, r.Killer, err)
		}
	}
}

// own.txt may list a package, a file or a removed call.
func TestIsOwn(t *testing.T) {
	c := &campaign{own: map[string]string{"linker/x": "why", "linker/y/z.go": "why", "TraceStep()": "why"}}
	for _, test := range []struct {
		p    point
		want bool
	}{
		{point{File: "linker/x/a.go", From: "=="}, true},
		{point{File: "linker/x/deeper/a.go", From: "=="}, false},
		{point{File: "linker/y/z.go", From: "=="}, true},
		{point{File: "linker/y/a.go", From: "=="}, false},
		{point{File: "linker/y/a.go", From: "l.Options.TraceStep(trace.X, f(1))"}, true},
		{point{File: "linker/y/a.go", From: "TraceStep(1)", To: "!TraceStep(1)"}, false},
		{point{File: "linker/y/a.go", From: "x.Other(TraceStep())"}, false},
	} {
		if got := c.isOwn(&test.p); got != test.want {
			t.Errorf("%s: %q→%q: %v, want %v", test.p.File, test.p.From, test.p.To, got, test.want)
		}
	}
}

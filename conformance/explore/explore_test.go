package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/cleanenv"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/versus"
	"github.com/culink/culink/corpus"
)

func TestMain(m *testing.M) {
	cleanenv.Unset()
	os.Exit(m.Run())
}

// seedOf returns the seed that is made from a case of the corpus.
func seedOf(t *testing.T, id, sm string) *Input {
	t.Helper()
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.ID() == id {
			r, err := suite.LoadRecording(corpus.Files, c, sm)
			if err != nil {
				t.Fatal(err)
			}
			var steps [][]string
			for i := range r.Steps {
				steps = append(steps, c.Argv(i, sm))
			}
			return newInput(sm, r.Inputs, steps)
		}
	}
	t.Fatalf("no case %s", id)
	return nil
}

// An input that is stored and read again builds the same files as before. They are also the files of its case
// (CONF-085).
func TestInputsAreLossless(t *testing.T) {
	for _, id := range []string{"basic/two-files", "relocatable/twice", "weak/kernel-and-strong"} {
		in := seedOf(t, id, "80")
		want, err := in.build()
		if err != nil {
			t.Fatal(err)
		}
		name, data, err := in.encode()
		if err != nil {
			t.Fatal(err)
		}
		read, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read.build()
		if again, _, _ := read.encode(); err != nil || again != name || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v; %s and %s", id, err, name, again)
		}
	}
}

// A mutation does not change the original input. Most mutations result in an input that can be linked (CONF-085).
func TestChangesLeaveTheirOrigin(t *testing.T) {
	t.Parallel()
	in, other := seedOf(t, "basic/two-files", "80"), seedOf(t, "global/texture-and-surface", "80")
	words := newVocabulary()
	words.learn(in)
	words.learn(other)
	before, _, err := in.encode()
	if err != nil {
		t.Fatal(err)
	}
	m := &mutator{rand.New(rand.NewPCG(rand.Uint64(), 1)), words, mutations}
	built, different := 0, map[string]bool{}
	const tries = 200
	for range tries {
		c := m.mutate(in, other)
		name, _, err := c.encode()
		if err != nil {
			t.Fatal(err)
		}
		different[name] = true
		if _, err := c.build(); err == nil {
			built++
		}
	}
	if after, _, _ := in.encode(); after != before {
		t.Error("the origin has changed")
	}
	if built < tries/2 || len(different) < tries/2 {
		t.Errorf("of %d changes %d can be linked, %d are different", tries, built, len(different))
	}
}

// A search of whole files changes links and no cubin of them (CONF-085).
func TestWholeFilesStayWhole(t *testing.T) {
	t.Parallel()
	in, other := seedOf(t, "basic/two-files", "80"), seedOf(t, "global/texture-and-surface", "80")
	known := map[string]bool{}
	for _, i := range []*Input{in, other} {
		for _, lines := range i.Texts {
			known[strings.Join(lines, "\n")] = true
		}
	}
	m := &mutator{rand.New(rand.NewPCG(rand.Uint64(), 1)), newVocabulary(), wholeFiles}
	for range 200 {
		for name, lines := range m.mutate(in, other).Texts {
			if !known[strings.Join(lines, "\n")] {
				t.Fatal(name, "is changed")
			}
		}
	}
}

// Each kind of mutation changes an input.
func TestEveryMutationChanges(t *testing.T) {
	t.Parallel()
	in, other := seedOf(t, "basic/two-files", "80"), seedOf(t, "relocatable/twice", "80")
	in.Files["x.a"] = []byte("!<arch>\n")
	in.Steps = [][]string{append([]string{"-v", "x.a"}, in.Steps[0]...)}
	words := newVocabulary()
	words.learn(in)
	words.learn(other)
	m := &mutator{rand.New(rand.NewPCG(7, 7)), words, mutations}
	for i, mu := range mutations {
		done := false
		for try := 0; try < 200 && !done; try++ {
			c := in.clone()
			if mu.change(m, c, other) {
				a, _, _ := in.encode()
				b, _, _ := c.encode()
				done = a != b
			}
		}
		if !done {
			t.Errorf("change %d never does anything", i)
		}
	}
}

// culink's message about a damaged input belongs to a class with a rule, whatever names and positions it contains. Any
// other difference has no rule and is a finding (CONF-085).
func TestClasses(t *testing.T) {
	for _, tt := range []struct{ said, class, id string }{
		{"nvlink fatal   : Input file 'a' is damaged: section header .text.k: alignment 0 at 0x10: 0\n", "damaged: alignment 0", "DIAG-303"},
		{"nvlink fatal   : Input file 'a' is damaged: something else at 0x10: 0\n", "damaged: something else at N: N", ""},
		{"nvlink fatal   : Internal error: unexpected reloc section\n", "damaged: plain section behind the Mercury half", "MERC-314"},
		{"nvlink error   : Uncompress failed\n", "damaged: compressed payload", "E-460"},
		{"nvlink fatal   : no\n", "exit 1, not 0", ""},
	} {
		v := &versus.Verdict{Class: "exit 1, not 0", Other: versus.Outcome{Exit: 1, Stderr: tt.said}}
		if class, id := classOf(v); class != tt.class || id != tt.id {
			t.Errorf("%q: %q by %q", tt.said, class, id)
		}
	}
}

// nvlink may pass over a payload that ends the load of culink, with as many messages about payloads if another input has
// one too. What both say is no difference.
func TestIsUndecoded(t *testing.T) {
	const passed, ended = "nvlink error   : Uncompress failed\nnvlink warning : SM Arch ('sm_90') not found in 'a.o'\n", "nvlink error   : Uncompress failed\nnvlink fatal   : elfLink fatbinary error\n"
	for _, tt := range []struct {
		culink, nvlink string
		want           bool
	}{
		{ended, passed, true},
		{ended, ended, false},
		{passed, passed, false},
		{"nvlink fatal   : elfLink fatbinary error\n", "", false},
	} {
		if got := isUndecoded(tt.culink, tt.nvlink); got != tt.want {
			t.Errorf("%q, and nvlink %q: %v", tt.culink, tt.nvlink, got)
		}
	}
}

// A stored class that now has a rule is no finding, even if its name is unchanged. A link that crashes the reference is
// no finding either.
func TestClassesWithARule(t *testing.T) {
	const said = "nvlink fatal   : Input file 'a' is damaged: alignment 0\n"
	for _, tt := range []struct {
		is   versus.Verdict
		want string
	}{
		{versus.Verdict{Class: "exit 1, not 0", Other: versus.Outcome{Exit: 1, Stderr: said}}, ""},
		{versus.Verdict{Class: "exit 1, not 0", Other: versus.Outcome{Exit: 1}}, "exit 1, not 0"},
		{versus.Verdict{Class: "exit 1, not 0", Reference: versus.Outcome{Trouble: "signal 11"}, Other: versus.Outcome{Exit: 1}}, ""},
		{versus.Verdict{Choice: "E-347"}, ""},
	} {
		if got, err := new(explorer).newClassOf(&tt.is, nil); got != tt.want || err != nil {
			t.Errorf("%+v: %q, %v; want %q", tt.is, got, err, tt.want)
		}
	}
}

// The server answers a link that panics, and goes on to the next link (CONF-085).
func TestServedPanic(t *testing.T) {
	var out bytes.Buffer
	exit := guarded(func(context.Context, []string, io.Writer, io.Writer) int { panic("no") })(t.Context(), nil, io.Discard, &out)
	if !isBad(&versus.Outcome{Exit: exit}) || !strings.HasPrefix(out.String(), "panic: no\n\ngoroutine ") {
		t.Errorf("exit %d, %q", exit, &out)
	}
}

// A program with coverage counters reports the blocks that a link executes. A search with it can be stopped and
// continued (CONF-085).
func TestSearch(t *testing.T) {
	program := os.Getenv("CULINK_COUNTED")
	if program == "" {
		t.Skip("CULINK_COUNTED is not set: the nightly step explore builds a program that counts")
	}
	dir := t.TempDir()
	links := 0
	for range 2 {
		search := exec.Command(program, "explore", "-folder", dir, "-sm", "80", "-n", "50", "-jobs", "2")
		said, err := search.CombinedOutput()
		if err != nil && search.ProcessState.ExitCode() != 1 {
			t.Fatalf("%v\n%s", err, said)
		}
		data, err := os.ReadFile(filepath.Join(dir, suite.Toolkit, tallyFile))
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		var tally Tally
		if err := json.Unmarshal(data, &tally); err != nil {
			t.Fatal(err)
		}
		if n := tally.of("80").Links; n < links+50 || tally.of("80").Kept == 0 || !strings.Contains(string(said), fmt.Sprintf("%-50s", "github.com/culink/culink/linker/internal/merge")) {
			t.Errorf("%d links after %d\n%s", n, links, said)
		}
		links = tally.of("80").Links
	}
}

// A stored example of a class is read back as the same link, and can be moved to another class. A class without examples
// is removed from the tally (CONF-085).
func TestFindingsAreJudgedAgain(t *testing.T) {
	t.Parallel()
	s := store{t.TempDir()}
	in := seedOf(t, "basic/two-files", "80")
	files, err := in.build()
	if err != nil {
		t.Fatal(err)
	}
	link := attempt.Link{Before: files, Argv: in.Steps[0]}
	if err := s.keepFinding("80", "bytes: header", "a detail", 2, link, in.Texts); err != nil {
		t.Fatal(err)
	}
	list, err := s.findings(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d findings, %v", len(list), err)
	}
	if f := list[0]; f.class != "bytes: header" || f.sm != "80" || !reflect.DeepEqual(f.link, link) {
		t.Errorf("another link: %q, sm_%s, %q", f.class, f.sm, f.link.Argv)
	}
	if err := s.moveFinding(list[0], "exit 1, not 0", "why", 4); err != nil {
		t.Fatal(err)
	}
	list, err = s.findings(t.Context())
	if err != nil || len(list) != 1 || list[0].class != "exit 1, not 0" || filepath.Base(list[0].folder) != "sm80-4" || !reflect.DeepEqual(list[0].link, link) {
		t.Errorf("moved: %+v, %v", list, err)
	}

	tally := newTally()
	tally.New = map[string]int{"bytes: header": 7, "bytes: symbols": 3}
	classes, links := tally.settle(map[string]int{"bytes: symbols": 1, "exit 1, not 0": 2})
	want := map[string]int{"bytes: symbols": 3, "exit 1, not 0": 2}
	if classes != 1 || links != 5 || tally.Settled != 5 || !reflect.DeepEqual(tally.New, want) {
		t.Errorf("%d classes and %d links are gone, %v", classes, links, tally.New)
	}
}

package library

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/jitlink"
)

// The cases test the rules JIT-001 to JIT-082. docs/nvjitlink.md describes their format.

// casesInPlace returns the recorded cases. Their input files are in the working folder of the test.
func casesInPlace(t *testing.T) []*Case {
	t.Helper()
	cases, err := Load(Recorded)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := WriteInputs(dir, cases, Recorded, corpus.Files); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if runtime.GOOS == "windows" {
		cases = slices.DeleteFunc(cases, func(c *Case) bool {
			return slices.ContainsFunc(readOtherwise, func(name string) bool { return strings.HasPrefix(c.Name, name) })
		})
	}
	return cases
}

// readOtherwise lists the cases with archives that the library reads in another way on Windows (WIN-010, WIN-011).
var readOtherwise = []string{"archive/bytes-of-names/", "archive/device-runtime-first/"}

// Package jitlink answers every recorded call as NVIDIA's library did, apart from choices and waivers. The test reports
// cases that need C or a missing compiler (JIT-001, JIT-002, JIT-020, JIT-070).
func TestGoAnswersAsRecorded(t *testing.T) {
	cases := casesInPlace(t)
	ptxas := input.FindPTXAS("")
	var has []Need
	if ptxas != "" {
		has = append(has, NeedsPTXAS)
	}
	report, err := Run(t.Context(), cases, &InProcess{&jitlink.Library{PTXAS: ptxas}}, has)
	if err != nil {
		t.Fatal(err)
	}
	waivers, err := OwnWaivers()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range report.Waive(waivers) {
		t.Errorf("the waiver of %s excuses nothing", w.Case)
	}
	var table strings.Builder
	if err := report.Write(&table); err != nil {
		t.Fatal(err)
	}
	if report.Failed() || report.Calls() < 7000 {
		t.Errorf("%d calls\n%s", report.Calls(), table.String())
	}
	t.Log("\n" + table.String())
}

// Package jitlink answers the recorded calls as NVIDIA's library of each release does (JIT-100 to JIT-118).
func TestGoAnswersByRelease(t *testing.T) {
	casesInPlace(t)
	versions, err := Releases(Recorded)
	if err != nil || len(versions) == 0 {
		t.Fatal(versions, err)
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			cases, err := LoadRelease(Recorded, version)
			if err != nil {
				t.Fatal(err)
			}
			release, err := arch.Find(version)
			if err != nil {
				t.Fatal(err)
			}
			report, err := Run(t.Context(), cases, &InProcess{&jitlink.Library{Toolkit: release}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var table strings.Builder
			if err := report.Write(&table); err != nil {
				t.Fatal(err)
			}
			if report.Failed() || report.Calls() < 1000 {
				t.Errorf("%d calls\n%s", report.Calls(), table.String())
			}
		})
	}
}

// A release without recordings, and a recording of a case that does not exist, are errors. A case that ends the library of a
// release is not played, nor are links. (CONF-850)
func TestLoadRelease(t *testing.T) {
	const base = "case a JIT-001\ncreate -arch=sm_90 = 0\n\ncase b JIT-001\ncreate = 1\n\ncase c JIT-001\ncreate = 2\n"
	files := fstest.MapFS{
		"x.txt": {Data: []byte(base)}, linksFile: {Data: []byte("case l JIT-071\ncomplete = 0\n")},
		"releases/12.4.131.txt": {Data: []byte("case b JIT-001\ncreate = 7\n\ncase c JIT-001\n")},
		"releases/12.5.82.txt":  {Data: []byte("case d JIT-001\ncreate = 7\n")},
	}
	cases, err := LoadRelease(files, "12.4.131")
	if want := "case a JIT-001\ncreate -arch=sm_90 = 0\n\ncase b JIT-001\ncreate = 7\n"; err != nil || string(Format(cases)) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, Format(cases), want)
	}
	for version, want := range map[string]string{"12.5.82": "there is no case d", "12.6.85": "no answers are recorded"} {
		if _, err := LoadRelease(files, version); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", version, err, want)
		}
	}
	if versions, err := Releases(files); err != nil || !slices.Equal(versions, []string{"12.4.131", "12.5.82"}) {
		t.Error(versions, err)
	}
}

// The recordings have the form that Format writes, and Parse reads it.
func TestRecordingsAreInTheirForm(t *testing.T) {
	var names []string
	for _, glob := range []string{"*.txt", releasesFolder + "/*.txt"} {
		more, err := fs.Glob(Recorded, glob)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, more...)
	}
	for _, name := range names {
		text, err := fs.ReadFile(Recorded, name)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(cases); !bytes.Equal(got, text) {
			t.Errorf("%s is not what record writes: %d bytes, want %d", name, len(text), len(got))
		}
		for _, c := range cases {
			for _, call := range c.Calls {
				if len(call.Words)-1 < wordCounts[call.Words[0]] {
					t.Errorf("%s: %s: words are missing", c.Name, &call)
				}
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"create = 0":                         "stands in no case",
		"case a":                             "wants a name and rules",
		"case a JIT-001 needs wings":         "needs what?",
		"case a JIT-001\nlink = 0":           `no call "link"`,
		"case a JIT-001\nor 0":               "or follows a call",
		"case a JIT-001\ncomplete = fine":    "is no result",
		"case a JIT-001\ncomplete = 0 log":   "pairs of facet and value",
		"case a JIT-001\ncomplete = 0 log x": `"log" is no facet`,
	} {
		_, err := Parse("x.txt", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Every corpus link that a library can make is recorded, and none crashes the library (JIT-071, CONF-012).
func TestEveryLinkOfTheCorpusIsRecorded(t *testing.T) {
	made, err := CorpusCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(Recorded, linksFile)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Parse(linksFile, text)
	if err != nil {
		t.Fatal(err)
	}
	script := func(c *Case) string { return strings.Join(slices.Collect(words(c)), "\n") }
	recorded := map[string]string{}
	for _, c := range cases {
		recorded[c.Name] = script(c)
	}
	for _, c := range made {
		switch got, ok := recorded[c.Name]; {
		case !ok:
			t.Errorf("%s is not recorded: cuconform record -library", c.Name)
		case got != script(c):
			t.Errorf("%s is recorded as\n%s\nwant\n%s", c.Name, got, script(c))
		}
		delete(recorded, c.Name)
	}
	for name := range recorded {
		t.Errorf("%s is no link of the corpus", name)
	}
}

// No recorded case crashes the library or makes it hang (CONF-012).
func TestNoRecordingEndsTheLibrary(t *testing.T) {
	cases, err := Load(Recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.endsLibrary() {
			t.Errorf("%s: %s does not end by itself", c.File, c.Name)
		}
	}
}

func words(c *Case) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, call := range c.Calls {
			if !yield(call.String()) {
				return
			}
		}
	}
}

// Other answers than the recorded ones are accepted only where the real library does harm (JIT-080, JIT-081, JIT-082),
// where it starts links for targets that do not exist (JIT-117), or does not end a log (JIT-020).
func TestChoices(t *testing.T) {
	const undefined = "error   : Undefined reference to 'f' in 'a'\nERROR 9: finish\n"
	const twice = "error   : Multiple definition of 'f' in 'b', first defined in 'a'\n"
	image := Answer{FacetResult: "0", FacetImage: "1", FacetBytes: "2", FacetNote: "n"}
	none := Answer{FacetResult: "6"}
	for _, c := range []struct {
		name  string
		calls []Call
		got   []Answer
		ok    bool
	}{
		{"crash", []Call{{Words: []string{"complete"}, Want: Answer{FacetResult: crash}}}, []Answer{{FacetResult: "6"}}, true},
		{"both crash", []Call{{Words: []string{"complete"}, Want: Answer{FacetResult: crash}}}, []Answer{{FacetResult: crash}}, true},
		{"crashes alone", []Call{{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}}}, []Answer{{FacetResult: crash}}, false},
		{"no image of a failed link", []Call{
			{Words: []string{"complete"}, Want: Answer{FacetResult: "6", FacetErrors: undefined}},
			{Words: []string{"cubin"}, Want: image},
		}, []Answer{{FacetResult: "6", FacetErrors: undefined}, none}, true},
		{"another image", []Call{{Words: []string{"cubin"}, Want: image}}, []Answer{{FacetResult: "0", FacetImage: "3", FacetBytes: "2", FacetNote: "n"}}, false},
		{"an end that is written", []Call{{Words: []string{"add"}, Want: Answer{FacetResult: "3", FacetErrors: "bad\n" + noZeroByte}}}, []Answer{{FacetResult: "3", FacetErrors: "bad\n"}}, true},
		{"an end that is not written", []Call{{Words: []string{"add"}, Want: Answer{FacetResult: "3", FacetErrors: "bad\n"}}}, []Answer{{FacetResult: "3", FacetErrors: "bad\n" + noZeroByte}}, false},
		{"printed error in the log", []Call{
			{Words: []string{"add"}, Want: Answer{FacetResult: "0", FacetPrinted: twice}},
			{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}},
			{Words: []string{"cubin"}, Want: image},
		}, []Answer{{FacetResult: "0"}, {FacetResult: "6", FacetErrors: twice + "ERROR 9: finish\n"}, none}, true},
		{"another error in the log", []Call{
			{Words: []string{"add"}, Want: Answer{FacetResult: "0", FacetPrinted: twice}},
			{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}},
		}, []Answer{{FacetResult: "0"}, {FacetResult: "6", FacetErrors: undefined}}, false},
		{"fails for the printed error alone", []Call{
			{Words: []string{"add"}, Want: Answer{FacetResult: "0", FacetPrinted: twice}},
			{Words: []string{"complete"}, Want: Answer{FacetResult: "6", FacetErrors: undefined}},
		}, []Answer{{FacetResult: "0"}, {FacetResult: "6", FacetErrors: twice + "ERROR 9: finish\n"}}, true},
		{"refused later", []Call{
			{Words: []string{"add"}, Want: Answer{FacetResult: "3", FacetErrors: notMerged + "b\n", FacetPrinted: twice}},
			{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}},
			{Words: []string{"cubin"}, Want: image},
		}, []Answer{{FacetResult: "0"}, {FacetResult: "6", FacetErrors: twice + "ERROR 9: finish\n"}, none}, true},
		{"refused never", []Call{
			{Words: []string{"add"}, Want: Answer{FacetResult: "3", FacetErrors: notMerged + "b\n", FacetPrinted: twice}},
			{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}},
			{Words: []string{"cubin"}, Want: image},
		}, []Answer{{FacetResult: "0"}, {FacetResult: "0"}, {FacetResult: "0", FacetImage: "3", FacetBytes: "2", FacetNote: "n"}}, false},
		{"fails without a printed error", []Call{{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}}}, []Answer{none}, false},
		{"a target that is not there", []Call{
			{Words: []string{"create", "-arch=sm_51"}, Want: Answer{FacetResult: "0"}},
			{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}},
		}, []Answer{{FacetResult: "6", FacetErrors: notStarted}, none}, true},
		{"another link after it", []Call{
			{Words: []string{"create", "-arch=sm_51"}, Want: Answer{FacetResult: "0"}},
			{Words: []string{"create", "-arch=sm_90"}, Want: Answer{FacetResult: "0"}},
		}, []Answer{{FacetResult: "6", FacetErrors: notStarted}, none}, false},
		{"not played", []Call{{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}}}, nil, false},
		{"or", []Call{{Words: []string{"complete"}, Want: Answer{FacetResult: "0"}, Or: []Answer{none}}}, []Answer{none}, true},
	} {
		if v := Judge(&Case{Name: c.name, Calls: c.calls}, c.got); (len(v.Differences) == 0) != c.ok {
			t.Errorf("%s: %v", c.name, v.Differences)
		}
	}
}

// A seed always gives the same sequences of calls. Within few calls, they show differences between two releases
// (CONF-050).
func TestSequences(t *testing.T) {
	cases := casesInPlace(t)
	later, err := jitlink.Release(13, "13.1")
	if err != nil {
		t.Fatal(err)
	}
	p, longest := newPool(cases), 0
	library, other := &InProcess{&jitlink.Library{}}, &InProcess{&jitlink.Library{Toolkit: later}}
	for number := range 20 {
		draw := func() *Case { return p.sequence(rand.New(rand.NewPCG(1, uint64(number))), number) }
		if a, b := Format([]*Case{draw()}), Format([]*Case{draw()}); !bytes.Equal(a, b) {
			t.Fatalf("%s and %s", a, b)
		}
		if v, err := beside(t.Context(), draw(), library, library); err != nil || len(v.Differences) > 0 {
			t.Errorf("differs from itself: %v, %v", v.Differences, err)
		}
		v, err := beside(t.Context(), draw(), library, other)
		if err == nil && len(v.Differences) > 0 {
			v, err = shrink(t.Context(), v, library, other)
			longest = max(longest, len(v.Case.Calls))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if longest == 0 || longest > 3 {
		t.Errorf("a difference between 13.0 and 13.1 needs %d calls", longest)
	}
}

func TestTimesDoNotCount(t *testing.T) {
	a := "nvJitLink time until Complete: 0.836000\nptxas info    : Compile time = 1.943 ms\nused 8 registers\n"
	b := "nvJitLink time until Complete: 12.1\nptxas info    : Compile time = 2 ms\nused 8 registers\n"
	if withoutTimes(a) != withoutTimes(b) || withoutTimes("used 8") == withoutTimes("used 9") {
		t.Error(withoutTimes(a), withoutTimes(b))
	}
}

// The installed library still answers as recorded. Each case has a new process.
func TestLiveLibraryAnswersAsRecorded(t *testing.T) {
	oracle := toolstest.Oracle(t)
	run := []string{"handles-*", "inputs-*", "options-*", "mercury"}
	if os.Getenv("CULINK_HARMLESS") != "" {
		run = nil // play every recorded case, as the nightly step "harmless" requests (CONF-012)
	}
	l := &CommandLine{Library: oracle + "/lib/libnvJitLink.so.13", Has: "ptxas,compiler", Run: run, Time: sandbox.DefaultLimits.Time}
	var out bytes.Buffer
	if status, err := l.Judge(t.Context(), &out); status != 0 || err != nil {
		t.Errorf("status %d, %v\n%s", status, err, &out)
	}
}

// A release that answers like that of the recordings has an empty file, also in the place of an older one with cases
// (CONF-850).
func TestStoreWritesEmptyFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "releases", "12.4.131.txt")
	if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	l := &CommandLine{Cases: dir}
	store := func(differ []*Case, want string) {
		t.Helper()
		var out strings.Builder
		if _, err := l.storeCases(&out, os.DirFS(dir), []string{"releases/12.4.131.txt"}, differ, 1); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q, %v; want %q", &out, err, want)
		}
	}
	store(nil, "1 files changed")
	store([]*Case{{Name: "a", File: "releases/12.4.131.txt"}}, "1 files changed")
	if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), "case a") {
		t.Errorf("%q, %v", data, err)
	}
	store(nil, "1 files changed")
	store(nil, "0 files changed")
	if data, err := os.ReadFile(name); err != nil || len(data) > 0 {
		t.Errorf("%q, %v", data, err)
	}
}

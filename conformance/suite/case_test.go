package suite

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/arch"
)

const goodCase = `# a comment
title   Two files
rule    DIAG-001 DIAG-002
target  sm_80 sm_90a

make    a.cubin nvcc a.cu -lineinfo
make    b.txt text "two words\n"
make    old.cubin ptxas@12.4 a.ptx
drop    b.txt
step    nvlink -arch=sm_$SM a.cubin -o out.cubin
step    nvlink -arch=sm_$SM "with blank" ""
`

func TestParseCase(t *testing.T) {
	c, err := ParseCase("area/name", goodCase)
	if err != nil {
		t.Fatal(err)
	}
	if c.ID() != "area/name" || c.Title != "Two files" || c.Expect != ExpectRecorded {
		t.Errorf("got %+v", c)
	}
	if !slices.Equal(c.Targets, []string{"80", "90a"}) || !slices.Equal(c.Rules, []string{"DIAG-001", "DIAG-002"}) {
		t.Errorf("targets %q, rules %q", c.Targets, c.Rules)
	}
	if got := c.Inputs[1]; got.Output != "b.txt" || got.Maker != "text" || !slices.Equal(got.Args, []string{"two words\n"}) {
		t.Errorf("recipe %+v", got)
	}
	if got := c.Inputs[2]; got.Maker != "ptxas" || got.Release != "12.4" || !slices.Equal(got.Args, []string{"a.ptx"}) {
		t.Errorf("recipe %+v", got)
	}
	if got := c.Argv(0, "90a"); !slices.Equal(got, []string{"-arch=sm_90a", "a.cubin", "-o", "out.cubin"}) {
		t.Errorf("step 1: %q", got)
	}
	if got := argvText(c.Argv(1, "80")); got != "-arch=sm_80\nwith blank\n\n" {
		t.Errorf("step 2: %q", got)
	}
}

// What a case says of some releases replaces, for these, what it says of all (CONF-982).
func TestCaseOfReleases(t *testing.T) {
	c, err := ParseCase("a/b", goodCase+`expect right-code nvlink writes wrong code
expect@..12.9 recorded nvlink refuses the link
unsound@13.1.. E-349 wrong tables
unsound@13.5 E-470 wrong stubs
expect@11.2 clean-error nvlink forgets a kernel
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ version, want string }{
		{"", "right-code  nvlink writes wrong code"},
		{"13.0", "right-code  nvlink writes wrong code"},
		{"12.9", "recorded  nvlink refuses the link"},
		{"11.2", "recorded  nvlink refuses the link"}, // the first that has the release
		{"13.1", "right-code E-349 nvlink writes wrong code"},
		{"13.5", "right-code E-349 nvlink writes wrong code"},
	} {
		var p *arch.Profile
		if tt.version != "" {
			if p, err = arch.Find(tt.version); err != nil {
				t.Fatal(err)
			}
		}
		of := c.For(p)
		if got := string(of.Expect) + " " + of.Unsound + " " + of.Reason; got != tt.want {
			t.Errorf("%q: %q, want %q", tt.version, got, tt.want)
		}
	}
	if c.Expect != ExpectRightCode || c.Unsound != "" {
		t.Error("For changes the case")
	}
}

func TestParseCaseRefuses(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"unknown key", "colour red", `unknown key "colour"`},
		{"unknown maker", "make a.cubin cook a.cu", `unknown maker "cook"`},
		{"unknown release", "make a.cubin nvcc@9.9 a.cu", `toolkit "9.9" is not one of`},
		{"name that leaves the folder", "make ../a text x", `"../a" leaves the folder`},
		{"absolute name", "make /a text x", `"/a" leaves the folder`},
		{"target", "target 80", `target "80" does not begin with sm_`},
		{"other tool", "step ptxas a.ptx", `a step begins with nvlink, not "ptxas"`},
		{"quotes", `step nvlink "a`, "unbalanced quotes"},
		{"no value", "rule", `"rule" without a value`},
		{"expectation", "expect luck", `unknown expectation "luck"`},
		{"reason", "expect clean-error", "without a reason"},
		{"no reason", "unsound E-349", "unsound wants: unsound ID REASON"},
		{"recorded of all releases", "expect recorded as ever", `unknown expectation "recorded"`},
		{"releases", "expect@12 recorded why", `"12" is no release such as 13.1`},
		{"releases from a later to an earlier one", "unsound@13.1..12.9 E-349 why", `"13.1..12.9" has none of the releases 11.2.152, `},
		{"releases that are unknown", "unsound@14.0.. E-349 why", `"14.0.." has none of the releases 11.2.152, `},
		{"a zero before a release", "unsound@13.01 E-349 why", `"13.01" is no release such as 13.1`},
		{"releases of another key", "rule@12.9 DIAG-001", `unknown key "rule@12.9"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseCase("a/b", goodCase+c.line+"\n")
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a/b/case.txt:12: ") {
				t.Errorf("error %v, want %q in line 12", err, c.want)
			}
		})
	}
	for _, key := range []string{"title", "rule", "target", "step"} {
		var lines []string
		for _, line := range strings.Split(goodCase, "\n") {
			if !strings.HasPrefix(line, key) {
				lines = append(lines, line)
			}
		}
		if _, err := ParseCase("a/b", strings.Join(lines, "\n")); err == nil || !strings.Contains(err.Error(), "no "+key) {
			t.Errorf("without %s: error %v", key, err)
		}
	}
}

// A recording stays the same when it is written and read again. If a step was changed after it was recorded, reading
// fails. This is not counted as a failure of the linker.
func TestRecordingRoundTrip(t *testing.T) {
	c, err := ParseCase("a/b", goodCase)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.MapOfN(rapid.StringMatching(`(dir/)?[a-z]{1,2}\.x`), rapid.SliceOfN(rapid.Byte(), 0, 9), 0, 4)
		want := &Recording{Inputs: files.Draw(t, "inputs")}
		for range c.Steps {
			want.Steps = append(want.Steps, attempt.Outcome{
				Exit:   rapid.IntRange(0, 255).Draw(t, "exit"),
				Stdout: rapid.SliceOf(rapid.Byte()).Draw(t, "stdout"),
				Stderr: rapid.SliceOf(rapid.Byte()).Draw(t, "stderr"),
				Files:  files.Draw(t, "files"),
			})
		}
		corpus := fstest.MapFS{}
		for name, data := range want.Section(c, "80").Plain() {
			corpus["a/b/sm_80/"+name] = &fstest.MapFile{Data: data}
		}
		got, err := LoadRecording(corpus, c, "80")
		if err != nil {
			t.Fatal(err)
		}
		if names := attempt.Changes(want.Inputs, got.Inputs); names != nil {
			t.Fatalf("inputs differ: %q", names)
		}
		for i := range want.Steps {
			if diff := cmp.Diff(want.Steps[i], got.Steps[i], cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
		}
	})
	changed := *c
	changed.Steps = [][]string{{"-v"}, c.Steps[1]}
	corpus := fstest.MapFS{}
	r := &Recording{Steps: make([]attempt.Outcome, 2)}
	for name, data := range r.Section(c, "80").Plain() {
		corpus["a/b/sm_80/"+name] = &fstest.MapFile{Data: data}
	}
	if _, err := LoadRecording(corpus, &changed, "80"); err == nil || !strings.Contains(err.Error(), "changed since it was recorded") {
		t.Errorf("error %v", err)
	}
}

func TestStepsSeeWhatStepsBeforeThemWrote(t *testing.T) {
	r := &Recording{
		Inputs: attempt.Files{"a": []byte("1"), "b": []byte("2")},
		Steps:  []attempt.Outcome{{Files: attempt.Files{"c": []byte("3")}}, {Files: attempt.Files{"a": []byte("4")}}, {}},
	}
	if got := r.Before(2); string(got["a"]) != "4" || string(got["c"]) != "3" || len(got) != 3 {
		t.Errorf("got %q", got)
	}
	if string(r.Inputs["a"]) != "1" {
		t.Error("the inputs changed")
	}
}

func TestCheckToolkit(t *testing.T) {
	for version, ok := range map[string]bool{"": true, "13": true, "13.0": true, "13.0.88": true, "1": false, "13.0.8": false, "12.4": false, "13.0.88.1": false} {
		if err := CheckToolkit(version); (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
	}
}

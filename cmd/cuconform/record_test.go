package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/corpus"
)

// releasesCorpus returns a corpus of one case. nvlink of 13.0 printed "old", and that of 13.4 "new". That of 12.4 has
// other inputs and printed "older". oracle is a folder whose nvlink prints the text of a file beside it. nvlinkSays sets
// that text.
func releasesCorpus(t *testing.T) (folder, oracle string, nvlinkSays func(string)) {
	t.Helper()
	lazyLinker(t) // skips the test where there is no shell
	folder, oracle = t.TempDir(), t.TempDir()
	write := func(folder, name, text string) {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(folder, "area/case/case.txt", "title   What is said\nrule    KIT-087\ntarget  sm_80\nmake    a.txt text hello\nstep    nvlink a.txt\n")
	inputs := map[string][]byte{"a.txt": []byte("hello")}
	says := func(what string, argv ...string) []*corpus.Step {
		return []*corpus.Step{{Argv: argv, Exit: 1, Stderr: []byte("nvlink fatal   : " + what + "\n")}}
	}
	for name, target := range map[string]corpus.Target{
		"sm_80": {"": {Inputs: inputs, Steps: says("old", "a.txt")}, "13.4": {Steps: says("new")}},
		"sm_52": {"12.4": {Inputs: inputs, Steps: says("older", "a.txt")}},
	} {
		if err := target.Save(folder, "area/case/"+name); err != nil {
			t.Fatal(err)
		}
	}
	write(oracle, "bin/nvlink", "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho \"nvlink fatal   : $(cat '"+oracle+"/says')\" >&2\nexit 1\n")
	return folder, oracle, func(text string) { write(oracle, "says", text) }
}

// "record -check -toolkit" repeats the stored outcomes of a release and those that are derived from an earlier release.
// "record" stores outcomes that differ.
func TestRecordOfAnotherRelease(t *testing.T) {
	for _, tt := range []struct{ release, says, changed string }{
		{"13.4", "new", ""},
		{"13.4", "old", "area/case sm_80 13.4: 2 files changed: 1.exit"}, // the same as before 13.4, so nothing needs to be stored
		{"13.4", "newer", "area/case sm_80 13.4: 1 files changed: 1.stderr"},
		{"13.3", "old", ""},
		{"13.3", "new", "area/case sm_80 13.3: 2 files changed: 1.exit"},
		{"13.5", "new", ""}, // follows from 13.4
		{"13.5", "old", "area/case sm_80 13.5: 2 files changed: 1.exit"},
		{"12.4", "older", ""},
		{"12.4", "old", "area/case sm_52 12.4: 1 files changed: 1.stderr"},
	} {
		t.Run(tt.release+" "+tt.says, func(t *testing.T) {
			corpus, oracle, says := releasesCorpus(t)
			says(tt.says)
			run := func(more ...string) (int, string) {
				return runCommand(t, append([]string{"record", "-toolkit", tt.release, "-oracle", oracle, "-corpus", corpus}, more...)...)
			}
			check := func(changed string) {
				t.Helper()
				want, wantStatus := "1 recordings, 0 changed\n", commandline.OK
				if changed != "" {
					want, wantStatus = changed+"\n1 recordings, 1 changed\n", commandline.Differs
				}
				if status, out := run("-check"); status != wantStatus || out != want {
					t.Errorf("status %d, want %d: %s\nwant %s", status, wantStatus, out, want)
				}
			}
			check(tt.changed)
			check(tt.changed) // it wrote nothing
			if status, out := run(); status != commandline.OK || strings.Contains(out, "1 changed") != (tt.changed != "") {
				t.Errorf("record: status %d\n%s", status, out)
			}
			check("")
		})
	}
}

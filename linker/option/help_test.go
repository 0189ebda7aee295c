package option

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
)

// An entry is what nvlink's help has about an option, without the text (OPT-002).
type entry struct {
	Long    string
	Short   string   `json:",omitempty"`
	Arg     string   `json:",omitempty"`
	Values  []string `json:",omitempty"`
	Default string   `json:",omitempty"`
}

// helpRecording returns the path of the recorded help of a release.
func helpRecording(p *arch.Profile) string { return "testdata/help/" + p.Version + ".json" }

// TestLiveHelp compares the recorded help of each release with what its nvlink prints. -update records it.
func TestLiveHelp(t *testing.T) {
	for _, p := range arch.Releases() {
		t.Run(p.Version, func(t *testing.T) {
			folder, err := toolstest.OracleOf(t, p)
			if err != nil {
				t.Skip(err)
			}
			testLiveHelp(t, p, filepath.Join(folder, "bin", "nvlink"))
		})
	}
}

func testLiveHelp(t *testing.T, p *arch.Profile, nvlink string) {
	text, err := exec.Command(nvlink, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(readHelp(string(text)), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	if *update {
		if err := os.WriteFile(helpRecording(p), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	then, err := os.ReadFile(helpRecording(p))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(then), string(data)); diff != "" {
		t.Errorf("nvlink's help is not what was recorded (-then +now):\n%s", diff)
	}
}

// TestTableAgainstHelp compares names, arguments, values and defaults of the visible options
// of each release with the help of its nvlink (OPT-002, KIT-005).
func TestTableAgainstHelp(t *testing.T) {
	for _, p := range arch.Releases() {
		if p.Interpolated {
			continue // its help is not available (KIT-083)
		}
		t.Run(p.Version, func(t *testing.T) { testHelp(t, p) })
	}
}

func testHelp(t *testing.T, p *arch.Profile) {
	data, err := os.ReadFile(helpRecording(p))
	if err != nil {
		t.Fatal(err)
	}
	var want []entry
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	var got []entry
	for _, o := range sorted(func(o *Option) bool { return !o.Hidden && !o.Own && o.KnownTo(p) }) {
		e := entry{Long: o.Long, Short: o.Short, Arg: o.Arg, Values: slices.Clone(o.Values(p)), Default: o.Default}
		slices.Sort(e.Values)
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table differs from nvlink's help (-nvlink +table):\n%s", diff)
	}
}

var (
	helpHead    = regexp.MustCompile(`^--(\S+)(?: +(<[^(]*>\S*))? +(?:\(-(\S+)\)|--\S+ .*)\s*$`)
	helpValues  = regexp.MustCompile(`Allowed values for this option: +(.*?)\.( |$)`)
	helpDefault = regexp.MustCompile(`Default value: +(.*?)\.( |$)`)
)

// readHelp parses names, arguments, values and defaults in nvlink's help.
func readHelp(text string) []entry {
	var entries []entry
	var body []string
	finish := func() {
		if len(entries) == 0 {
			return
		}
		e := &entries[len(entries)-1]
		said := strings.Join(strings.Fields(strings.Join(body, " ")), " ")
		if m := helpValues.FindStringSubmatch(said); m != nil {
			for v := range strings.SplitSeq(m[1], ",") {
				e.Values = append(e.Values, strings.Trim(v, "' "))
			}
			slices.Sort(e.Values)
		}
		if m := helpDefault.FindStringSubmatch(said); m != nil {
			e.Default = strings.Trim(m[1], "'")
		}
		body = nil
	}
	for line := range strings.Lines(text) {
		if m := helpHead.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			finish()
			entries = append(entries, entry{Long: m[1], Arg: m[2], Short: m[3]})
			continue
		}
		body = append(body, line)
	}
	finish()
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.Long, b.Long) })
	return entries
}

// TestHelpNamesEveryOption parses culink's help with the parser for nvlink's help.
func TestHelpNamesEveryOption(t *testing.T) {
	for _, p := range arch.Releases() {
		t.Run(p.Version, func(t *testing.T) { testOwnHelp(t, p) })
	}
}

func testOwnHelp(t *testing.T, p *arch.Profile) {
	var help bytes.Buffer
	if err := WriteHelp(&help, "nvlink", p, platform.Linux); err != nil {
		t.Fatal(err)
	}
	for i := range Table {
		o := &Table[i]
		if !o.KnownTo(p) {
			continue
		}
		if shown := strings.Contains(help.String(), "\n"+o.Names()+"\n"); shown == o.Hidden {
			t.Errorf("help shows --%s: %v", o.Long, shown)
		}
	}
	for line := range strings.Lines(help.String()) {
		if len(line) > 81 {
			t.Errorf("line of %d columns: %s", len(line)-1, line)
		}
	}
}

func TestTable(t *testing.T) {
	for _, p := range arch.Releases() {
		t.Run(p.Version, func(t *testing.T) { testRows(t, p) })
	}
}

// testRows checks that no two rows of a release have a name or a field in common.
func testRows(t *testing.T, p *arch.Profile) {
	fields := map[any]string{}
	names := map[string]bool{}
	var s Settings
	for i := range Table {
		o := &Table[i]
		if !o.KnownTo(p) {
			continue
		}
		for _, name := range []string{"--" + o.Long, "-" + o.Short} {
			if name != "-" && names[name] {
				t.Errorf("%s stands twice in the table", name)
			}
			names[name] = true
		}
		field := o.field(&s)
		if other, taken := fields[field]; taken {
			t.Errorf("--%s sets the field of --%s", o.Long, other)
		}
		fields[field] = o.Long
		var ok bool
		switch o.Kind {
		case Switch, Bool:
			_, ok = field.(*bool)
		case Text, Choice:
			_, ok = field.(*string)
		case List:
			_, ok = field.(*[]string)
		case Number:
			_, ok = field.(*int32)
		}
		if !ok {
			t.Errorf("--%s: kind %d sets a %T", o.Long, o.Kind, field)
		}
		if o.Hidden && o.Record != Never {
			t.Errorf("--%s is hidden, and recorded", o.Long)
		}
		if o.Help == "" {
			t.Errorf("--%s has no help", o.Long)
		}
	}
}

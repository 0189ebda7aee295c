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

	"github.com/culink/culink/linker/arch"
)

// An entry is what nvlink's help says of an option, its texts left out (OPT-002).
type entry struct {
	Long    string
	Short   string   `json:",omitempty"`
	Arg     string   `json:",omitempty"`
	Values  []string `json:",omitempty"`
	Default string   `json:",omitempty"`
}

const helpRecording = "testdata/help.json"

// TestTableAgainstHelp compares names, arguments, values and defaults of the
// visible options with nvlink's help.
func TestTableAgainstHelp(t *testing.T) {
	if oracle := os.Getenv("CULINK_ORACLE"); oracle != "" {
		text, err := exec.Command(filepath.Join(oracle, "bin", "nvlink"), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.MarshalIndent(readHelp(string(text)), "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, '\n')
		if *update {
			if err := os.WriteFile(helpRecording, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		then, err := os.ReadFile(helpRecording)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(then), string(data)); diff != "" {
			t.Errorf("nvlink's help is not what was recorded (-then +now):\n%s", diff)
		}
	}
	data, err := os.ReadFile(helpRecording)
	if err != nil {
		t.Fatal(err)
	}
	var want []entry
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	var got []entry
	for _, o := range sorted(func(o *Option) bool { return !o.Hidden && !o.Own && o.KnownTo(arch.Default) }) {
		e := entry{Long: o.Long, Short: o.Short, Arg: o.Arg, Values: slices.Clone(o.Values(arch.Default)), Default: o.Default}
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

// readHelp takes names, arguments, values and defaults from nvlink's help.
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

// TestHelpNamesEveryOption reads our own help with the reader for nvlink's.
func TestHelpNamesEveryOption(t *testing.T) {
	var help bytes.Buffer
	if err := WriteHelp(&help, "nvlink", arch.Default); err != nil {
		t.Fatal(err)
	}
	for i := range Table {
		o := &Table[i]
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
	fields := map[any]string{}
	names := map[string]bool{}
	var s Settings
	for i := range Table {
		o := &Table[i]
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

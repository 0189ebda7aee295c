package option

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/arch"
)

const document = "../../docs/options.md"

// TestDocument checks that docs/options.md agrees with the table. -update writes it.
func TestDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Options

All options of culink, from the table in ` + "`linker/option/table.go`" + `. A long name takes two dashes and a short one
one; a value follows as the next word or after ` + "`=`" + `, for -l, -L and -m also attached. The exact syntax is in
[rules.md](rules.md), OPT-001 to OPT-020. Recorded options stand in the tool note (OPT-030); "with -g" means only when
the note names files.
`)
	section := func(title string, wanted func(*Option) bool) {
		fmt.Fprintf(&b, "\n## %s\n\n| option | short | value | default | recorded | releases | what it does |\n|---|---|---|---|---|---|---|\n", title)
		for _, o := range sorted(wanted) {
			short := ""
			if o.Short != "" {
				short = "`-" + o.Short + "`"
			}
			releases := arch.Range(o.Since, o.Until)
			if o.On != nil {
				releases = strings.TrimSpace(releases + " on " + o.On.Name)
			}
			fmt.Fprintf(&b, "| `--%s` | %s | %s | %s | %s | %s | %s |\n", o.Long, short, documentValue(o), o.Default,
				[...]string{Never: "", Always: "yes", WithFiles: "with -g"}[o.Record], releases, strings.ReplaceAll(o.Help, "|", "\\|"))
		}
	}
	section("Options of nvlink", func(o *Option) bool { return !o.Hidden && !o.Own })
	section("Options that nvlink takes and its help does not show", func(o *Option) bool { return o.Hidden })
	section("Options of culink", func(o *Option) bool { return o.Own })

	if *update {
		if err := os.WriteFile(document, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(data)); diff != "" {
		t.Errorf("docs/options.md is not what the table says; -update writes it (-table +file):\n%s", diff)
	}
}

func documentValue(o *Option) string {
	if o.Kind == Switch {
		return ""
	}
	value := [...]string{Text: "text", List: "list", Number: "number", Bool: "true, false", Choice: ""}[o.Kind]
	switch {
	case o.Long == "arch":
		value = "sm_, compute_ or lto_ target"
	case o.Choices != nil:
		value = strings.Join(o.Choices, ", ")
	}
	if o.Bare != "" {
		value += "; none means " + o.Bare
	}
	return value
}

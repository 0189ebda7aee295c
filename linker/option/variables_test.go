package option

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

// getenv returns a function like os.Getenv that knows only the given variables.
func getenv(set map[string]string) func(string) string {
	return func(name string) string { return set[name] }
}

// A variable turns its option on if the command line does not have the option. The tool note then contains the
// option as if it had been on the command line (OPT-520).
func TestReadEnvironment(t *testing.T) {
	for _, tt := range []struct {
		line, name, value string
		keep, accept      bool
	}{
		{"-r", "CULINK_KEEP_RELOCS", "1", true, false},
		{"-r", "CULINK_KEEP_RELOCS", "yes", true, false},
		{"-r", "CULINK_KEEP_RELOCS", "0", false, false},
		{"-r", "CULINK_KEEP_RELOCS", "", false, false},
		{"-r --keep-relocs", "CULINK_KEEP_RELOCS", "0", true, false},
		{"-v", "CULINK_KEEP_RELOCS", "1", false, false},
		{"-v", "CULINK_ACCEPT_LOST_RELOCATIONS", "1", false, true},
		{"-r", "CULINK_PTXAS", "1", false, false},
	} {
		s, said := Parse(append(strings.Fields(tt.line), "-arch=sm_90"), nil)
		s.ReadEnvironment(getenv(map[string]string{tt.name: tt.value}))
		if len(said) > 0 || s.KeepRelocs != tt.keep || s.AcceptLost != tt.accept || s.Given("keep-relocs") != tt.keep {
			t.Errorf("%s with %s=%s: keep %v, accept %v", tt.line, tt.name, tt.value, s.KeepRelocs, s.AcceptLost)
		}
		if strings.Contains(s.Note(), "-keep-relocs ") != tt.keep || strings.Contains(s.Note(), "accept") {
			t.Errorf("%s with %s=%s: the note is %q", tt.line, tt.name, tt.value, s.Note())
		}
	}
}

// Environment returns the variables that are set, and no others (OPT-521).
func TestEnvironment(t *testing.T) {
	got := Environment(getenv(map[string]string{"CULINK_LTO": "c", "CULINK_ADVICE": "", "HOME": "h"}))
	if len(got) != 1 || got["CULINK_LTO"] != "c" {
		t.Errorf("the environment is %v", got)
	}
}

// The table has every variable that the linker reads, and no others. The page has the same variables
// (OPT-520).
func TestVariables(t *testing.T) {
	used := map[string]bool{}
	makesTable := map[string]bool{"learn": true, "measure": true} // commands that are not part of a link
	literal := regexp.MustCompile(`"(CULINK_[A-Z_]+)"`)
	for _, dir := range []string{"../../linker", "../../cmd/culink", "../../cmd/culink-lto"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
				used[m[1]] = used[m[1]] || !makesTable[filepath.Base(filepath.Dir(path))]
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var table strings.Builder
	table.WriteString("| variable | option | packed and restored | what it says |\n|---|---|---|---|\n")
	names := make([]string, len(Variables))
	for i, v := range Variables {
		names[i] = v.Name
		if o := byLong(arch.Default, v.Option); o != nil && !strings.Contains(o.Help, v.Name) {
			t.Errorf("the help of --%s does not name %s", v.Option, v.Name)
		}
		option := "`--" + v.Option + "`"
		if v.With != "" {
			option += " with `--" + v.With + "`"
		}
		if byLong(arch.Default, v.Option) == nil || v.With != "" && byLong(arch.Default, v.With) == nil {
			t.Errorf("%s stands for --%s, which is no option", v.Name, v.Option)
		}
		restored := map[bool]string{false: "yes", true: "packed only"}[v.Program]
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", v.Name, option, restored, v.Help)
	}
	for name, isUsed := range used {
		if isUsed && !slices.Contains(names, name) {
			t.Errorf("%s is read, and is not in the table", name)
		}
	}
	page, err := os.ReadFile("../../docs/environment.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n\n"+table.String()) {
		t.Errorf("docs/environment.md lacks this table:\n%s", table.String())
	}
}

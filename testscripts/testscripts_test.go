// Package testscripts has scenarios for the command. Each file shows one behaviour, and its name describes it. Its first
// line states the rule, and its folder is the rule's area. The inputs are in the text form of cubins
// (docs/cubintext.md), so that a scenario can be read and reviewed completely.
//
// Every scenario runs with culink. If CULINK_ORACLE names an installed toolkit, it also runs with the real nvlink. The
// expected files in the archives come from the real nvlink:
//
//	CULINK_ORACLE=/opt/oracle go test ./testscripts -run LiveScripts -update
//
// Commands, in addition to those of testscript:
//
//	build FILE.txt...      make FILE.cubin of each text
//	culink ARGUMENTS       run the linker, by the name nvlink
//	exitcode N             check the exit status of the last culink
//	dump FILE [NAME...]    print a cubin as text: all of it, or the statements whose
//	                       keyword or section has one of the names (* and ? match)
//	diff A B               compare two cubins structure by structure
//	replay FILE            repeat a link that --repro packed
//	sum FILE               print the SHA-256 of a file: the whole output, byte for byte
package testscripts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/cleanenv"
	"github.com/culink/culink/conformance/commandline"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/replay"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/cubintext"
)

var update = flag.Bool("update", false, "with the oracle: write what it does into the scripts")

func TestMain(m *testing.M) {
	cleanenv.Unset()
	os.Exit(m.Run())
}

// scenarios is a pattern for the files of all areas. The folder of a file is the area of its rule.
const scenarios = "*/*.txtar"

func TestScripts(t *testing.T) {
	testscript.Run(t, withScenarios(t, params(buildLinker(t), false)))
}

func buildLinker(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "nvlink")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/culink/culink/cmd/culink").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func TestLiveScripts(t *testing.T) {
	p := withScenarios(t, params(toolstest.NVLink(t), true))
	p.UpdateScripts = *update
	testscript.Run(t, p)
}

// withScenarios adds the files to the parameters.
func withScenarios(t *testing.T, p testscript.Params) testscript.Params {
	t.Helper()
	files, err := filepath.Glob(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	p.Files = files
	return p
}

func params(program string, oracle bool) testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			if cond == "oracle" {
				return oracle, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Values[lastStatus{}] = new(int)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"build": build,
			"culink": func(ts *testscript.TestScript, neg bool, args []string) {
				link(ts, neg, program, args)
			},
			"exitcode": exitCode,
			"dump":     dump,
			"diff":     compare,
			"sum":      sum,
			"replay": func(ts *testscript.TestScript, neg bool, args []string) {
				replayLink(ts, neg, program, args)
			},
		},
	}
}

// lastStatus is the key for the exit status of the last linker.
type lastStatus struct{}

func link(ts *testscript.TestScript, neg bool, program string, args []string) {
	err := ts.Exec(program, args...)
	status := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		status = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	*ts.Value(lastStatus{}).(*int) = status
	if neg != (status != 0) {
		ts.Fatalf("exit status %d", status)
	}
}

func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: exitcode N")
	}
	if got := strconv.Itoa(*ts.Value(lastStatus{}).(*int)); got != args[0] {
		ts.Fatalf("exit status %s, not %s", got, args[0])
	}
}

func build(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		data, err := cubintext.Parse(name, ts.ReadFile(name))
		if neg != (err != nil) {
			ts.Fatalf("%v", err)
		}
		if err != nil {
			fmt.Fprintln(ts.Stdout(), err)
			continue
		}
		ts.Check(os.WriteFile(ts.MkAbs(strings.TrimSuffix(name, ".txt")+".cubin"), data, 0o666))
	}
}

func dump(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || neg {
		ts.Fatalf("usage: dump FILE [NAME...]")
	}
	text := cubintext.Format([]byte(ts.ReadFile(args[0])))
	fmt.Fprint(ts.Stdout(), choose(text, args[1:]))
}

// choose returns the statements of a text whose keyword or section matches one of the names.
func choose(text string, names []string) string {
	if len(names) == 0 {
		return text
	}
	var b strings.Builder
	keep := false
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "\t") {
			words := append(strings.Fields(l), "")
			keep = false
			for _, n := range names {
				for _, w := range words[:2] {
					if ok, _ := path.Match(n, w); ok {
						keep = true
					}
				}
			}
		}
		if keep {
			b.WriteString(l)
		}
	}
	return b.String()
}

func compare(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: diff A B")
	}
	var stderr bytes.Buffer
	status := diff.Command().Run(context.Background(), []string{ts.MkAbs(args[0]), ts.MkAbs(args[1])}, ts.Stdout(), &stderr)
	if status == commandline.Misuse || neg != (status != commandline.OK) {
		ts.Fatalf("diff: status %d\n%s", status, stderr.String())
	}
}

func replayLink(ts *testscript.TestScript, neg bool, program string, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: replay FILE")
	}
	p, err := replay.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	linker := sandbox.Linker{Command: []string{program}, Limits: sandbox.DefaultLimits}
	same, err := replay.Run(context.Background(), p, linker, ts.Stdout())
	ts.Check(err)
	if same == neg {
		ts.Fatalf("replay: same: %v", same)
	}
}

func sum(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: sum FILE")
	}
	fmt.Fprintf(ts.Stdout(), "%x\n", sha256.Sum256([]byte(ts.ReadFile(args[0]))))
}

// The first line of every script states its rule, the rule exists, and the script is in the folder of its area.
func TestRules(t *testing.T) {
	rules, err := os.ReadFile("../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) < 80 {
		t.Errorf("%d scripts; there were 80 at least", len(scripts))
	}
	first := regexp.MustCompile(`^# ([A-Z]+-\d{3}) \S.*`)
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m := first.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s: the first line must be: # AREA-NNN the behaviour", name)
			continue
		}
		if bytes.Contains(text, []byte("\n-- want --\n-- ")) {
			t.Errorf("%s: nothing was recorded", name)
		}
		if !bytes.Contains(rules, []byte("**"+string(m[1])+"**")) {
			t.Errorf("%s: docs/rules.md has no %s", name, m[1])
		}
		if area, _, _ := strings.Cut(string(m[1]), "-"); strings.ToLower(area) != filepath.Dir(name) {
			t.Errorf("%s stands in the folder of another area than %s", name, m[1])
		}
	}
}

package commandline

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// example returns a program that prints its arguments.
func example() *Program {
	return &Program{
		Name: "tool", Summary: "Does two things.", Status: "Exit status: 0 or 2.",
		Commands: []Command{
			{Name: "link", Summary: "link files", Arguments: "FILE...", About: "Links files.\n\n  tool link a b\n\nA .dot and a back\\slash.",
				Words: map[string][]string{"kind": {"exec", "object"}},
				Setup: func(flags *flag.FlagSet) Action {
					var jobs int
					limit := 30 * time.Second
					out := flags.String("o", "", "write this `FILE`")
					dir := flags.String("into", "", "write to this `FOLDER`")
					flags.String("kind", "", "the `KIND` of the output, of which there are several, so that this text needs more than a line")
					loud := flags.Bool("loud", false, "say more")
					Number(flags, &jobs, "jobs", 1, "a `NUMBER` of jobs")
					Span(flags, &limit, "limit", "a `TIME`")
					return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
						if err := Expect(args, 1, 3); err != nil {
							return 0, err
						}
						fmt.Fprintln(stdout, args, *out, *dir, *loud, jobs, limit)
						return Differs, nil
					}
				}},
			{Name: "list", Summary: "list files", Setup: func(*flag.FlagSet) Action {
				return func(context.Context, []string, io.Writer, io.Writer) (int, error) { return OK, nil }
			}},
		},
	}
}

// Flags may stand anywhere. An error is one line, and suggests the nearest name (CONF-001).
func TestRun(t *testing.T) {
	const helpOfLink = "usage: tool link [flags] FILE...\n\nLinks files.\n"
	for _, c := range []struct {
		args           string
		status         int
		stdout, stderr string // the start of it
	}{
		{"link a -o x b --loud -jobs=3", Differs, "[a b] x  true 3 30s\n", ""},
		{"link - -- -o x", Differs, "[- -o x]   false 0 30s\n", ""},
		{"link -limit 2m a", Differs, "[a]   false 0 2m0s\n", ""},
		{"link", Misuse, "", "usage: tool link [flags] FILE...\n"},
		{"link a b c d", Misuse, "", "usage: tool link [flags] FILE...\n"},
		{"link a -luod", Misuse, "", "tool link: no flag -luod; did you mean -loud?\n"},
		{"link a -job 3", Misuse, "", "tool link: no flag -job; did you mean -jobs?\n"},
		{"link a -wonderful", Misuse, "", "tool link: no flag -wonderful\n"},
		{"link a -o", Misuse, "", "tool link: -o needs a value: -o FILE\n"},
		{"link a -jobs 0", Misuse, "", "tool link: -jobs 0: at least 1\n"},
		{"link a -jobs many", Misuse, "", "tool link: -jobs many: not a number\n"},
		{"link a -limit 0", Misuse, "", "tool link: -limit 0: a time above zero is needed\n"},
		{"link a -limit -3s", Misuse, "", "tool link: -limit -3s: a time above zero is needed\n"},
		{"link a -limit soon", Misuse, "", "tool link: -limit soon: not a time such as 300ms, 30s or 2m\n"},
		{"list x", Misuse, "", "tool list: unexpected argument \"x\"\n"},
		{"lnk", Misuse, "", "tool: no command \"lnk\"; did you mean link?\n"},
		{"helo", Misuse, "", "tool: no command \"helo\"; did you mean help?\n"},
		{"fly", Misuse, "", "tool: no command \"fly\"\n"},
		{"", Misuse, "", "usage: tool COMMAND"},
		{"help", OK, "usage: tool COMMAND", ""},
		{"-h", OK, "usage: tool COMMAND", ""},
		{"--help", OK, "usage: tool COMMAND", ""},
		{"help link", OK, helpOfLink, ""},
		{"link -h", OK, helpOfLink, ""},
		{"link a -o x --help", OK, helpOfLink, ""},
		{"help lnk", Misuse, "", "tool: no command \"lnk\"; did you mean link?\n"},
	} {
		var stdout, stderr strings.Builder
		status := example().Run(t.Context(), strings.Fields(c.args), &stdout, &stderr)
		if status != c.status || !strings.HasPrefix(stdout.String(), c.stdout) || !strings.HasPrefix(stderr.String(), c.stderr) ||
			c.stdout == "" && stdout.Len() > 0 || c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%q: status %d, %q, %q; want %d, %q, %q", c.args, status, &stdout, &stderr, c.status, c.stdout, c.stderr)
		}
	}
}

// Help is at most 80 columns wide, and names every flag.
func TestHelpFits(t *testing.T) {
	var b strings.Builder
	example().Run(t.Context(), []string{"help", "link"}, &b, &b)
	for line := range strings.Lines(b.String()) {
		if len(line) > columns+1 {
			t.Errorf("%d columns: %s", len(line)-1, line)
		}
	}
	for _, want := range []string{"\n  -o FILE             write this FILE\n", "\n  -limit TIME         a TIME (default: 30s)\n", "there are several, so\n                      that this text needs more than a line\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// The real shells complete commands, flags, and the values of flags.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, shell := range Shells {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("no %s here to read the completion", shell)
			}
			script := filepath.Join(dir, shell)
			var b strings.Builder
			if err := example().WriteCompletion(&b, shell); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(script, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			if shell == "zsh" { // zsh completes only at a terminal
				if out, err := exec.Command(program, "-n", script).CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			for line, want := range map[string]string{
				"tool l":              "link list",
				"tool link -l":        "-limit -loud",
				"tool link -kind ":    "exec object",
				"tool link x -kind e": "exec",
				"tool help li":        "link list",
			} {
				ask := `. "$1"; COMP_WORDS=($2); [[ $2 == *' ' ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tool; echo "${COMPREPLY[@]}"`
				cmd := exec.Command(program, "-c", ask, shell, script, line)
				if shell == "fish" {
					cmd = exec.Command(program, "-c", `source $argv[1]; for c in (complete -C $argv[2]); string split -f1 \t -- $c; end; true`, script, line)
				}
				out, err := cmd.CombinedOutput()
				if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
					t.Errorf("%q: %q, %v; want %q", line, got, err, want)
				}
			}
		})
	}
	if err := example().WriteCompletion(io.Discard, "dash"); err == nil || !strings.Contains(err.Error(), "bash, zsh, fish") {
		t.Errorf("an unknown shell: %v", err)
	}
}

// The manual page names every command and flag, and the programs that display it accept it.
func TestManual(t *testing.T) {
	var b strings.Builder
	if err := example().WriteManual(&b, "2026-01-01", "1.0"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".TH TOOL 1", "\\fB\\-limit\\fR \\fITIME\\fR\na TIME (default: 30s)\n", ".SS \"list\"", "A .dot and a back\\eslash."} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	reader, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("no mandoc here to check the manual page")
	}
	cmd := exec.Command(reader, "-Tlint", "-Wwarning")
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

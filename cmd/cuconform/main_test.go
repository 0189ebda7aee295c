package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	culink "github.com/culink/culink/cmd/culink/command"
	"github.com/culink/culink/conformance/cleanenv"
	"github.com/culink/culink/conformance/commandline"
)

// The tests start their own program in the role of culink, as cuconform does.
func TestMain(m *testing.M) {
	if actsAsCulink(os.Args[0]) {
		culink.Main()
	}
	switch os.Getenv(asCuconform) {
	case "":
	case peakOnly:
		run(context.Background(), os.Args[1:], io.Discard, io.Discard)
		status, _ := os.ReadFile("/proc/self/status")
		os.Stdout.Write(status)
		os.Exit(0)
	default:
		main()
	}
	cleanenv.Unset()
	os.Exit(m.Run())
}

// runCommand runs cuconform with arguments and returns its status and output.
func runCommand(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	status := program().Run(t.Context(), args, &out, &out)
	return status, out.String()
}

// notFound stands for the system's message about a file that does not exist.
const notFound = "no such file"

func TestExitStatusAndMessages(t *testing.T) {
	t.Setenv("CULINK_ORACLE", "") // some messages mention it
	var missing []string          // the messages of this system; Windows has another one for a folder
	for _, name := range []string{"no-such-file", filepath.Join("no-such-folder", "file")} {
		var wrong *fs.PathError
		if _, err := os.Open(name); !errors.As(err, &wrong) {
			t.Fatalf("%s: %v", name, err)
		}
		missing = append(missing, wrong.Err.Error())
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", commandline.Misuse, "usage: cuconform"},
		{"fly", commandline.Misuse, `no command "fly"`},
		{"run -colour", commandline.Misuse, "cuconform run: no flag -colour\n"},
		{"run extra", commandline.Misuse, `unexpected argument "extra"`},
		{"run -facet taste", commandline.Misuse, `unknown facet "taste"; there are [exit`},
		{"run -linker ./no-such-file", commandline.Misuse, "the linker cannot be started: "},
		{"run -linker go -skip basic:taste", commandline.Misuse, `unknown facet "taste"`},
		{"run -linker go -run [", commandline.Misuse, "bad pattern"},
		{"run -linker go -shard 3/2", commandline.Misuse, `shard "3/2"`},
		{"run -linker go -toolkit 12.8 -run basic", commandline.Misuse, `nothing is recorded of toolkit "12.8"`},
		{"run -linker go -toolkit 9.9 -oracle .", commandline.Misuse, `toolkit "9.9" is not one of`},
		{"run -linker go -toolkit 13.5 -oracle nowhere", commandline.Misuse, "nvlink of 13.5.37 in nowhere"},
		{"run -linker go -waivers ./no-such-file", commandline.Misuse, notFound},
		{"run -library ./no-such-file", commandline.Misuse, notFound},
		{"run -library=./no-such-file -threads 0", commandline.Misuse, "-threads 0: at least 1"},
		{"run -library ./no-such-file -facet bytes", commandline.Misuse, "-facet says nothing of a library"},
		{"run -library ./no-such-file -linker go", commandline.Misuse, "-linker says nothing of a library"},
		{"run -stream", commandline.Misuse, "-stream needs -library"},
		{"run -librari x", commandline.Misuse, "did you mean -library?"},
		{"record -library ./no-such-file", commandline.Misuse, notFound},
		{"record -library ./no-such-file -sm 80", commandline.Misuse, "-sm says nothing of a library"},
		{"record -cases x", commandline.Misuse, "-cases needs -library"},
		{"hunt -library ./no-such-file", commandline.Misuse, notFound},
		{"hunt -library x -linker y", commandline.Misuse, "one is under test"},
		{"help run", commandline.OK, "  -library FILE "},
		{"merge", commandline.Misuse, "no report is named"},
		{"merge ./no-such-file", commandline.Misuse, notFound},
		{"rules -root ./no-such-file -coverage ./coverage.md", commandline.Misuse, notFound},
		{"rules -root ../.. -coverage " + filepath.Join(t.TempDir(), "coverage.md"), commandline.OK, "in none"},
		{"rules", commandline.OK, "MERGE "},
		{"run -linker go -run no/such", commandline.Misuse, "nothing is selected"},
		{"run -linker go -corpus ./no-such-file", commandline.Misuse, "nothing is selected"},
		{"list -run basic/one-kernel -sm 80,sm_90", commandline.OK, "basic/one-kernel  sm_80 sm_90  "},
		{"diff ../../linker/nvinfo/testdata/plain.90.cubin ../../linker/nvinfo/testdata/plain.90.cubin", commandline.OK, ""},
		{"diff ../../linker/nvinfo/testdata/sync.80.cubin ../../linker/nvinfo/testdata/plain.90.cubin", commandline.Differs, "header."},
		{"diff one", commandline.Misuse, "usage"},
		{"hunt -oracle=", commandline.Misuse, "no oracle"},
		{"run -timeout 0", commandline.Misuse, "-timeout 0: a time above zero"},
		{"run -j 0", commandline.Misuse, "-j 0: at least 1"},
		{"run -output -1", commandline.Misuse, "-output -1: at least 1"},
		{"run -max-failures 0", commandline.Misuse, "-max-failures 0: at least 1"},
		{"run -linker go -json ./no-such-folder/r.json", commandline.Misuse, "no-such-folder"},
		{"run -linker go -html .", commandline.Misuse, "is a folder"},
		{"run -linker go -failed ./no-such-file", commandline.Misuse, notFound},
		{"run -linker go -base ./no-such-file", commandline.Misuse, notFound},
		{"hunt -n 0", commandline.Misuse, "-n 0: at least 1"},
		{"rules MERGE-001", commandline.OK, "cases: "},
		{"rules nothing-001", commandline.Misuse, "lists the areas"},
		{"info ../../linker/nvinfo/testdata/plain.90.cubin -json", commandline.OK, `"target": "sm_90"`},
		{"info ./no-such-file", commandline.Misuse, notFound},
		{"replay a b", commandline.Misuse, "usage: cuconform replay [flags] FILE"},
		{"completion", commandline.Misuse, "usage: cuconform completion SHELL"},
		{"completion bash", commandline.OK, "complete -o filenames -F _cuconform cuconform"},
		{"man", commandline.OK, ".TH CUCONFORM 1"},
		{"man culink", commandline.OK, "\\fB\\-\\-make\\-shadow <folder>\\fR"},
		{"man ls", commandline.Misuse, "usage: cuconform man [culink]"},
		{"record -oracle ./no-such-file -run no/such", commandline.Misuse, "no oracle"},
		{"record -oracle= -run basic", commandline.Misuse, "no oracle"},
		{"record -oracle ./no-such-file -run basic/one-kernel/sm_80 -corpus ../../corpus", commandline.Misuse, notFound},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out := runCommand(t, strings.Fields(c.args)...)
			texts := []string{c.want}
			if c.want == notFound {
				texts = missing
			}
			hasText := slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(out, text) })
			if status != c.status || !hasText {
				t.Errorf("status %d, output %q; want %d, %q", status, out, c.status, texts)
			}
		})
	}
}

// lazyLinker returns a linker that does nothing and succeeds.
func lazyLinker(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the linker under test is a shell script")
	}
	return writeScript(t, "lazy", "exit 0")
}

// writeScript writes a shell script.
func writeScript(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return file
}

// If a linker differs in a requested facet, run fails.
func TestRunFails(t *testing.T) {
	lazy := lazyLinker(t)
	status, out := runCommand(t, "run", "-linker", lazy, "-run", "basic/one-kernel", "-sm", "80", "-facet", "exit,messages,file,image,bytes")
	for _, want := range []string{
		"FAIL basic/one-kernel sm_80 step 1: file out.cubin: want written, got not written\n",
		"FAIL basic/one-kernel sm_80 step 1: bytes out.cubin: want written, got not written\n",
		"1 of 1 links: basic: 1 run, 1 failed\n",
		"area   cases  exit  messages  file  image  bytes\n",
		"basic  1      1/1   1/1       0/1   0/1    0/1\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if status != commandline.Differs {
		t.Errorf("status %d", status)
	}
	waivers := filepath.Join(t.TempDir(), "waivers.txt")
	if err := os.WriteFile(waivers, []byte("basic/* file * lazy\nbasic/* sound * lazy\nbasic/* image * lazy\nbasic/* bytes * lazy\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out = runCommand(t, "run", "-linker", lazy, "-facet", "file,image,bytes", "-waivers", waivers, "-run", "basic/one-kernel", "-sm", "80")
	if status != commandline.OK || !strings.Contains(out, "1/1 (1 waived)") {
		t.Errorf("waived: status %d\n%s", status, out)
	}
	if status, out := runCommand(t, "run", "-linker", lazy, "-run", "basic/one-kernel", "-facet", "exit,messages"); status != commandline.OK {
		t.Errorf("exit and messages: status %d\n%s", status, out)
	}
}

// With -v, a failure shows all differences, and every line of messages that differs.
func TestRunVerbose(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linker under test is a shell script")
	}
	talker := writeScript(t, "talker", "echo one >&2; echo two >&2; touch out.cubin more")
	_, out := runCommand(t, "run", "-v", "-linker", talker, "-run", "basic/one-kernel", "-sm", "80", "-facet", "messages,file,image")
	for _, want := range []string{
		"FAIL basic/one-kernel sm_80 step 1\n  messages stderr.1: want nothing, got \"one\\n\"\n    @@ -1,0 +1,2 @@\n    +one\n    +two\n",
		"FAIL basic/one-kernel sm_80 step 1\n  file more: want untouched or absent, got written\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A linker that crashes, hangs or prints endlessly does not stop the run. The report counts such links.
func TestRunContains(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linkers under test are shell scripts")
	}
	for text, want := range map[string]string{
		"kill -SEGV $$":            "crash: 1 link\n",
		"sleep 100":                "hang: 1 link\n",
		"while :; do echo y; done": "flood: 1 link\n",
	} {
		args := []string{"run", "-linker", writeScript(t, "bad", text), "-run", "basic/one-kernel", "-sm", "80", "-output", "100000"}
		if strings.HasPrefix(text, "sleep") {
			args = append(args, "-timeout", "300ms")
		}
		if status, out := runCommand(t, args...); status != commandline.Differs || !strings.Contains(out, want) {
			t.Errorf("%s: status %d, no %q in\n%s", text, status, want, out)
		}
	}
}

// A failure that -skip names is not judged. With -skip-must-fail, a skip that is not needed fails the run.
func TestRunSkips(t *testing.T) {
	lazy := lazyLinker(t)
	args := []string{"run", "-linker", lazy, "-facet", "exit,messages,file,image,bytes", "-run", "basic/one-kernel", "-sm", "80", "-skip", "basic:file", "-skip", "*:image", "-skip", "basic/one-*:bytes"}
	status, out := runCommand(t, args...)
	if status != commandline.OK || !strings.Contains(out, "0/0 (1 skipped)") {
		t.Errorf("status %d\n%s", status, out)
	}
	if status, out := runCommand(t, append(args, "-skip-must-fail")...); status != commandline.OK {
		t.Errorf("with -skip-must-fail: status %d\n%s", status, out)
	}
	status, out = runCommand(t, append(args, "-skip-must-fail", "-skip", "basic:exit")...)
	if want := "STALE -skip 'basic:exit': basic/one-kernel sm_80 exit passes\n"; status != commandline.Differs || !strings.Contains(out, want) {
		t.Errorf("status %d, no %q in\n%s", status, want, out)
	}
}

// An option or the environment selects a shard. The reports of all shards are merged into the report of the whole run.
func TestShardsMerge(t *testing.T) {
	lazy, dir := lazyLinker(t), t.TempDir()
	report := func(name string, args ...string) string {
		file := filepath.Join(dir, name)
		status, out := runCommand(t, append([]string{"run", "-linker", lazy, "-run", "basic", "-json", file}, args...)...)
		if status != commandline.Differs {
			t.Fatalf("%s: status %d\n%s", name, status, out)
		}
		return file
	}
	read := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	whole := report("whole.json")
	a := report("a.json", "-shard", "1/2")
	t.Setenv("TEST_TOTAL_SHARDS", "2")
	t.Setenv("TEST_SHARD_INDEX", "1")
	b := report("b.json")
	merged, junit := filepath.Join(dir, "merged.json"), filepath.Join(dir, "merged.xml")
	status, out := runCommand(t, "merge", "-json", merged, "-junit", junit, b, a)
	if status != commandline.Differs || !strings.Contains(out, "\nbasic ") || !strings.Contains(out, "FAIL basic/chain-of-five sm_80 step 1: bytes") || strings.Contains(out, "FAIL basic/one-kernel") || !strings.Contains(out, " more failures of these kinds; -v prints all\n") {
		t.Errorf("status %d\n%s", status, out)
	}
	if read(merged) != read(whole) {
		t.Error("the merged report is not that of the whole")
	}
	if !strings.Contains(read(junit), `<testcase classname="basic.one-kernel" name="sm_80 step 1 bytes">`) {
		t.Errorf("JUnit:\n%s", read(junit))
	}
	if status, out := runCommand(t, "merge", a); status != commandline.Misuse || !strings.Contains(out, "shard 2/2 is missing") {
		t.Errorf("half: status %d\n%s", status, out)
	}
	status, out = runCommand(t, "merge", "-tap", whole)
	if status != commandline.Differs || !strings.HasPrefix(out, "TAP version 14\n1..") || !strings.Contains(out, "\nnot ok 4 - ") {
		t.Errorf("TAP: status %d\n%.500s", status, out)
	}
}

// The help of every command fits 80 columns and 48 lines.
func TestHelpFits(t *testing.T) {
	for _, c := range program().Commands {
		status, out := runCommand(t, "help", c.Name)
		if status != commandline.OK {
			t.Errorf("help %s: status %d", c.Name, status)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) > 48 {
			t.Errorf("help %s: %d lines", c.Name, len(lines))
		}
		for _, line := range lines {
			if len(line) > 80 {
				t.Errorf("help %s: %d columns: %s", c.Name, len(line), line)
			}
		}
	}
}

// A run ends with the first causes, a conclusion, and the next step (CONF-002).
func TestRunConcludes(t *testing.T) {
	lazy := lazyLinker(t)
	for _, c := range []struct {
		args string
		want string
	}{
		{"-linker " + lazy + " -run basic/one-kernel -run basic/two-files -sm 80",
			"\n\nfirst causes of the 2 links that fail:\n     2 file: the output is not written (basic/one-kernel)\n\nFAIL: differing from nvlink 13.0.88: 2 of 2 links\nnext: it ends well and writes nothing: does it take -o FILE?\n"},
		{"-linker " + lazy + " -run basic/one-kernel -run messages/undefined -sm 80 -facet exit,file",
			"\nfirst causes of the 2 links that fail:\n     1 file: the output is not written (basic/one-kernel)\n     1 exit: exit status 0, nvlink's is 255 (messages/undefined)\n\n" +
				"FAIL: differing from nvlink 13.0.88: 2 of 2 links\nnext: cuconform run -linker " + lazy + " -run basic/one-kernel -sm 80 -v\n"},
		{"-linker " + lazy + " -run basic/one-kernel -sm 80,90 -facet exit", "\n\nPASS: conforming to nvlink 13.0.88 in exit: 2 links\nnext: cuconform run -linker " + lazy + "   runs the whole corpus\n"},
		{"-run info/pragmas-and-exits -sm 100", "\nnext: culink's known differences are excused by -waivers culink\n"},
		{"-run info/pragmas-and-exits -sm 100 -waivers culink", "\nwaivers: culink\nPASS: conforming to nvlink 13.0.88 in exit, messages, file, sound, image, bytes: 1 link; 2 verdicts waived\n"},
	} {
		if _, out := runCommand(t, append([]string{"run"}, strings.Fields(c.args)...)...); !strings.HasSuffix(out, c.want) && !strings.Contains(out, c.want) {
			t.Errorf("%s: no %q in\n%s", c.args, c.want, out)
		}
	}
}

// culinkAsNvlink returns culink as a file called nvlink.
func culinkAsNvlink(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the linker is reached by a symbolic link")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	nvlink := filepath.Join(t.TempDir(), "nvlink")
	if err := os.Symlink(self, nvlink); err != nil {
		t.Fatal(err)
	}
	return nvlink
}

// If a linker has the name culink, only the tool note differs, and the report states this.
func TestOnlyTheNameDiffers(t *testing.T) {
	nvlink := culinkAsNvlink(t)
	named := writeScript(t, "named", "exec "+nvlink+" -tool-name=another \"$@\"")
	status, out := runCommand(t, "run", "-linker", named, "-run", "basic/two-files", "-sm", "80,90")
	if want := "\nnext: only the tool's name in the note differs: install it as nvlink\n"; status != commandline.Differs || !strings.Contains(out, want) {
		t.Errorf("status %d, no %q in\n%s", status, want, out)
	}
}

// A run of culink prints the same table whether the command line names culink as the linker or names no linker
// (CONF-003).
func TestSameTableWithAndWithoutLinker(t *testing.T) {
	nvlink := culinkAsNvlink(t)
	table := func(args ...string) string {
		_, out := runCommand(t, append([]string{"run", "-run", "info/pragmas-and-exits"}, args...)...)
		_, table, _ := strings.Cut(out, "\narea ")
		table, _, _ = strings.Cut(table, "\nFAIL:")
		before, rest, _ := strings.Cut(table, "\ntime: ")
		_, after, _ := strings.Cut(rest, "\n")
		return before + "\n" + after
	}
	if a, b := table(), table("-linker", nvlink); a != b || !strings.Contains(a, "schedule") {
		t.Errorf("without -linker\n%s\nwith it\n%s", a, b)
	}
}

// -max-failures ends a run early, -failed repeats the failures, and -base and -html show changes.
func TestRunAgain(t *testing.T) {
	dir := t.TempDir()
	lazy := lazyLinker(t)
	old, page := filepath.Join(dir, "old.json"), filepath.Join(dir, "page.html")
	_, out := runCommand(t, "run", "-linker", lazy, "-run", "basic/one-kernel", "-run", "basic/two-files", "-sm", "80", "-max-failures", "1", "-json", old)
	if want := "not run, after enough failures: 1 link\n"; !strings.Contains(out, want) || !strings.Contains(out, ": 1 of 1 link\n") {
		t.Errorf("no %q in\n%s", want, out)
	}
	status, out := runCommand(t, "run", "-failed", old, "-base", old, "-html", page)
	if want := "0 new, 4 fixed, 0 still failing\nPASS: conforming to nvlink 13.0.88 in exit, messages, file, sound, image, bytes: 1 link\n"; status != commandline.OK || !strings.Contains(out, want) {
		t.Errorf("status %d, no %q in\n%s", status, want, out)
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("0 new, 4 fixed")) {
		t.Errorf("the page: %v\n%.300s", err, text)
	}
	status, out = runCommand(t, "run", "-linker", lazy, "-run", "basic/one-kernel", "-facet", "exit", "-json", old)
	if status != commandline.OK {
		t.Fatalf("status %d\n%s", status, out)
	}
	if status, out = runCommand(t, "run", "-failed", old); status != commandline.Misuse || !strings.Contains(out, "nothing failed in ") {
		t.Errorf("status %d\n%s", status, out)
	}
	// A run that cannot start leaves an old report unchanged, and creates no other file (CONF-005).
	before, _ := os.ReadFile(old)
	if status, _ := runCommand(t, "run", "-linker", lazy, "-run", "no/such", "-json", old); status != commandline.Misuse {
		t.Errorf("status %d", status)
	}
	after, _ := os.ReadFile(old)
	if files, _ := os.ReadDir(dir); !bytes.Equal(before, after) || len(files) != 2 {
		t.Errorf("%d files in the folder", len(files))
	}
}

// Both manual pages are valid input for a program that formats them.
func TestManualPages(t *testing.T) {
	reader, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("no mandoc here to check the manual pages")
	}
	for _, args := range [][]string{{"man"}, {"man", "culink"}} {
		_, text := runCommand(t, args...)
		cmd := exec.Command(reader, "-Tlint", "-Wwarning")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

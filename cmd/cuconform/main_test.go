package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	culink "github.com/culink/culink/cmd/culink/command"
	"github.com/culink/culink/conformance/commandline"
)

// The tests start their own program as culink, as cuconform does.
func TestMain(m *testing.M) {
	if actsAsCulink(os.Args[0]) {
		culink.Main()
	}
	os.Exit(m.Run())
}

// runCommand runs cuconform with arguments and gives its status and output.
func runCommand(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	status := program().Run(t.Context(), args, &out, &out)
	return status, out.String()
}

func TestExitStatusAndMessages(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", commandline.Misuse, "usage: cuconform"},
		{"fly", commandline.Misuse, `unknown command "fly"`},
		{"run -colour", commandline.Misuse, "flag provided but not defined: -colour"},
		{"run extra", commandline.Misuse, `unexpected argument "extra"`},
		{"run -facet taste", commandline.Misuse, `unknown facet "taste"`},
		{"run -linker ./no-such-file", commandline.Misuse, "./no-such-file"},
		{"run -linker go -skip basic:taste", commandline.Misuse, `unknown facet "taste"`},
		{"run -linker go -run [", commandline.Misuse, "bad pattern"},
		{"run -linker go -shard 3/2", commandline.Misuse, `shard "3/2"`},
		{"run -linker go -toolkit 12.4", commandline.Misuse, `nothing is recorded of toolkit "12.4"`},
		{"run -linker go -waivers ./no-such-file", commandline.Misuse, "no such file"},
		{"merge", commandline.Misuse, "no report is named"},
		{"merge ./no-such-file", commandline.Misuse, "no such file"},
		{"rules -root ./no-such-file", commandline.Misuse, "no such file"},
		{"rules -root ../..", commandline.OK, "in none"},
		{"run -linker go -run no/such", commandline.Misuse, "nothing is selected"},
		{"run -linker go -corpus ./no-such-file", commandline.Misuse, "nothing is selected"},
		{"list -run basic/one-kernel -sm 80,sm_90", commandline.OK, "basic/one-kernel  sm_80 sm_90  "},
		{"diff ../../corpus/basic/two-files/sm_80/1.out/out.cubin ../../corpus/basic/two-files/sm_80/1.out/out.cubin", commandline.OK, ""},
		{"diff ../../corpus/basic/two-files/sm_80/1.out/out.cubin ../../corpus/basic/two-files/sm_86/1.out/out.cubin", commandline.Differs, "header."},
		{"diff one", commandline.Misuse, "usage"},
		{"hunt -oracle=", commandline.Misuse, "no oracle"},
		{"record -oracle ./no-such-file -run basic/one-kernel/sm_80 -corpus ../../corpus", commandline.Misuse, "no such file"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out := runCommand(t, strings.Fields(c.args)...)
			if status != c.status || !strings.Contains(out, c.want) {
				t.Errorf("status %d, output %q; want %d, %q", status, out, c.status, c.want)
			}
		})
	}
}

// lazyLinker is a linker that does nothing, with success.
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

// A linker that differs makes run fail, on the facets that it was asked for.
func TestRunFails(t *testing.T) {
	lazy := lazyLinker(t)
	status, out := runCommand(t, "run", "-linker", lazy, "-run", "basic/one-kernel", "-sm", "80", "-facet", "exit,messages,file,image,bytes")
	for _, want := range []string{
		"FAIL basic/one-kernel sm_80 step 1: file out.cubin: want written, got not written\n",
		"FAIL basic/one-kernel sm_80 step 1: bytes out.cubin: want written, got not written\n",
		"1 of 1: basic: 1 run, 3 failed\n",
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

// With -v a failure shows all that differs, and every line of messages that does.
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

// A linker that crashes, hangs or floods does not stop the run; the report counts
// how it ended.
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

// With -skip a failure is not asked for, and with -skip-must-fail a skip that is
// no longer needed fails the run.
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

// Shards, by option or by environment, merge into the report of the whole.
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
	if status != commandline.Differs || !strings.Contains(out, "\nbasic ") || !strings.Contains(out, "FAIL basic/one-kernel sm_80 step 1: bytes") {
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

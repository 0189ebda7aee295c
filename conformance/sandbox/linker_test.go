package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/cleanenv"
)

// childMode makes the test binary behave as a bad linker.
const childMode = "CUCONFORM_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(badLinker(mode, os.Args[1:]))
	}
	if os.Getenv(serverVariable) != "" {
		fakeServer()
		return
	}
	cleanenv.Unset()
	os.Exit(m.Run())
}

// badLinkers holds faulty linkers that only some systems support.
var badLinkers = map[string]func(args []string) int{}

func badLinker(mode string, args []string) int {
	if bad := badLinkers[mode]; bad != nil {
		return bad(args)
	}
	switch mode {
	case "good":
		data, err := os.ReadFile("in.cubin")
		if err != nil {
			return 3
		}
		fmt.Println(len(args))
		fmt.Fprintln(os.Stderr, "nvlink info    : fine")
		os.WriteFile("out.cubin", data, 0o666)
	case "fails":
		return 255
	case "hangs":
		time.Sleep(time.Hour)
	case "floods":
		line := bytes.Repeat([]byte("x"), 1<<16)
		for {
			os.Stdout.Write(line)
		}
	case "crashes":
		p, _ := os.FindProcess(os.Getpid())
		p.Signal(os.Kill)
		time.Sleep(time.Hour)
	case "eats memory":
		hoard := []byte("x")
		for {
			hoard = append(hoard, hoard...)
		}
	case "panics":
		panic("boom")
	case "fills the disk":
		file, _ := os.Create("out.cubin")
		for block := make([]byte, 1<<20); ; {
			if _, err := file.Write(block); err != nil {
				return 1
			}
		}
	case "locks its folder":
		os.WriteFile("secret", nil, 0)
		os.Mkdir("closed", 0o777)
		os.WriteFile("closed/file", nil, 0o666)
		os.Chmod("closed", 0)
	case "removes inputs":
		os.Remove("in.cubin")
	case "marks the disk":
		os.WriteFile("out.cubin", nil, 0o666)
		os.Chmod("out.cubin", 0o755)
		os.WriteFile("old", nil, 0o666)
		os.Chtimes("old", attempt.LongAgo, attempt.LongAgo)
		os.WriteFile("new", nil, 0o666)
		os.Chtimes("new", time.Now().Add(time.Hour), time.Now().Add(time.Hour))
		os.Symlink("in.cubin", "link")
		os.MkdirAll("deep/er", 0o777)
		now := time.Now()
		os.Chtimes("in.cubin", now, now)
		os.WriteFile(filepath.Join(os.TempDir(), "culink.tmp"), nil, 0o666)
	case "leaves files":
		os.MkdirAll("deep/er", 0o777)
		os.WriteFile("deep/er/file", []byte("x"), 0o666)
		os.Symlink("/etc/hostname", "link")
	}
	return 0
}

func runBad(t *testing.T, mode string, limits Limits) *attempt.Outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := &Linker{Command: []string{self}, Limits: limits, Env: []string{childMode + "=" + mode}}
	o, err := l.Run(context.Background(), attempt.Files{"in.cubin": []byte("input")}, []string{"-o", "out.cubin"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestChildIsObserved(t *testing.T) {
	o := runBad(t, "good", DefaultLimits)
	if o.Exit != 0 || string(o.Stdout) != "2\n" || string(o.Stderr) != "nvlink info    : fine\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", o.Exit, o.Stdout, o.Stderr)
	}
	if names := o.Files.Names(); !slices.Equal(names, []string{"out.cubin"}) || string(o.Files["out.cubin"]) != "input" {
		t.Errorf("files %q", o.Files)
	}
	if o := runBad(t, "fails", DefaultLimits); o.Exit != 255 {
		t.Errorf("exit %d, want 255", o.Exit)
	}
	if o := runBad(t, "removes inputs", DefaultLimits); !slices.Equal(o.Removed, []string{"in.cubin"}) {
		t.Errorf("removed %q", o.Removed)
	}
	if o := runBad(t, "leaves files", DefaultLimits); !slices.Equal(o.Files.Names(), []string{"deep/er/file", "link"}) {
		t.Errorf("files %q", o.Files.Names())
	}
}

// Changes that contents and names do not show are reported as marks.
func TestMarks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are those of Unix")
	}
	o := runBad(t, "marks the disk", DefaultLimits)
	want := attempt.Marks{
		"out.cubin":          "mode -rwxr-xr-x, not -rw-r--r--",
		"link":               "no plain file: L---------",
		"old":                "dated before the link",
		"new":                "dated after the link",
		"deep/":              "", // not empty, because it contains a folder
		"deep/er/":           "an empty folder",
		"in.cubin":           "written again, or its date changed",
		"$TMPDIR/culink.tmp": "left",
	}
	for name, mark := range want {
		if o.Marks[name] != mark && name != "out.cubin" || len(o.Marks) != len(want)-1 {
			t.Errorf("%s is marked %q, want %q", name, o.Marks[name], mark)
		}
	}
	if !strings.HasPrefix(o.Marks["out.cubin"], "mode -rwx") {
		t.Errorf("out.cubin is marked %q", o.Marks["out.cubin"])
	}
}

func TestChildIsContained(t *testing.T) {
	short := DefaultLimits
	short.Time = 300 * time.Millisecond
	if o := runBad(t, "hangs", short); o.Killed != "time" {
		t.Errorf("a hanging child: killed %q", o.Killed)
	}
	few := DefaultLimits
	few.Output = 1 << 20
	if o := runBad(t, "floods", few); o.Killed != "output" || len(o.Stdout) > few.Output {
		t.Errorf("a flooding child: killed %q, kept %d bytes", o.Killed, len(o.Stdout))
	}
	if o := runBad(t, "panics", DefaultLimits); o.Exit != 2 {
		t.Errorf("a panicking child: exit %d", o.Exit)
	}
	// Root can read every file, so the test does not compare the contents.
	if o := runBad(t, "locks its folder", DefaultLimits); o.Exit != 0 || o.Files["secret"] == nil {
		t.Errorf("a child that leaves unreadable files: exit %d, files %q", o.Exit, o.Files)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if o := runBad(t, "crashes", DefaultLimits); o.Exit != 128+9 || o.Class() != attempt.ClassCrash {
		t.Errorf("a crashing child: exit %d, class %q", o.Exit, o.Class())
	}
	if runtime.GOOS == "linux" {
		small := DefaultLimits
		small.File = 8 << 20
		if o := runBad(t, "fills the disk", small); o.Exit == 0 || len(o.Files["out.cubin"]) > int(small.File) {
			t.Errorf("a child that fills the disk: exit %d, %d bytes", o.Exit, len(o.Files["out.cubin"]))
		}
		little := DefaultLimits
		little.Memory = 1 << 30
		if o := runBad(t, "eats memory", little); o.Exit == 0 || o.Killed != "" && o.Killed != "memory" {
			t.Errorf("a hungry child: exit %d, killed %q", o.Exit, o.Killed)
		}
	}
}

func TestLinkerThatDoesNotExist(t *testing.T) {
	l := &Linker{Command: []string{"./no-such-file/linker"}, Limits: DefaultLimits}
	if _, err := l.Run(context.Background(), nil, nil); err == nil {
		t.Error("no error")
	}
}

// A linker runs in a separate folder, so ParseCommand makes the files of its command line absolute.
func TestParseCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"ld", "script.py"} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sep := string(os.PathSeparator)
	for _, c := range []struct {
		line string
		want []string
	}{
		{"." + sep + "ld", []string{dir + sep + "ld"}},
		{"." + sep + "ld -O script.py \"two words\" none.py", []string{dir + sep + "ld", "-O", dir + sep + "script.py", "two words", "none.py"}},
	} {
		got, err := ParseCommand(c.line)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.line, got, err, c.want)
		}
	}
	for line, want := range map[string]string{"": "empty", "./no-such-file/ld": "no such file", `"open`: "unbalanced"} {
		if _, err := ParseCommand(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", line, err, want)
		}
	}
}

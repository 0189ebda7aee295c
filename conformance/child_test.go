package conformance

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// childMode makes the test binary behave as a bad linker.
const childMode = "CUCONFORM_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(badLinker(mode, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func badLinker(mode string, args []string) int {
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
	case "removes inputs":
		os.Remove("in.cubin")
	case "leaves files":
		os.MkdirAll("deep/er", 0o777)
		os.WriteFile("deep/er/file", []byte("x"), 0o666)
		os.Symlink("/etc/hostname", "link")
	}
	return 0
}

func runBad(t *testing.T, mode string, limits Limits) *Outcome {
	t.Helper()
	t.Setenv(childMode, mode)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := &Linker{Command: []string{self}, Limits: limits}
	o, err := l.Run(context.Background(), Files{"in.cubin": []byte("input")}, []string{"-o", "out.cubin"})
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
	if runtime.GOOS == "windows" {
		return
	}
	if o := runBad(t, "crashes", DefaultLimits); o.Exit != 128+9 {
		t.Errorf("a crashing child: exit %d", o.Exit)
	}
	if runtime.GOOS == "linux" {
		little := DefaultLimits
		little.Memory = 1 << 30
		if o := runBad(t, "eats memory", little); o.Exit == 0 || o.Killed != "" {
			t.Errorf("a hungry child: exit %d, killed %q", o.Exit, o.Killed)
		}
	}
}

func TestLinkerThatDoesNotExist(t *testing.T) {
	l := &Linker{Command: []string{"/nonexistent/linker"}, Limits: DefaultLimits}
	if _, err := l.Run(context.Background(), nil, nil); err == nil {
		t.Error("no error")
	}
}

package main

import (
	"bytes"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestMoveOutputs(t *testing.T) {
	t.Parallel()
	args := strings.Fields("-arch=sm_90 -o a.o --register-link-binaries=sub/r.c in.o --output-file b -o=c -o -o x.o")
	moved, names := moveOutputs(args, "away")
	want := strings.Fields("-arch=sm_90 -o away/a.o --register-link-binaries=away/sub/r.c in.o --output-file away/b -o=away/c -o away/-o x.o")
	if got := filepath.ToSlash(strings.Join(moved, " ")); got != strings.Join(want, " ") {
		t.Errorf("%s, want %s", got, want)
	}
	if got := strings.Join(names, " "); got != "a.o sub/r.c b c -o" {
		t.Errorf("outputs %s", got)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	if all, err := choose(nil); len(all) != len(scenarios) || err != nil {
		t.Errorf("%d scenarios, %v", len(all), err)
	}
	if some, err := choose([]string{"lto", "debug"}); err != nil || len(some) != 2 || some[0].name != "lto" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := choose([]string{"no-such-scenario"}); err == nil {
		t.Error("an unknown scenario passes")
	}
}

// A mark before a command states the exit status that it must have.
func TestCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are Unix programs")
	}
	for line, passes := range map[string]bool{
		"true": true, "false": false, "! true": false, "! false": true, "- true": true, "- false": true,
		"no-such-program": false, "! no-such-program": false, "- no-such-program": false,
	} {
		if err := new(build).command(t.TempDir(), strings.Fields(line), io.Discard); (err == nil) != passes {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A scenario without links fails. It also fails if a file lacks the required text.
func TestTry(t *testing.T) {
	t.Parallel()
	b := &build{folder: t.TempDir(), words: strings.NewReplacer()}
	var out bytes.Buffer
	if same, err := b.try(scenario{name: "empty", holds: map[string]string{"a.cu": "total"}}, &out); same || err != nil || out.String() != "built     empty: 0 links, 0 different\n" {
		t.Errorf("%t, %v\n%s", same, err, &out)
	}
	out.Reset()
	if _, err := b.try(scenario{name: "other", holds: map[string]string{"a.cu": "no such text"}}, &out); err != nil || !strings.HasPrefix(out.String(), "NOT BUILT other: 0 links") {
		t.Errorf("%v\n%s", err, &out)
	}
}

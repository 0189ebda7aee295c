package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/attempt"
)

// A link finds no files of earlier links in its place, and no process of an earlier link is running.
func TestPlaceIsCleared(t *testing.T) {
	needsLandlock(t)
	limits := DefaultLimits
	limits.Time = time.Minute
	l, end := (&Linker{Limits: limits}).Pooled()
	defer end()
	link := func(script string, before attempt.Files) *attempt.Outcome {
		t.Helper()
		file := filepath.Join(t.TempDir(), "linker")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o777); err != nil {
			t.Fatal(err)
		}
		one := *l
		one.Command = []string{file}
		if strings.Contains(script, "sleep 1000\n") {
			one.Limits.Time = time.Second
		}
		o, err := one.Run(t.Context(), before, nil)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	before := attempt.Files{"in": []byte("input"), "folder/in": []byte("a longer input")}
	const look = "pwd; find . \"$TMPDIR\" -printf '%y %m %n %s %p\n' | sed \"s,$TMPDIR,TMP,\" | LC_ALL=C sort; cat in folder/in"
	first := string(link(look, before).Stdout)
	if again := string(link(look, before).Stdout); again != first {
		t.Errorf("a place is not used again, or not as it was: %s\n%s", again, first)
	}
	for _, script := range []string{
		"echo more >>in; echo out >out; mkdir -p a/b; touch a/b/c",
		"rm in; ln folder/in in; ln folder/in other",
		"chmod 000 in folder; mkdir shut; touch shut/x; chmod 000 shut",
		"mv folder/in in; ln -s / folder/root; mkfifo pipe; echo x >$TMPDIR/left; mkdir $TMPDIR/folder",
		"chmod 777 .; chmod 700 $TMPDIR",
		"rm -r folder; ln -s . folder",
		"setsid sh -c 'while :; do echo x >late; done' & sleep 0.1",
		"sleep 1000\n",
		"kill -KILL $$",
	} {
		link(script, before)
		o := link(look, before)
		// The folder may be a new one, because a place that cannot be cleared is abandoned.
		_, got, _ := strings.Cut(string(o.Stdout), "\n")
		if _, want, _ := strings.Cut(first, "\n"); got != want || len(o.Marks)+len(o.Files)+len(o.Removed) > 0 {
			t.Errorf("after %q: %s\n%s%s%v", script, got, o.Stderr, want, o.Marks)
		}
	}
	place := strings.SplitN(first, "\n", 2)[0]
	if again := strings.SplitN(string(link(look, before).Stdout), "\n", 2)[0]; again == place {
		t.Errorf("a place whose folder has another mode is used again: %s", place)
	}
}

// A caller may change the files of a link after the link has ended. The place compares with the files that it wrote
// itself.
func TestPlaceKeepsNoFilesOfItsCaller(t *testing.T) {
	limits := DefaultLimits
	limits.Time = time.Minute
	l, end := (&Linker{Command: []string{"/bin/true"}, Limits: limits}).Pooled()
	defer end()
	before := attempt.Files{"in": []byte("input"), "folder/in": []byte("another")}
	if _, err := l.Run(t.Context(), before, nil); err != nil {
		t.Fatal(err)
	}
	clear(before)
	p, err := l.pool.take()
	if err != nil {
		t.Fatal(err)
	}
	defer l.pool.places.Put(p)
	if len(p.spare) != 2 {
		t.Errorf("%d files are kept for the next link, want 2", len(p.spare))
	}
}

package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func text(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func filling(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// entries lists the names in a folder, which show files that a write left behind.
func entries(t *testing.T, folder string) string {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// A write that fails or is abandoned leaves only the old file (OPT-052).
func TestFailedWriteLeavesOld(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "old", "old")
	full := errors.New("the disk is full")
	for _, name := range []string{"old", "new"} {
		err := new(Set).Write(name, func(w io.Writer) error {
			io.WriteString(w, "half")
			return full
		})
		if !errors.Is(err, full) {
			t.Errorf("%s: %v", name, err)
		}
		s := new(Set)
		err = s.Write(name, func(w io.Writer) error {
			s.Abandon()
			_, err := io.WriteString(w, "whole")
			return err
		})
		if !errors.Is(err, errAbandoned) {
			t.Errorf("%s, abandoned: %v", name, err)
		}
	}
	if got := entries(t, "."); got != "old" || text("old") != "old" {
		t.Errorf("left: %s; old is %q", got, text("old"))
	}
}

// Until a write is complete, readers of the name see the old file. After it they see the new one, and the folder
// contains nothing else. This holds for drafts with and without a name.
func TestReplacesWhole(t *testing.T) {
	for _, named := range []bool{false, true} {
		t.Chdir(t.TempDir())
		put(t, "old", "old")
		for _, name := range []string{"old", "new"} {
			before := text(name)
			s := new(Set)
			fill := func(w io.Writer) error {
				io.WriteString(w, "wh")
				if got := text(name); got != before {
					t.Errorf("%s is %q while it is written", name, got)
				}
				_, err := io.WriteString(w, "ole")
				return err
			}
			var err error
			if named {
				target, old, failed := find(name)
				draft, made := s.namedDraft("")
				err = errors.Join(failed, made, s.replace(draft, target, old, fill))
			} else {
				err = s.Write(name, fill)
			}
			if err != nil || text(name) != "whole" {
				t.Errorf("%s: %v, %q", name, err, text(name))
			}
		}
		if got := entries(t, "."); got != "new old" {
			t.Errorf("named %v: left %s", named, got)
		}
	}
}

// writerVariable makes the test binary a process that writes half of a file, reports that, and waits.
const writerVariable = "CULINK_TEST_WRITER"

func TestMain(m *testing.M) {
	if name := os.Getenv(writerVariable); name != "" {
		new(Set).Write(name, func(w io.Writer) error {
			io.WriteString(w, "half")
			fmt.Println("half")
			select {}
		})
	}
	os.Exit(m.Run())
}

// A process that is killed while it writes leaves the old file, or none if there was none, and nothing else (OPT-052,
// E-362).
func TestKilledWriter(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("a draft has a name, and no system removes it")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	put(t, "old", "old")
	for _, name := range []string{"old", "new"} {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), writerVariable+"="+name)
		said, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(said, make([]byte, len("half"))); err != nil {
			t.Errorf("%s: the writer: %v", name, err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		cmd.Wait()
		if got := entries(t, "."); got != "old" || text("old") != "old" {
			t.Errorf("%s: left %s; old is %q", name, got, text("old"))
		}
	}
}

// canLink reports whether symbolic links can be made and followed. On Windows making them needs a privilege, and Wine
// does not follow them.
func canLink(t *testing.T) bool {
	t.Helper()
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	put(t, target, "there")
	return os.Symlink(target, link) == nil && text(link) == "there"
}

// A symbolic link stays, and its target is replaced or created (OPT-052).
func TestSymbolicLinks(t *testing.T) {
	if !canLink(t) {
		t.Skip("no symbolic links")
	}
	for _, c := range []struct{ links, name, target string }{
		{"l=there", "l", "there"},
		{"l=missing", "l", "missing"},
		{"l=m m=d/there", "l", "d/there"},
		{"d/l=../there", "d/l", "there"},
		{"e=d/sub d/l=new", "e/../l", "d/new"}, // ".." is that of the folder after e
	} {
		t.Chdir(t.TempDir())
		put(t, "d/sub/x", "")
		put(t, "there", "old")
		put(t, "d/there", "old")
		for link := range strings.FieldsSeq(c.links) {
			from, to, _ := strings.Cut(link, "=")
			if err := os.Symlink(to, from); err != nil {
				t.Fatal(err)
			}
		}
		if err := new(Set).Write(c.name, filling("new")); err != nil {
			t.Errorf("%s: %v", c.links, err)
		}
		info, err := os.Lstat(c.name)
		if err != nil || info.Mode().Type() != fs.ModeSymlink || text(c.target) != "new" {
			t.Errorf("%s: %v, %q", c.links, info, text(c.target))
		}
	}
}

// For a file that cannot be opened for writing, Write returns an OpenError and does not change the file.
func TestCannotOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "file", "old")
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	names := []string{"", "folder", "folder/", "no/file", "new/", "file/x", strings.Repeat("n", 300)}
	if canLink(t) {
		if err := os.Symlink("loop", "loop"); err != nil {
			t.Fatal(err)
		}
		names = append(names, "loop")
	}
	for _, name := range names {
		var opening *OpenError
		if err := new(Set).Write(name, filling("new")); !errors.As(err, &opening) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{"": "the name is empty", "folder/": "is a directory", "/": "is a directory", "new/": "ends in a slash"} {
		if err := new(Set).Write(name, filling("new")); !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	if got := text("file"); got != "old" {
		t.Errorf("file is %q", got)
	}
}

// Clash compares files by identity, not by name.
func TestClash(t *testing.T) {
	if !canLink(t) {
		t.Skip("no symbolic links")
	}
	t.Chdir(t.TempDir())
	put(t, "d/in", "in")
	put(t, "other", "")
	for from, to := range map[string]string{"link": "d/in", "dangling": "d/new"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("d/in", "hard"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ own, others, want string }{
		{"new other", "d/in", ""},
		{"d/../d/in", "d/in", "d/../d/in"},
		{"new link", "d/in", "link"},
		{"hard", "d/in", "hard"},
		{"dangling", "d/new", "dangling"},
		{"new ./new", "", "./new"},
		{"new", "d/new", ""},
		{os.DevNull, os.DevNull, ""},
		{"no/folder", "no/folder", ""}, // nothing will be there
	} {
		if got := Clash(strings.Fields(c.own), strings.Fields(c.others)); got != c.want {
			t.Errorf("%s beside %s: %q", c.own, c.others, got)
		}
	}
}

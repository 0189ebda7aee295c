//go:build unix

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// A new file has mode 0666 minus the umask. An existing file keeps its mode, except for bits that a write clears. nvlink
// does the same (OPT-052).
func TestModes(t *testing.T) {
	t.Chdir(t.TempDir())
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	if err := new(Set).Write("new", filling("new")); err != nil {
		t.Error(err)
	}
	want := map[string]fs.FileMode{"new": 0o640}
	for name, mode := range map[string]fs.FileMode{"private": 0o600, "program": 0o755, "blind": 0o200, "all": 0o666, "set-id": 0o4755} {
		put(t, name, "old")
		if mode == 0o4755 {
			mode = 0o755 | fs.ModeSetuid
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if err := new(Set).Write(name, filling("new")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want[name] = mode &^ fs.ModeSetuid
	}
	for name, mode := range want {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, want %v", name, info.Mode(), mode)
		}
	}
}

// A file with several hard links is replaced only under the name that was given (E-361).
func TestHardLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a", "old")
	if err := os.Link("a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := new(Set).Write("a", filling("new")); err != nil || text("a") != "new" || text("b") != "old" {
		t.Errorf("%v: %q, %q", err, text("a"), text("b"))
	}
}

// Devices and pipes are written in place.
func TestDevices(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() { got <- text("pipe") }()
	if err := new(Set).Write("pipe", filling("new")); err != nil {
		t.Error(err)
	}
	if s := <-got; s != "new" {
		t.Errorf("read %q", s)
	}
	if err := new(Set).Write(os.DevNull, filling("new")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := new(Set).Write("/dev/full", filling("new")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("/dev/full: %v", err)
		}
	}
}

// asNobody runs f with the permissions of a user who owns nothing, if the test may do so.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	if err := syscall.Setreuid(-1, nobody); err != nil {
		t.Skip("cannot become another user: ", err)
	}
	defer syscall.Setreuid(-1, 0)
	f()
}

// If new files cannot be created in a folder, a file in it is written in place. A file that is not writable is an error,
// although it could be replaced.
func TestRights(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, parent := range []string{folder, folder + "/.."} {
		os.Chmod(parent, 0o777)
	}
	put(t, "closed/x", "old")
	put(t, "kept", "old")
	os.Chmod("closed/x", 0o666)
	os.Chmod("kept", 0o444)
	os.Chmod("closed", 0o555)
	defer os.Chmod("closed", 0o755)
	asNobody(t, func() {
		if err := new(Set).Write("closed/x", filling("new")); err != nil {
			t.Error(err)
		}
		var opening *OpenError
		for _, name := range []string{"closed/y", "kept"} {
			if err := new(Set).Write(name, filling("new")); !errors.As(err, &opening) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	if text("closed/x") != "new" || text("kept") != "old" {
		t.Errorf("%q, %q", text("closed/x"), text("kept"))
	}
}

// In a sticky folder, the file of another user cannot be replaced. It is written in place and keeps its owner.
func TestStickyFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs files of two users: run as root")
	}
	folder := t.TempDir()
	t.Chdir(folder)
	os.Chmod(folder+"/..", 0o777)
	os.Chmod(folder, 0o777|fs.ModeSticky)
	put(t, "x", "old")
	os.Chmod("x", 0o666)
	asNobody(t, func() {
		if err := new(Set).Write("x", filling("new")); err != nil {
			t.Skip("the system protects such files: ", err)
		}
	})
	info, err := os.Stat("x")
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 || text("x") != "new" || entries(t, ".") != "x" {
		t.Errorf("%v, %q, %s", info, text("x"), entries(t, "."))
	}
}

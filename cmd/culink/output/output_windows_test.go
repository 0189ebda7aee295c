package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/windows"
)

// openWith opens a file for reading, as another program would do. share sets what others may do with the file meanwhile.
func openWith(t *testing.T, name string, share uint32) windows.Handle {
	t.Helper()
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.CreateFile(path, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// If another program has the target open, the target is replaced or written in place, as far as that program allows it.
// Otherwise it does not change (WIN-033).
func TestTargetInUse(t *testing.T) {
	const all = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	for share, want := range map[uint32]string{
		all: "new",
		windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE: "new",
		windows.FILE_SHARE_READ:                            "old",
		0:                                                  "old",
	} {
		t.Chdir(t.TempDir())
		put(t, "out", "old")
		h := openWith(t, "out", share)
		err := new(Set).Write("out", filling("new"))
		windows.CloseHandle(h)
		if opening := (*OpenError)(nil); errors.As(err, &opening) != (want == "old") || text("out") != want {
			t.Errorf("shared by %d: %v, %q", share, err, text("out"))
		}
		if got := entries(t, "."); got != "out" {
			t.Errorf("shared by %d: left %s", share, got)
		}
	}
}

// If several processes write one file, the complete file of one of them remains (WIN-033).
func TestConcurrentWriters(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("b", 1<<12)
	for range 20 {
		var writers sync.WaitGroup
		for _, contents := range []string{"a", long} {
			writers.Go(func() {
				if err := new(Set).Write("out", filling(contents)); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		if got := text("out"); got != "a" && got != long {
			t.Fatalf("out has %d bytes", len(got))
		}
	}
	if got := entries(t, "."); got != "out" {
		t.Errorf("left: %s", got)
	}
}

// A read-only target does not change (WIN-033).
func TestReadOnlyTarget(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "out", "old")
	if err := os.Chmod("out", 0o444); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile("out", os.O_WRONLY, 0); err == nil { // Wine lets root
		f.Close()
		t.Skip("it can be written all the same")
	}
	err := new(Set).Write("out", filling("new"))
	if opening := (*OpenError)(nil); !errors.As(err, &opening) || text("out") != "old" {
		t.Errorf("%v, %q", err, text("out"))
	}
	os.Chmod("out", 0o666) // so that the folder can be removed
}

// A device by its other names is written as nvlink.exe writes it (WIN-031).
func TestDevice(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{`\\.\NUL`, "//./nul", "NUL:"} {
		if err := new(Set).Write(name, filling("new")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := entries(t, "."); got != "" {
		t.Errorf("left: %s", got)
	}
}

// A path may be longer than 260 characters (WIN-033).
func TestLongPath(t *testing.T) {
	folder := t.TempDir()
	for range 6 {
		folder = filepath.Join(folder, strings.Repeat("d", 60))
	}
	name := filepath.Join(folder, "out")
	put(t, name, "old")
	if err := new(Set).Write(name, filling("new")); err != nil || text(name) != "new" || entries(t, folder) != "out" {
		t.Errorf("%v, %q, %s", err, text(name), entries(t, folder))
	}
}

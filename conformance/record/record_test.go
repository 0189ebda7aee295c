package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/arch"
)

// The lock file of recordings is in a place where no other user can create it or hold the lock.
func TestBuildLock(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", t.TempDir())
	file, err := buildLock()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Dir(file))
	if err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("%s lies in a folder for others: %v, %v", file, info, err)
	}
}

// Files of a killed recording are removed. A second recording waits for the first.
func TestBuildFolder(t *testing.T) {
	leave, err := enterBuildFolder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(buildFolder, "left")
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}

	given := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(given)
	if _, err := enterBuildFolder(ctx); !errors.Is(err, given) {
		t.Errorf("entered while another holds it: %v", err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Errorf("the wait changed the folder of the other: %v", err)
	}

	leave()
	if err := os.MkdirAll(left, 0o777); err != nil {
		t.Fatal(err)
	}
	leave, err = enterBuildFolder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the files of a killed recording: %v", err)
	}
}

// If a source uses a newer PTX version than an older release supports, the version is lowered to that of the release.
func TestLowerPTX(t *testing.T) {
	for _, tt := range []struct{ release, text, want string }{
		{"12.4", "// .version 9.0\n.version 9.0\n.target sm_80\n", "// .version 9.0\n.version 8.4\n.target sm_80\n"},
		{"11.8", ".version 8.4\n", ".version 7.8\n"},
		{"12.8", ".version 9.0\n", ".version 8.7\n"},
		{"12.4", ".version 7.8\n", ".version 7.8\n"},
	} {
		sources := attempt.Files{"k.ptx": []byte(tt.text)}
		release, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		lowerPTX(sources, release)
		if got := string(sources["k.ptx"]); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.release, got, tt.want)
		}
	}
}

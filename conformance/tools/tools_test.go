package tools

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

// If the folder of the exact version exists, Beside prefers it to that of the minor version. If neither exists, the
// error names both.
func TestBeside(t *testing.T) {
	parent := t.TempDir()
	oracle := filepath.Join(parent, "oracle-13.0.88")
	p, err := arch.Find("12.4")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Beside(oracle, p)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "oracle-12.4.131") || !strings.Contains(err.Error(), "oracle-12.4:") {
		t.Errorf("without folders: %v", err)
	}
	if _, err := Beside("", p); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "CULINK_ORACLE") {
		t.Errorf("without a folder of any release: %v", err)
	}
	for _, name := range []string{"oracle-12.4", "oracle-12.4.131"} {
		want := filepath.Join(parent, name)
		if err := os.Mkdir(want, 0o777); err != nil {
			t.Fatal(err)
		}
		if got, err := Beside(oracle, p); got != want || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

// Every test gets NVIDIA's tools from toolstest, which checks the name of the test.
func TestOracleIsReadInOnePlace(t *testing.T) {
	read := "Getenv(" + `"CULINK_ORACLE")`
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), read) {
			t.Errorf("%s reads CULINK_ORACLE; toolstest.Oracle returns it", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

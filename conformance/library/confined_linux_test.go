package library

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/confine"
)

// A library under test can write only in the folder for temporary files, unless it is trusted.
func TestLibraryIsConfined(t *testing.T) {
	if strings.Contains(confine.Describe(false), "no Landlock") {
		t.Skip("no Landlock")
	}
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	script := filepath.Join(dir, "driver")
	text := fmt.Sprintf("read line\ntouch \"$TMPDIR/inside\" || exit 3\ntouch %s\necho '{\"Done\":true}'\n", outside)
	if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, trust := range []bool{false, true} {
		c := &Child{Driver: []string{"/bin/sh", script}, Path: "lib.so", Dir: dir, Temp: t.TempDir(), Trusted: trust, Time: time.Minute}
		if _, err := c.Play(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(outside); (err == nil) != trust {
			t.Errorf("trust %v: %v", trust, err)
		}
	}
}

// Package browser renders pages for tests in a real browser: a headless Chromium, if one is installed.
package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// names lists the command names of Chromium.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// DOM returns the document that a browser makes from a page, without the text of the page's script. The address of the
// page ends with hash. DOM skips the test if there is no browser.
func DOM(t testing.TB, page []byte, hash string) string {
	t.Helper()
	program := ""
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium here to show the page")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000",
		"--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+file+hash)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	before, rest, _ := strings.Cut(string(out), "<script>")
	_, after, _ := strings.Cut(rest, "</script>")
	return before + after
}

package input

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// If a large file is not a container, only its accessed pages are loaded, even if it was just written
// (LOAD-505).
func TestHolesStayUnloaded(t *testing.T) {
	resident := func() (pages int) {
		text, err := os.ReadFile("/proc/self/statm")
		if err == nil {
			_, err = fmt.Sscanf(string(text), "%d %d", new(int), &pages)
		}
		if err != nil {
			t.Skip(err)
		}
		return pages
	}
	const size = 1 << 30
	path := filepath.Join(t.TempDir(), "holes.o")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Skip(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	before := resident()
	c, err := new(reader).read(path, info)
	if err != nil || !c.mapped || len(c.data) != size {
		t.Fatalf("%d bytes, mapped %v, %v", len(c.data), c.mapped, err)
	}
	if grown := (resident() - before) * os.Getpagesize(); grown > size/8 {
		t.Errorf("%d bytes are loaded", grown)
	}
}

// A file that begins like a container is loaded completely.
func TestIsContainer(t *testing.T) {
	for data, want := range map[string]bool{
		"\x7fELF\x02\x01\x01":       true,
		"!<arch>\n":                 true,
		"\x50\xed\x55\xba\x01\x00":  true,
		"":                          false,
		"\x00\x00\x00\x00\x00\x00":  false,
		"//\n.version 9.0\n.target": false,
	} {
		if got := isContainer([]byte(data)); got != want {
			t.Errorf("%q: %v, want %v", data, got, want)
		}
	}
}

package limit

import (
	"os"
	"strings"
	"testing"
)

// A file is read up to the limit, whatever size the system reports for it.
func TestReadFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile("file", 5); err != nil || string(data) != "12345" {
		t.Errorf("%q, %v", data, err)
	}
	names := []string{"file"}
	if _, err := os.Stat("/dev/zero"); err == nil {
		names = append(names, "/dev/zero")
	}
	for _, name := range names {
		if _, err := ReadFile(name, 4); err == nil || !strings.Contains(err.Error(), "more than 4") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

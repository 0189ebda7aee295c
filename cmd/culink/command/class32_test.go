package command

import (
	"bytes"
	"io/fs"
	"os"
	"testing"

	"github.com/culink/culink/corpus"
)

// With -m32, an early release rejects 32-bit and 64-bit code, and nothing is written (KIT-623, E-620).
func TestNo32BitCode(t *testing.T) {
	code, err := fs.ReadFile(corpus.Files, "messages/damaged-header/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const classAt = 4
	for _, tt := range []struct {
		class byte
		want  string
	}{{1, "-m64"}, {2, "-m32"}, {3, "-m64"}} {
		t.Chdir(t.TempDir())
		code := bytes.Clone(code)
		code[classAt] = tt.class
		if err := os.WriteFile("a.cubin", code, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, release := range []string{"11.2", "11.8"} {
			var stdout, stderr bytes.Buffer
			status := run(t.Context(), []string{"nvlink", "--toolkit", release, "-arch=sm_80", "-m32", "a.cubin", "-o", "o.cubin"}, &stdout, &stderr)
			if want := "nvlink fatal   : Input file 'a.cubin' size does not match target '" + tt.want + "'\n"; status != 1 || stderr.String() != want {
				t.Errorf("%s, class %d: status %d, %q, want %q", release, tt.class, status, &stderr, want)
			}
			if _, err := os.Stat("o.cubin"); err == nil {
				t.Errorf("%s, class %d: an output is written", release, tt.class)
			}
		}
	}
}

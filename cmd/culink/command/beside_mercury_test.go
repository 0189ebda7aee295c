package command

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
)

// From 13.1 on nvlink reads .nv.compat of every input behind one with Mercury code before it compares architectures
// (LOAD-970).
func TestOtherArchitectureBesideMercury(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, from := range map[string]string{
		"mercury.cubin": "basic/one-kernel/sm_100/in/k.cubin",
		"old.cubin":     "basic/one-kernel/sm_80/in/k.cubin",
		"compat.cubin":  "basic/one-kernel/sm_90/in/k.cubin",
	} {
		data, err := corpus.Files.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const unread, differs = "cannot read nvcompat", "arch does not match target"
	for _, tt := range []struct{ toolkit, args, want string }{
		{"13.0", "mercury.cubin old.cubin", differs},
		{"13.1", "mercury.cubin old.cubin", unread},
		{"13.5", "mercury.cubin old.cubin", unread},
		{"13.5", "old.cubin mercury.cubin", differs},
		{"13.5", "mercury.cubin compat.cubin", differs},
	} {
		var stdout, stderr bytes.Buffer
		culinkOf(t, tt.toolkit)(append([]string{"-arch=sm_100", "-o", "out"}, strings.Fields(tt.args)...), &stdout, &stderr)
		if !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("%s: %s: %s, want %q", tt.toolkit, tt.args, &stderr, tt.want)
		}
	}
}

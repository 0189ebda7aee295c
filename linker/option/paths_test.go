package option

import (
	"github.com/culink/culink/linker/platform"
	"slices"
	"strings"
	"testing"
)

// Paths at all positions of a command line are replaced, and nothing else is (OPT-501).
func TestMapPaths(t *testing.T) {
	moved := func(s string) string { return "<" + s + ">" }
	for line, want := range map[string]string{
		"a.o -arch=sm_90 b":               "<a.o> -arch=sm_90 <b>",
		"-o x --output-file y -o=z":       "-o <x> --output-file <y> -o=<z>",
		"-L/a,b -L c -L=d -lm":            "-L</a>,<b> -L <c> -L=<d> -lm",
		"--repro r a --repro=r -g":        "<a> -g",
		"-ghls a":                         "-ghls a",
		"-ghls -o a":                      "-ghls -o <a>",
		"-kernels-used /k -tool-name /t":  "-kernels-used /k -tool-name /t",
		"-optf a,b":                       "-optf <a>,<b>",
		`-L"a,b",c -L "d",,e`:             `-L"<a,b>",<c> -L <d>,<e>`,
		`-L"a\"b" -L"open`:                `-L"<a\"b>" -L"open`,
		"a -unknown b":                    "<a> -unknown b",
		"a -o":                            "<a> -o",
		"-v=3 a":                          "-v=3 <a>",
		"-register-link-binaries x":       "-register-link-binaries x",
		"--register-link-binaries x -dot": "--register-link-binaries <x> -dot",
	} {
		if got := strings.Join(MapPaths(strings.Fields(line), moved), " "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	got := MapResponseFile(platform.Linux, []byte("-o \"a b\" c\\\\d"), moved)
	words, err := splitWords(platform.Linux, false, got)
	if err != nil || !slices.Equal(words, []string{"-o", "<a b>", `<c\d>`}) {
		t.Errorf("response file %q: %q, %v", got, words, err)
	}
	for _, name := range pathOptions {
		if byLong(nil, name) == nil {
			t.Errorf("there is no option --%s", name)
		}
	}
}

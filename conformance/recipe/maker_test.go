package recipe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no repetition", "a\nb\n", "a\nb\n"},
		{"lines", "a\n@for I 1 3\nx$I;\n@end\nb\n", "a\nx1;\nx2;\nx3;\nb\n"},
		{"one in another", "@for I 0 1\n@for J 8 9\n$I$J\n@end\n@end\n", "08\n09\n18\n19\n"},
		{"an empty range", "@for I 1 0\nx\n@end\n", ""},
	} {
		if got, err := expand(c.text); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	for text, want := range map[string]string{
		"@for I 1 2\n":         "line 1: an @for without its @end",
		"a\n@end\n":            "line 2: an @end without its @for",
		"@for I x 2\n@end\n":   "line 1: x to 2 is no range",
		"@for I 1 2 3\n@end\n": "line 1: a repetition is: @for NAME FROM TO",
	} {
		if _, err := expand(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A text to replace must occur exactly once, so that every replacement has an effect.
func TestBuildText(t *testing.T) {
	k := &Toolchain{Dir: t.TempDir(), SM: "80"}
	if err := k.write("a.txt", []byte("cutext 1\nheader sm=$SM\nsection .shstrtab\n")); err != nil {
		t.Fatal(err)
	}
	built := func(args ...string) []byte {
		if err := buildText(t.Context(), k, "a.cubin", args); err != nil {
			t.Fatal(err)
		}
		data, err := k.read("a.cubin")
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	whole := built("a.txt")
	if damaged := built("a.txt", "sm=80", "sm=80 class=1"); damaged[4] != 1 || whole[4] != 2 {
		t.Errorf("class %d became %d", whole[4], damaged[4])
	}
	for _, args := range [][]string{{}, {"a.txt", "sm=80"}, {"a.txt", "sm=90", "sm=100"}, {"a.txt", "s", "t"}} {
		if err := buildText(t.Context(), k, "a.cubin", args); err == nil {
			t.Errorf("%q: built", args)
		}
	}
}

// If the tools of the release that makes an input are not installed, making the input fails.
func TestToolchainOfAnotherRelease(t *testing.T) {
	folder := t.TempDir()
	k := &Toolchain{Oracle: filepath.Join(folder, "oracle-13.0.88")}
	if _, err := k.of("12.4"); !errors.Is(err, ErrNoTools) {
		t.Errorf("without tools: %v", err)
	}
	old := filepath.Join(folder, "oracle-12.4")
	if err := os.Mkdir(old, 0o777); err != nil {
		t.Fatal(err)
	}
	if other, err := k.of("12.4"); err != nil || other.Oracle != old || k.Oracle == old {
		t.Errorf("%+v, %v", other, err)
	}
	if same, err := k.of(""); err != nil || same != k {
		t.Errorf("without a release: %+v, %v", same, err)
	}
}

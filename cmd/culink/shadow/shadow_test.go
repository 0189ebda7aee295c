package shadow

import (
	"os"
	"path/filepath"
	"testing"
)

// A shadow of a shadow changes nothing in the first one: not its answers, and not its culink (OPT-505).
func TestShadowOfAShadow(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write("toolkit/bin/"+executable("nvlink"), "the real one")
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	o := Options{Toolkit: filepath.Join(dir, "toolkit"), Release: "13.0.88", Program: write("old/culink", "old"), Advice: true}
	if err := Make(first, o); err != nil {
		t.Fatal(err)
	}
	write("first/advice.txt", "answers")
	o.Toolkit, o.Program = first, write("new/culink", "new")
	if err := Make(second, o); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		AdviceIn(first): "answers", Linker(first): "old", AdviceIn(second): "", Linker(second): "new", Linker(filepath.Join(dir, "toolkit")): "the real one",
	} {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v, want %q", name, data, err, want)
		}
	}
}

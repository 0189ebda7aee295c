package corpus

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawTarget draws a target with random arguments, streams and files.
func drawTarget(t *rapid.T) Target {
	value := rapid.OneOf(rapid.StringN(0, 8, -1), rapid.StringMatching(`[ a\\\n\r\t]{0,6}`), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }))
	stream := rapid.Map(value, func(s string) []byte { return []byte(s) })
	files := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,3}(/[ \n:\\é]{1,2})?x`), stream, 0, 3)
	target := Target{}
	for _, release := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"", "12.4", "13.4"}), rapid.ID).Draw(t, "releases") {
		section := &Section{Inputs: files.Draw(t, "inputs")}
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			step := &Step{Exit: rapid.IntRange(0, 255).Draw(t, "exit"), Stdout: stream.Draw(t, "stdout"), Stderr: stream.Draw(t, "stderr"), Files: files.Draw(t, "outputs")}
			if rapid.Bool().Draw(t, "has arguments") {
				step.Argv = rapid.SliceOfN(value, 0, 3).Draw(t, "argv")
			}
			section.Steps = append(section.Steps, step)
		}
		if i := rapid.IntRange(0, len(section.Steps)-1).Draw(t, "follows"); i < len(section.Steps)-1 {
			section.Steps[i] = nil
		}
		target[release] = section
	}
	return target
}

// A target is the same after it is stored and read, whatever bytes it has. Storing it again gives the same bytes
// (CONF-090).
func TestSaveAndRead(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		target := drawTarget(t)
		if err := target.Save(folder, "a/b/sm_80"); err != nil {
			t.Fatal(err)
		}
		if len(target) == 0 {
			if left, err := fs.Glob(os.DirFS(folder), "a/b/*"); err != nil || len(left) > 0 {
				t.Fatalf("an empty target leaves %q, %v", left, err)
			}
			return
		}
		got, err := Read(os.DirFS(folder), "a/b/sm_80")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(target.collect((*Section).Plain), got.collect((*Section).Plain)); diff != "" {
			t.Fatal(diff)
		}
		for release, section := range target {
			for i, step := range section.Steps {
				if step != nil {
					if diff := cmp.Diff(step.Argv, got[release].Steps[i].Argv); diff != "" {
						t.Fatal(diff)
					}
				}
			}
		}
		if again := got.text(); !bytes.Equal(again, target.text()) {
			t.Fatalf("stored again:\n%s\nwas\n%s", again, target.text())
		}
	})
}

// parse rejects a line that no writer makes, and the error has the line's number.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"arg a\n":                              `line 1: "arg" stands before any step`,
		"step 1\nstep 1\n":                     `line 2: "1" is not the number of a step after 1`,
		"step 0\n":                             `line 1: "0" is not the number`,
		"step 99999999\n":                      `is not the number`,
		"step 1\nexit x\n":                     "line 2: ",
		"step 1\narg \\x\n":                    `line 2: "\\x" is no escape`,
		"step 1\narg \\0999\n":                 `line 2: "\\0999" is no escape`,
		"step 1\nword\n":                       `line 2: "word" begins no line`,
		"outcome 1\narg a\n":                   "line 2: an outcome has no arguments",
		"release 13.4\nstep 1\nrelease 13.4\n": "line 3: ",
	} {
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Read rejects an archive with files that belong to no step.
func TestReadRefuses(t *testing.T) {
	stored := func(archive []byte) fs.FS {
		return fstest.MapFS{"a/b/sm_80.steps": {Data: []byte("step 1\n")}, "a/b/sm_80.tar.gz": {Data: archive}}
	}
	for _, name := range []string{"2.out/a", "1.out", "in", "x/a", "13.4/1.out/a"} {
		if _, err := Read(stored(pack(map[string][]byte{name: nil})), "a/b/sm_80"); err == nil || !strings.Contains(err.Error(), "belongs to no step") {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := pack(map[string][]byte{"in/a": []byte("some text"), "in/b": []byte("some text")})
	for _, archive := range [][]byte{nil, good[:len(good)/2], good[:len(good)-1]} {
		if _, err := Read(stored(archive), "a/b/sm_80"); err == nil {
			t.Errorf("an archive of %d of %d bytes is read", len(archive), len(good))
		}
	}
}

// Plain returns a valid file system. It has the stored targets, and the targets that were plain folders before.
func TestPlainIsAFileSystem(t *testing.T) {
	folder := t.TempDir()
	target := Target{
		"":     {Inputs: map[string][]byte{"d/a.cubin": []byte("a")}, Steps: []*Step{{Argv: []string{"-v", ""}, Exit: 1, Stderr: []byte("no")}}},
		"13.4": {Steps: []*Step{{Files: map[string][]byte{"out": []byte("x")}}}},
	}
	if err := target.Save(folder, "a/b/sm_80"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a/b/case.txt": "title", "a/b/sm_90/1.exit": "0\n", "waivers.txt": ""} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"waivers.txt": "", "a/b/case.txt": "title", "a/b/sm_90/1.exit": "0\n",
		"a/b/sm_80/in/d/a.cubin": "a", "a/b/sm_80/1.argv": "-v\n\n", "a/b/sm_80/1.exit": "1\n", "a/b/sm_80/1.stderr": "no",
		"a/b/sm_80/13.4/1.exit": "0\n", "a/b/sm_80/13.4/1.out/out": "x",
	}
	plain := Plain(os.DirFS(folder))
	if err := fstest.TestFS(plain, slices.Sorted(maps.Keys(want))...); err != nil {
		t.Error(err)
	}
	got := map[string]string{}
	err := fs.WalkDir(plain, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := plain.ReadFile(name)
		got[name] = string(data)
		return err
	})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

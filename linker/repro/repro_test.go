package repro

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// A written package can be read again, and writing it twice produces the same bytes (OPT-501).
func TestWriteThenRead(t *testing.T) {
	// On Windows some names are those of devices, as prn.
	name := rapid.StringMatching(`([a-z_]{1,3}/){0,2}[a-z." ]{0,3}[a-z]`).Filter(filepath.IsLocal)
	rapid.Check(t, func(t *rapid.T) {
		want := &Package{
			Tool:        rapid.StringMatching(`[a-z" ]{0,5}`).Draw(t, "tool"),
			Args:        rapid.SliceOf(rapid.String()).Draw(t, "args"),
			Environment: rapid.MapOf(rapid.StringMatching(`[A-Z_]{1,4}`), rapid.String()).Draw(t, "environment"),
			Exit:        rapid.SampledFrom([]int{0, 1, 255}).Draw(t, "exit"),
			Stdout:      rapid.SliceOf(rapid.Byte()).Draw(t, "stdout"),
			Stderr:      rapid.SliceOf(rapid.Byte()).Draw(t, "stderr"),
			Inputs:      rapid.MapOf(name, rapid.SliceOf(rapid.Byte())).Draw(t, "inputs"),
			Outputs:     rapid.MapOf(name, rapid.SampledFrom([]string{Unchecked, Sum(nil)})).Draw(t, "outputs"),
		}
		var once, twice bytes.Buffer
		if err := want.Write(&once); err != nil {
			t.Fatal(err)
		}
		if err := want.Write(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("written twice differs (%v)", err)
		}
		got, err := Read(&once)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Read does not panic on a damaged package.
func TestDamaged(t *testing.T) {
	p := &Package{Tool: "nvlink", Args: []string{"a"}, Inputs: map[string][]byte{"a": []byte("text")}, Outputs: map[string]string{"o": Sum(nil)}}
	var whole bytes.Buffer
	if err := p.Write(&whole); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(whole.Bytes())
		data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "value")
		Read(bytes.NewReader(data[:rapid.IntRange(0, len(data)).Draw(t, "length")]))
	})
}

// Paths that lead out of the folder, links and unknown members are refused (OPT-502).
func TestRefused(t *testing.T) {
	const start = firstLine + "\ntool \"x\"\n"
	plain := func(name, text string) []tar.Header {
		return []tar.Header{{Name: name, Size: int64(len(text)), Typeflag: tar.TypeReg}}
	}
	for name, c := range map[string]struct {
		headers []tar.Header
		text    string
		want    string
	}{
		"parent":        {plain("files/../x", ""), "", "unsafe path"},
		"far parent":    {plain("files/a/../../x", ""), "", "unsafe path"},
		"absolute":      {plain("files//etc/x", ""), "", "unsafe path"},
		"folder itself": {plain("files/.", ""), "", "unsafe path"},
		"link":          {[]tar.Header{{Name: "files/x", Linkname: "/etc", Typeflag: tar.TypeSymlink}}, "", "no plain file"},
		"hard link":     {[]tar.Header{{Name: "files/x", Linkname: "y", Typeflag: tar.TypeLink}}, "", "no plain file"},
		"elsewhere":     {plain("x", ""), "", "unknown member"},
		"no manifest":   {plain("stdout", ""), "", "no manifest"},
		"version":       {plain("manifest", "culink-repro 2\n"), "culink-repro 2\n", "does not start with"},
		"output":        {plain("manifest", start+"output \"../x\" -\n"), start + "output \"../x\" -\n", "unsafe path"},
		"tool":          {plain("manifest", firstLine+"\ntool \"a/b\"\n"), firstLine + "\ntool \"a/b\"\n", "not a name"},
		"key":           {plain("manifest", start+"run\n"), start + "run\n", "unknown key"},
		"exit":          {plain("manifest", start+"exit x\n"), start + "exit x\n", "invalid syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, h := range c.headers {
				if err := w.WriteHeader(&h); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Write([]byte(c.text)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(&b); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestLocal(t *testing.T) {
	t.Chdir(t.TempDir())
	parent, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	up := "_root/" + strings.TrimLeft(strings.ReplaceAll(filepath.ToSlash(parent), ":", ""), "/")
	for name, want := range map[string]string{
		"":          "",
		"a.cubin":   "a.cubin",
		"./d/a":     "./d/a",
		"../a":      up + "/a",
		"d/../../a": up + "/a",
		"..a":       "..a",
	} {
		if got := Local(name); got != want {
			t.Errorf("Local(%q) = %q, want %q", name, got, want)
		}
	}
	if filepath.IsAbs("/usr/lib/") {
		for name, want := range map[string]string{"/usr/lib/": "_root/usr/lib/", "/usr/../lib": "_root/lib", "//a:b/c": "_root/ab/c"} {
			if got := Local(name); got != want {
				t.Errorf("Local(%q) = %q, want %q", name, got, want)
			}
		}
	}
}

// A package is read up to a limit. Reading an endless package therefore ends.
func TestMostBytes(t *testing.T) {
	var b bytes.Buffer
	if err := (&Package{Tool: "nvlink", Inputs: map[string][]byte{"a": []byte("text")}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	members := int64(b.Len() - 2*512) // without the end marker, which may be missing
	for most, ok := range map[int64]bool{int64(b.Len()): true, members: true, members - 1: false} {
		if _, err := read(bytes.NewReader(b.Bytes()), most); (err == nil) != ok {
			t.Errorf("%d of %d bytes: %v", most, b.Len(), err)
		}
	}
	if maxBytes != 4_294_967_296 {
		t.Errorf("%d bytes", int64(maxBytes))
	}
}

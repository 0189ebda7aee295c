package repro

import (
	"archive/tar"
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What the codec writes, package archive/tar reads, and the other way round: names of any
// length and alphabet, files of any size.
func TestTarIsTar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z é/.]{1,40}`)
		files := rapid.MapOf(rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(name.Draw(t, "name"), rapid.IntRange(1, 9).Draw(t, "times")) + "x"
		}), rapid.SliceOfN(rapid.Byte(), 0, 1500)).Draw(t, "files")
		var ours, theirs bytes.Buffer
		w := tar.NewWriter(&theirs)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			data := files[name]
			if err := writeMember(&ours, name, data); err != nil {
				t.Fatal(err)
			}
			if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := writeEnd(&ours); err != nil {
			t.Fatal(err)
		}
		w.Close()
		got := map[string][]byte{}
		for r := tar.NewReader(&ours); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if got[h.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(files, got); d != "" {
			t.Errorf("written (-want +read by archive/tar):\n%s", d)
		}
		clear(got)
		for {
			name, data, err := readMember(&theirs)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got[name] = bytes.Clone(data)
			if data == nil {
				got[name] = []byte{}
			}
		}
		if d := cmp.Diff(files, got); d != "" {
			t.Errorf("written by archive/tar (-want +read):\n%s", d)
		}
	})
}

// A size that is not there takes no memory.
func TestTarSizeLies(t *testing.T) {
	var b bytes.Buffer
	if err := writeMember(&b, "stdout", []byte("text")); err != nil {
		t.Fatal(err)
	}
	header := b.Bytes()[:blockSize]
	tarSize.putNumber(header, 8<<30-1)
	copy(tarSum.of(header), "0000000")
	tarSum.putNumber(header, sum(header))
	if _, _, err := readMember(bytes.NewReader(b.Bytes())); err == nil {
		t.Error("no error")
	}
}

// A file of the oldest tar programs is a plain file too: its type is a NUL.
func TestOldFile(t *testing.T) {
	var b bytes.Buffer
	if err := writeBlocks(&b, "stdout", 0, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if name, data, err := readMember(&b); err != nil || name != "stdout" || string(data) != "text" {
		t.Errorf("%q, %q, %v", name, data, err)
	}
}

// A header is that of archive/tar, to the byte, for a file without an owner and a date.
func TestHeader(t *testing.T) {
	var ours, theirs bytes.Buffer
	if err := writeMember(&ours, "files/a.cubin", []byte("text")); err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(&theirs)
	header := tar.Header{Name: "files/a.cubin", Size: 4, Mode: 0o644, Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
	if err := w.WriteHeader(&header); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(theirs.Bytes(), ours.Bytes()); d != "" {
		t.Errorf("-archive/tar +ours:\n%s", d)
	}
}

// Names with characters that old programs do not know have a record of their own: those above the tilde.
func TestIsASCII(t *testing.T) {
	for name, want := range map[string]bool{"": true, "a~": true, "a\x7f": false, "\u00e9": false} {
		if isASCII(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

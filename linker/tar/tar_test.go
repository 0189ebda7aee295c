package tar

import (
	archive "archive/tar"
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

// Package archive/tar reads what this package writes, and the other way around. Names have any length and
// alphabet, and files any size.
func TestTarIsTar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z é/.]{1,40}`)
		files := rapid.MapOf(rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(name.Draw(t, "name"), rapid.IntRange(1, 9).Draw(t, "times")) + "x"
		}), rapid.SliceOfN(rapid.Byte(), 0, 1500)).Draw(t, "files")
		var ours, theirs bytes.Buffer
		w := archive.NewWriter(&theirs)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			data := files[name]
			if err := Write(&ours, name, data); err != nil {
				t.Fatal(err)
			}
			if err := w.WriteHeader(&archive.Header{Name: name, Size: int64(len(data)), Mode: 0o644}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := WriteEnd(&ours); err != nil {
			t.Fatal(err)
		}
		w.Close()
		got := map[string][]byte{}
		for r := archive.NewReader(&ours); ; {
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
			name, data, err := Read(&theirs)
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

// A false size in a header does not make the reader allocate memory.
func TestTarSizeLies(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "stdout", []byte("text")); err != nil {
		t.Fatal(err)
	}
	header := b.Bytes()[:blockSize]
	tarSize.putNumber(header, 8<<30-1)
	copy(tarSum.of(header), "0000000")
	tarSum.putNumber(header, sum(header))
	if _, _, err := Read(bytes.NewReader(b.Bytes())); err == nil {
		t.Error("no error")
	}
}

// A file of the oldest tar programs has type NUL. It is a plain file too.
func TestOldFile(t *testing.T) {
	var b bytes.Buffer
	if err := writeBlocks(&b, "stdout", 0, []byte("text")); err != nil {
		t.Fatal(err)
	}
	if name, data, err := Read(&b); err != nil || name != "stdout" || string(data) != "text" {
		t.Errorf("%q, %q, %v", name, data, err)
	}
}

// A header is identical to that of archive/tar for a file without owner and date.
func TestHeader(t *testing.T) {
	var ours, theirs bytes.Buffer
	if err := Write(&ours, "files/a.cubin", []byte("text")); err != nil {
		t.Fatal(err)
	}
	w := archive.NewWriter(&theirs)
	header := archive.Header{Name: "files/a.cubin", Size: 4, Mode: 0o644, Typeflag: archive.TypeReg, ModTime: time.Unix(0, 0), Format: archive.FormatUSTAR}
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

// A name with characters that old programs cannot read, which are those above the tilde, has a separate
// record.
func TestIsASCII(t *testing.T) {
	for name, want := range map[string]bool{"": true, "a~": true, "a\x7f": false, "\u00e9": false} {
		if isASCII(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// A name of more than 100 bytes has a separate record. The header contains as much of it as fits, without a
// partial character. Two blocks of zeros end an archive.
func TestLongNames(t *testing.T) {
	for name, want := range map[string]struct {
		header string
		blocks int
	}{
		strings.Repeat("a", 100):           {strings.Repeat("a", 100), 1},
		strings.Repeat("a", 101):           {strings.Repeat("a", 100), 3},
		strings.Repeat("a", 99) + "\u00e9": {strings.Repeat("a", 99), 3},
	} {
		var b bytes.Buffer
		if err := Write(&b, name, nil); err != nil {
			t.Fatal(err)
		}
		if b.Len() != want.blocks*blockSize {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
		if got := tarName.text(b.Bytes()[b.Len()-blockSize:]); got != want.header {
			t.Errorf("%s: the header has %q", name, got)
		}
	}
	var end bytes.Buffer
	if err := WriteEnd(&end); err != nil || !bytes.Equal(end.Bytes(), make([]byte, 1024)) {
		t.Errorf("the end: %d bytes, %v", end.Len(), err)
	}
}

// Errors in a header are reported, and a field ends where the next one begins.
func TestHeaders(t *testing.T) {
	const damaged = "not a tar archive, or a damaged one"
	for name, tt := range map[string]struct {
		change func(header []byte)
		sums   bool
		want   string // the name, or the error
	}{
		"as it is":             {func([]byte) {}, true, "stdout"},
		"another byte":         {func(b []byte) { b[0] ^= 1 }, false, damaged},
		"no number as the sum": {func(b []byte) { copy(tarSum.of(b), "xxxxxx") }, false, damaged},
		"no number as a size":  {func(b []byte) { copy(tarSize.of(b), "xxxxxx") }, true, `member "stdout": size "xxxxxx00004"`},
		"a negative size":      {func(b []byte) { copy(tarSize.of(b), "-0000000001") }, true, `member "stdout": size "-0000000001"`},
		"a prefix":             {func(b []byte) { copy(tarPrefix.of(b), "a/b") }, true, "a/b/stdout"},
		"a whole prefix": {func(b []byte) {
			copy(tarPrefix.of(b), strings.Repeat("p", 155))
			b[500] = 'x' // after the last field
		}, true, strings.Repeat("p", 155) + "/stdout"},
		"no prefix in other formats": {func(b []byte) {
			copy(tarPrefix.of(b), "123")
			copy(tarMagic.of(b), "ustar  \x00")
		}, true, "stdout"},
	} {
		var b bytes.Buffer
		if err := Write(&b, "stdout", []byte("text")); err != nil {
			t.Fatal(err)
		}
		header := b.Bytes()[:blockSize]
		tt.change(header)
		if tt.sums {
			tarSum.putNumber(header, sum(header))
		}
		got, _, err := Read(&b)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// Records contain a name, and may contain dates and owners. Errors in them are reported.
func TestLongName(t *testing.T) {
	for records, want := range map[string]string{
		"":                                  "",
		"9 path=b\n":                        "b",
		"20 ctime=1350244992\n9 path=b\n":   "b",
		"9 path=b\n11 uid=100\n":            "b",
		"8 path=a":                          "a",
		"path=a\n":                          `damaged records "path=a\n"`,
		"0 path=a\n":                        `damaged records "0 path=a\n"`,
		"1 path=a\n":                        `damaged records "1 path=a\n"`,
		"2 path=a\n":                        `damaged records "2 path=a\n"`,
		"3 \n":                              `unknown record "": only plain files are read`,
		"11 path=b\n":                       `damaged records "11 path=b\n"`,
		"99 path=b\n":                       `damaged records "99 path=b\n"`,
		"22 GNU.sparse.major=1\n9 path=b\n": `unknown record "GNU.sparse.major": only plain files are read`,
	} {
		got, err := longName(records)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", records, got, want)
		}
	}
}

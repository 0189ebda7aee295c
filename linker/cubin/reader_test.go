package cubin_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// TestReaders checks that reading from memory, from an io.ReaderAt and from a file has the same result, for
// cubins and for other data.
func TestReaders(t *testing.T) {
	t.Parallel()
	whole := open().Bytes()
	name := filepath.Join(t.TempDir(), "a.cubin")
	for _, data := range [][]byte{whole, whole[:100], whole[:3], nil, []byte("text, and no ELF file")} {
		want, wanted := cubin.Open(name, data)
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		fromFile, err := cubin.OpenFile(name)
		if text(err) != text(wanted) || want != nil && !bytes.Equal(fromFile.Bytes(), want.Bytes()) {
			t.Errorf("%d bytes: %v, want %v", len(data), err, wanted)
		}
		fromReader, err := cubin.NewFile(bytes.NewReader(data))
		if text(err) != strings.ReplaceAll(text(wanted), name, "cubin") || want != nil && !bytes.Equal(fromReader.Bytes(), want.Bytes()) {
			t.Errorf("%d bytes of a reader: %v, want %v", len(data), err, wanted)
		}
	}
	if _, err := cubin.OpenFile(name + ".gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, good := range []int64{0, 4} {
		if _, err := cubin.NewFile(brokenReader{bytes.NewReader(whole), good}); !errors.Is(err, errBroken) {
			t.Error(err)
		}
	}
}

var errBroken = errors.New("the device is gone")

// A brokenReader fails after a number of good bytes.
type brokenReader struct {
	io.ReaderAt
	good int64
}

func (r brokenReader) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > r.good {
		return 0, errBroken
	}
	return r.ReaderAt.ReadAt(p, at)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

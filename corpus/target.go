package corpus

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/culink/culink/linker/tar"
)

// The two files of a target.
const (
	stepsFile   = ".steps"
	archiveFile = ".tar.gz"
)

// mostContents limits the total size of the files in an archive.
const mostContents = 1 << 30

// Read reads the target with a name such as "basic/two-files/sm_80". If it is not stored, the error is fs.ErrNotExist.
func Read(stored fs.FS, name string) (Target, error) {
	text, err := fs.ReadFile(stored, name+stepsFile)
	if err != nil {
		return nil, err
	}
	t, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name+stepsFile, err)
	}
	archive, err := fs.ReadFile(stored, name+archiveFile)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil // no step reads or writes files
	}
	if err == nil {
		err = unpack(archive, t.addContent)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name+archiveFile, err)
	}
	return t, nil
}

// Save stores the target under a name below a folder, and replaces what is stored there. It drops sections without a
// step from t and from the files. If no section is left, it removes the files of the target. If the files of an archive
// have not changed, it does not rewrite the archive.
func (t Target) Save(dir, name string) error {
	stem := filepath.Join(dir, filepath.FromSlash(name))
	maps.DeleteFunc(t, func(_ string, s *Section) bool { return s.isEmpty() })
	text := t.text()
	if len(text) == 0 {
		return errors.Join(remove(stem+stepsFile), remove(stem+archiveFile))
	}
	if err := os.MkdirAll(filepath.Dir(stem), 0o777); err != nil {
		return err
	}
	files := t.collect((*Section).contents)
	if old, err := Read(os.DirFS(dir), name); err != nil || !maps.EqualFunc(old.collect((*Section).contents), files, bytes.Equal) {
		if len(files) == 0 {
			if err := remove(stem + archiveFile); err != nil {
				return err
			}
		} else if err := os.WriteFile(stem+archiveFile, pack(files), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(stem+stepsFile, text, 0o666)
}

// remove removes a file, if it is there.
func remove(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// pack makes an archive. The same files always give the same archive.
func pack(files map[string][]byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err = errors.Join(err, tar.Write(z, name, files[name]))
	}
	if err := errors.Join(err, tar.WriteEnd(z), z.Close()); err != nil {
		panic(err) // cannot happen: the level is valid, and writing to memory does not fail
	}
	return b.Bytes()
}

// unpack calls use for each file of an archive.
func unpack(archive []byte, use func(name string, data []byte) error) error {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	for r := io.LimitReader(z, mostContents); ; {
		name, data, err := tar.Read(r)
		if err == io.EOF {
			_, err = io.Copy(io.Discard, z) // up to the checksum
			return err
		}
		if err == nil {
			err = use(name, data)
		}
		if err != nil {
			return err
		}
	}
}

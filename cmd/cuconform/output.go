package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// An outputFile is opened before its contents are produced, so that a wrong path fails early. An existing file stays
// until the new contents are complete.
type outputFile struct {
	name string // empty: nothing is written
	file *os.File
	mode fs.FileMode // mode of the file that is replaced; 0 if there is none
}

// open creates a new file beside the one that it will replace. If the target is a special file, such as a pipe, it opens
// the target itself.
func (o *outputFile) open() (err error) {
	if o.name == "" {
		return nil
	}
	info, err := os.Stat(o.name)
	switch {
	case err == nil && info.IsDir():
		return errors.New(o.name + " is a folder")
	case err == nil && !info.Mode().IsRegular():
		o.file, err = os.OpenFile(o.name, os.O_WRONLY, 0)
		return err
	case err == nil:
		o.mode = info.Mode().Perm()
		if o.name, err = filepath.EvalSymlinks(o.name); err != nil {
			return err
		}
	}
	o.file, err = os.OpenFile(fmt.Sprintf("%s.%d.new", o.name, os.Getpid()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	var why *fs.PathError
	if errors.As(err, &why) {
		why.Path = o.name // the name on the command line
	}
	return err
}

// write fills the file and renames it to its final name.
func (o *outputFile) write(fill func(io.Writer) error) error {
	if o.file == nil {
		return nil
	}
	file := o.file
	o.file = nil
	err := errors.Join(fill(file), file.Close())
	if file.Name() == o.name {
		return err
	}
	if err == nil && o.mode != 0 {
		err = os.Chmod(file.Name(), o.mode)
	}
	if err == nil {
		err = os.Rename(file.Name(), o.name)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// discard removes a file that was opened and not written.
func (o *outputFile) discard() {
	if o.file == nil {
		return
	}
	o.file.Close()
	if o.file.Name() != o.name {
		os.Remove(o.file.Name())
	}
	o.file = nil
}

// writeFile makes a file.
func writeFile(name string, fill func(io.Writer) error) error {
	o := outputFile{name: name}
	if err := o.open(); err != nil {
		return err
	}
	return o.write(fill)
}

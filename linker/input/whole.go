package input

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
)

// nvlink reads a library of -l, and the file of -nv-host or -uidx-file, as a whole. A seek to the end gives the
// size (LOAD-935). A device without an end has the size 0, and a pipe has none. The size of a folder depends on
// the file system.

// Errors of files that are read as a whole.
var (
	errNoMemory = errors.New("its size exceeds the address space")
	errShort    = errors.New("it has fewer bytes than its size")
)

// addressSpace is the number of bytes that a process can address.
const addressSpace = 1 << 47

// sizeOf returns the size of the file at path as nvlink determines it. info describes the file.
func (t tree) sizeOf(path string, info fs.FileInfo) (uint64, error) {
	if info.Mode().IsRegular() {
		return uint64(info.Size()), nil
	}
	if info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return 0, errShort // opening it could wait for a writer
	}
	f, err := t.open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	end, err := seekEnd(f)
	switch {
	case err != nil:
		return 0, err
	case end > addressSpace:
		return 0, errNoMemory
	}
	return end, nil
}

// seekEnd returns the offset of the end of a file.
func seekEnd(f fs.File) (uint64, error) {
	s, ok := f.(io.Seeker)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	_, err = s.Seek(0, io.SeekStart)
	return uint64(end), err
}

// whole reads the file of that name as a whole. info describes it. It may be no regular file, and may be empty.
func (l *loader) whole(name string, info fs.FileInfo) ([]byte, error) {
	size, err := l.own.sizeOf(l.path(name), info)
	if err != nil || size == 0 {
		return nil, err
	}
	return l.contents(name, info)
}

// unreadable reports an error of a file that is read as a whole.
func (l *loader) unreadable(name string, err error) error {
	var exceeded *limit.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &exceeded):
		return l.exceeded(name, err)
	case errors.Is(err, errNoMemory):
		return l.failBecause(err, diag.MemoryAllocation)
	case errors.As(err, &path) && path.Op != "read" && path.Op != "seek": // the names of the other calls depend on the system
		return l.failBecause(err, diag.CannotOpenInput, name)
	}
	return l.failBecause(err, diag.CannotReadFile, name)
}

// ReadWhole reads the file of -nv-host or -uidx-file. Of the options, Platform and Budget matter. ok reports that the file could be
// read; that it has no bytes is a fatal message all the same.
func ReadWhole(name string, opt Options, log *diag.Log) (data []byte, ok bool) {
	opt.Copy = true // nobody checks a mapped file again
	l, err := newFileLoader(context.Background(), opt, log)
	if err != nil {
		return nil, false
	}
	data, err = l.readWhole(name)
	switch {
	case err != nil:
		_ = l.unreadable(name, err) // it is in the log
	case len(data) == 0:
		log.Report(diag.CannotReadFile, name)
	}
	return data, err == nil
}

func (l *loader) readWhole(name string) ([]byte, error) {
	path := l.path(name)
	info, err := l.own.stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() && !l.host.OpensFolders {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return l.whole(name, info)
}

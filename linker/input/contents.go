package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/fatbin"
)

// The contents of small files are copied, with many files in one block of memory. Large files are mapped if the
// system supports it. Their bytes then go from the input to the output without a copy in the memory of the
// process. Another program can truncate a mapped file, which would crash the process, or write to it. A link
// with mapped files therefore checks them again at its end, and its output is valid only if they did not
// change. A page fault in the meantime is reported as an ordinary error (LOAD-505).

// mapFrom is the size in bytes from which a file is mapped. Copying a smaller file takes less time.
const mapFrom = 128 << 10

// settled is the minimum time since the last change of a mapped file. If a file is younger, a later change may
// not change its modification time.
const settled = 50 * time.Millisecond

// waitFrom is the size in bytes from which it is faster to wait until a file is old enough than to copy it.
const waitFrom = 256 << 20

// contents holds the bytes of a file.
type contents struct {
	data   []byte
	mapped bool
	in     *room // that holds the file; nil if it is mapped
}

// A reader reads regular files.
type reader struct {
	tree
	copies  bool          // nothing may be mapped
	outputs []fs.FileInfo // not mapped, because they may be written before they are read
	room    *room         // buffer for the contents of small files
}

// reader returns a reader for one goroutine.
func (l *loader) reader() reader {
	return reader{tree: tree{l.opt.FS}, copies: l.opt.Copy || l.opt.FS != nil, outputs: l.outputs}
}

// errChanged is the error for a file that another program changes during the link.
var errChanged = errors.New("it is changed while it is read")

// read reads the file at path. info describes it.
func (r *reader) read(path string, info fs.FileInfo) (contents, error) {
	f, err := r.openRegular(path)
	if err != nil {
		return contents{}, err
	}
	defer f.Close()
	if age := time.Since(info.ModTime()); !r.copies && info.Size() >= waitFrom && age < settled {
		time.Sleep(min(settled, settled-age))
	}
	if file, ok := f.(*os.File); ok && r.maps(info) {
		if data, err := mapFile(file, int(info.Size())); err == nil {
			return contents{data: data, mapped: true}, nil
		}
	}
	size := int(info.Size())
	data, in := r.roomFor(size)
	if _, err := io.ReadFull(f, data); err != nil {
		return contents{}, fmt.Errorf("%w: %w", errChanged, err)
	}
	if now, err := f.Stat(); err != nil || !unchanged(info, now) {
		return contents{}, errChanged
	}
	return contents{data: data, in: in}, nil
}

// roomFor returns memory for a file, and the room that the memory is part of.
func (r *reader) roomFor(size int) ([]byte, *room) {
	if size > roomSize/4 {
		own := &room{data: make([]byte, size), filled: size}
		return own.data, own
	}
	if r.room == nil || size > len(r.room.data)-r.room.filled {
		r.room = &room{data: make([]byte, roomSize)}
	}
	from := r.room.filled
	r.room.filled += size
	return r.room.data[from:r.room.filled:r.room.filled], r.room
}

// openRegular opens a regular file for reading.
func (r *reader) openRegular(path string) (fs.File, error) {
	if r.files == nil {
		return openFile(path)
	}
	return r.open(path)
}

// isContainer reports whether data begins like an ELF file, an archive or a fat binary. Of any other file, a
// link reads little more than the beginning.
func isContainer(data []byte) bool {
	return hasELFMagic(data) || archive.Is(data) || fatbin.IsFatbin(data)
}

// maps reports whether a file is to be mapped.
func (r *reader) maps(info fs.FileInfo) bool {
	if r.copies || info.Size() < mapFrom || info.Size() > 1<<40 || time.Since(info.ModTime()) < settled {
		return false
	}
	for _, output := range r.outputs {
		if os.SameFile(output, info) {
			return false
		}
	}
	return true
}

func unchanged(before, now fs.FileInfo) bool {
	return now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}

// A mappedFile is checked again at the end of the link.
type mappedFile struct {
	name, path string
	info       fs.FileInfo
	data       []byte
}

// A ChangedError reports that an input was changed during the link.
type ChangedError struct{ Name string }

func (e *ChangedError) Error() string { return e.Name + ": " + changedDuringLink }

const changedDuringLink = "it was changed during the link"

// Changed returns a *ChangedError if an input has changed since the link read it. A file that was removed, or
// replaced by another file, counts as unchanged.
func (l *Loaded) Changed() error {
	for _, m := range l.mapped {
		if now, err := os.Stat(m.path); err == nil && os.SameFile(m.info, now) && !unchanged(m.info, now) {
			return &ChangedError{m.name}
		}
	}
	return nil
}

// Guard runs work, which reads inputs. If work panics because another program changes an input while it is
// read, Guard returns the *ChangedError.
func (l *Loaded) Guard(work func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if err = l.Changed(); err == nil {
				panic(p)
			}
		}
	}()
	work()
	return l.Changed()
}

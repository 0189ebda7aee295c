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

// The contents of a file that is small are copied, many files into one piece of memory. Those
// of a large one are mapped where the system can: then the bytes go from the input to the
// output without passing through the memory of the process. What is mapped is not ours: another
// program can cut the file, which ends a careless process, or write into it. So a link with
// mapped files looks at them again when it is over, and its output counts only if they are as
// they were; a fault in between is an error like others (LOAD-505).

// mapFrom is the size in bytes from which a file is mapped. A smaller one costs less to copy.
const mapFrom = 128 << 10

// settled is how long a file must have been left alone to be mapped: within this time the
// system may not tell a later change by the time of the file.
const settled = 50 * time.Millisecond

// waitFrom is the size in bytes from which it takes less time to wait until a file is settled than to copy it.
const waitFrom = 256 << 20

// contents are the bytes of a file.
type contents struct {
	data   []byte
	mapped bool
}

// A reader reads regular files.
type reader struct {
	tree
	copies  bool          // nothing is mapped
	outputs []fs.FileInfo // not to be mapped: they may be written before they are read
	room    []byte        // for the contents of small files
}

// reader makes a reader for one goroutine.
func (l *loader) reader() reader {
	return reader{tree: tree{l.opt.FS}, copies: l.opt.Copy || l.opt.FS != nil, outputs: l.outputs}
}

// errChanged tells of a file that another program changes.
var errChanged = errors.New("it is changed while it is read")

// roomSize is how many bytes are allocated for small files together.
const roomSize = 256 << 10

// read reads the file at path, of which info is known.
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
			return contents{data, true}, nil
		}
	}
	size := int(info.Size())
	if size > len(r.room) {
		if r.room = nil; size > roomSize/4 {
			r.room = make([]byte, size)
		} else {
			r.room = make([]byte, roomSize)
		}
	}
	data := r.room[:size:size]
	r.room = r.room[size:]
	if _, err := io.ReadFull(f, data); err != nil {
		return contents{}, fmt.Errorf("%w: %w", errChanged, err)
	}
	if now, err := f.Stat(); err != nil || !unchanged(info, now) {
		return contents{}, errChanged
	}
	return contents{data, false}, nil
}

// openRegular opens a regular file for reading.
func (r *reader) openRegular(path string) (fs.File, error) {
	if r.files == nil {
		return openFile(path)
	}
	return r.open(path)
}

// isContainer reports whether data begins as an ELF file, an archive or a fat binary. Of anything else, however
// large, a link reads little more than the beginning.
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

// A mappedFile is looked at again when the link is over.
type mappedFile struct {
	name, path string
	info       fs.FileInfo
	data       []byte
}

// Idle returns a function that lets the memory of mapped data go until it is read again: the link
// has read most of it and keeps little. Data that is no whole mapped file stays. Idle is nil if none is mapped.
func (l *Loaded) Idle() func(data []byte) {
	if len(l.mapped) == 0 {
		return nil
	}
	mapped := make(map[*byte]bool, len(l.mapped))
	for _, m := range l.mapped {
		mapped[&m.data[0]] = true
	}
	return func(data []byte) {
		if len(data) > 0 && mapped[&data[0]] {
			letGo(data)
		}
	}
}

// A ChangedError tells that an input was changed during the link.
type ChangedError struct{ Name string }

func (e *ChangedError) Error() string { return e.Name + ": " + changedDuringLink }

const changedDuringLink = "it was changed during the link"

// Changed returns an error, *ChangedError, if an input is no longer what the link has read. One
// that was removed, or replaced by another file, still is.
func (l *Loaded) Changed() error {
	for _, m := range l.mapped {
		if now, err := os.Stat(m.path); err == nil && os.SameFile(m.info, now) && !unchanged(m.info, now) {
			return &ChangedError{m.name}
		}
	}
	return nil
}

// Guard runs work, which reads inputs. If it panics although the inputs are right when they
// are read, because another program changes them, it returns the *ChangedError.
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

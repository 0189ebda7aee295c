package input

import (
	"io/fs"
	"sync/atomic"

	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/parallel"
)

// Files are read ahead of the loader, on all processors: while the loader processes one file, the next ones
// are read. Only regular files are read ahead, because reading them has no side effects and always ends. The
// loader reads other files when it reaches them.

// An aheadFile is a file that is being read.
type aheadFile struct {
	path string
	done chan struct{} // closed when the remaining fields are set
	info fs.FileInfo   // nil if the loader is to read the file itself
	data contents
	err  error
}

// An ahead reads the files of a link in their order.
type ahead struct {
	files []aheadFile
	next  atomic.Int64  // index of the first file that nobody reads
	left  atomic.Int64  // bytes that may still be read
	room  chan struct{} // holds an element for each file that is read but not yet taken
	stop  chan struct{}
}

// filesAhead is the maximum number of files that are read before the loader needs them. It limits the wasted
// work if the link stops at an early file.
const filesAhead = 64

// fewFiles is the number of files up to which the loader reads all of them itself. Other threads would only
// start when it has finished.
const fewFiles = 4

func (a *ahead) worthIt() bool { return len(a.files) > fewFiles }

// readAhead starts to read the files in the options.
func (l *loader) readAhead() *ahead {
	a := &ahead{files: make([]aheadFile, len(l.opt.Files)), room: make(chan struct{}, filesAhead), stop: make(chan struct{})}
	a.left.Store(int64(min(l.budget.Left(limit.Read), 1<<62)))
	for i, name := range l.opt.Files {
		a.files[i] = aheadFile{path: l.path(name), done: make(chan struct{})}
	}
	if a.worthIt() {
		for range min(parallel.Threads(), len(a.files)) {
			go a.work(l.reader())
		}
	} else {
		for i := range a.files {
			close(a.files[i].done)
		}
	}
	return a
}

func (a *ahead) work(r reader) {
	for {
		select {
		case a.room <- struct{}{}:
		case <-a.stop:
			return
		}
		i := int(a.next.Add(1)) - 1
		if i >= len(a.files) {
			return
		}
		a.read(&a.files[i], &r)
	}
}

func (a *ahead) read(f *aheadFile, r *reader) {
	defer close(f.done)
	info, err := r.stat(f.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || a.left.Add(-info.Size()) < 0 {
		return
	}
	f.info = info
	f.data, f.err = r.read(f.path, info)
}

// take waits until file i is read. It returns nil if the loader has to read the file itself.
func (a *ahead) take(i int) *aheadFile {
	f := &a.files[i]
	<-f.done
	if a.worthIt() {
		<-a.room
	}
	if f.info == nil {
		return nil
	}
	return f
}

// end stops reading ahead. It does not wait for reads that are in progress.
func (a *ahead) end() { close(a.stop) }

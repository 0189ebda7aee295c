package input

import (
	"io/fs"
	"sync/atomic"

	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/parallel"
)

// Files are read ahead of the loader, on all processors: while it looks at one, the next ones
// come in. Only regular files are, whose reading changes nothing and ends: the loader itself
// reads the others, when their turn comes.

// An aheadFile is a file that is being read.
type aheadFile struct {
	path string
	done chan struct{} // closed when the rest is set
	info fs.FileInfo   // nil if the loader is to read the file itself
	data contents
	err  error
}

// An ahead reads the files of a link in their order.
type ahead struct {
	files []aheadFile
	next  atomic.Int64  // the first that nobody reads
	left  atomic.Int64  // bytes that may be read
	room  chan struct{} // holds one for each file that is read and not taken
	stop  chan struct{}
}

// filesAhead is how many files are read before the loader takes them, at most: a link that
// ends with an early one has not read all.
const filesAhead = 64

// fewFiles is how many files the loader reads itself: other threads would start when it is done.
const fewFiles = 4

func (a *ahead) worthIt() bool { return len(a.files) > fewFiles }

// readAhead begins to read the files of the options.
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

// take waits for file i; nil if the loader is to read it itself.
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

// end stops the reading. It does not wait for what is being read.
func (a *ahead) end() { close(a.stop) }

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/idle"
)

// A place is a folder of the disk in which one link runs after another. It keeps the files that a
// link has left as they were for the next one: on ext4 a new file takes 2 ms of processor where
// thousands were removed in the last five seconds, and a corpus removes as many.
type place struct {
	dir    string
	folder fs.FileMode // of a folder that is made in it
	last   *workdir    // of the link that has ended; nil before the first
	spare  []string    // files that can be used again, outside of the folders of links
	made   int         // how many there have been
}

// newPlace makes a place.
func newPlace() (*place, error) {
	dir, err := os.MkdirTemp("", "cuconform-")
	if err != nil {
		return nil, err
	}
	p := &place{dir: dir}
	spare := filepath.Join(dir, "spare")
	err = os.Mkdir(spare, 0o777)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Lstat(spare); err == nil {
			p.folder = info.Mode()
			return p, nil
		}
	}
	return nil, errors.Join(err, p.remove())
}

// remove removes the place.
func (p *place) remove() error { return confine.Remove(p.dir) }

// stage makes a scene in the place, which holds nothing of an earlier one.
func (p *place) stage(folder string, before attempt.Files) (*workdir, error) {
	s := &workdir{work: filepath.Join(p.dir, filepath.FromSlash(folder)), temp: filepath.Join(p.dir, "tmp"), before: before}
	p.last = s
	for _, d := range []string{s.work, s.temp} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return nil, err
		}
	}
	for _, name := range before.Names() {
		if err := p.write(filepath.Join(s.work, filepath.FromSlash(name)), before[name]); err != nil {
			return nil, err
		}
	}
	return s, s.begin(filepath.Join(p.dir, "probe"))
}

// write writes a file, over a spare one if there is any.
func (p *place) write(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if n := len(p.spare); n > 0 {
		spare := p.spare[n-1]
		p.spare = p.spare[:n-1]
		if overwrite(spare, data) == nil && os.Rename(spare, file) == nil {
			return nil
		}
	}
	return os.WriteFile(file, data, 0o666)
}

// overwrite gives an existing file other contents. The file is not emptied before: ext4 writes one that
// was to the disk when it is closed.
func overwrite(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Truncate(int64(len(data))), f.Close())
}

// clear takes away what the last link has left. It reports whether that was all of it, so that the
// place can have another scene.
func (p *place) clear() bool {
	s := p.last
	for name, was := range s.entries { // the files before are the caller's, who may have changed them since
		file := filepath.Join(s.work, filepath.FromSlash(name))
		if info, err := os.Lstat(file); was.IsDir() || err != nil || !os.SameFile(info, was) || info.Mode() != was.Mode() || linksTo(info) != 1 {
			continue
		}
		spare := filepath.Join(p.dir, "spare", strconv.Itoa(p.made))
		if os.Rename(file, spare) == nil {
			p.made++
			p.spare = append(p.spare, spare)
		}
	}
	return isEmptied(s.work, p.folder) && isEmptied(s.temp, p.folder)
}

// isEmptied removes what is in a folder, and reports whether that folder is empty now, and as it was made.
func isEmptied(dir string, usual fs.FileMode) bool {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode() != usual {
		return false
	}
	return errors.Join(confine.Empty(dir), os.Chmod(dir, usual.Perm())) == nil
}

// A pool is what links of a linker have one after another: places, and supervisors. Several links may
// run at a time.
type pool struct {
	supervisors confine.Pool
	places      idle.List[*place]
	mu          sync.Mutex
	left        error    // why places could not be removed
	reads       sync.Map // []string by a linker's command and variables: what it may read of its own
}

// take returns a place in which no link runs.
func (p *pool) take() (*place, error) {
	for last, ok := p.places.Take(); ok; last, ok = p.places.Take() {
		if last.clear() {
			return last, nil
		}
		p.giveUp(last)
	}
	return newPlace()
}

// giveUp removes a place.
func (p *pool) giveUp(last *place) {
	err := last.remove()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = errors.Join(p.left, err)
}

// close ends the supervisors and removes the places.
func (p *pool) close() {
	p.supervisors.Close()
	p.places.Empty(p.giveUp)
}

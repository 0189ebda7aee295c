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

// A place is a folder that is reused for one link after another. The next link overwrites the files of the last one. New
// files would be slower: on ext4 a new file costs 2 ms of processor time if thousands of files were removed in the last
// five seconds, as happens in a corpus run.
type place struct {
	dir    string
	folder fs.FileMode // mode of a new folder
	last   *workdir    // workdir of the last link; nil before the first
	spare  []string    // files that can be overwritten, outside the folders of links
	made   int         // number of spare files so far
}

// newPlace makes a place in the folder for temporary files.
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

// stage prepares the place for a link. [place.clear] must have cleared it.
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

// write writes a file. It overwrites a spare file if there is one.
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

// overwrite replaces the contents of a file. It does not truncate the file first, because ext4 would then write it to
// the disk when it is closed.
func overwrite(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Truncate(int64(len(data))), f.Close())
}

// clear removes the files of the last link, but keeps those that can be overwritten. It reports whether the place can be
// used for another link.
func (p *place) clear() bool {
	s := p.last
	for name, was := range s.entries { // not s.before, because the caller may have changed that since
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

// isEmptied empties a folder, and reports whether it is now empty and has its original mode.
func isEmptied(dir string, usual fs.FileMode) bool {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode() != usual {
		return false
	}
	return errors.Join(confine.Empty(dir), os.Chmod(dir, usual.Perm())) == nil
}

// A pool holds the places and supervisors that the links of a linker reuse. Several links may run at the same time.
type pool struct {
	supervisors confine.Pool
	places      idle.List[*place]
	mu          sync.Mutex
	left        error    // why places could not be removed
	reads       sync.Map // []string, the result of readsOf, by command and variables
}

// take returns an empty place.
func (p *pool) take() (*place, error) {
	for last, ok := p.places.Take(); ok; last, ok = p.places.Take() {
		if last.clear() {
			return last, nil
		}
		p.giveUp(last)
	}
	return newPlace()
}

// giveUp removes a place. If that fails, it records the reason.
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

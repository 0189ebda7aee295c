package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/confine"
)

// A workdir has the files of one link: a folder with the files that exist before the link, and an empty folder for
// temporary files. After the link it determines the changes. Most of them are new contents and names. Marks describe the
// others: special files, changed modes, dates from before or after the link, touched inputs, empty folders, and
// temporary files.
type workdir struct {
	work, temp string
	before     attempt.Files
	entries    map[string]fs.FileInfo // entries of work before the link
	usual      fs.FileMode            // mode of a new file in work
	began      time.Time              // start of the link, by the clock of the file system
}

// newWorkdir makes a workdir in an existing folder. It replaces the workdir of an earlier link in the same folder.
func newWorkdir(dir, folder string, before attempt.Files) (*workdir, error) {
	s := &workdir{work: filepath.Join(dir, filepath.FromSlash(folder)), temp: filepath.Join(dir, "tmp"), before: before}
	for _, d := range []string{s.work, s.temp} {
		if err := confine.Remove(d); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(d, 0o777); err != nil {
			return nil, err
		}
	}
	if err := before.Write(s.work); err != nil {
		return nil, err
	}
	probe := filepath.Join(s.temp, "probe")
	defer os.Remove(probe)
	return s, s.begin(probe)
}

// begin records the state of the files before the link. The files exist already. A new file, probe, shows the usual mode
// and the time by the clock of the file system.
func (s *workdir) begin(probe string) error {
	for name := range s.before {
		if err := os.Chtimes(filepath.Join(s.work, filepath.FromSlash(name)), attempt.LongAgo, attempt.LongAgo); err != nil {
			return err
		}
	}
	s.entries = entriesOf(s.work)
	if err := os.WriteFile(probe, []byte{'\n'}, 0o666); err != nil {
		return err
	}
	info, err := os.Lstat(probe)
	if err != nil {
		return err
	}
	s.usual, s.began = info.Mode(), info.ModTime()
	return nil
}

// entriesOf returns the entries below a folder, at every depth. Unreadable ones are omitted.
func entriesOf(dir string) map[string]fs.FileInfo {
	entries := map[string]fs.FileInfo{}
	// The function below returns no error, so neither does WalkDir.
	_ = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if len(entries) > confine.MostEntries {
			return fs.SkipAll
		}
		if err == nil && name != "." {
			if info, err := d.Info(); err == nil {
				entries[name] = info
			}
		}
		return nil
	})
	return entries
}

// gather adds the changes of a link to its outcome. It reads at most this many bytes of files. 0 means no limit.
func (s *workdir) gather(o *attempt.Outcome, most uint64) {
	after, whole := readWork(s.work, most)
	if !whole && o.Killed == "" {
		o.Killed = "disk"
	}
	o.Files = attempt.Files{}
	for _, name := range attempt.Changes(s.before, after) {
		if data, ok := after[name]; ok {
			o.Files[name] = data
		} else {
			o.Removed = append(o.Removed, name)
		}
	}
	o.Marks = s.marks(o.Files)
}

// marks returns the changes that contents do not show. changed holds the files with new contents.
func (s *workdir) marks(changed attempt.Files) attempt.Marks {
	marks := attempt.Marks{}
	entries := entriesOf(s.work)
	for name, info := range entries {
		was, old := s.entries[name]
		mode := s.usual
		if old {
			mode = was.Mode()
		}
		_, written := changed[name]
		switch {
		case info.IsDir() && !old:
			if isEmptyFolder(name, entries) {
				marks[name+"/"] = "an empty folder"
			}
		case info.Mode().Type() != mode.Type():
			marks[name] = "no plain file: " + info.Mode().Type().String()
		case info.Mode() != mode:
			marks[name] = "mode " + info.Mode().String() + ", not " + mode.String()
		case old && !info.IsDir() && !written && !info.ModTime().Equal(attempt.LongAgo):
			marks[name] = "written again, or its date changed"
		case written && !info.IsDir() && info.ModTime().Before(s.began):
			marks[name] = "dated before the link"
		case written && !info.IsDir() && info.ModTime().After(time.Now()):
			marks[name] = "dated after the link"
		}
	}
	for name := range entriesOf(s.temp) {
		marks["$TMPDIR/"+name] = "left"
	}
	return marks
}

// isEmptyFolder reports whether no entry is inside of the folder.
func isEmptyFolder(folder string, entries map[string]fs.FileInfo) bool {
	for name := range entries {
		if strings.HasPrefix(name, folder+"/") {
			return false
		}
	}
	return true
}

// readWork reads the files of a folder after a link. It reads at most the given number of bytes in all. whole reports
// whether it read everything. For an unreadable file it stores the reason as the contents. It reads nothing outside the
// folder, even if the child has created links there.
func readWork(dir string, most uint64) (files attempt.Files, whole bool) {
	files = attempt.Files{}
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return attempt.Files{".": []byte("unreadable: " + err.Error())}, true
	}
	defer parent.Close()
	if info, err := parent.Lstat(filepath.Base(dir)); err != nil || !info.IsDir() {
		return attempt.Files{".": []byte("the folder of the link is no folder any more")}, true
	}
	work, err := parent.OpenRoot(filepath.Base(dir))
	if err != nil {
		return attempt.Files{".": []byte("unreadable: " + err.Error())}, true
	}
	defer work.Close()
	root, left, entries := work.FS(), most, 0
	whole = true
	// The function below returns no error, so neither does WalkDir.
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > confine.MostEntries {
			whole = false
			return fs.SkipAll
		}
		if err == nil && d.IsDir() {
			return nil
		}
		if err == nil && most > 0 {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil && info.Mode().IsRegular() {
				if uint64(info.Size()) > left {
					whole = false
					files[name] = []byte("not read: the files of the link are too large")
					return nil
				}
				left -= uint64(info.Size())
			}
		}
		if err == nil {
			files[name], err = attempt.ReadEntry(root, name, d)
		}
		if err != nil {
			files[name] = []byte("unreadable: " + err.Error())
		}
		return nil
	})
	return files, whole
}

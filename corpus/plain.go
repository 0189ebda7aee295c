package corpus

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
)

// Plain shows a stored corpus with each target as a plain folder of files. Targets that already are plain folders stay
// unchanged. Several goroutines may use the result.
func Plain(stored fs.FS) PlainFS { return PlainFS{stored: stored, recent: &recent{}} }

// A PlainFS is a corpus with plain folders, made by [Plain].
type PlainFS struct {
	stored fs.FS
	recent *recent
}

// Open opens a file or folder.
func (p PlainFS) Open(name string) (fs.File, error) {
	if target, ok := targetOf(name); ok {
		files, err := p.target(target)
		if err == nil {
			return files.Open(name)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	f, err := p.stored.Open(name)
	if dir, ok := f.(fs.ReadDirFile); ok && err == nil {
		return &caseFolder{ReadDirFile: dir}, nil
	}
	return f, err
}

// ReadFile reads a file. The caller may change the bytes.
func (p PlainFS) ReadFile(name string) ([]byte, error) {
	target, ok := targetOf(name)
	if !ok {
		return fs.ReadFile(p.stored, name)
	}
	files, err := p.target(target)
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ReadFile(p.stored, name)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return files.ReadFile(name)
}

// ReadDir lists a folder.
func (p PlainFS) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a folder")}
	}
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// targetOf returns the target that a name belongs to, such as <area>/<case>/sm_80.
func targetOf(name string) (string, bool) {
	parts := strings.SplitN(name, "/", 4)
	if len(parts) < 3 || !strings.HasPrefix(parts[2], "sm_") {
		return "", false
	}
	return strings.Join(parts[:3], "/"), true
}

// target returns the files of a target. The keys are their names from the root of the corpus.
func (p PlainFS) target(name string) (fstest.MapFS, error) {
	if files := p.recent.find(name); files != nil {
		return files, nil
	}
	t, err := Read(p.stored, name)
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	for inside, data := range t.collect((*Section).Plain) {
		files[name+"/"+inside] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	p.recent.keep(name, files)
	return files, nil
}

// recent caches the targets that were read last, because the files of a target are read one after the other.
type recent struct {
	mu    sync.Mutex
	names [8]string // more than the number of goroutines that usually read at the same time
	files [8]fstest.MapFS
	next  int
}

func (r *recent) find(name string) fstest.MapFS {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.names[:], name); i >= 0 {
		return r.files[i]
	}
	return nil
}

func (r *recent) keep(name string, files fstest.MapFS) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[r.next], r.files[r.next] = name, files
	r.next = (r.next + 1) % len(r.names)
}

// A caseFolder lists a folder of stored targets as a folder of plain folders.
type caseFolder struct{ fs.ReadDirFile }

func (c *caseFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := c.ReadDirFile.ReadDir(n)
	plain := make([]fs.DirEntry, 0, len(entries))
	for _, e := range entries {
		name, isSteps := strings.CutSuffix(e.Name(), stepsFile)
		switch isTarget := strings.HasPrefix(name, "sm_"); {
		case isTarget && isSteps:
			plain = append(plain, targetFolder(name))
		case !isTarget || !strings.HasSuffix(name, archiveFile):
			plain = append(plain, e)
		}
	}
	return plain, err
}

// A targetFolder is the directory entry for a folder that is stored as two files.
type targetFolder string

func (t targetFolder) Name() string      { return string(t) }
func (t targetFolder) IsDir() bool       { return true }
func (t targetFolder) Type() fs.FileMode { return fs.ModeDir }
func (t targetFolder) Info() (fs.FileInfo, error) {
	return fs.Stat(fstest.MapFS{string(t) + "/steps": {}}, string(t))
}

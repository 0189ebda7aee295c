// Package output replaces files whole.
//
// A linker that opens its output, empties it and then writes can be stopped in between: by a
// full disk, a signal, or a second linker with the same output. What is left is then neither
// the old file nor the new one. A [Set] therefore writes beside the target and puts the
// complete file in its place in one step, so that a reader sees the old file or the new one.
//
// Apart from that the target ends as nvlink leaves it (OPT-052): a new file has mode 0666
// without the umask, an old one keeps its mode and its owner, a symbolic link stays and its
// target is replaced, and a target that cannot be opened for writing is an error, although a
// rename would need no such permission. Three kinds of target cannot be replaced and are
// written in place: what is no regular file, a file in a folder that takes no new files, and
// a file with extended attributes, which a new file would not have.
package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A Set writes the outputs of one run. The zero value is ready to use.
type Set struct {
	// Naming, when set, is called before a draft is made under a name: it would stay behind if the
	// process ended without [Set.Abandon].
	Naming func()

	mu        sync.Mutex
	abandoned bool
	pending   map[string]*os.File // drafts that have a name
}

// An OpenError tells that a target cannot be opened for writing. Every other error of
// [Set.Write] is about a target that could be opened.
type OpenError struct{ Err error }

func (e *OpenError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// errAbandoned is what a write returns after [Set.Abandon].
var errAbandoned = errors.New("the run was ended")

// Write lets fill write the new contents of the file called name, and then puts them in its
// place. When fill or any step after it fails, the old file stays as it was, except for a
// target that is written in place.
func (s *Set) Write(name string, fill func(io.Writer) error) error {
	target, old, err := find(name)
	if err != nil {
		return &OpenError{err}
	}
	d, err := s.begin(target, old)
	if err == nil {
		return s.replace(d, target, old, fill)
	}
	if old == nil {
		return &OpenError{err}
	}
	return inPlace(name, fill)
}

// errInPlace tells that the target is one that cannot be replaced.
var errInPlace = errors.New("the target cannot be replaced")

// find follows the symbolic links that name ends in. old describes the file that is there
// already; nil when there is none. It fails where nvlink could not open the file.
func find(name string) (target string, old fs.FileInfo, err error) {
	old, err = os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return "", nil, err
	case old.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return "", nil, err
		}
		defer f.Close()
		if old, err = f.Stat(); err != nil {
			return "", nil, err
		}
	}
	target = name
	for range maxLinks {
		to, err := os.Readlink(target)
		if err != nil {
			break
		}
		folder := folderOf(target)
		if real, err := filepath.EvalSymlinks(folder + "."); err != nil || strings.HasPrefix(real, "/proc/") {
			return name, old, nil // a link of the kernel's own: what stands in it need not be a path
		}
		if !filepath.IsAbs(to) {
			to = folder + to
		}
		target = to
	}
	if target == folderOf(target) { // the empty name, and one that ends in a slash
		return "", nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return target, old, nil
}

// maxLinks is how many symbolic links Linux follows for one name.
const maxLinks = 40

// folderOf is name up to its last slash. Unlike filepath.Dir it drops nothing: "a/../b" is
// not "b" where a is a symbolic link.
func folderOf(name string) string {
	i := len(name)
	for i > 0 && !os.IsPathSeparator(name[i-1]) {
		i--
	}
	return name[:i]
}

// A draft is a file that is to take the place of a target.
type draft struct {
	*os.File
	name string // empty as long as it has none
}

// begin makes the draft for a target, with the mode and owner that the target will have.
func (s *Set) begin(target string, old fs.FileInfo) (*draft, error) {
	if old != nil && (!old.Mode().IsRegular() || !replaceable(target)) {
		return nil, errInPlace
	}
	d, err := s.draft(folderOf(target))
	if err != nil || old == nil {
		return d, err
	}
	if err = giveTo(d.File, old); err == nil {
		err = d.Chmod(old.Mode() &^ (fs.ModeSetuid | fs.ModeSetgid)) // as after a write
	}
	if err != nil {
		s.drop(d)
		return nil, err
	}
	return d, nil
}

// draft makes an empty file in a folder: one without a name where the system has such files,
// so that nothing is left even of a process that is killed, else one with a name that nobody
// else has.
func (s *Set) draft(folder string) (*draft, error) {
	if f, err := nameless(folder); err == nil {
		return &draft{File: f}, nil
	}
	return s.namedDraft(folder)
}

func (s *Set) namedDraft(folder string) (*draft, error) {
	if s.Naming != nil {
		s.Naming()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		name := temporaryName(folder)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			if s.pending == nil {
				s.pending = map[string]*os.File{}
			}
			s.pending[name] = f
			return &draft{f, name}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
}

// temporaryName makes a name for a file beside a target. It does not hold the
// target's name, which may be as long as the system allows.
func temporaryName(folder string) string {
	return fmt.Sprintf("%s.culink-%016x", folder, rand.Uint64())
}

// replace fills a draft and puts it in the place of the target.
func (s *Set) replace(d *draft, target string, old fs.FileInfo, fill func(io.Writer) error) error {
	defer s.drop(d)
	if err := fill(d); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.abandoned {
		return errAbandoned
	}
	if d.name != "" {
		return d.rename(target, old)
	}
	var err error
	if old == nil {
		err = giveName(d.File, target)
	}
	if old != nil || errors.Is(err, fs.ErrExist) {
		err = nameAndRename(d, target)
	}
	if err != nil { // see rename; or the system gives such a file no name
		return inPlace(target, func(w io.Writer) error {
			if _, err := d.Seek(0, io.SeekStart); err != nil {
				return err
			}
			_, err := io.Copy(w, d)
			return err
		})
	}
	return d.Close()
}

// rename gives a draft with a name that of the target.
func (d *draft) rename(target string, old fs.FileInfo) error {
	if err := d.Close(); err != nil { // some systems rename no open file
		return err
	}
	err := os.Rename(d.name, target)
	switch {
	case err == nil:
		return nil
	case old == nil: // no file can have that name
		return &OpenError{err}
	}
	// The folder is sticky, or a file system is mounted on the target.
	return inPlace(target, func(w io.Writer) error { return copyFrom(d.name, w) })
}

// nameAndRename gives a draft without a name one and at once that of the target, so that only a
// process that is killed in between leaves the first one behind.
func nameAndRename(d *draft, target string) error {
	for {
		name := temporaryName(folderOf(target))
		var given, renamed error
		uninterrupted(func() {
			if given = giveName(d.File, name); given != nil {
				return
			}
			if renamed = os.Rename(name, target); renamed != nil {
				os.Remove(name)
			}
		})
		if !errors.Is(given, fs.ErrExist) {
			return errors.Join(given, renamed)
		}
	}
}

func copyFrom(name string, w io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// drop closes a draft, and removes it where it has not become the target.
func (s *Set) drop(d *draft) {
	d.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[d.name] != nil {
		os.Remove(d.name)
		delete(s.pending, d.name)
	}
}

// Abandon removes the drafts and lets no write come to its end any more. It is for the moment
// when a signal ends the run. The drafts are closed first: Windows removes no open file.
func (s *Set) Abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = true
	for name, f := range s.pending {
		f.Close()
		os.Remove(name)
		delete(s.pending, name)
	}
}

// inPlace empties the file called name and lets fill write it.
func inPlace(name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return &OpenError{err}
	}
	err = fill(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

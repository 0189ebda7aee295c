// Package output replaces whole files.
//
// If a linker truncates its output and then writes it, it can be interrupted in between: by a full disk, a signal, or a
// second linker with the same output. The file is then neither the old one nor the new one. So a [Set] writes a draft in
// the same folder and renames the complete file to the target. A reader sees either the old file or the new one.
//
// In other respects the target is the same as after nvlink (OPT-052). A new file has mode 0666 minus the umask. An
// existing file keeps its mode and its owner. A symbolic link stays, and the file that it refers to is replaced. A
// target that cannot be opened for writing is an error, although a rename would not need that permission.
//
// Some targets cannot be replaced and are written in place: anything but a regular file, a file in a folder without
// write permission, and a file with extended attributes, which a new file would lose. On Windows a file that another
// program has open is also written in place (WIN-033).
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
	// Naming, if set, is called before a draft with a name is created. Such a draft would remain if the
	// process ended without [Set.Abandon].
	Naming func()

	mu        sync.Mutex
	abandoned bool
	pending   map[string]*os.File // drafts that have a name
}

// An OpenError means that a target cannot be opened for writing. [Set.Write] returns all other errors only after it
// could open the target.
type OpenError struct{ Err error }

func (e *OpenError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

// errAbandoned is the error of a write after [Set.Abandon].
var errAbandoned = errors.New("the run was ended")

// Write calls fill to write the new contents of the named file, and then replaces the file.
// If fill or a later step fails, the old file is unchanged, unless the target is written in place.
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

// errInPlace means that the target cannot be replaced.
var errInPlace = errors.New("the target cannot be replaced")

// find follows the symbolic links at the end of name. old describes the existing file, or is nil.
// find fails if nvlink could not open the file.
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
			return name, old, nil // a magic link of the kernel, whose text need not be a path
		}
		if !filepath.IsAbs(to) {
			to = folder + to
		}
		target = to
	}
	if target == folderOf(target) { // the name is empty or ends in a slash
		return "", nil, &fs.PathError{Op: "open", Path: name, Err: reasonOfFolder(name, old)}
	}
	return target, old, nil
}

// reasonOfFolder states why a name without a last part cannot be that of an output.
func reasonOfFolder(name string, old fs.FileInfo) error {
	switch {
	case name == "":
		return errNoName
	case old != nil:
		return errIsFolder
	}
	return errEndsInSlash
}

var (
	errNoName      = errors.New("the name is empty")
	errIsFolder    = errors.New("is a directory")
	errEndsInSlash = errors.New("the name ends in a slash, so it is that of a folder, and there is none")
)

// maxLinks is the number of symbolic links that Linux follows for one name.
const maxLinks = 40

// folderOf returns name up to its last slash. Unlike filepath.Dir it does not clean the path: "a/../b"
// is not "b" if a is a symbolic link.
func folderOf(name string) string {
	i := len(name)
	for i > 0 && !os.IsPathSeparator(name[i-1]) {
		i--
	}
	return name[:i]
}

// A draft is a file that will replace a target.
type draft struct {
	*os.File
	name string // empty while the file has no name
}

// begin creates the draft for a target, with the final mode and owner.
func (s *Set) begin(target string, old fs.FileInfo) (*draft, error) {
	if old != nil && (!old.Mode().IsRegular() || !replaceable(target)) {
		return nil, errInPlace
	}
	d, err := s.draft(folderOf(target))
	if err != nil || old == nil {
		return d, err
	}
	if err = giveTo(d.File, old); err == nil {
		err = d.Chmod(old.Mode() &^ (fs.ModeSetuid | fs.ModeSetgid)) // a write clears these bits too
	}
	if err != nil {
		s.drop(d)
		return nil, err
	}
	return d, nil
}

// draft creates an empty file in a folder. If the system supports it, the file has no name, so that nothing remains even
// if the process is killed. Otherwise it has a unique name.
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
		f, err := create(name)
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

// temporaryName returns a name for a draft. It does not contain the target's name, because that
// may already have the maximum length.
func temporaryName(folder string) string {
	return fmt.Sprintf("%s.culink-%016x", folder, rand.Uint64())
}

// replace fills a draft and replaces the target with it.
func (s *Set) replace(d *draft, target string, old fs.FileInfo, fill func(io.Writer) error) error {
	defer s.drop(d)
	err := fill(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.abandoned: // if so, fill may have failed because its file is closed
		return errAbandoned
	case err != nil:
		return err
	}
	if d.name != "" {
		return d.rename(target, old)
	}
	if old == nil {
		err = giveName(d.File, target)
	}
	if old != nil || errors.Is(err, fs.ErrExist) {
		err = nameAndRename(d, target)
	}
	if err != nil { // rename has the same problem, or the system cannot name such a file
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

// rename renames a draft that has a name to the target.
func (d *draft) rename(target string, old fs.FileInfo) error {
	if err := errors.Join(keep(d.File), d.Close()); err != nil { // some systems cannot rename an open file
		return err
	}
	err := rename(d.name, target)
	switch {
	case err == nil:
		return nil
	case old == nil: // an existing folder, for example, cannot be replaced
		return &OpenError{err}
	}
	// The rename fails if the folder is sticky or a file system is mounted on the target. On Windows it fails if a program
	// has the target open.
	return inPlace(target, func(w io.Writer) error { return copyFrom(d.name, w) })
}

// nameAndRename gives a draft a temporary name and at once renames it to the target. The temporary name remains only if
// the process is killed in between.
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

// drop closes a draft, and removes it unless it has become the target.
func (s *Set) drop(d *draft) {
	d.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[d.name] != nil {
		os.Remove(d.name)
		delete(s.pending, d.name)
	}
}

// Abandon removes the drafts and makes all further writes fail. It is called when a signal
// ends the run. The drafts are closed first, because Windows cannot remove an open file.
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

// inPlace truncates the named file and calls fill to write it. A device is not truncated, because Wine refuses that.
func inPlace(name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return &OpenError{err}
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := f.Truncate(0); err != nil {
			f.Close()
			return &OpenError{err}
		}
	}
	err = fill(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

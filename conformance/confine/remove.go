package confine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// A program may leave files that are hard to remove: folders without permissions, and folders nested deeper than a path
// can express. So a folder is emptied level by level. Each of its subfolders gets permissions, and the contents of the
// subfolder move up.

// Empty removes the contents of a folder. No program may be running in it.
func Empty(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() { // the target of a symbolic link does not belong to the program
		return &fs.PathError{Op: "empty", Path: dir, Err: errors.New("no folder")}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	moved := 0
	for {
		names, err := entries(root)
		if err != nil || len(names) == 0 {
			return err
		}
		for _, name := range names {
			if err := removeOne(root, name, &moved); err != nil {
				return fmt.Errorf("%s is left: %w", dir, err)
			}
		}
	}
}

// Remove removes a folder and its contents.
func Remove(dir string) error {
	err := Empty(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.Remove(dir))
}

// entries returns some of the names in a folder.
func entries(root *os.Root) ([]string, error) {
	const some = 1024
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(some)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}

// removeOne removes an entry of a folder. If the entry is a folder, its subfolders move to the root. moved counts the
// folders moved so far.
func removeOne(root *os.Root, name string, moved *int) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return root.Remove(name)
	}
	if err := root.Chmod(name, 0o700); err != nil {
		return err
	}
	sub, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	for {
		names, err := entries(sub)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			return root.Remove(name)
		}
		for _, inner := range names {
			info, err := sub.Lstat(inner)
			if err != nil {
				return err
			}
			if !info.IsDir() {
				if err := sub.Remove(inner); err != nil {
					return err
				}
				continue
			}
			if err := sub.Chmod(inner, 0o700); err != nil { // a folder can be moved only if it is writable
				return err
			}
			if err := moveUp(root, name+"/"+inner, moved); err != nil {
				return err
			}
		}
	}
}

// moveUp moves a folder into the root under a new name.
func moveUp(root *os.Root, from string, moved *int) error {
	for {
		*moved++
		to := "moved-" + strconv.Itoa(*moved)
		if _, err := root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return root.Rename(from, to)
		}
	}
}

package confine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// What a program leaves may be made so that it stays: folders that nobody may enter, and folders in folders deeper than a name can
// be long. Here a folder is emptied level by level: each folder in it is opened to its user, and what is in that moves up.

// Empty removes what is in a folder, in which no program runs any more.
func Empty(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() { // what a link leads to is not the program's
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

// Remove removes a folder with what is in it.
func Remove(dir string) error {
	err := Empty(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.Remove(dir))
}

// entries are some names of what is in a folder.
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

// removeOne removes an entry of a folder. The folders in it, of which moved counts how many there have been, go to the root.
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
			if err := sub.Chmod(inner, 0o700); err != nil { // its user moves it only if it may be written
				return err
			}
			if err := moveUp(root, name+"/"+inner, moved); err != nil {
				return err
			}
		}
	}
}

// moveUp gives a folder a name in the root that nothing has.
func moveUp(root *os.Root, from string, moved *int) error {
	for {
		*moved++
		to := "moved-" + strconv.Itoa(*moved)
		if _, err := root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return root.Rename(from, to)
		}
	}
}

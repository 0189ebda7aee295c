package main

import (
	"os"
	"path/filepath"
)

const linksDiffer = "a link differs or failed"

// race compares the CPU time and the memory of culink with those of the previous commit. If nvlink is installed, it also
// compares with nvlink.
func race(r *runner) error {
	return inFolder(func(made string) error {
		built, tree := filepath.Join(made, "nvlink"), filepath.Join(made, "before")
		if err := r.do("go", "build", "-o", built, "./cmd/culink"); err != nil {
			return err
		}
		if r.do("git", "worktree", "add", "--quiet", "--detach", tree, setting("RACE", "HEAD^")) == nil {
			err := r.raceCommits(made, built, tree)
			if removed := r.do("git", "worktree", "remove", "--force", tree); err == nil {
				err = removed
			}
			if err != nil {
				return err
			}
		}
		if r.findOracle() {
			nvlink := filepath.Join(r.oracle, "bin", "nvlink")
			r.shown(r.do("go", "run", "./cmd/cuconform", "race", "-linker", built, "-against", nvlink, "-n", "3"), linksDiffer)
		}
		return nil
	})
}

// raceCommits compares the linker that was built with the linker of the commit in tree. It copies both, one directly
// after the other, because the state of the page cache makes a program that was written earlier up to 8 % slower.
func (r *runner) raceCommits(made, built, tree string) error {
	before := filepath.Join(tree, "nvlink")
	if err := r.do("go", "build", "-C", tree, "-o", before, "./cmd/culink"); err != nil {
		return err
	}
	a, b := filepath.Join(made, "a", "nvlink"), filepath.Join(made, "b", "nvlink")
	if err := copyProgram(before, b); err != nil {
		return err
	}
	if err := copyProgram(built, a); err != nil {
		return err
	}
	r.shown(r.do("go", "run", "./cmd/cuconform", "race", "-linker", a, "-against", b, "-n", "7", "-worse", "5"), linksDiffer)
	return nil
}

func copyProgram(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o777)
}

//go:build !linux

package output

import (
	"errors"
	"os"
)

// nameless fails: only Linux supports files that are created without a name and named later.
func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func giveName(*os.File, string) error { return errors.ErrUnsupported }

func uninterrupted(f func()) { f() }

// replaceable returns true: no attribute is known that a new file would lose.
func replaceable(string) bool { return true }

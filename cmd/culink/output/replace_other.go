//go:build !linux

package output

import (
	"errors"
	"os"
)

// nameless fails: only Linux has files without a name that can get one later.
func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func giveName(*os.File, string) error { return errors.ErrUnsupported }

func uninterrupted(f func()) { f() }

// replaceable reports that nothing is known which a new file would lose.
func replaceable(string) bool { return true }

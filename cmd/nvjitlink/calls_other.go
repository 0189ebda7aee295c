//go:build !linux

package main

import (
	"errors"
	"io"
)

func playCalls(string, int, io.Reader, io.Writer) error {
	return errors.New("only Linux has the library")
}

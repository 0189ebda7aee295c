//go:build !linux

package main

import "errors"

// A library cannot be loaded here.
type library struct{}

func open(string) (*library, error) { return nil, errors.New("only Linux has the library") }

func (*library) link(options, files []string, read func(string) ([]byte, error)) (image, log []byte, err error) {
	return nil, nil, errors.ErrUnsupported
}

//go:build !linux

package main

import (
	"errors"

	"github.com/culink/culink/conformance/device"
)

func open() (device.Driver, string, error) {
	return nil, "", errors.New("only Linux has the driver here")
}

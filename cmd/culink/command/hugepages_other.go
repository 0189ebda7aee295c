//go:build !linux

package command

// askForHugePages does nothing: other systems have another interface, or none.
func askForHugePages(from, to uintptr) {}

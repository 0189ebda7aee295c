//go:build !linux

package command

// askForHugePages does nothing: other systems have another way, or none.
func askForHugePages(from, to uintptr) {}

//go:build !linux

package command

// askForHugePages does nothing. Other systems have another interface for huge pages, or none.
func askForHugePages(from, to uintptr) {}

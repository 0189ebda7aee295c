//go:build !linux

package conformance

func memoryFolder() string { return "" }

//go:build !linux

package helper

func adopt() {}

func endStrays(map[int]bool) {}

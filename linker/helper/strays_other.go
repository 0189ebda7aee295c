//go:build !linux && !windows

package helper

func adopt() []int { return nil }

func endStrays(map[int]bool) {}

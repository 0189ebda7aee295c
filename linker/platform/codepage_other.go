//go:build !windows

package platform

// toUTF8 returns text as it is. Names of files have no encoding.
func toUTF8(text []byte) []byte { return text }

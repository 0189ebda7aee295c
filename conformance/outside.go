package conformance

// What the packages below this one share with it.

// SplitWords splits a line of the corpus at blanks. A word in double quotes may hold blanks and
// the escapes of a Go string.
func SplitWords(line string) ([]string, error) { return splitWords(line) }

// WriteTree writes files, by their slash-separated names, below a folder.
func WriteTree(dir string, files Files) error { return writeTree(dir, files) }

// Guarded calls a judge, and says how it failed, with the place in the source; empty when it did not (CONF-015).
func Guarded(judge func()) (failure string) { return guarded(judge) }

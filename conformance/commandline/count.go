package commandline

import "fmt"

// Count returns a number with its noun, such as "1 link" or "2 links".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package commandline

import "fmt"

// Count says how many there are of what a noun names: "1 link", "2 links".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package craft

import (
	"fmt"
	"strings"
)

// A Member is one file of an archive.
type Member struct {
	Name string // as the header has it: "a.o/", "/12"
	Data []byte
	Size string // replaces the length of Data
}

// Archive returns an archive of members. It writes their names unchanged.
func Archive(members ...Member) []byte { return archiveOf("!<arch>\n", members) }

// Thin returns a thin archive, in which only the tables have contents.
func Thin(members ...Member) []byte { return archiveOf("!<thin>\n", members) }

func archiveOf(magic string, members []Member) []byte {
	b := []byte(magic)
	for _, m := range members {
		size := m.Size
		if size == "" {
			size = fmt.Sprint(len(m.Data))
		}
		b = fmt.Appendf(b, "%-16s%-12s%-6s%-6s%-8s%-10s`\n", m.Name, "0", "0", "0", "644", size)
		if magic == "!<thin>\n" && !strings.HasPrefix(m.Name, "//") && m.Name != "/" {
			continue
		}
		b = append(b, m.Data...)
		if len(b)%2 == 1 {
			b = append(b, '\n')
		}
	}
	return b
}

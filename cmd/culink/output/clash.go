package output

import (
	"io/fs"
	"os"
)

// If a map, a trace or a package overwrites an input or another output, the user loses data. A file can have many names,
// so files are compared by identity (os.SameFile).

// Clash returns the first name in own that refers to the same file as a name in others, or as an earlier name in own. It
// returns the empty string if there is none. A file that exists counts only if it is regular.
func Clash(own, others []string) string {
	if len(own) == 0 {
		return "" // usually there are no such outputs, and the many inputs need no stat
	}
	var taken []place
	for _, name := range others {
		taken = append(taken, placeOf(name))
	}
	for _, name := range own {
		p := placeOf(name)
		for _, other := range taken {
			if p.same(other) {
				return name
			}
		}
		taken = append(taken, p)
	}
	return ""
}

// A place is an existing file, or the position at which a file would be created.
type place struct {
	file   fs.FileInfo // nil when there is none yet
	folder fs.FileInfo // folder of a file that does not exist yet
	name   string      // name of that file in the folder
}

func placeOf(name string) place {
	target, old, err := find(name)
	if err != nil {
		info, err := os.Stat(name) // the file itself may be readable
		if err != nil {
			return place{}
		}
		return place{file: info}
	}
	if old != nil {
		return place{file: old}
	}
	folder := folderOf(target)
	info, err := os.Stat(folder + ".")
	if err != nil {
		return place{}
	}
	return place{folder: info, name: target[len(folder):]}
}

func (p place) same(q place) bool {
	switch {
	case p.file != nil && q.file != nil:
		return p.file.Mode().IsRegular() && os.SameFile(p.file, q.file)
	case p.folder != nil && q.folder != nil:
		return p.name == q.name && os.SameFile(p.folder, q.folder)
	}
	return false
}

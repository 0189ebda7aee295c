package platform

import (
	"iter"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Base returns the part of a path after its last separator.
func (p *Platform) Base(name string) string {
	return name[strings.LastIndexAny(name, p.Separators)+1:]
}

// Ext returns the suffix of a file's name, starting at its last dot.
func (p *Platform) Ext(name string) string { return path.Ext(p.Base(name)) }

// IsAbs reports whether nvlink treats a path as one that does not depend on the working folder. On Windows
// this includes a path that begins with a separator, or with a drive and no separator (WIN-021).
func (p *Platform) IsAbs(name string) bool {
	if name == "" {
		return false
	}
	return strings.ContainsRune(p.Separators, rune(name[0])) || p.Drives && len(name) > 1 && name[1] == ':'
}

// InFolder returns the path of a file in the folder of a search path. Trailing separators of the folder are
// removed (LOAD-053).
func (p *Platform) InFolder(folder, name string) string {
	return strings.TrimRight(folder, p.Separators) + "/" + name
}

// Places returns the paths at which the files of a [Search] may be, in order: in the folders with the indices which, or, if
// the names are rooted, only at the names themselves.
func (p *Platform) Places(folders []string, which []int, names ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if p.isRooted(names[0]) {
			slices.Values(names)(yield)
			return
		}
		for _, i := range which {
			for _, name := range names {
				if !yield(p.InFolder(folders[i], name)) {
					return
				}
			}
		}
	}
}

// isRooted reports whether the name of -l names a file by itself, without the search paths: it begins with a separator, or
// with a drive and a separator (WIN-860).
func (p *Platform) isRooted(name string) bool {
	if !p.Drives {
		return false
	}
	if len(name) > 2 && name[1] == ':' {
		name = name[2:]
	}
	return name != "" && strings.ContainsRune(p.Separators, rune(name[0]))
}

// A Search is one pass over all search paths for the library of an -l option.
type Search struct {
	Names []string // file names; the first that exists ends the search
	Links bool     // the file is linked; otherwise it is a library of the host, and nothing is linked
}

// Searches returns the passes for the library of an -l option, in order (LOAD-022, WIN-020).
func (p *Platform) Searches(name string) []Search {
	if p.LibraryPrefix != "" {
		return []Search{{Names: []string{p.LibraryPrefix + name + p.SharedSuffix}}, {[]string{p.LibraryPrefix + name + p.LibrarySuffix}, true}}
	}
	all := []Search{{Names: []string{name + p.SharedSuffix, name}}, {[]string{name + p.LibrarySuffix}, true}}
	if strings.HasSuffix(name, p.LibrarySuffix) {
		all = slices.Insert(all, 0, Search{[]string{name}, true})
	}
	return all
}

// IsLibraryName reports whether an input that is not a file is the name of a library, as after -l. On Windows this is
// NAME.lib without a folder (WIN-700).
func (p *Platform) IsLibraryName(name string) bool {
	return p.LibraryPrefix == "" && strings.HasSuffix(name, p.LibrarySuffix) && !strings.ContainsAny(name, p.Separators)
}

// IsNull reports whether the output of that name is discarded (WIN-031). culink on Windows also stands in for nvlink for
// Linux, whose /dev/null does not exist there.
func (p *Platform) IsNull(name string) bool {
	return name == p.Null || p.Drives && strings.EqualFold(name, p.Null)
}

// Opened returns the name by which the running system opens a file whose name is in the bytes of another program. On Windows
// these are in the ANSI code page, unless they are in UTF-8 (WIN-930).
func Opened(name string) string { return string(toUTF8([]byte(name))) }

// Local converts a path of the platform to the syntax of the running system.
func (p *Platform) Local(name string) string {
	if !p.Drives || runtime.GOOS == Windows.Name {
		return name
	}
	return strings.ReplaceAll(name, `\`, "/")
}

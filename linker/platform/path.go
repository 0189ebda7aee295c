package platform

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Base returns what follows the last separator of a path.
func (p *Platform) Base(name string) string {
	return name[strings.LastIndexAny(name, p.Separators)+1:]
}

// Ext returns the suffix of a file's name, from its last dot on.
func (p *Platform) Ext(name string) string { return filepath.Ext(p.Base(name)) }

// IsAbs reports whether nvlink takes a path for one that does not depend on the working folder: on Windows also
// one that begins with a separator, or with a drive and no separator (WIN-021).
func (p *Platform) IsAbs(name string) bool {
	if name == "" {
		return false
	}
	return strings.ContainsRune(p.Separators, rune(name[0])) || p.Drives && len(name) > 1 && name[1] == ':'
}

// InFolder returns the path of a file in the folder of a search path, however many separators that ends with
// (LOAD-053).
func (p *Platform) InFolder(folder, name string) string {
	return strings.TrimRight(folder, p.Separators) + "/" + name
}

// A Search is one look through all search paths for what -l names.
type Search struct {
	Names []string // of files, one of which ends the search
	Links bool     // the file is linked; otherwise it stands for a library of the host, and nothing is
}

// Searches are how nvlink looks for what -l names, one after the other (LOAD-022, WIN-020).
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

// IsNull reports whether an output of that name is written to no file (WIN-031).
func (p *Platform) IsNull(name string) bool { return p.Null != "" && strings.EqualFold(name, p.Null) }

// Local returns a path of the platform as the running system spells it.
func (p *Platform) Local(name string) string {
	if p == Native() || runtime.GOOS == Windows.Name {
		return name
	}
	return strings.ReplaceAll(name, `\`, "/")
}

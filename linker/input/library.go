package input

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
)

// Each library of -l is looked up in each search path. If there are many of both, the names in the folders are
// read once, and only files that may exist are looked up. The number of pairs of a library and a folder then
// costs nothing. Each file that is looked up, and each name that is read, counts as one look-up (LIMIT-001).

// fewLookups is the number of pairs of a library and a search path up to which every pair is looked up. For so
// few, this takes less time than reading the folders.
const fewLookups = 1024

// searchPaths holds the folders of -L.
type searchPaths struct {
	all []int // indices of all folders
	// withName maps a file name in lower case to the folders that contain it. Lower case is used because some
	// systems ignore case. The map is nil if folders are not read.
	withName map[string][]int
	unread   []int // the folders whose names are unknown
}

// readSearchPaths reads the names in the folders of -L, if there are many pairs to look up.
func (l *loader) readSearchPaths() error {
	p := &l.search
	p.all = make([]int, len(l.opt.SearchPaths))
	read := map[string][]int{} // indices by folder
	var folders []string
	for i, dir := range l.opt.SearchPaths {
		p.all[i] = i
		folder := l.path(l.host.InFolder(dir, ""))
		if read[folder] == nil {
			folders = append(folders, folder)
		}
		read[folder] = append(read[folder], i)
	}
	if len(p.all)*len(l.opt.Libraries) <= fewLookups {
		return nil
	}
	p.withName = map[string][]int{}
	for _, folder := range folders {
		info, err := l.own.stat(folder)
		if err == nil && info.IsDir() {
			err = l.readNames(folder, read[folder])
		}
		var exceeded *limit.Error
		switch {
		case errors.As(err, &exceeded):
			return l.exceeded(folder, err)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			p.unread = append(p.unread, read[folder]...)
		}
	}
	for name := range p.withName {
		slices.Sort(p.withName[name])
	}
	return nil
}

// namesAtOnce is the number of names read from a folder at a time.
const namesAtOnce = 1024

// readNames adds the names in a folder. indices are the places of this folder in -L.
func (l *loader) readNames(folder string, indices []int) error {
	f, err := l.own.open(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	d, ok := f.(fs.ReadDirFile)
	if !ok {
		return fs.ErrInvalid
	}
	for {
		entries, err := d.ReadDir(namesAtOnce)
		if err := l.budget.Take(limit.LookUps, uint64(len(entries)*len(indices))); err != nil {
			return err
		}
		for _, e := range entries {
			name := strings.ToLower(e.Name())
			l.search.withName[name] = append(l.search.withName[name], indices...)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// candidates returns the indices of the folders that may contain a file of that name, in order. If the name has
// unusual characters it returns all folders: such a name may have other spellings, or may refer to another
// folder.
func (p *searchPaths) candidates(name string) []int {
	isPlain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("._-+", c)
	}
	if p.withName == nil || strings.HasSuffix(name, ".") || strings.ContainsFunc(name, func(c rune) bool { return !isPlain(c) }) {
		return p.all
	}
	known := p.withName[strings.ToLower(name)]
	if len(p.unread) == 0 {
		return known
	}
	all := slices.Concat(known, p.unread)
	slices.Sort(all)
	return slices.Compact(all)
}

// library finds the library of an -l option. On Linux it is the first libNAME.a in the search paths that
// matches the host architecture. A libNAME.so in any of these paths takes precedence, but contributes nothing,
// so that the result is nil. A library that is not found is skipped (LOAD-022). Libraries are looked up before
// the first input is read, and linked after the last one (LOAD-040).
func (l *loader) library(name string) (*file, error) {
	for _, search := range l.host.Searches(name) {
		f, found, err := l.find(name, search)
		if found || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// find goes through the search paths once. If found is true, the search is over, and f is the library to link,
// or nil if there is nothing to link.
func (l *loader) find(name string, search platform.Search) (f *file, found bool, err error) {
	for _, base := range search.Names {
		for path := range l.host.Places(l.opt.SearchPaths, l.search.candidates(base), base) {
			if err := l.budget.Take(limit.LookUps, 1); err != nil {
				return nil, false, l.exceeded(path, err)
			}
			info, err := l.own.stat(l.path(path))
			switch {
			case err != nil:
				continue
			case !search.Links:
				l.opened(path, nil)
				return nil, true, nil
			case !l.host.ChecksLibrary:
				return &file{name: path}, true, nil
			}
			if f, compatible, err := l.checkedLibrary(name, path, info); compatible || err != nil {
				return f, true, err
			}
		}
	}
	return nil, false, nil
}

// checkedLibrary reads the library of -l at path. f is nil if nothing of it is linked. compatible is false for
// an incompatible library, which is skipped.
func (l *loader) checkedLibrary(name, path string, info fs.FileInfo) (f *file, compatible bool, err error) {
	data, err := l.whole(path, info)
	if err != nil {
		return nil, false, l.unreadable(path, err)
	}
	l.opened(path, data)
	f = &file{name: path, data: data, info: info}
	serves, err := l.servesHost(f, l.host.Machine(l.opt.CPUArch))
	switch {
	case err != nil:
		return nil, false, err
	case !serves:
		l.log.Report(diag.SkippingIncompatible, path, name)
		return nil, false, nil
	case !archive.Is(data):
		return nil, true, nil
	}
	return f, true, nil
}

// libraryFile links a library that was found for -l. If the library was not checked, it is read like any other
// input (WIN-020).
func (l *loader) libraryFile(f *file) error {
	if f.info == nil {
		return l.file(f.name, nil)
	}
	return l.contentFile(f)
}

package lto

import (
	"bytes"
	"cmp"
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A libraryForm describes how the file of NVIDIA's libnvJitLink differs between systems.
type libraryForm struct {
	names   []string // the name in the emulated release comes first
	mark    string   // the name of a library contains it
	folders []string // of a toolkit, with slashes
	exports func(file string) ([]string, error)
}

var (
	sharedObjectForm = libraryForm{
		names: []string{"libnvJitLink.so.13", "libnvJitLink.so"}, mark: ".so",
		folders: []string{"lib", "lib64", "targets/*/lib"},
		exports: exportsOfELF,
	}
	dllForm = libraryForm{
		names: []string{"nvJitLink_130_0.dll"}, mark: ".dll",
		folders: []string{"bin", "bin/x64", "bin/x86_64"}, // the installer has it in x64, the wheel in x86_64
		exports: exportsOfDLL,
	}
)

func (s *Search) libraryForm() *libraryForm {
	if cmp.Or(s.system, runtime.GOOS) == "windows" {
		return &dllForm
	}
	return &sharedObjectForm
}

// isLibrary reports whether name is a library or a folder, and not a command.
func (f *libraryForm) isLibrary(name string) bool {
	if strings.Contains(strings.ToLower(filepath.Base(name)), f.mark) {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// find returns the first libnvJitLink of NVIDIA in places. A place is a file, or a folder whose name may
// contain '*'. looked lists the places that were searched.
func (f *libraryForm) find(places []string) (library string, looked []string) {
	for _, place := range places {
		if slices.Contains(looked, place) {
			continue
		}
		looked = append(looked, place)
		found := []string{place}
		if strings.Contains(place, "*") {
			found, _ = filepath.Glob(place)
		}
		for _, name := range found {
			for _, file := range append([]string{name}, f.inFolder(name)...) {
				if f.isOther(file) {
					return file, looked
				}
			}
		}
	}
	return "", looked
}

// inFolder returns the possible paths of the library in a folder.
func (f *libraryForm) inFolder(dir string) []string {
	var paths []string
	for _, name := range f.names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// isOther reports whether a file is a library other than culink's own.
func (f *libraryForm) isOther(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	exports, err := f.exports(name)
	return err == nil && !slices.Contains(exports, OwnSymbol)
}

func exportsOfELF(name string) ([]string, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	var exports []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			exports = append(exports, s.Name)
		}
	}
	return exports, nil
}

// An exportDirectory is the start of the export table of a DLL.
type exportDirectory struct {
	_     [3]uint32 // flags, time, version
	_     [3]uint32 // name, first ordinal, number of addresses
	Count uint32    // of names
	_     uint32
	Names uint32 // address of the addresses of the names
	_     uint32
}

var errExports = errors.New("no export table")

func exportsOfDLL(name string) ([]string, error) {
	f, err := pe.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	header, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || header.NumberOfRvaAndSizes == 0 {
		return nil, errExports
	}
	table := header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress
	at := slices.IndexFunc(f.Sections, func(s *pe.Section) bool { return s.VirtualAddress <= table && table-s.VirtualAddress < s.VirtualSize })
	if at < 0 {
		return nil, errExports
	}
	data, err := f.Sections[at].Data()
	if err != nil {
		return nil, err
	}
	// The table and its names are in one section.
	from := func(address uint32) []byte {
		return data[min(int64(len(data)), max(0, int64(address)-int64(f.Sections[at].VirtualAddress))):]
	}
	var directory exportDirectory
	if _, err := binary.Decode(from(table), binary.LittleEndian, &directory); err != nil {
		return nil, err
	}
	var exports []string
	for addresses := from(directory.Names); len(addresses) >= 4 && uint32(len(exports)) < directory.Count; addresses = addresses[4:] {
		export, _, _ := bytes.Cut(from(binary.LittleEndian.Uint32(addresses)), []byte{0})
		exports = append(exports, string(export))
	}
	return exports, nil
}

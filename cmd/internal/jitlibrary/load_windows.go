package jitlibrary

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// load loads a DLL and returns its handle. The system looks for the DLLs that it needs in the DLL's folder and in the
// folders of the system. It looks neither in the working folder nor in PATH.
func load(path string) (uintptr, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, err
	}
	handle, err := windows.LoadLibraryEx(path, 0, windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR|windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	return uintptr(handle), err
}

// symbol returns the address of a function of a DLL.
func symbol(library uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(library), name)
}

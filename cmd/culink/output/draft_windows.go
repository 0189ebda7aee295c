package output

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// create creates a file. The name must be new. Windows removes the file when it is closed, even if the process is
// killed, unless [keep] was called. Some file systems do not support this, and there the file remains.
func create(name string) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	const access = windows.GENERIC_READ | windows.GENERIC_WRITE | windows.DELETE
	handle, err := windows.CreateFile(path, access, windows.FILE_SHARE_READ, nil, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(handle), name)
	removeAtClose(f, true)
	return f, nil
}

// keep makes a file remain after it is closed.
func keep(f *os.File) error { return removeAtClose(f, false) }

// removeAtClose sets whether Windows removes an open file when its last handle is closed.
func removeAtClose(f *os.File, remove bool) error {
	var disposition byte // FILE_DISPOSITION_INFO
	if remove {
		disposition = 1
	}
	return windows.SetFileInformationByHandle(windows.Handle(f.Fd()), windows.FileDispositionInfo, &disposition, 1)
}

// rename renames a file and replaces an existing one. Windows refuses if a program has the old file open. This may last
// only a moment, for example while a second linker checks whether it can write the file. So rename tries again for half
// a second.
func rename(from, to string) (err error) {
	for pause := time.Millisecond; pause < 512*time.Millisecond; pause *= 2 {
		err = os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			break
		}
		time.Sleep(pause)
	}
	return err
}

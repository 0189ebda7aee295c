package output

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// Constants of Linux for which package syscall has no names. They are the same on all architectures of Go, except that
// openTemporary contains O_DIRECTORY, whose number differs.
const (
	openTemporary = 0o20000000 | syscall.O_DIRECTORY
	atFolder      = -100  // AT_FDCWD
	followLinks   = 0x400 // AT_SYMLINK_FOLLOW
)

// nameless creates a file without a name. The system removes the file if it is closed before it gets a name. nameless
// fails if the file system does not support such files, or if /proc is missing, which is needed to name them.
func nameless(folder string) (*os.File, error) {
	if folder == "" {
		folder = "."
	}
	f, err := os.OpenFile(folder, os.O_RDWR|openTemporary, 0o666)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(inProc(f)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func inProc(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// giveName gives a name to a nameless file. It returns fs.ErrExist if the name is in use.
func giveName(f *os.File, name string) error {
	from, err := syscall.BytePtrFromString(inProc(f))
	if err != nil {
		return err
	}
	to, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	folder := atFolder
	_, _, errno := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(folder), uintptr(unsafe.Pointer(from)),
		uintptr(folder), uintptr(unsafe.Pointer(to)), followLinks, 0)
	if errno != 0 {
		return &fs.PathError{Op: "link", Path: name, Err: errno}
	}
	return nil
}

// endingSignals are the signals with which a user or a program ends a process.
var endingSignals = []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM}

// uninterrupted runs f and ignores endingSignals meanwhile. f takes a short time. A thread that handles the signals
// would cost a sixth of the time of a small link.
func uninterrupted(f func()) {
	type action [5]uintptr // at least as large as the kernel's, which begins with the handler
	change := func(s syscall.Signal, to, old *action) {
		const setBytes = 8
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(old)), setBytes, 0, 0)
	}
	const ignore = 1 // SIG_IGN
	for _, s := range endingSignals {
		var old action
		change(s, &action{ignore}, &old)
		defer change(s, &old, nil)
	}
	f()
}

// replaceable reports whether a new file could replace this one without loss. The file must have no access list and no
// other extended attribute, except labels that the system sets on new files.
func replaceable(name string) bool {
	size, err := syscall.Listxattr(name, nil)
	if err != nil || size == 0 {
		return true // the file, or the file system, has none
	}
	const most = 1 << 16
	names := make([]byte, most)
	n, err := syscall.Listxattr(name, names)
	if err != nil {
		return true
	}
	for attribute := range strings.SplitSeq(string(names[:n]), "\x00") {
		if attribute != "" && !strings.HasPrefix(attribute, "security.") {
			return false
		}
	}
	return true
}

//go:build amd64 || arm64

package confine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock cannot restrict changes of modes and dates: a program that can name a file of its user can change both,
// wherever the file is. So the kernel passes such calls to the supervisor. The supervisor opens the file, checks where
// it is, and changes the opened file. A program that changes the name or its memory meanwhile does not affect that.

// A changeOfFile describes the arguments of a call that changes a file. Each number is the position of an argument, or
// none.
type changeOfFile struct {
	folder, path       int // the folder in which the path starts; without a path, the file itself
	mode, times, flags int
	unit               unit // of times
}

const none = -1

// A unit is the unit of the fractions of a second in a time.
type unit int64

const (
	seconds      unit = 0
	microseconds unit = 1000
	nanoseconds  unit = 1
)

// A broker performs the calls that the kernel passes on for one program.
type broker struct {
	calls *os.File
	write []string // folders in which files may be changed, with symbolic links resolved
}

// A notification is a system call that the kernel passes on.
type notification struct {
	id        uint64
	thread    uint32
	flags     uint32
	call      uint32
	arch      uint32
	where     uint64
	arguments [6]uint64
}

// A response completes a call.
type response struct {
	id    uint64
	value int64
	errno int32 // negative
	flags uint32
}

// newBroker makes a broker that performs calls until it is closed.
func newBroker(calls *os.File, write []string) (*broker, error) {
	b := &broker{calls: calls}
	for _, folder := range write {
		real, err := filepath.EvalSymlinks(folder)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		b.write = append(b.write, real)
	}
	raw, err := calls.SyscallConn()
	if err != nil {
		return nil, err
	}
	go func() {
		_ = raw.Read(func(fd uintptr) (done bool) { // Read returns when the file is closed
			for {
				switch ready := readiness(fd); {
				case ready&unix.POLLIN != 0:
					b.answer(fd)
				case ready != 0: // no process is left that could make a call
					return true
				default:
					return false
				}
			}
		})
	}()
	return b, nil
}

// close ends the broker. Calls that wait for it then fail.
func (b *broker) close() {
	if b != nil {
		b.calls.Close()
	}
}

// readiness returns the events of a descriptor. Without an event, receiving a call would block.
func readiness(fd uintptr) int16 {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if n, err := unix.Poll(poll, 0); n <= 0 || err != nil {
		return 0
	}
	return poll[0].Revents
}

// answer receives a call and answers it.
func (b *broker) answer(fd uintptr) {
	var n notification
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return // the caller has ended
	}
	waits := func() bool {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, uintptr(unsafe.Pointer(&n.id)))
		return errno == 0
	}
	r := response{id: n.id}
	if err := b.change(&n, waits); err != nil {
		errno := unix.EPERM
		_ = errors.As(err, &errno)
		r.errno = -int32(errno)
	}
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, fd, unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&r)))
	runtime.KeepAlive(&r)
}

// change performs a call. waits reports whether the caller still waits for the call. If it does not, another process may
// have its process id.
func (b *broker) change(n *notification, waits func() bool) error {
	c, ok := changesOfFiles[n.call]
	if !ok {
		return unix.EPERM
	}
	argument := func(i int) uint64 {
		if i == none {
			return 0
		}
		return n.arguments[i]
	}
	var path string
	hasPath := c.path != none && (argument(c.path) != 0 || c.mode != none) // futimens has none
	var times [2]unix.Timespec
	var err error
	if hasPath {
		if path, err = readString(n.thread, argument(c.path)); err != nil {
			return err
		}
	}
	if c.mode == none {
		if times, err = readTimes(n.thread, argument(c.times), c.unit); err != nil {
			return err
		}
	}
	file, err := openFor(n.thread, c, argument(c.folder), path, hasPath, argument(c.flags))
	if err != nil {
		return err
	}
	defer unix.Close(file)
	self := fmt.Sprintf("/proc/self/fd/%d", file)
	name, err := os.Readlink(self)
	if err != nil {
		return err
	}
	if !waits() || !slices.ContainsFunc(b.write, func(folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }) {
		return unix.EPERM
	}
	if c.mode == none {
		return unix.UtimesNanoAt(file, "", times[:], unix.AT_EMPTY_PATH)
	}
	mode := uint32(argument(c.mode))
	if mode&(unix.S_ISUID|unix.S_ISGID) != 0 {
		return unix.EPERM
	}
	return unix.Fchmodat(unix.AT_FDCWD, self, mode, 0)
}

// openFor opens the file of a call with O_PATH.
func openFor(thread uint32, c changeOfFile, folder uint64, path string, hasPath bool, flags uint64) (int, error) {
	const place = unix.O_PATH | unix.O_CLOEXEC
	of := func(what string) string { return fmt.Sprintf("/proc/%d/%s", thread, what) }
	start := of("cwd")
	if c.folder != none && int32(folder) != unix.AT_FDCWD {
		start = of(fmt.Sprintf("fd/%d", int32(folder)))
	}
	switch {
	case !hasPath, path == "" && flags&unix.AT_EMPTY_PATH != 0:
		return unix.Open(start, place, 0)
	case path == "":
		return -1, unix.ENOENT
	}
	how := place
	if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how |= unix.O_NOFOLLOW
	}
	if filepath.IsAbs(path) {
		return unix.Open(path, how, 0)
	}
	dir, err := unix.Open(start, place|unix.O_DIRECTORY, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(dir)
	return unix.Openat(dir, path, how, 0)
}

// readMemory reads the memory of a thread at an address, up to the size of data or the end of the mapping.
func readMemory(thread uint32, at uint64, data []byte) (int, error) {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", thread))
	if err != nil {
		return 0, err
	}
	defer memory.Close()
	n, err := memory.ReadAt(data, int64(at))
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return 0, unix.EFAULT
	}
	return n, nil
}

// readString reads a C string.
func readString(thread uint32, at uint64) (string, error) {
	data := make([]byte, unix.PathMax)
	n, err := readMemory(thread, at, data)
	if err != nil {
		return "", err
	}
	end := slices.Index(data[:n], 0)
	switch {
	case end >= 0:
		return string(data[:end]), nil
	case n == len(data):
		return "", unix.ENAMETOOLONG
	}
	return "", unix.EFAULT
}

// readTimes reads two times. The null address means the current time.
func readTimes(thread uint32, at uint64, u unit) (times [2]unix.Timespec, err error) {
	if at == 0 {
		now := unix.Timespec{Nsec: unix.UTIME_NOW}
		return [2]unix.Timespec{now, now}, nil
	}
	words := 4
	if u == seconds {
		words = 2
	}
	data := make([]byte, 8*words)
	if n, err := readMemory(thread, at, data); err != nil || n < len(data) {
		return times, unix.EFAULT
	}
	word := func(i int) int64 { return int64(binary.NativeEndian.Uint64(data[8*i:])) }
	for i := range times {
		if u == seconds {
			times[i].Sec = word(i)
			continue
		}
		times[i] = unix.Timespec{Sec: word(2 * i), Nsec: word(2*i+1) * int64(u)}
		if u == microseconds && (times[i].Nsec < 0 || times[i].Nsec >= 1e9) {
			return times, unix.EINVAL
		}
	}
	return times, nil
}

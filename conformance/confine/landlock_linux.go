package confine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock restricts a thread and everything that it starts, permanently. A ruleset lists the kinds of access that it
// handles. Landlock denies these kinds, except below the files for which a rule allows them. Newer kernels know more
// kinds. A kind that the kernel does not know stays allowed.
//
// This file calls the kernel directly. The usual library restricts all threads of a process, and uses C if a C compiler
// is installed. Here only one thread must be restricted.

// handled lists the kinds of access to files, each with the first version of Landlock that knows it.
var handled = []struct {
	since  int
	access uint64
}{
	{1, unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM},
	{2, unix.LANDLOCK_ACCESS_FS_REFER},
	{3, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
	{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
}

const (
	toRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	toWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	ofFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	networkSince = 4
	scopeSince   = 6 // signals, and abstract sockets
)

// ofDevices is access to devices. A program does not get it even in its own folders.
const ofDevices = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK

// devices lists the devices that every program may use.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// version returns the version of the kernel's Landlock, or 0 if the kernel has none or forbids it.
func version() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// restrict applies the rules to this thread and everything that it starts, as far as the kernel allows. It returns the
// restrictions that work, and the broker for the calls that the filter passes on, if there is one.
func restrict(r Rules) (h held, b *broker, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return h, nil, fmt.Errorf("no new privileges: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return h, nil, err
	}
	h.Landlock = version()
	if err := restrictFiles(r, h.Landlock); err != nil {
		return h, nil, err
	}
	changes, taken, err := filterCalls()
	if err != nil || changes == nil {
		h.Filter = taken
		return h, nil, err
	}
	h.Filter, h.Broker = true, true
	b, err = newBroker(changes, r.Write)
	return h, b, err
}

// restrictFiles restricts this thread with version v of Landlock.
func restrictFiles(r Rules, v int) error {
	if v == 0 {
		return nil
	}
	var attr unix.LandlockRulesetAttr
	for _, h := range handled {
		if v >= h.since {
			attr.Access_fs |= h.access
		}
	}
	if v >= networkSince {
		attr.Access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if v >= scopeSince {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	size := unsafe.Sizeof(attr)
	switch { // an older kernel rejects kinds that it does not know
	case v < networkSince:
		size = unsafe.Offsetof(attr.Access_net)
	case v < scopeSince:
		size = unsafe.Offsetof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("landlock ruleset: %w", errno)
	}
	defer unix.Close(int(fd))
	allowTo := func(name string, access uint64) error { return allowBelow(int(fd), name, access&attr.Access_fs) }
	var err error
	for _, name := range r.Write {
		err = errors.Join(err, allowTo(name, attr.Access_fs&^ofDevices))
	}
	for _, name := range devices {
		err = errors.Join(err, allowTo(name, toWrite))
	}
	for _, name := range slices.Concat(system, r.Read) {
		err = errors.Join(err, allowTo(name, toRead))
	}
	if err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// allowBelow allows access to a file, or to everything in a folder. It does nothing if the file does not exist.
func allowBelow(ruleset int, name string, access uint64) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("landlock rule for %q: %w", name, err)
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return fmt.Errorf("landlock rule for %q: %w", name, err)
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock rule for %q: %w", name, errno)
	}
	return nil
}

package confine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock restricts a thread and everything that it starts, permanently. A ruleset names the kinds of access that it
// handles. These are denied, except below the files for which a rule allows them. Newer kernels know more kinds; a kind
// that a kernel does not know stays allowed.
//
// The system calls are made directly. The library for them restricts all threads of a process, through C if a C
// compiler is installed; here only one thread has to be restricted.

// handled are the kinds of access to files, by the first version of Landlock that has them.
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

// ofDevices is access to devices, which a program does not get in its own folders either.
const ofDevices = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK

// devices are the devices that every program may use.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// version returns the version of the kernel's Landlock; 0 if it has none, or forbids it.
func version() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// restrict restricts this thread and everything that it starts to the rules, as far as the kernel allows. It returns
// what holds, and the broker, if any, that answers the calls passed on by the filter.
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

// restrictFiles restricts this thread, using a version of Landlock.
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
	switch { // an older kernel rejects what it does not know
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

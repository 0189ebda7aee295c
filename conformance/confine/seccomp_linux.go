//go:build amd64 || arm64

package confine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A system call filter rejects calls that Landlock cannot restrict. The filter is a small program that the kernel runs
// before each call, on the number and the arguments of the call. It rejects four families of calls:
//   - calls that reach another process or the kernel's settings;
//   - calls that create something that outlives the program or that no limit counts;
//   - calls that change the owner, flags, attributes or locks of a file;
//   - calls that make connections.
//
// The filter passes changes of modes and dates to the supervisor (broker_linux.go), which can check the file first.

// architecture is the kernel's number for the architecture.
var architecture = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// Offsets in the input of the filter.
const (
	atNumber       = 0
	atArchitecture = 4
	atArguments    = 16 // the low half of argument i is at 16 + 8*i
)

// otherNumbering is a bit in the call numbers that amd64 uses for programs with 32-bit pointers.
const otherNumbering = 0x40000000

// newNamespaces holds the flags of clone that create a namespace.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET

// These requests of ioctl are defined in the system's headers, but not in package unix.
const (
	requestExtents      = 0xc020660b // FS_IOC_FIEMAP
	requestAttributes   = 0x801c581f // FS_IOC_FSGETXATTR
	requestSameContents = 0xc0189436 // FIDEDUPERANGE
	requestOwner        = 0x8901     // FIOSETOWN
	requestGroup        = 0x8902     // SIOCSPGRP
)

// Bits of the arguments of calls that make files.
const (
	makesFile = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY // the call uses its mode
	setID     = unix.S_ISUID | unix.S_ISGID
)

// kindOfSocket selects the bits of a socket's type without its flags.
const kindOfSocket = 0xf

// A family is a list of calls that are not carried out, whatever their arguments are. errno 0 lets a call succeed.
type family struct {
	errno unix.Errno
	calls []uint32
}

// refused lists the calls that always fail.
var refused = []family{
	// These calls make connections: sockets, and io_uring, which can create sockets. A pair of connected sockets stays
	// allowed, because it reaches only the program itself.
	{unix.EACCES, []uint32{unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_IO_URING_SETUP}},
	// A message between the program's own sockets can hold open files, and so can a ruleset of Landlock. Such files are not
	// counted.
	{unix.EACCES, []uint32{unix.SYS_SENDMSG, unix.SYS_SENDMMSG}},
	{unix.EOPNOTSUPP, []uint32{unix.SYS_LANDLOCK_CREATE_RULESET}},
	// Options of sockets make their buffers large, and hold filters. Neither is counted.
	{unix.EPERM, []uint32{unix.SYS_SETSOCKOPT}},
	// These calls keep memory in a pipe after the program has given it back: one byte keeps a whole large page. A program
	// that cannot use them copies the data.
	{unix.EINVAL, []uint32{unix.SYS_VMSPLICE, unix.SYS_SPLICE, unix.SYS_TEE, unix.SYS_SENDFILE}},
	// These calls take memory of the kernel that no process is charged for, from a small supply for the whole system.
	{unix.ENOSYS, []uint32{unix.SYS_IO_SETUP}},
	{unix.EPERM, []uint32{unix.SYS_SECCOMP}},
	// This call fills a disk at once, before files are counted. The C library then writes the file instead.
	{unix.EOPNOTSUPP, []uint32{unix.SYS_FALLOCATE}},
	// These calls make other programs wait for the disk. They do nothing here, and succeed.
	{0, []uint32{unix.SYS_SYNC, unix.SYS_SYNCFS}},
	// A filter cannot see the mode in the arguments of openat2. Programs then use openat.
	{unix.ENOSYS, []uint32{unix.SYS_OPENAT2}},
	// These calls watch files that the program may not read. They also use up the watchers, of which the system gives each user few.
	{unix.EACCES, []uint32{unix.SYS_INOTIFY_ADD_WATCH}},
	{unix.EMFILE, []uint32{unix.SYS_INOTIFY_INIT1}},
	// These calls reveal names of folders that the program may not read.
	{unix.ENOSYS, []uint32{unix.SYS_LISTMOUNT, unix.SYS_STATMOUNT}},
	// This memory outlives the program or belongs to no process. A program that cannot get it uses a file instead.
	{unix.ENOSYS, []uint32{
		unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL,
		unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
		unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	}},
	// A filter cannot see the arguments of clone3. The C library then uses clone.
	{unix.ENOSYS, []uint32{unix.SYS_CLONE3}},
	// These calls change owners, attributes and flags.
	{unix.EPERM, []uint32{unix.SYS_FCHOWN, unix.SYS_FCHOWNAT}},
	{unix.EOPNOTSUPP, []uint32{
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
		unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_FGETXATTR, unix.SYS_GETXATTRAT,
		unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_FLISTXATTR, unix.SYS_LISTXATTRAT,
	}},
	{unix.ENOLCK, []uint32{unix.SYS_FLOCK}},
	// These calls affect other processes.
	{unix.EPERM, []uint32{
		unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PIDFD_GETFD,
		unix.SYS_KCMP, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_PERF_EVENT_OPEN,
	}},
	// These calls could affect the kernel even from a program without capabilities, or they create namespaces, in which the
	// program could make all other calls.
	{unix.EPERM, []uint32{
		unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_SYSLOG, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR,
		unix.SYS_MOUNT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_OPEN_BY_HANDLE_AT,
	}},
}

// A test decides about a call by the value of one argument.
type test struct {
	argument int
	mask     uint32 // bits of the argument to compare; 0: all
	value    uint32
	not      bool // the argument has another value
	verdict  uint32
}

const allow = unix.SECCOMP_RET_ALLOW

// refuse is the verdict that makes a call fail.
func refuse(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// ofItself returns tests that allow a call only with argument 0, which means the caller itself.
func ofItself(argument int) []test {
	return []test{{argument: argument, not: true, verdict: refuse(unix.EPERM)}}
}

// makesPlainFile returns tests that reject a call that makes a file with the user ID or group ID of its owner.
func makesPlainFile(flags, mode int) []test {
	return []test{{argument: flags, mask: makesFile, verdict: allow}, {argument: mode, mask: setID, not: true, verdict: refuse(unix.EPERM)}}
}

// A testedCall is a call on which arguments decide.
type testedCall struct {
	call  uint32
	tests []test
}

// tested lists the calls on which arguments decide. The first matching test decides. If none matches, the call is
// allowed.
var tested = []testedCall{
	{unix.SYS_PRLIMIT64, ofItself(0)},
	{unix.SYS_SETPRIORITY, slices.Concat(ofItself(0), ofItself(1))}, // for one process, not for a group or a user
	{unix.SYS_IOPRIO_SET, append(ofItself(1), test{argument: 0, value: 1, not: true, verdict: refuse(unix.EPERM)})},
	{unix.SYS_SCHED_SETAFFINITY, ofItself(0)},
	{unix.SYS_SCHED_SETSCHEDULER, ofItself(0)},
	{unix.SYS_SCHED_SETPARAM, ofItself(0)},
	{unix.SYS_SCHED_SETATTR, ofItself(0)},
	{unix.SYS_CLONE, []test{{argument: 0, mask: newNamespaces, not: true, verdict: refuse(unix.EPERM)}}},
	// The supervisor uses the first two requests to stop the program before its first instruction.
	{unix.SYS_PTRACE, []test{
		{value: unix.PTRACE_TRACEME, verdict: allow}, {value: unix.PTRACE_DETACH, verdict: allow},
		{value: ^uint32(0), not: true, verdict: refuse(unix.EPERM)},
	}},
	// A datagram socket of a pair could also send to other sockets, by their file names.
	{unix.SYS_SOCKETPAIR, []test{
		{argument: 0, value: unix.AF_UNIX, not: true, verdict: refuse(unix.EACCES)},
		{argument: 1, mask: kindOfSocket, value: unix.SOCK_STREAM, verdict: allow},
		{argument: 1, mask: kindOfSocket, value: unix.SOCK_SEQPACKET, not: true, verdict: refuse(unix.EACCES)},
	}},
	{unix.SYS_PRCTL, []test{
		{value: unix.PR_SET_DUMPABLE, verdict: refuse(unix.EPERM)}, // other processes cannot see the files of a process that cannot be inspected
		{value: unix.PR_SET_SECCOMP, verdict: refuse(unix.EPERM)},
	}},
	// Shared memory stays allocated as a whole while one page of it is mapped. Large pages come from a supply for the whole
	// system.
	{unix.SYS_MMAP, []test{
		{argument: 3, mask: unix.MAP_HUGETLB, not: true, verdict: refuse(unix.ENOMEM)},
		{argument: 3, mask: unix.MAP_ANONYMOUS, verdict: allow},
		{argument: 3, mask: unix.MAP_SHARED, not: true, verdict: refuse(unix.ENOMEM)},
	}},
	{unix.SYS_OPENAT, makesPlainFile(2, 3)},
	{unix.SYS_MKNODAT, []test{{argument: 2, mask: setID, not: true, verdict: refuse(unix.EPERM)}}},
	{unix.SYS_FCNTL, fileControls},
	{unix.SYS_IOCTL, deviceControls},
}

// fileControls rejects locks, leases, and signals to another process when a file becomes readable.
var fileControls = func() (tests []test) {
	for _, command := range []uint32{unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_SETLK, unix.F_OFD_SETLKW, unix.F_SETLEASE, unix.F_NOTIFY} {
		tests = append(tests, test{argument: 1, value: command, verdict: refuse(unix.ENOLCK)})
	}
	for _, command := range []uint32{unix.F_SETOWN, unix.F_SETOWN_EX} {
		tests = append(tests, test{argument: 1, value: command, verdict: refuse(unix.EPERM)})
	}
	return tests
}()

// deviceControls rejects requests to file systems, except those that change nothing or only contents. It also rejects
// requests that simulate input on a terminal, and requests for a signal to another process when a socket becomes
// readable.
var deviceControls = func() (tests []test) {
	for _, request := range []uint32{unix.FS_IOC_GETFLAGS, unix.FICLONE, unix.FICLONERANGE, requestExtents, requestAttributes, requestSameContents} {
		tests = append(tests, test{argument: 1, value: request, verdict: allow})
	}
	for _, kind := range []uint32{'f', 'v', 'X', 0x94} { // all file systems, inode versions, XFS, btrfs
		tests = append(tests, test{argument: 1, mask: 0xff00, value: kind << 8, verdict: refuse(unix.EPERM)})
	}
	for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSCTTY, requestOwner, requestGroup} {
		tests = append(tests, test{argument: 1, value: request, verdict: refuse(unix.EPERM)})
	}
	return tests
}()

// load, jump and end return instructions of a filter.
func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

func jump(test uint16, k uint32, yes, no int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: uint8(yes), Jf: uint8(no), K: k}
}

func end(verdict uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict}
}

// instructions returns the instructions of a test.
func (t test) instructions() []unix.SockFilter {
	code := []unix.SockFilter{load(atArguments + 8*uint32(t.argument))}
	if t.mask != 0 {
		code = append(code, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: t.mask})
	}
	if t.not {
		return append(code, jump(unix.BPF_JEQ, t.value, 1, 0), end(t.verdict))
	}
	return append(code, jump(unix.BPF_JEQ, t.value, 0, 1), end(t.verdict))
}

// A decision is the filter's reaction to one call.
type decision struct {
	call uint32
	body []unix.SockFilter // which ends the filter
}

// decisions returns the decisions about all calls that the filter knows, sorted by number. changes is the verdict on
// calls that change modes and dates.
func decisions(changes uint32) (all []decision) {
	for _, r := range slices.Concat(tested, testedToo) {
		var body []unix.SockFilter
		for _, t := range r.tests {
			body = append(body, t.instructions()...)
		}
		all = append(all, decision{r.call, append(body, end(allow))})
	}
	for _, family := range slices.Concat(refused, refusedToo) {
		for _, call := range family.calls {
			all = append(all, decision{call, []unix.SockFilter{end(refuse(family.errno))}})
		}
	}
	for call := range changesOfFiles {
		all = append(all, decision{call, []unix.SockFilter{end(changes)}})
	}
	slices.SortFunc(all, func(a, b decision) int { return cmp.Compare(a.call, b.call) })
	return all
}

// search returns code that finds the decision about a call by binary search. The search must be short, because the
// kernel runs a new filter once for every call number.
func search(all []decision) (code []unix.SockFilter) {
	const few = 3
	if len(all) <= few {
		for _, d := range all {
			code = append(append(code, jump(unix.BPF_JEQ, d.call, 0, len(d.body))), d.body...)
		}
		return append(code, end(allow))
	}
	half := len(all) / 2
	low := search(all[:half])
	over := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(low))}
	return slices.Concat([]unix.SockFilter{jump(unix.BPF_JGE, all[half].call, 0, 1), over}, low, search(all[half:]))
}

// filter returns the program of the filter.
func filter(changes uint32) []unix.SockFilter {
	return append([]unix.SockFilter{
		load(atArchitecture),
		jump(unix.BPF_JEQ, architecture, 1, 0),
		end(refuse(unix.ENOSYS)), // 32-bit programs number their calls differently
		load(atNumber),
		jump(unix.BPF_JGE, otherNumbering, 0, 1),
		end(refuse(unix.ENOSYS)),
	}, search(decisions(changes))...)
}

// The filters are the same for every program. They are built when the first program starts, because many executables
// contain this package and never start a program.
var (
	brokered   = sync.OnceValue(func() []unix.SockFilter { return filter(unix.SECCOMP_RET_USER_NOTIF) })
	unbrokered = sync.OnceValue(func() []unix.SockFilter { return filter(refuse(unix.EPERM)) })
)

// filterCalls makes this thread and everything that it starts run with the filter. On the file changes, the supervisor
// receives calls that change modes and dates. changes is nil if the kernel or an outer filter does not let the
// supervisor perform these calls. They are then rejected. taken reports whether the kernel and the container accept a
// filter.
func filterCalls() (changes *os.File, taken bool, err error) {
	install := func(code []unix.SockFilter, flags uintptr) (uintptr, unix.Errno) {
		program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
		fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
		return fd, errno
	}
	const listen = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	for _, flags := range []uintptr{listen | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, listen} {
		fd, errno := install(brokered(), flags)
		if errno == 0 {
			if err := unix.SetNonblock(int(fd), true); err != nil {
				return nil, true, errors.Join(err, unix.Close(int(fd)))
			}
			return os.NewFile(fd, "changes of files"), true, nil
		}
	}
	switch _, errno := install(unbrokered(), 0); errno {
	case 0:
		return nil, true, nil
	case unix.EPERM, unix.EACCES, unix.EINVAL, unix.ENOSYS:
		return nil, false, nil
	default:
		return nil, false, fmt.Errorf("filter of system calls: %w", errno)
	}
}

//go:build linux

package confine

import "golang.org/x/sys/unix"

// refusedToo lists calls that always fail and that exist only on some machines.
var refusedToo = []family{
	{unix.EPERM, []uint32{unix.SYS_CHOWN, unix.SYS_LCHOWN}},
	{unix.EMFILE, []uint32{unix.SYS_INOTIFY_INIT}},
}

// testedToo lists calls on which arguments decide and that exist only on some machines.
var testedToo = []testedCall{
	{unix.SYS_OPEN, makesPlainFile(1, 2)},
	{unix.SYS_CREAT, []test{{argument: 1, mask: setID, not: true, verdict: refuse(unix.EPERM)}}},
	{unix.SYS_MKNOD, []test{{argument: 1, mask: setID, not: true, verdict: refuse(unix.EPERM)}}},
}

// changesOfFiles describes the calls that change modes and dates.
var changesOfFiles = map[uint32]changeOfFile{
	unix.SYS_CHMOD:     {folder: none, path: 0, mode: 1, times: none, flags: none},
	unix.SYS_FCHMOD:    {folder: 0, path: none, mode: 1, times: none, flags: none},
	unix.SYS_FCHMODAT:  {folder: 0, path: 1, mode: 2, times: none, flags: none},
	unix.SYS_FCHMODAT2: {folder: 0, path: 1, mode: 2, times: none, flags: 3},
	unix.SYS_UTIME:     {folder: none, path: 0, mode: none, times: 1, unit: seconds, flags: none},
	unix.SYS_UTIMES:    {folder: none, path: 0, mode: none, times: 1, unit: microseconds, flags: none},
	unix.SYS_FUTIMESAT: {folder: 0, path: 1, mode: none, times: 2, unit: microseconds, flags: none},
	unix.SYS_UTIMENSAT: {folder: 0, path: 1, mode: none, times: 2, unit: nanoseconds, flags: 3},
}

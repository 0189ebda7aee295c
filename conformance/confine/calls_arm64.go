//go:build linux

package confine

import "golang.org/x/sys/unix"

// refusedToo lists calls that always fail and that exist only on some machines.
var refusedToo []family

// testedToo lists calls on which arguments decide and that exist only on some machines.
var testedToo []testedCall

// changesOfFiles describes the calls that change modes and dates.
var changesOfFiles = map[uint32]changeOfFile{
	unix.SYS_FCHMOD:    {folder: 0, path: none, mode: 1, times: none, flags: none},
	unix.SYS_FCHMODAT:  {folder: 0, path: 1, mode: 2, times: none, flags: none},
	unix.SYS_FCHMODAT2: {folder: 0, path: 1, mode: 2, times: none, flags: 3},
	unix.SYS_UTIMENSAT: {folder: 0, path: 1, mode: none, times: 2, unit: nanoseconds, flags: 3},
}

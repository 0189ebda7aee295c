// Package confine runs an untrusted program: a linker under test, or any linker on a packed link from a stranger.
//
// On Linux, four mechanisms protect the machine. Landlock, a part of the kernel, restricts the program and its
// descendants: they can write only in their own folders. They can read there, the files of the system that every user
// can read, and the files that the rules list. They cannot reach a network, or signal a process that they have not
// started. A system call filter rejects sockets, changes of owners, locks, and calls that reach other processes. Modes
// and dates are changed on behalf of the program, and only in its folders. The program has no capabilities and cannot
// inspect the process that runs it. Limits on memory and files are set before its first instruction. A supervisor,
// which is this program started again, adopts every process that the program leaves behind, in whatever group or
// session. It kills them all when the program has ended or its time is up.
//
// If the kernel lacks one of these, or a container forbids it, the others still hold. [Describe] reports which hold.
package confine

import (
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// NotHeld precedes, in the text that [Describe] returns, the guards that do not hold. It occurs only there.
const NotHeld = "NOT HELD"

// system are the files that every program may read: the system's programs, libraries and data, and the kernel files
// that these read. Files of users, services and other processes are not among them.
var system = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/opt", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives", "/etc/localtime", "/etc/locale.alias", "/etc/perl",
	"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/sys",
}

// OfSystem reports whether every program may read the file with this absolute name.
func OfSystem(name string) bool {
	return slices.ContainsFunc(system, func(s string) bool { return name == s || strings.HasPrefix(name, s+"/") })
}

// A Command is a program to run.
type Command struct {
	Path   string
	Args   []string // with the program's name
	Dir    string   // where it runs
	Env    []string
	Stdin  *os.File // nil: empty
	Stdout io.Writer
	Stderr io.Writer

	Rules  Rules
	Limits Limits
	Alone  bool // on one processor, if the system allows it
}

// Rules state which files the program can reach.
type Rules struct {
	Trusted bool     // all files; the limits still hold
	Write   []string // folders that it can read and write
	Read    []string // files and folders that it can read and run, in addition to those of the system
}

// Limits are upper bounds for the program and its descendants together; 0 is no limit.
type Limits struct {
	Memory uint64 // bytes of address space for each process, and of memory for all of them
	File   uint64 // bytes of one file
	Disk   uint64 // bytes on disk in the folders of Rules.Write
}

// MostEntries is the largest number of files and folders in the folders of Rules.Write.
const MostEntries = 1 << 16

// A Result states how the program ended.
type Result struct {
	Exit int // 128+n after signal n, as a shell counts
	// Killed is the limit that the program exceeded: "memory", "disk" or "processes"; else empty.
	Killed string
	Usage  Usage

	held held // what confined it
}

// A Usage is the cost of the program, without that of the supervisor.
type Usage struct {
	Wall   time.Duration
	CPU    time.Duration // of user and system, including children that it waited for
	Memory int64         // peak, in bytes; 0 if the system does not report it
}

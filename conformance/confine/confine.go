// Package confine runs an untrusted program: a linker under test, or any linker on a packed link from a stranger.
//
// On Linux, four mechanisms protect the machine.
//
// Landlock, a part of the kernel, restricts the program and its descendants. They can write only in their own folders.
// They can read there, the files of the system that every user can read, and the files that the rules list. They cannot
// reach a network, or signal a process that they have not started.
//
// A system call filter rejects sockets, changes of owners, locks, and calls that reach other processes. A separate
// process changes modes and dates for the program, only in the program's folders.
//
// The program has no capabilities and cannot inspect the process that runs it. Limits on memory and files are set before
// its first instruction.
//
// A supervisor adopts every process that the program leaves behind, in any group or session. It kills them all when the
// program has ended or its time is up. The supervisor is this executable, started again.
//
// If the kernel lacks one of these mechanisms, or a container forbids it, the others still work. [Describe] lists those
// that work.
package confine

import (
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// NotHeld occurs in the text that [Describe] returns, before the mechanisms that do not work.
const NotHeld = "NOT HELD"

// system lists the files that every program may read: programs, libraries and data of the system, and the files of the
// kernel that these read. It has no files of users, services or other processes.
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
	Args   []string // arguments, the program's name first
	Dir    string   // working folder
	Env    []string
	Stdin  *os.File // nil: empty
	Stdout io.Writer
	Stderr io.Writer

	Rules  Rules
	Limits Limits
	Alone  bool // run it on one processor, if the system allows that
}

// Rules determine which files the program can reach.
type Rules struct {
	Trusted bool     // all files; the limits still hold
	Write   []string // folders that it can read and write
	Read    []string // files and folders that it can read and run, in addition to those of the system
}

// Limits apply to the program and its descendants together. 0 means no limit.
type Limits struct {
	Memory uint64 // bytes of address space of each process, and bytes of memory of all processes
	File   uint64 // bytes of one file
	Disk   uint64 // bytes on disk in the folders of Rules.Write
}

// MostEntries is the largest number of files and folders in the folders of Rules.Write.
const MostEntries = 1 << 16

// A Result describes how the program ended.
type Result struct {
	Exit int // 128+n after signal n, as a shell counts
	// Killed names the limit that the program exceeded: "memory", "disk" or "processes". It is empty if none was exceeded.
	Killed string
	Usage  Usage

	held held // restrictions that confined it
}

// A Usage has the resources that the program used, without those of the supervisor.
type Usage struct {
	Wall   time.Duration
	CPU    time.Duration // of user and system, including children that it waited for
	Memory int64         // peak, in bytes; 0 if the system does not report it
}

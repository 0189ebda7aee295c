// Package confine runs a program that nobody vouches for: a linker under test, or any linker on
// what a stranger has packed.
//
// On Linux four things stand between such a program and the machine. Landlock, a part of the
// kernel, lets it and all that it starts write in its own folders only, read there, what the system has
// for everybody and what it is told, reach no network, and signal no process that is not of its making. A filter of
// system calls refuses sockets, other owners, locks, and what reaches other processes; modes and dates are
// changed for it, in its folders alone. It has no capabilities, and cannot look into who runs it.
// Limits on memory and files are set before its first instruction. And a supervisor, which is
// this program started again, takes over every process that the program leaves behind, in
// whatever group or session, and kills them all when the program has ended or its time is up.
//
// Where the kernel lacks a part of this, or a container forbids it, the rest holds, and
// [Describe] says what that is.
package confine

import (
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// NotHeld stands in what [Describe] returns before the guards that do not hold, and only there.
const NotHeld = "NOT HELD"

// system is what every program may read: the system's programs, libraries and data, and what these ask of the kernel. Files of
// users, services and other processes are not in it.
var system = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/opt", "/nix/store", "/gnu/store", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives", "/etc/localtime", "/etc/locale.alias", "/etc/perl",
	"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage",
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/sys",
}

// OfSystem reports whether every program may read what has this absolute name.
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
	Alone  bool // on one processor, as far as the system can
}

// Rules say which files the program can reach.
type Rules struct {
	Trusted bool     // all of them; limits hold all the same
	Write   []string // folders that it can write, and read
	Read    []string // files and folders that it can read and run, beside those of the system
}

// Limits bound what the program and all that it starts take; 0 is no limit.
type Limits struct {
	Memory uint64 // bytes of address space for each process, and of memory for all of them
	File   uint64 // bytes of one file
	Disk   uint64 // bytes on disk in the folders of Rules.Write
}

// MostEntries is how many files and folders a program may have in the folders of Rules.Write.
const MostEntries = 1 << 16

// A Result says how the program ended.
type Result struct {
	Exit int // 128+n after signal n, as a shell counts
	// Killed is the limit that ended it: "memory", "disk" or "processes"; else empty.
	Killed string
	Usage  Usage

	held held // what confined it
}

// A Usage is what the program took, without what stands around it here.
type Usage struct {
	Wall   time.Duration
	CPU    time.Duration // of user and system, with the children that it waited for
	Memory int64         // bytes at most; 0 where the system does not say
}

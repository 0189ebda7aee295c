package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// opensToWrite returns an attack that opens a file for writing by its name, and writes nothing.
func opensToWrite(name func(file string, harness int) string) func(string, string, int) error {
	return func(file, _ string, harness int) error {
		fd, err := unix.Open(name(file, harness), unix.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}
}

// named returns a function for opensToWrite that returns a fixed name.
func named(name string) func(string, int) string { return func(string, int) string { return name } }

// inFolder returns an attack that creates a new name in the folder of the file, and removes it again.
func inFolder(do func(file, name string) error) func(string, string, int) error {
	return func(file, _ string, _ int) error {
		name := filepath.Join(filepath.Dir(file), "new")
		defer os.Remove(name)
		return do(file, name)
	}
}

// sends returns an attack that passes the program's own file through a pair of sockets, where it would not be counted.
func sends(send func(fd int, rights []byte) error) func(string, string, int) error {
	return func(string, string, int) error {
		return onPair(unix.SOCK_STREAM, func(fd int) error { return send(fd, unix.UnixRights(1)) })
	}
}

// onPipe returns an attack that uses a pipe.
func onPipe(do func(from, to int) error) func(string, string, int) error {
	return func(string, string, int) error {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_NONBLOCK); err != nil {
			return err
		}
		defer unix.Close(ends[0])
		defer unix.Close(ends[1])
		return do(ends[0], ends[1])
	}
}

// makesNew returns an attack that makes a file in the folder of the link, and removes it again.
func makesNew(do func(name string) error) func(string, string, int) error {
	return func(string, string, int) error { defer os.Remove("made"); return do("made") }
}

func init() { attacks = append(attacks, furtherAttacks...) }

// These linkers keep memory and files where no process is charged for them (CONF-830).
func init() {
	badLinkers["watches files"] = func([]string) int {
		var timers []int
		for range 270 {
			fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, 0)
			if err != nil {
				return 1
			}
			timers = append(timers, fd)
		}
		for range 130 {
			watches, err := unix.EpollCreate1(0)
			if err != nil {
				return 1
			}
			for _, fd := range timers {
				if unix.EpollCtl(watches, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN}) != nil {
					return 2
				}
			}
		}
		time.Sleep(5 * time.Second)
		return 3
	}
	badLinkers["opens sockets"] = func([]string) int {
		for range 200 {
			if _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); err != nil {
				return 1
			}
		}
		time.Sleep(5 * time.Second)
		return 3
	}
	badLinkers["maps a device"] = func([]string) int {
		fd, err := unix.Open("/dev/zero", unix.O_RDWR, 0)
		if err != nil {
			return 1
		}
		if _, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED); err != nil {
			return 2
		}
		time.Sleep(5 * time.Second)
		return 3
	}
	badLinkers["maps and shares without names"] = mapsWithoutNames(unix.MAP_SHARED)
}

// mapsWithoutNames returns a linker that keeps files on the disk by mappings alone, which have the flags.
func mapsWithoutNames(flags int) func([]string) int {
	return func([]string) int {
		block := make([]byte, 1<<20)
		for range 8 {
			f, err := os.Create("f")
			if err != nil {
				return 1
			}
			if _, err := f.Write(block); err != nil {
				return 1
			}
			if _, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ, flags); err != nil {
				return 2
			}
			os.Remove("f")
			f.Close()
		}
		time.Sleep(time.Minute)
		return 3
	}
}

// furtherAttacks are attacks on resources that processes share, on files that would not be counted, and on the system
// outside the folder of the link (CONF-661).
var furtherAttacks = []attack{
	// These attacks hold open files that would not be counted.
	{"a file in a message", sends(func(fd int, rights []byte) error { return unix.Sendmsg(fd, []byte("x"), rights, nil, 0) }), false},
	{"a file in one of several messages", sends(func(fd int, rights []byte) error {
		type message struct {
			head unix.Msghdr
			n    uint32
			_    uint32
		}
		data := []byte("x")
		part := unix.Iovec{Base: &data[0]}
		part.SetLen(1)
		m := message{head: unix.Msghdr{Iov: &part, Control: &rights[0]}}
		m.head.SetIovlen(1)
		m.head.SetControllen(len(rights))
		return errnoOf(unix.Syscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&m)), 1, 0, 0, 0))
	}), false},
	{"a ruleset", func(string, string, int) error {
		attr := unix.LandlockRulesetAttr{Access_fs: unix.LANDLOCK_ACCESS_FS_READ_FILE}
		fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), 8, 0)
		if errno != 0 {
			return errno
		}
		return unix.Close(int(fd))
	}, true},

	// These attacks use up resources that all processes of a user or of the system share.
	{"watchers of files", func(string, string, int) error {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}, false},
	{"watchers of the system's input", func(string, string, int) error {
		var context uint64
		return errnoOf(unix.Syscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&context)), 0))
	}, true},
	{"a page in a pipe", onPipe(func(_, to int) error {
		_, err := unix.Vmsplice(to, []unix.Iovec{{Base: &make([]byte, 1)[0], Len: 1}}, 0)
		return err
	}), false},
	{"a page of a file in a pipe", onPipe(func(_, to int) error {
		return onFile(func(fd int) error { _, err := unix.Splice(fd, nil, to, nil, 1, 0); return err })("in", "", 0)
	}), false},
	{"a page sent to a pipe", onPipe(func(_, to int) error {
		return onFile(func(fd int) error { _, err := unix.Sendfile(to, fd, nil, 1); return err })("in", "", 0)
	}), false},
	{"a page in two pipes", onPipe(func(from, to int) error {
		return onPipe(func(_, other int) error {
			if _, err := unix.Write(to, []byte("x")); err != nil {
				return err
			}
			_, err := unix.Tee(from, other, 1, 0)
			return err
		})("", "", 0)
	}), false},
	{"large buffers of a socket", func(string, string, int) error {
		return onPair(unix.SOCK_STREAM, func(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<20) })
	}, false},
	{"a filter of its own", call(unix.SYS_SECCOMP, 1, 0, 0), true},
	{"a mode without calls", call(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, 99), true},
	{"shared memory without a file", func(string, string, int) error {
		data, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_ANON)
		if err != nil {
			return err
		}
		return unix.Munmap(data)
	}, false},
	{"space on disk", func(string, string, int) error {
		f, err := os.Create("space")
		if err != nil {
			return err
		}
		defer os.Remove("space")
		defer f.Close()
		return unix.Fallocate(int(f.Fd()), 0, 0, 4096)
	}, true},
	{"set user id of a new file", makesNew(func(name string) error {
		fd, err := unix.Open(name, unix.O_CREAT|unix.O_WRONLY, 0o4755)
		unix.Close(fd)
		return err
	}), false},
	{"set user id of a new node", makesNew(func(name string) error { return unix.Mknod(name, unix.S_IFREG|0o4755, 0) }), false},
	{"set user id by an opened folder", makesNew(func(name string) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
		unix.Close(fd)
		return err
	}), true},
	{"many files", func(string, string, int) error {
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			return err
		}
		if limit.Max <= 1<<16 {
			return unix.EMFILE
		}
		return nil
	}, true},
	{"many signals", func(string, string, int) error {
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_SIGPENDING, &limit); err != nil {
			return err
		}
		if limit.Max <= 1<<12 {
			return unix.EAGAIN
		}
		return nil
	}, true},
	{"real time", func(string, string, int) error {
		var limit, nice unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_RTPRIO, &limit); err != nil {
			return err
		}
		if err := unix.Getrlimit(unix.RLIMIT_NICE, &nice); err != nil {
			return err
		}
		if limit.Max == 0 && nice.Max == 0 {
			return unix.EPERM
		}
		return nil
	}, true},
	{"the first in real time", func(string, string, int) error {
		return unix.SchedSetAttr(0, &unix.SchedAttr{Size: 48, Policy: 1, Priority: 1}, 0)
	}, true},
	{"mounted file systems", func(string, string, int) error {
		request := struct {
			size, spare uint32
			id, param   uint64
		}{24, 0, ^uint64(0), 0}
		var ids [4]uint64
		return errnoOf(unix.Syscall6(458, uintptr(unsafe.Pointer(&request)), uintptr(unsafe.Pointer(&ids)), 4, 0, 0, 0)) // listmount
	}, true},

	// These attacks change the folder of the file, with new names and special kinds of files.
	{"a hard link in", func(file, _ string, _ int) error { defer os.Remove("hard"); return os.Link(file, "hard") }, true},
	{"a hard link by its descriptor", onFile(func(fd int) error {
		defer os.Remove("hard")
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, "hard", unix.AT_SYMLINK_FOLLOW)
	}), true},
	{"a hard link out", inFolder(func(_, name string) error { return os.Link("in", name) }), true},
	{"renamed out", inFolder(func(_, name string) error { return os.Rename("in", name) }), true},
	{"exchanged", func(file, _ string, _ int) error {
		err := unix.Renameat2(unix.AT_FDCWD, "in", unix.AT_FDCWD, file, unix.RENAME_EXCHANGE)
		if err == nil {
			err = unix.Renameat2(unix.AT_FDCWD, "in", unix.AT_FDCWD, file, unix.RENAME_EXCHANGE)
		}
		return err
	}, true},
	{"a new file", inFolder(func(_, name string) error { return os.WriteFile(name, nil, 0o666) }), false},
	{"a new symbolic link", inFolder(os.Symlink), false},
	{"a new FIFO", inFolder(func(_, name string) error { return unix.Mkfifo(name, 0o666) }), false},
	{"a new socket", inFolder(func(_, name string) error { return unix.Mknod(name, unix.S_IFSOCK|0o666, 0) }), false},
	{"a new folder", inFolder(func(_, name string) error { return os.Mkdir(name, 0o777) }), false},
	{"a file without a name", inFolder(func(file, _ string) error {
		fd, err := unix.Open(filepath.Dir(file), unix.O_TMPFILE|unix.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}), true},
	{"through a symbolic link of its own", func(file, _ string, _ int) error {
		defer os.Remove("way")
		if err := os.Symlink(filepath.Dir(file), "way"); err != nil {
			return err
		}
		defer os.Remove("way/new")
		return os.WriteFile("way/new", nil, 0o666)
	}, false},
	{"cut", func(file, _ string, _ int) error { return os.Truncate(file, 1) }, false},
	{"written", opensToWrite(func(file string, _ int) string { return file }), false},
	{"written by its descriptor", onFile(func(fd int) error {
		return opensToWrite(named(fmt.Sprintf("/proc/self/fd/%d", fd)))("", "", 0)
	}), false},

	// These attacks write to files of the kernel.
	{"scores of the harness", opensToWrite(func(_ string, harness int) string { return fmt.Sprintf("/proc/%d/oom_score_adj", harness) }), true},
	{"memory of itself", opensToWrite(named("/proc/self/mem")), true},
	{"core pattern", opensToWrite(named("/proc/sys/kernel/core_pattern")), true},
	{"host name", opensToWrite(named("/proc/sys/kernel/hostname")), true},
	{"caches", opensToWrite(named("/proc/sys/vm/drop_caches")), true},
	{"requests to the kernel", opensToWrite(named("/proc/sysrq-trigger")), true},
	{"cgroups", opensToWrite(named("/sys/fs/cgroup/cgroup.procs")), true},
	{"cgroups, version 1", opensToWrite(named("/sys/fs/cgroup/memory/cgroup.procs")), true},
	{"shared memory", func(string, string, int) error {
		const name = "/dev/shm/culink-attack"
		defer os.Remove(name)
		return os.WriteFile(name, nil, 0o600)
	}, true},
	{"a terminal", opensToWrite(named("/dev/ptmx")), true},
	{"messages of the kernel", opensToWrite(named("/dev/kmsg")), true},
	{"file systems of programs", opensToWrite(named("/dev/fuse")), true},
	{"virtual machines", opensToWrite(named("/dev/kvm")), true},
	{"a GPU", opensToWrite(named("/dev/nvidiactl")), true},

	// These attacks send signals to the harness by unusual calls.
	{"a signal to a thread", func(_, _ string, harness int) error { return unix.Tgkill(harness, harness, 0) }, true},
	{"a queued signal", func(_, _ string, harness int) error {
		info := [16]uint64{}
		return errnoOf(unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(harness), 0, uintptr(unsafe.Pointer(&info))))
	}, true},
	{"a signal by descriptor", func(_, _ string, harness int) error {
		fd, err := unix.PidfdOpen(harness, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	}, true},
	{"a signal to the parent", onParent(func(pid int) error { return unix.Kill(pid, 0) }), true},
	{"processors of the harness", func(_, _ string, harness int) error {
		const scheduleCore, shareTo, whole = 62, 2, 1
		return unix.Prctl(scheduleCore, shareTo, uintptr(harness), whole, 0)
	}, true},

	// These attacks use namespaces, mounts and other users.
	{"a namespace of users", call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER), true},
	{"a namespace by clone", func(string, string, int) error {
		p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}})
		if err == nil {
			_, err = p.Wait()
		}
		return err
	}, true},
	{"namespaces of the harness", func(_, _ string, harness int) error {
		fd, err := unix.PidfdOpen(harness, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Setns(fd, unix.CLONE_NEWNS)
	}, true},
	{"another root", func(string, string, int) error { return unix.Chroot(".") }, true},
	{"a file system", func(string, string, int) error {
		fd, err := unix.Fsopen("tmpfs", 0)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}, true},
	{"a mount", func(string, string, int) error {
		const name = "mount"
		if err := os.Mkdir(name, 0o777); err != nil {
			return err
		}
		defer os.Remove(name)
		err := unix.Mount("none", name, "tmpfs", 0, "")
		if err == nil {
			err = unix.Unmount(name, unix.MNT_DETACH) // a folder with a mount could not be removed after the test
		}
		return err
	}, true},
	{"a copy of a mount", func(string, string, int) error {
		fd, err := unix.OpenTree(unix.AT_FDCWD, ".", unix.OPEN_TREE_CLONE)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}, true},
	{"groups", func(string, string, int) error { return unix.Setgroups([]int{0}) }, true},
	{"another user", func(string, string, int) error {
		return errnoOf(unix.RawSyscall(unix.SYS_SETRESUID, 12345, 12345, 12345))
	}, true},
}

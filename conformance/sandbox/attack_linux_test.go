package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/confine"
)

// An attack is an action that must fail for a linker under test. Its arguments are a file of the user that it may read,
// the file's folder, a secret that it may not read, and the process id of the harness.
type attack struct {
	name string
	do   func(file, secret string, harness int) error
	// rare marks attacks that also fail for an unconfined ordinary user, or on some systems.
	rare bool
}

// errnoOf returns the error of a system call.
func errnoOf(_, _ uintptr, errno unix.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

// onFile returns an attack that uses a readable descriptor of the file.
func onFile(do func(fd int) error) func(string, string, int) error {
	return func(file, _ string, _ int) error {
		fd, err := unix.Open(file, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return do(fd)
	}
}

// onParent returns an attack on the supervisor.
func onParent(do func(pid int) error) func(string, string, int) error {
	return func(string, string, int) error { return do(os.Getppid()) }
}

// onPair calls do with one of two connected sockets.
func onPair(kind int, do func(fd int) error) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	return do(fds[0])
}

// onServer returns an attack on the server beside the file. It uses a datagram socket that is connected to another one.
func onServer(do func(fd int, server unix.Sockaddr) error) func(string, string, int) error {
	return func(file, _ string, _ int) error {
		return onPair(unix.SOCK_DGRAM, func(fd int) error {
			return do(fd, &unix.SockaddrUnix{Name: filepath.Join(filepath.Dir(file), "server")})
		})
	}
}

// call returns an attack that consists of one system call.
func call(number uintptr, arguments ...uintptr) func(string, string, int) error {
	arguments = append(arguments, 0, 0, 0, 0, 0, 0)
	return func(string, string, int) error {
		return errnoOf(unix.Syscall6(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]))
	}
}

// readsProcess returns an attack that reads a file of the harness in /proc.
func readsProcess(name string) func(string, string, int) error {
	return func(_, _ string, harness int) error {
		_, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", harness, name))
		return err
	}
}

var longBefore = []unix.Timespec{{Sec: 1}, {Sec: 1}}

var attacks = []attack{
	// Modes, dates, owners, attributes, flags, locks.
	{"chmod", func(file, _ string, _ int) error { return os.Chmod(file, 0o600) }, false},
	{"chmod through a link", func(file, _ string, _ int) error {
		_ = os.Symlink(file, "link")
		return os.Chmod("link", 0o600)
	}, false},
	{"chmod by a relative name", func(file, _ string, _ int) error {
		dir, _ := os.Getwd()
		name, _ := filepath.Rel(dir, file)
		return unix.Fchmodat(unix.AT_FDCWD, name, 0o600, 0)
	}, false},
	{"chmod from a folder", func(file, _ string, _ int) error {
		return onFile(func(fd int) error { return unix.Fchmodat(fd, filepath.Base(file), 0o600, 0) })(filepath.Dir(file), "", 0)
	}, false},
	{"chmod by a name in /proc", onFile(func(fd int) error { return os.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), 0o600) }), false},
	{"fchmod", onFile(func(fd int) error { return unix.Fchmod(fd, 0o600) }), false},
	{"fchmodat2", func(file, _ string, _ int) error {
		return unix.Fchmodat(unix.AT_FDCWD, file, 0o600, unix.AT_SYMLINK_NOFOLLOW)
	}, true},
	{"chmod of the folder above", func(string, string, int) error { return os.Chmod("..", 0o777) }, false},
	{"set user id", func(string, string, int) error { return os.Chmod("in", 0o4755|os.ModeSetuid) }, false},
	{"utimes", func(file, _ string, _ int) error { return os.Chtimes(file, attempt.LongAgo, attempt.LongAgo) }, false},
	{"utimensat of a link", func(file, _ string, _ int) error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, file, longBefore, unix.AT_SYMLINK_NOFOLLOW)
	}, false},
	{"futimens", onFile(func(fd int) error { return unix.Futimes(fd, []unix.Timeval{{Sec: 1}, {Sec: 1}}) }), false},
	{"chown", func(file, _ string, _ int) error { return os.Chown(file, os.Getuid(), os.Getgid()) }, false},
	{"fchown", onFile(func(fd int) error { return unix.Fchown(fd, os.Getuid(), os.Getgid()) }), false},
	{"attributes", func(file, _ string, _ int) error { return unix.Setxattr(file, "user.x", []byte("x"), 0) }, true},
	{"flags", onFile(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0x40) }), true},
	{"flock", onFile(func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) }), false},
	{"lock", onFile(func(fd int) error {
		return unix.FcntlFlock(uintptr(fd), unix.F_SETLK, &unix.Flock_t{Type: unix.F_RDLCK})
	}), false},
	{"lock of the open file", onFile(func(fd int) error {
		return unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_RDLCK})
	}), false},
	{"lease", onFile(func(fd int) error {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
		return err
	}), true},
	{"device", func(string, string, int) error { return unix.Mknod("device", unix.S_IFCHR|0o666, 1<<8|3) }, true},

	// These attacks affect other processes.
	{"priority", onParent(func(pid int) error { return unix.Setpriority(unix.PRIO_PROCESS, pid, 19) }), false},
	{"priority of all of the user", func(string, string, int) error { return unix.Setpriority(unix.PRIO_USER, 0, 0) }, true},
	{"priority of input and output", onParent(func(pid int) error { return call(unix.SYS_IOPRIO_SET, 1, uintptr(pid), 3<<13)("", "", 0) }), false},
	{"processors", onParent(func(pid int) error {
		var one unix.CPUSet
		one.Set(0)
		return unix.SchedSetaffinity(pid, &one)
	}), false},
	{"scheduler", onParent(func(pid int) error { return unix.SchedSetAttr(pid, &unix.SchedAttr{Size: 48, Policy: 3}, 0) }), true},
	{"limits", onParent(func(pid int) error { return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil) }), true},
	{"environment of the harness", readsProcess("environ"), true},
	{"command line of the harness", readsProcess("cmdline"), false},
	{"memory of the harness", readsProcess("maps"), true},
	{"memory by a call", func(_, _ string, harness int) error {
		var word [8]byte
		remote := []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&word)), Len: len(word)}}
		local := []unix.Iovec{{Base: &word[0], Len: uint64(len(word))}}
		_, err := unix.ProcessVMReadv(harness, local, remote, 0)
		return err
	}, true},
	{"debugger", func(_, _ string, harness int) error { return unix.PtraceSeize(harness) }, true},
	{"a file of the harness", func(_, _ string, harness int) error {
		fd, err := unix.PidfdOpen(harness, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	}, true},

	{"a message to a server", onServer(func(fd int, server unix.Sockaddr) error { return unix.Sendto(fd, []byte("x"), 0, server) }), false},
	{"a connection to a server", onServer(unix.Connect), false},
	{"signals of a pair", func(_, _ string, harness int) error {
		return onPair(unix.SOCK_STREAM, func(fd int) error { return unix.IoctlSetPointerInt(fd, 0x8901, harness) }) // FIOSETOWN
	}, false},

	// These attacks read data of other users and processes.
	{"secret", func(_, secret string, _ int) error { _, err := os.ReadFile(secret); return err }, false},
	{"names of secrets", func(_, secret string, _ int) error { _, err := os.ReadDir(filepath.Dir(secret)); return err }, false},
	{"passwords", func(string, string, int) error { _, err := os.ReadFile("/etc/passwd"); return err }, false},
	{"home", func(string, string, int) error { _, err := os.ReadDir("/home"); return err }, true},
	{"attributes of a file", func(file, _ string, _ int) error {
		_, err := unix.Getxattr(file, "user.x", nil)
		if errors.Is(err, unix.ENODATA) {
			return nil
		}
		return err
	}, true},
	{"uses of secrets", func(_, secret string, _ int) error {
		fd, err := unix.InotifyInit()
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		_, err = unix.InotifyAddWatch(fd, filepath.Dir(secret), unix.IN_ALL_EVENTS)
		return err
	}, false},
	{"the kernel's messages", call(unix.SYS_SYSLOG, 10), true},

	// Resources that outlive the program, and resources that no limit counts.
	{"memory without a process", call(unix.SYS_SHMGET, 0, 4096, 0o1600), true},
	{"semaphores", call(unix.SYS_SEMGET, 0, 1, 0o1600), true},
	{"messages", call(unix.SYS_MSGGET, 0, 0o1600), true},
	{"memory as a file", func(string, string, int) error { _, err := unix.MemfdCreate("x", 0); return err }, false},
	{"keys", func(string, string, int) error {
		_, err := unix.AddKey("user", "culink", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	}, true},
	{"namespaces", call(unix.SYS_UNSHARE, unix.CLONE_FS|unix.CLONE_NEWUTS), true},
	{"files that cannot be seen", func(string, string, int) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }, false},
	{"capabilities", func(string, string, int) error {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var has [2]unix.CapUserData
		if err := unix.Capget(&head, &has[0]); err != nil {
			return err
		}
		if has[0].Permitted|has[1].Permitted|has[0].Effective == 0 {
			return unix.EPERM
		}
		return nil
	}, true},
}

// With attackMode the test program performs the attacks and prints the names of those that succeeded.
func init() {
	badLinkers["attacks"] = func(args []string) int {
		harness, _ := strconv.Atoi(args[2])
		for _, a := range attacks {
			if a.do(args[0], args[1], harness) == nil {
				fmt.Println(a.name)
			}
		}
		return 7
	}
	badLinkers["changes its files"] = func([]string) int {
		_ = os.WriteFile("new", nil, 0o666)
		_ = os.Mkdir("folder", 0o777)
		temp := filepath.Join(os.TempDir(), "x")
		_ = os.WriteFile(temp, nil, 0o666)
		for i, err := range []error{
			os.Chmod("new", 0o711),
			os.Chmod("in", 0o600),
			os.Chmod(temp, 0o600),
			unix.Fchmodat(unix.AT_FDCWD, "folder", 0o700, 0),
			os.Chtimes("new", attempt.LongAgo, attempt.LongAgo),
			onFile(func(fd int) error { return unix.Fchmod(fd, 0o640) })("in", "", 0),
			onFile(func(fd int) error { return unix.Futimes(fd, []unix.Timeval{{Sec: 5}, {Sec: 5}}) })("in", "", 0),
			onFile(func(fd int) error { return unix.Fchmodat(fd, "folder", 0o755, 0) })(".", "", 0),
			os.Chmod("missing", 0o600),
		} {
			if err != nil {
				fmt.Println(i, err)
			}
		}
		return 7
	}
}

// These linkers hide their resources, or leave files that are hard to remove.
func init() {
	block := make([]byte, 1<<20)
	badLinkers["writes without names"] = func([]string) int {
		for i := 0; ; i++ {
			f, err := os.Create("f")
			if err != nil {
				return 1
			}
			os.Remove("f")
			if _, err := f.Write(block); err != nil {
				return 2
			}
			time.Sleep(time.Millisecond)
		}
	}
	badLinkers["writes where nobody may enter"] = func([]string) int {
		for i := 0; ; i++ {
			dir := strconv.Itoa(i)
			os.Mkdir(dir, 0o777)
			if os.WriteFile(filepath.Join(dir, "f"), block, 0o666) != nil || os.Chmod(dir, 0) != nil {
				return 1
			}
			time.Sleep(time.Millisecond)
		}
	}
	badLinkers["digs"] = func([]string) int {
		for range 1500 { // deeper than a path can be long

			os.Mkdir("deeper", 0o777)
			os.WriteFile("f", nil, 0)
			if os.Chdir("deeper") != nil {
				return 1
			}
			os.Chmod("..", 0)
		}
		time.Sleep(time.Minute)
		return 1
	}
	badLinkers["maps without names"] = mapsWithoutNames(unix.MAP_PRIVATE)
	badLinkers["starts threads"] = func([]string) int {
		for range 1100 {
			go func() {
				runtime.LockOSThread()
				time.Sleep(time.Minute)
			}()
		}
		time.Sleep(time.Minute)
		return 1
	}
	badLinkers["opens files"] = func([]string) int {
		var limit unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
			return 1
		}
		limit.Cur = limit.Max
		unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
		for range limit.Max - 64 {
			if _, err := unix.Open(".", unix.O_PATH, 0); err != nil {
				break
			}
		}
		for range (1<<16)/limit.Max + 1 { // each process inherits them
			if _, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "60"}, nil); err != nil {
				return 2
			}
		}
		time.Sleep(time.Minute)
		return 3
	}
	badLinkers["forgets a child"] = func([]string) int {
		if _, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{}); err != nil {
			return 1
		}
		time.Sleep(300 * time.Millisecond) // the child has ended, and is counted
		return 0
	}
	badLinkers["debugs itself"] = func([]string) int {
		runtime.LockOSThread()
		if err := call(unix.SYS_PTRACE, unix.PTRACE_TRACEME)("", "", 0); err != nil {
			return 1
		}
		unix.Kill(os.Getpid(), unix.SIGUSR1)
		time.Sleep(time.Minute)
		return 2
	}
	badLinkers["shuts its folders"] = func([]string) int {
		os.WriteFile(filepath.Join(os.TempDir(), "f"), nil, 0)
		os.Chmod(os.TempDir(), 0)
		os.Chmod(".", 0)
		return 0
	}
}

// The resources of a link are counted wherever they are, and are freed after it (CONF-064).
func TestNothingStays(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for mode, want := range map[string]struct {
		killed string
		exit   int
	}{
		"writes without names":          {"disk", 137},
		"writes where nobody may enter": {"disk", 137},
		"digs":                          {"disk", 137},
		"maps without names":            {"disk", 137},
		"starts threads":                {"processes", 137},
		"opens files":                   {"processes", 137},
		"maps and shares without names": {"disk", 137},
		"maps a device":                 {"memory", 137},
		"watches files":                 {"processes", 137},
		"opens sockets":                 {"processes", 137},
		"debugs itself":                 {"", 137},
		"forgets a child":               {"", 0},
		"shuts its folders":             {"", 0},
	} {
		limits := DefaultLimits
		limits.Disk, limits.Memory = 16<<20, 64<<30 // the stacks of threads are large
		if o := runBad(t, mode, limits); o.Killed != want.killed || o.Exit != want.exit {
			t.Errorf("%s: killed %q, exit status %d, want %v; %s", mode, o.Killed, o.Exit, want, o.Stderr)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", mode, left, err)
		}
	}
}

// A linker under test neither changes nor reads anything outside its folder, and reaches no other process. This holds
// for root and for an ordinary user. Most attacks succeed for a trusted linker (CONF-060, CONF-061, CONF-062, CONF-661,
// CONF-830).
func TestAttacks(t *testing.T) {
	needsLandlock(t)
	needsGuard(t, "modes and dates in its folders")
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "read", "file"), filepath.Join(dir, "secret", "file")
	given := attempt.Files{"read/file": []byte("x"), "secret/file": []byte("secret")}
	if err := given.Write(dir); err != nil {
		t.Fatal(err)
	}
	server, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(filepath.Dir(file), "server"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, trusted := range []bool{false, true} {
		l := &Linker{Command: []string{self}, Limits: DefaultLimits, Env: []string{childMode + "=attacks"}, Trusted: trusted, Reads: []string{filepath.Dir(file)}}
		o, err := l.Run(t.Context(), attempt.Files{"in": []byte("x")}, []string{file, secret, strconv.Itoa(os.Getpid())})
		if err != nil {
			t.Fatal(err)
		}
		did := strings.Split(strings.TrimSuffix(string(o.Stdout), "\n"), "\n")
		if o.Exit != 7 || !trusted && len(o.Stdout) > 0 {
			t.Errorf("trusted %v: exit status %d, did %q; %s", trusted, o.Exit, did, o.Stderr)
		}
		for _, a := range attacks {
			if trusted && !a.rare && !slices.Contains(did, a.name) {
				t.Errorf("%s is no attack: it fails for a linker that is trusted", a.name)
			}
		}
	}
}

// A linker can change modes and dates in its own folders, and the changes are recorded (CONF-060).
func TestOwnFilesChange(t *testing.T) {
	needsGuard(t, "modes and dates in its folders")
	o := runBad(t, "changes its files", DefaultLimits)
	if got := string(o.Stdout); o.Exit != 7 || !strings.HasPrefix(got, "1 chmod in: no such file") {
		t.Errorf("exit status %d, %s; %s", o.Exit, got, o.Stderr)
	}
	if o.Marks["new"] != "mode -rwx--x--x, not -rw-r--r--" {
		t.Errorf("marks %v", o.Marks)
	}
}

// TestAttacksOfAnOrdinaryUser repeats [TestAttacks] as an ordinary user if the tests run as root.
func TestAttacksOfAnOrdinaryUser(t *testing.T) {
	needsLandlock(t)
	if os.Getuid() != 0 {
		t.Skip("the tests run as an ordinary user anyway")
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program, err := os.OpenFile(filepath.Join(dir, "conformance.test"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(program, self)
	program.Close()
	const nobody = 65534
	if err != nil || os.Chown(dir, nobody, nobody) != nil {
		t.Skip("nobody cannot be given a folder")
	}
	cmd := exec.CommandContext(t.Context(), program.Name(), "-test.run=^(TestAttacks|TestOwnFilesChange|TestPlaceIsCleared|TestNothingStays)$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestAttacks ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// needsGuard skips a test if a restriction does not work on this system.
func needsGuard(t *testing.T, guard string) {
	t.Helper()
	holds, _, _ := strings.Cut(confine.Describe(false), confine.NotHeld)
	if !strings.Contains(holds, guard) {
		t.Skip(confine.Describe(false))
	}
}

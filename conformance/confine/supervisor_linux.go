package confine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The supervisor is a process between the harness and the program. The kernel makes it the parent of every process that
// loses its parent, so no process escapes to the harness or the system. Only the thread that starts the program is
// restricted. The program cannot signal the supervisor.

// Values of argv[0] with which this executable is started again: as a supervisor, or as a program that ends at once.
const (
	supervisorName = "culink-supervisor"
	probeName      = "culink-probe"
)

// taskFile is the socket that a supervisor inherits. It receives tasks and sends reports on it.
const taskFile = 3

// A task is a program to run, with its rules and limits.
type task struct {
	Path   string
	Args   []string
	Dir    string
	Env    []string
	Rules  Rules
	Limits Limits
	Alone  bool

	streams  []*os.File // stdin, stdout and stderr of the program
	began    time.Time  // when the program did
	broker   *broker    // performs the calls that the filter passes on; nil if there is none
	filtered bool       // the program has a filter
	folders  []string   // those of Rules.Write, without symbolic links, as the kernel names them
}

// A report is the supervisor's answer to a task.
type report struct {
	Result
	Held  held
	Error string // why the program could not be started
}

// An executable that imports this package can also run as the supervisor. argv[0] selects this.
func init() {
	if len(os.Args) != 1 {
		return
	}
	switch os.Args[0] {
	case supervisorName:
		runtime.LockOSThread() // the first thread stays unrestricted
		os.Exit(supervise())
	case probeName:
		os.Exit(0)
	}
}

// supervise runs tasks until the socket is closed. It returns the exit status of the supervisor.
func supervise() int {
	unix.CloseOnExec(taskFile)
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil || hide() != nil {
		return 1
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	socket := os.NewFile(taskFile, "tasks")
	reports := json.NewEncoder(socket)
	for {
		t, err := receive(socket)
		if err != nil { // the harness has ended, or no longer needs this supervisor
			return 0
		}
		var r report
		r.Result, r.Held, err = t.run(ended)
		if err != nil {
			r.Error = err.Error()
		}
		if reports.Encode(r) != nil {
			return 1
		}
	}
}

// receive waits for a task.
func receive(socket *os.File) (*task, error) {
	var length [4]byte
	rights := make([]byte, unix.CmsgSpace(3*4))
	n, got, _, _, err := unix.Recvmsg(taskFile, length[:], rights, unix.MSG_CMSG_CLOEXEC)
	for errors.Is(err, unix.EINTR) {
		n, got, _, _, err = unix.Recvmsg(taskFile, length[:], rights, unix.MSG_CMSG_CLOEXEC)
	}
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, io.EOF
	}
	if _, err := io.ReadFull(socket, length[n:]); err != nil {
		return nil, err
	}
	data := make([]byte, binary.LittleEndian.Uint32(length[:]))
	if _, err := io.ReadFull(socket, data); err != nil {
		return nil, err
	}
	t := new(task)
	if err := json.Unmarshal(data, t); err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:got])
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			t.streams = append(t.streams, os.NewFile(uintptr(fd), "stream"))
		}
	}
	return t, nil
}

// run runs the program and kills every process that it leaves behind. When ended receives a signal, run stops the
// program.
func (t *task) run(ended <-chan os.Signal) (Result, held, error) {
	over := make(chan struct{})
	defer close(over)
	t.folders = realFolders(t.Rules.Write) // before the program can move them
	pid, h, err := t.startElsewhere(over)
	for _, f := range t.streams {
		f.Close()
	}
	defer func() { t.broker.close() }()
	defer endAll()
	if err != nil {
		return Result{}, h, err
	}
	t.filtered = h.Filter
	var killed atomic.Value
	go func() {
		ticks := time.NewTicker(watchEvery)
		defer ticks.Stop()
		for {
			select {
			case <-over:
				return
			case <-ended: // the harness ended it
				_ = unix.Kill(pid, unix.SIGKILL)
				return
			case <-ticks.C:
				if limit := t.exceeded(); limit != "" {
					killed.Store(limit)
					_ = unix.Kill(pid, unix.SIGKILL)
					return
				}
			}
		}
	}()
	for {
		var status unix.WaitStatus
		var took unix.Rusage
		got, err := unix.Wait4(-1, &status, 0, &took)
		switch {
		case errors.Is(err, unix.EINTR) || err == nil && got != pid:
			continue
		case err != nil:
			return Result{}, h, fmt.Errorf("supervisor: %w", err)
		case status.Stopped(): // the program asked to be debugged, and there is no debugger
			_ = unix.Kill(pid, unix.SIGKILL)
			continue
		}
		r := Result{Exit: status.ExitStatus(), Usage: Usage{
			Wall: time.Since(t.began), CPU: time.Duration(took.Utime.Nano() + took.Stime.Nano()), Memory: took.Maxrss << 10,
		}}
		if status.Signaled() {
			r.Exit = 128 + int(status.Signal())
		}
		r.Killed, _ = killed.Load().(string)
		return r, h, nil
	}
}

// realFolders resolves the symbolic links in the names of folders. A name that cannot be resolved stays.
func realFolders(folders []string) []string {
	var real []string
	for _, folder := range folders {
		if name, err := filepath.EvalSymlinks(folder); err == nil {
			folder = name
		}
		real = append(real, folder)
	}
	return real
}

// watchEvery is the interval at which the resources of the processes are checked.
const watchEvery = 100 * time.Millisecond

// startElsewhere starts the program from a separate thread, which does nothing else and ends with the program. The
// thread is not the first one of the process: the kernel checks the first thread to decide who may signal the process.
func (t *task) startElsewhere(over <-chan struct{}) (pid int, h held, err error) {
	type answer struct {
		set bool
		err error
	}
	stopped, limited, started := make(chan int), make(chan answer), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		pid, h, err = t.start(func(pid int) (bool, error) {
			stopped <- pid
			a := <-limited
			return a.set, a.err
		})
		close(started)
		<-over // the kernel kills the program when the thread that started it ends
	}()
	select {
	case pid := <-stopped: // a restricted thread cannot set limits of another process
		set, err := t.limit(pid)
		limited <- answer{set, err}
		<-started
	case <-started:
	}
	return pid, h, err
}

// No linker needs more than these limits. Without them, a program could use up resources that all processes of a user or
// of the system share: open files, pending signals, and the processors, if the user may run programs in real time.
var modest = map[int]uint64{unix.RLIMIT_NOFILE: 1 << 16, unix.RLIMIT_SIGPENDING: 1 << 12, unix.RLIMIT_RTPRIO: 0, unix.RLIMIT_NICE: 0}

// limit sets the limits of a process. It never raises a limit. set reports whether it is permitted to. A confined
// harness is not, and then the limits of the harness apply.
func (t *task) limit(pid int) (set bool, err error) {
	limits := maps.Clone(modest)
	limits[unix.RLIMIT_CORE] = 1 // one byte, because 0 still starts a program that collects core dumps
	if t.Limits.Memory > 0 {
		limits[unix.RLIMIT_AS] = t.Limits.Memory
	}
	if t.Limits.File > 0 {
		limits[unix.RLIMIT_FSIZE] = t.Limits.File
	}
	set = true
	for resource, most := range limits {
		var has unix.Rlimit
		err := unix.Prlimit(pid, resource, nil, &has)
		if err == nil {
			now := unix.Rlimit{Cur: min(has.Cur, most), Max: min(has.Max, most)}
			if resource == unix.RLIMIT_CORE {
				now.Cur = now.Max // the usual 0 is below the byte
			}
			err = unix.Prlimit(pid, resource, &now, nil)
		}
		switch {
		case errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS):
			set = false
		case err != nil:
			return false, fmt.Errorf("limits: %w", err)
		}
	}
	return set, nil
}

// start starts the program with its restrictions and limits, and returns those that work. The kernel stops the program
// before its first instruction, so that limit can set the limits in time. If stopping is not permitted, start calls
// limit right after the start of the program.
func (t *task) start(limit func(pid int) (bool, error)) (pid int, h held, err error) {
	if t.Rules.Trusted {
		h.Trusted = true
	} else if h, t.broker, err = restrict(t.Rules); err != nil {
		return 0, h, err
	}
	attr := &os.ProcAttr{
		Dir: t.Dir, Env: t.Env, Files: t.streams,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL, Ptrace: true},
	}
	if t.Alone {
		stayOnOneProcessor()
	}
	t.began = time.Now()
	p, err := os.StartProcess(t.Path, t.Args, attr)
	if err != nil { // the program cannot start, or the system does not let a process stop another
		attr.Sys.Ptrace = false
		p, err = os.StartProcess(t.Path, t.Args, attr)
	}
	if err != nil {
		return 0, h, err
	}
	pid, h.Limits = p.Pid, limitsAfterStart
	if attr.Sys.Ptrace {
		var status unix.WaitStatus
		if _, err := unix.Wait4(pid, &status, 0, nil); err != nil || !status.Stopped() {
			return 0, h, fmt.Errorf("supervisor: the program did not stop: %v", err)
		}
		h.Limits = limitsBeforeStart
	}
	set, err := limit(pid)
	if err != nil {
		return 0, h, err
	}
	if !set {
		h.Limits = noLimits
	}
	if attr.Sys.Ptrace {
		t.began = time.Now()
		if err := unix.PtraceDetach(pid); err != nil {
			return 0, h, fmt.Errorf("supervisor: %w", err)
		}
	}
	return pid, h, nil
}

// statOf returns the fields of a process or thread in /proc, from its state on. It returns none if the process or thread
// has ended.
func statOf(task string) []string {
	data, _ := os.ReadFile(task + "/stat")
	// The program's name, in parentheses, may contain anything.
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// endAll kills the remaining processes until none is left.
func endAll() {
	for {
		_, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.ECHILD) {
			return
		}
		// Stopped processes cannot start new ones while the others are found.
		for _, signal := range []unix.Signal{unix.SIGSTOP, unix.SIGSTOP, unix.SIGKILL} {
			for _, pid := range descendants() {
				_ = unix.Kill(pid, signal)
			}
		}
		for {
			got, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if got <= 0 || err != nil {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// stayOnOneProcessor restricts this thread and everything that it starts to one processor. It changes nothing if the
// system does not allow that.
func stayOnOneProcessor() {
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return
	}
	for i := range 1024 {
		if all.IsSet(i) {
			one.Set(i)
			_ = unix.SchedSetaffinity(0, &one)
			return
		}
	}
}

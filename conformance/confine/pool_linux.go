package confine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/culink/culink/conformance/idle"
)

// A Pool reuses supervisors for several programs, because starting one takes longer than most links. The zero value is
// empty. Programs may run at the same time: each has a separate supervisor.
type Pool struct{ idle idle.List[*supervisor] }

// Run does the same as [Command.Run], with a supervisor of the pool.
func (p *Pool) Run(ctx context.Context, c *Command) (Result, error) {
	s, ok := p.idle.Take()
	if !ok {
		var err error
		if s, err = newSupervisor(c.Env); err != nil {
			return Result{}, err
		}
	}
	result, again, err := s.run(ctx, c)
	if again {
		p.idle.Put(s)
	} else {
		s.end()
	}
	return result, err
}

// Close ends the supervisors. No program may be running.
func (p *Pool) Close() { p.idle.Empty((*supervisor).end) }

// A supervisor is the harness's view of a process that runs programs.
type supervisor struct {
	process *os.Process
	socket  *os.File // sends tasks to the process and receives reports
	reports *json.Decoder
	ended   chan error // one value, when the process has ended
}

// newSupervisor starts a supervisor with this environment. It also prevents other processes from inspecting this
// process.
func newSupervisor(env []string) (*supervisor, error) {
	if err := hide(); err != nil {
		return nil, err
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(ends[1]), "tasks")
	defer theirs.Close()
	if err := unix.SetNonblock(ends[0], true); err != nil {
		return nil, errors.Join(err, unix.Close(ends[0]))
	}
	s := &supervisor{socket: os.NewFile(uintptr(ends[0]), "supervisor"), ended: make(chan error, 1)}
	s.reports = json.NewDecoder(s.socket)
	cmd := exec.Command(self)
	cmd.Args, cmd.Env, cmd.ExtraFiles = []string{supervisorName}, env, []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGTERM}
	started := make(chan error)
	go func() {
		// The thread must live as long as this process: when the thread ends, the kernel ends the supervisor.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			s.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		s.socket.Close()
		return nil, err
	}
	s.process = cmd.Process
	return s, nil
}

// run runs a program. again reports whether the supervisor can run another one.
func (s *supervisor) run(ctx context.Context, c *Command) (result Result, again bool, err error) {
	if err := ctx.Err(); err != nil {
		return Result{Exit: 128 + int(unix.SIGKILL)}, true, err
	}
	streams, err := c.open()
	if err != nil {
		return Result{}, true, err
	}
	err = s.hand(task{Path: c.Path, Args: c.Args, Dir: c.Dir, Env: c.Env, Rules: c.Rules, Limits: c.Limits, Alone: c.Alone}, streams.given)
	streams.close()
	var said report
	if err == nil {
		stop := context.AfterFunc(ctx, func() {
			_ = s.process.Signal(unix.SIGTERM)
			_ = s.socket.SetReadDeadline(time.Now().Add(timeToEnd))
		})
		err = s.reports.Decode(&said)
		again = stop() && err == nil
	}
	if err != nil {
		_ = s.process.Kill()
		err = fmt.Errorf("the supervisor ended: %w", errors.Join(err, <-s.ended))
		s.ended <- nil
	}
	streams.drain()
	switch {
	case ctx.Err() != nil:
		return Result{Exit: 128 + int(unix.SIGKILL)}, again, ctx.Err()
	case err != nil:
		return Result{}, again, err
	case said.Error != "":
		return Result{}, again, errors.New(said.Error)
	}
	said.Result.held = said.Held
	return said.Result, again, nil
}

// hand sends the supervisor a task and the standard streams of the program. The message is the length of the task in 4
// bytes, together with the streams, and then the task.
func (s *supervisor) hand(t task, streams []*os.File) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	var fds []int
	for _, f := range streams {
		fds = append(fds, int(f.Fd()))
	}
	raw, err := s.socket.SyscallConn()
	if err != nil {
		return err
	}
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
	var sent error
	if err := raw.Write(func(fd uintptr) bool {
		sent = unix.Sendmsg(int(fd), length, unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL)
		return !errors.Is(sent, unix.EAGAIN)
	}); err != nil {
		return err
	}
	if sent != nil {
		return sent
	}
	_, err = s.socket.Write(data)
	return err
}

// end stops a supervisor that runs no program.
func (s *supervisor) end() {
	s.socket.Close()
	late := time.AfterFunc(timeToEnd, func() { _ = s.process.Kill() })
	defer late.Stop()
	<-s.ended
}

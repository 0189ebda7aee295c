package confine

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Describe describes briefly what confines a program here. It tests this once with a small program, because a container
// may forbid what the kernel supports.
func Describe(trusted bool) string { return described[trusted]() }

var described = map[bool]func() string{
	false: sync.OnceValue(func() string { return describe(false) }),
	true:  sync.OnceValue(func() string { return describe(true) }),
}

// describe starts a program that ends at once, and describes what confined it.
func describe(trusted bool) string {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	temp, err := os.MkdirTemp("", "culink-")
	if err != nil {
		return "none: " + err.Error()
	}
	defer os.RemoveAll(temp)
	c := Command{
		Path: self, Args: []string{probeName}, Dir: temp, Env: os.Environ(),
		Rules: Rules{Trusted: trusted, Write: []string{temp}, Read: []string{self}},
	}
	result, err := c.Run(ctx)
	if err != nil {
		return "none: " + err.Error()
	}
	return result.held.String()
}

const (
	self      = "/proc/self/exe"
	probeTime = 30 * time.Second // long, for a busy machine
)

// held states what confined a program.
type held struct {
	Trusted  bool
	Landlock int  // its version; 0 is none
	Filter   bool // a filter of system calls is installed
	Broker   bool // a broker changes modes and dates in the program's folders; without it, they cannot be changed
	Limits   limitsHeld
}

// limitsHeld tells when a program got its limits.
type limitsHeld int

const (
	noLimits limitsHeld = iota
	limitsAfterStart
	limitsBeforeStart
)

// String describes the restrictions for the header of a report: those that worked and, after [NotHeld], those that did
// not.
func (h held) String() string {
	var holds, open []string
	add := func(list *[]string, words ...string) { *list = append(*list, words...) }
	if h.Trusted {
		add(&open, "files", "network", "other processes", "system calls", "privileges (-trust)")
	} else {
		switch v := h.Landlock; {
		case v == 0:
			add(&open, "reading and writing of files", "network", "signals (no Landlock)")
		case v < networkSince:
			add(&holds, fmt.Sprintf("Landlock %d (files)", v))
			add(&open, "network", "signals (old Landlock)")
		case v < scopeSince:
			add(&holds, fmt.Sprintf("Landlock %d (files, TCP)", v))
			add(&open, "signals (old Landlock)")
		default:
			add(&holds, fmt.Sprintf("Landlock %d (files, TCP, signals)", v))
		}
		add(&holds, "no new privileges", "no capabilities")
		switch {
		case h.Broker:
			add(&holds, "no sockets", "modes and dates in its folders")
		case h.Filter:
			add(&holds, "no sockets", "no modes, no dates")
		default:
			add(&open, "sockets", "owners, modes, dates, locks and priorities (no filter of system calls)")
		}
	}
	switch h.Limits {
	case limitsBeforeStart:
		add(&holds, "limits before start")
	case limitsAfterStart:
		add(&holds, "limits after start")
	default:
		add(&open, "limits on memory and files")
	}
	add(&holds, "resources counted every 0.1 s (no cgroup)", "processes killed whole")
	text := strings.Join(holds, ", ")
	if open != nil {
		text += "; " + NotHeld + ": " + strings.Join(open, ", ")
	}
	return text
}

// Run runs the program and everything that it starts, until the program or the context ends. It fails if the program
// cannot be started.
func (c *Command) Run(ctx context.Context) (Result, error) {
	var p Pool
	defer p.Close()
	return p.Run(ctx, c)
}

// streams holds the standard streams of a program. It copies the program's output to the writers of the command.
type streams struct {
	given  []*os.File // stdin, stdout, stderr
	pipes  []*os.File // its output is read from these
	copied sync.WaitGroup
}

// open opens the streams of the program.
func (c *Command) open() (s *streams, err error) {
	s = &streams{}
	defer func() {
		if err != nil {
			s.close()
			s.drain()
		}
	}()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return s, err
	}
	defer null.Close()
	duplicate := func(f *os.File) error {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err == nil {
			s.given = append(s.given, os.NewFile(uintptr(fd), f.Name()))
		}
		return err
	}
	in := c.Stdin
	if in == nil {
		in = null
	}
	if err := duplicate(in); err != nil {
		return s, err
	}
	for _, w := range []io.Writer{c.Stdout, c.Stderr} {
		if w == nil {
			if err := duplicate(null); err != nil {
				return s, err
			}
			continue
		}
		from, to, err := os.Pipe()
		if err != nil {
			return s, err
		}
		s.given, s.pipes = append(s.given, to), append(s.pipes, from)
		s.copied.Go(func() {
			defer from.Close()
			// If a writer fails, the program's next write fails. This is not an error of the program.
			_, _ = io.Copy(w, from)
		})
	}
	return s, nil
}

// close closes the program's ends of the pipes in this process.
func (s *streams) close() {
	for _, f := range s.given {
		f.Close()
	}
	s.given = nil
}

// drain waits until the output is copied. All processes of the program have ended by then. A process that still holds
// an end of a pipe has escaped, and drain does not wait for it.
func (s *streams) drain() {
	for _, from := range s.pipes {
		_ = from.SetReadDeadline(time.Now().Add(timeToEnd))
	}
	s.copied.Wait()
}

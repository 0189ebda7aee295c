package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// A linker that takes long to start, because it loads a large library, can serve link after
// link from one child: it reads a ServedLink a line from its standard input, and answers each
// with a ServedOutcome a line (cmd/nvjitlink -serve). The child is trusted as little as any
// other: it has the limits of one link in each, and one that ends is replaced.

// A ServedLink asks for one link.
type ServedLink struct {
	Dir  string   `json:"dir"`  // the folder that names are relative to
	Args []string `json:"args"` // nvlink's
}

// A ServedOutcome answers it.
type ServedOutcome struct {
	Exit   int    `json:"exit"`
	Stderr string `json:"stderr"`
}

// A Server is a command that serves links. Several links may run at a time, each with a child
// of its own.
type Server struct {
	Command []string
	Limits  Limits

	mu   sync.Mutex
	idle []*serverChild
}

// A serverChild is one process of a server.
type serverChild struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies *json.Decoder
}

// Run is [Linker.Run] by a child that may have served before.
func (s *Server) Run(ctx context.Context, before Files, argv []string) (*Outcome, error) {
	dir, err := os.MkdirTemp("", "cuconform-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	scene, err := stage(dir, before)
	if err != nil {
		return nil, err
	}
	o, err := s.ask(ctx, ServedLink{scene.work, argv})
	if err != nil {
		return nil, err
	}
	o.gather(scene, s.Limits.Disk)
	return o, nil
}

// ask lets a child do one link.
func (s *Server) ask(ctx context.Context, link ServedLink) (*Outcome, error) {
	child, err := s.take()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Limits.Time)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = child.cmd.Cancel() })
	var reply ServedOutcome
	request, err := json.Marshal(link)
	if err != nil {
		return nil, err
	}
	if _, err = child.in.Write(append(request, '\n')); err == nil {
		err = child.replies.Decode(&reply)
	}
	if stop() && err == nil {
		s.put(child)
		return &Outcome{Exit: reply.Exit, Stderr: []byte(reply.Stderr)}, nil
	}
	child.end()
	o := &Outcome{Exit: exitStatus(child.cmd.ProcessState)}
	if ctx.Err() != nil {
		o.Killed = "time"
	}
	return o, nil
}

// take gives an idle child, or a new one.
func (s *Server) take() (*serverChild, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		child := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return child, nil
	}
	cmd := exec.CommandContext(context.Background(), s.Command[0], s.Command[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	limitChild(cmd.Process.Pid, s.Limits)
	return &serverChild{cmd, in, json.NewDecoder(bufio.NewReader(out))}, nil
}

func (s *Server) put(child *serverChild) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, child)
}

// Close ends the children.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, child := range s.idle {
		child.end()
	}
	s.idle = nil
}

// end ends a child that waits for a link, or does not answer. How it ends does not matter.
func (c *serverChild) end() {
	c.in.Close()
	_ = c.cmd.Wait()
	endGroup(c.cmd)
}

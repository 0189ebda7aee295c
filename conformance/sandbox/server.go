package sandbox

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/idle"
)

// A linker that starts slowly, such as a script or the driver of a large library, can serve many links in one child. It
// reads a ServedLink from each line of its standard input, and answers each with a ServedOutcome on one line
// (docs/serve.md, cmd/nvjitlink -serve). The child is not trusted either: it is confined to the folders of its links,
// and each link has a time limit. A child that ends is replaced.

// A ServedLink is a request for one link.
type ServedLink struct {
	Dir  string   `json:"dir"`  // folder of relative names
	Args []string `json:"args"` // nvlink's
}

// A ServedOutcome is the answer to a ServedLink.
type ServedOutcome struct {
	Exit   int    `json:"exit"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr"`
}

// Answer answers each [ServedLink] of in with a line of out, until in ends. An error of link ends it.
func Answer(in io.Reader, out io.Writer, link func(ServedLink) (ServedOutcome, error)) error {
	links, replies := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var asked ServedLink
		if err := links.Decode(&asked); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		answer, err := link(asked)
		if err != nil {
			return err
		}
		if err := replies.Encode(answer); err != nil {
			return err
		}
	}
}

// Here runs a link in this process, which goes into the folder of the link. run gets a command line that begins with
// the name nvlink.
func (l ServedLink) Here(run func(ctx context.Context, args []string, stdout, stderr io.Writer) (exit int)) (o ServedOutcome, err error) {
	if err := os.Chdir(l.Dir); err != nil {
		return o, err
	}
	var stdout, stderr strings.Builder
	o.Exit = run(context.Background(), append([]string{"nvlink"}, l.Args...), &stdout, &stderr)
	o.Stdout, o.Stderr = stdout.String(), stderr.String()
	return o, nil
}

// A Server is a linker that serves links. Several links may run at the same time, each in a separate child.
type Server struct {
	Linker

	idle idle.List[*serverChild]
	mu   sync.Mutex
	left error // errors of the removal of folders
}

// A serverChild is a process of a server, with its folder.
type serverChild struct {
	*confine.Process
	dir     string
	replies *bufio.Scanner
}

// read reads an answer. A line that is too long, or is not JSON, is an error.
func (c *serverChild) read() (o ServedOutcome, err error) {
	if !c.replies.Scan() {
		return o, cmp.Or(c.replies.Err(), io.ErrUnexpectedEOF)
	}
	return o, json.Unmarshal(c.replies.Bytes(), &o)
}

// Run does the same as [Linker.Run], in a child that may have served other links before.
func (s *Server) Run(ctx context.Context, before attempt.Files, argv []string) (*attempt.Outcome, error) {
	return s.runIn(ctx, plainEnvironment.Folder, before, argv)
}

// runIn does the same as [Server.Run], in a folder with the given name.
func (s *Server) runIn(ctx context.Context, folder string, before attempt.Files, argv []string) (*attempt.Outcome, error) {
	child, ok := s.idle.Take()
	if !ok {
		var err error
		if child, err = s.start(); err != nil {
			return nil, err
		}
	}
	w, err := newWorkdir(child.dir, folder, before)
	if err != nil {
		s.end(child)
		return nil, err
	}
	o, again, err := s.ask(ctx, child, ServedLink{w.work, argv})
	if err == nil {
		w.gather(o, s.Limits.mostRead())
	}
	if again {
		s.idle.Put(child)
	} else {
		s.remove(child.dir)
	}
	return o, err
}

// ask sends one link to a child. again reports whether the child can serve another link. If not, the child has ended.
func (s *Server) ask(ctx context.Context, child *serverChild, link ServedLink) (o *attempt.Outcome, again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Limits.Time)
	defer cancel()
	request, err := json.Marshal(link)
	if err != nil {
		s.end(child)
		return nil, false, err
	}
	stop := context.AfterFunc(ctx, child.Kill)
	var reply ServedOutcome
	if _, err = child.In.Write(append(request, '\n')); err == nil {
		reply, err = child.read()
	}
	if stop() && err == nil {
		return &attempt.Outcome{Exit: reply.Exit, Stdout: []byte(reply.Stdout), Stderr: []byte(reply.Stderr)}, true, nil
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		child.Kill() // the child waits for the next link
	}
	result := child.End()
	o = &attempt.Outcome{Exit: cmp.Or(result.Exit, 1), Stderr: []byte(noAnswer), Killed: result.Killed}
	switch {
	case ctx.Err() != nil:
		o.Killed = "time"
	case errors.Is(err, bufio.ErrTooLong):
		o.Killed = "output"
	}
	return o, false, nil
}

// noAnswer is the error text of a link whose child does not answer in the right form.
const noAnswer = "the linker gives no answer, or one that is no line of JSON\n"

// start starts a child in a new folder, which will contain the folders of its links.
func (s *Server) start() (*serverChild, error) {
	dir, err := os.MkdirTemp("", "cuconform-")
	if err != nil {
		return nil, err
	}
	p, err := s.Start(dir, filepath.Join(dir, "tmp"), dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	replies := bufio.NewScanner(p.Out)
	replies.Buffer(nil, cmp.Or(s.Limits.Output, DefaultLimits.Output))
	return &serverChild{p, dir, replies}, nil
}

// Close ends the children.
func (s *Server) Close() { s.idle.Empty(s.end) }

// end ends a child and removes its folder. Its exit status does not matter.
func (s *Server) end(c *serverChild) {
	c.End()
	s.remove(c.dir)
}

// remove removes the folder of a child that has ended.
func (s *Server) remove(dir string) {
	err := confine.Remove(dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = errors.Join(s.left, err)
}

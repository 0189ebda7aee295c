package confine

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"
)

// A Process is a program that goes on, and is asked on its standard input.
type Process struct {
	In   *os.File
	Out  *io.PipeReader     // ends with the program, or with why it could not be started
	Kill context.CancelFunc // it and all that it has started

	ended chan Result
}

// Start starts the program, whose standard input and output are those of the process.
func (c *Command) Start() (*Process, error) {
	requests, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, replies := io.Pipe()
	command := *c
	command.Stdin, command.Stdout = requests, replies
	ctx, kill := context.WithCancel(context.Background())
	p := &Process{in, out, kill, make(chan Result, 1)}
	go func() {
		result, err := command.Run(ctx)
		requests.Close()
		replies.CloseWithError(cmp.Or(err, io.EOF))
		p.ended <- result
	}()
	return p, nil
}

// timeToEnd is how long a process may take to end when nothing more is asked.
const timeToEnd = 5 * time.Second

// End ends a process that waits to be asked, or does not answer, and returns how it ended.
func (p *Process) End() Result {
	p.In.Close()
	p.Out.Close()
	late := time.AfterFunc(timeToEnd, p.Kill)
	defer late.Stop()
	defer p.Kill()
	return <-p.ended
}

package confine

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"
)

// A Process is a program that keeps running and reads requests from its standard input.
type Process struct {
	In   *os.File
	Out  *io.PipeReader     // ends with the program; its error is the reason if the program did not start
	Kill context.CancelFunc // kills it and everything that it has started

	ended chan Result
}

// Start starts the program. In and Out of the process are connected to its standard input and output.
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

// timeToEnd is the time that a process has to end when there are no more requests.
const timeToEnd = 5 * time.Second

// End closes the input of a process, waits for its end, and returns the result. The process must wait for a request or
// not respond at all.
func (p *Process) End() Result {
	p.In.Close()
	p.Out.Close()
	late := time.AfterFunc(timeToEnd, p.Kill)
	defer late.Stop()
	defer p.Kill()
	return <-p.ended
}

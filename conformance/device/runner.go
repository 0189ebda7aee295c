package device

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/culink/culink/linker/arch"
)

// A Runner runs images with a command that loads the driver. The command first prints a [Greeting]. Then it reads each
// Job from a line of JSON, and answers with a line that contains a Trace or an error.
type Runner struct {
	command []string
	limit   time.Duration // time limit for one image

	mu    sync.Mutex // the device runs one image at a time
	child *child
	Greeting
}

// A Greeting is the first line of the command: the device, or the reason why there is none.
type Greeting struct {
	Device string `json:"device,omitempty"` // its name
	Major  int    `json:"major"`            // major number of its compute capability
	Minor  int    `json:"minor"`
	Error  string `json:"error,omitempty"`
}

// An Answer is a line for a job.
type Answer struct {
	Trace *Trace `json:"trace,omitempty"`
	Error string `json:"error,omitempty"` // error of the driver
}

type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
}

// ErrNone reports that there is no device, or no driver for it.
var ErrNone = errors.New("no device")

// Start starts the command. The error wraps [ErrNone] if the command finds no device.
func Start(ctx context.Context, command []string, limit time.Duration) (*Runner, error) {
	r := &Runner{command: command, limit: limit}
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Runner) start(ctx context.Context) error {
	cmd := exec.Command(r.command[0], r.command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	r.child = &child{cmd, in, json.NewDecoder(bufio.NewReader(out))}
	if err := r.decode(ctx, &r.Greeting); err != nil {
		return fmt.Errorf("%w: %s says nothing: %w", ErrNone, r.command[0], err)
	}
	if r.Greeting.Error != "" {
		r.stop()
		return fmt.Errorf("%w: %s", ErrNone, r.Greeting.Error)
	}
	return nil
}

// decode reads a line of the child within the time limit, and kills the child if that fails.
func (r *Runner) decode(ctx context.Context, to any) error {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = r.child.cmd.Process.Kill() })
	err := r.child.answers.Decode(to)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.stop()
	}
	return err
}

// stop ends the child.
func (r *Runner) stop() {
	if r.child == nil {
		return
	}
	r.child.in.Close()
	_ = r.child.cmd.Process.Kill()
	_ = r.child.cmd.Wait()
	r.child = nil
}

// Close ends the command.
func (r *Runner) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
}

// Runs reports whether the device runs code for a target such as "90" or "100a". The major number must be that of the
// device, and the minor number must not be larger. If the target ends in a, both numbers must be equal.
func (r *Runner) Runs(target string) bool {
	t, ok := arch.Parse("sm_" + target)
	if !ok {
		return false
	}
	if t.Suffix == 'a' {
		return t.Number == 10*r.Major+r.Minor
	}
	return t.Number/10 == r.Major && t.Number%10 <= r.Minor
}

// Run runs the kernels that [NewJob] lists for an image. A kernel that exceeds the time limit is recorded as a fault.
func (r *Runner) Run(ctx context.Context, job *Job) (*Trace, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(job.Kernels) == 0 {
		return r.ask(ctx, job)
	}
	all := &Trace{}
	for _, k := range job.Kernels {
		trace, err := r.ask(ctx, &Job{Image: job.Image, Kernels: []Kernel{k}, Variables: job.Variables})
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			all.Results = append(all.Results, Result{Kernel: k.Name, Fault: "no end in " + r.limit.String()})
		case err != nil:
			return nil, err
		case trace.Refused != "":
			return trace, nil
		default:
			all.Results = append(all.Results, trace.Results...)
		}
	}
	return all, nil
}

// ask sends one job to the child. If the child has ended, a new one is started.
func (r *Runner) ask(ctx context.Context, job *Job) (*Trace, error) {
	if r.child == nil {
		if err := r.start(ctx); err != nil {
			return nil, err
		}
	}
	line, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	if _, err := r.child.in.Write(append(line, '\n')); err != nil {
		r.stop()
		return nil, err
	}
	var answer Answer
	if err := r.decode(ctx, &answer); err != nil {
		return nil, fmt.Errorf("%s: %w", r.command[0], err)
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Trace, nil
}

// Serve is the other side of a Runner: it answers jobs with a driver.
func Serve(d Driver, device string, in io.Reader, out io.Writer) error {
	answers := json.NewEncoder(out)
	major, minor := d.Capability()
	if err := answers.Encode(Greeting{Device: device, Major: major, Minor: minor}); err != nil {
		return err
	}
	jobs := json.NewDecoder(in)
	for {
		var job Job
		if err := jobs.Decode(&job); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var answer Answer
		trace, err := Play(d, &job)
		if err != nil {
			answer.Error = err.Error()
		}
		answer.Trace = trace
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

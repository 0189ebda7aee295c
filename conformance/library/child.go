package library

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/sandbox"
)

// A driver is a command that loads a libnvJitLink and runs scripts on it: cmd/nvjitlink -calls LIBRARY. Each line of its
// input is a script: a JSON array of calls, each an array of words. The driver writes a [Reply] on a line before and
// after each call. If it crashes, the last line identifies the call. The library under test is not trusted: a driver
// that exits is replaced, and a driver that exceeds its time is killed.

// A Reply is a line of a driver's output.
type Reply struct {
	Script int    // index of the script
	Call   int    // number of the call
	Answer Answer `json:",omitempty"` // nil: the call begins
	Done   bool   `json:",omitempty"` // the script is at its end
	Error  string `json:",omitempty"` // error, for a script that cannot be played
}

// Child plays cases on a shared library in driver processes.
type Child struct {
	Driver  []string // command and arguments, without the library's path
	Path    string   // path of the library
	Dir     string   // folder with the inputs
	Temp    string   // folder for temporary files, the only one where it may write
	Trusted bool     // it can reach all files
	Reads   []string // more files and folders that it may read
	Time    time.Duration
	Env     []string // additional variables, such as the one that sets the release of culink's library
	// If Stream is set, one process plays all cases until it ends. Otherwise each case has its own process.
	Stream bool

	mu   sync.Mutex
	live *driver
}

// A driver is a process that plays scripts.
type driver struct {
	*confine.Process
	replies *json.Decoder
	scripts int
}

// start starts a process, confined in the same way as a linker under test.
func (c *Child) start(more ...string) (*driver, error) {
	command := append(slices.Concat(c.Driver, more), c.Path)
	l := sandbox.Linker{Command: command, Limits: sandbox.DefaultLimits, Trusted: c.Trusted, Reads: c.Reads, Env: c.Env}
	p, err := l.Start(c.Dir, c.Temp, c.Temp)
	if err != nil {
		return nil, err
	}
	return &driver{Process: p, replies: json.NewDecoder(bufio.NewReader(p.Out))}, nil
}

// Play plays one case.
func (c *Child) Play(ctx context.Context, calls [][]string) ([]Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live == nil {
		d, err := c.start()
		if err != nil {
			return nil, err
		}
		c.live = d
	}
	answers, alive, err := c.live.play(ctx, c.Time, calls)
	if !c.Stream || !alive {
		c.live.End()
		c.live = nil
	}
	return answers, err
}

// Close ends the process of a stream.
func (c *Child) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live != nil {
		c.live.End()
		c.live = nil
	}
}

// play plays one script. alive reports whether the process is still running.
func (d *driver) play(ctx context.Context, limit time.Duration, calls [][]string) (answers []Answer, alive bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(ctx, d.Kill)()
	line, err := json.Marshal(calls)
	if err != nil {
		return nil, true, err
	}
	d.scripts++
	if _, err := d.In.Write(append(line, '\n')); err != nil {
		return []Answer{{FacetResult: crash}}, false, nil
	}
	begun := false
	for {
		var r Reply
		switch err := d.replies.Decode(&r); {
		case err != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
			return append(answers, Answer{FacetResult: crash, FacetValue: "no answer in " + limit.String()}), false, nil
		case err != nil && begun:
			return append(answers, Answer{FacetResult: crash}), false, nil
		case err != nil:
			return nil, false, fmt.Errorf("the driver ended: %w", err)
		case r.Error != "":
			return nil, false, errors.New(r.Error)
		case r.Done:
			return answers, true, nil
		case r.Answer != nil:
			answers, begun = append(answers, r.Answer), false
		default:
			begun = true
		}
	}
}

// PlayAtOnce plays scripts on several threads of one process. Each thread plays all scripts, but starts with a different
// one. The answers are indexed by thread and script. A crash is an error.
func (c *Child) PlayAtOnce(ctx context.Context, threads int, scripts [][][]string) ([][][]Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Time)
	defer cancel()
	d, err := c.start("-threads", fmt.Sprint(threads))
	if err != nil {
		return nil, err
	}
	defer d.End()
	defer context.AfterFunc(ctx, d.Kill)()
	lines := json.NewEncoder(d.In)
	for _, s := range scripts {
		if err := lines.Encode(s); err != nil {
			return nil, err
		}
	}
	d.In.Close()
	all := make([][][]Answer, threads)
	for i := range all {
		all[i] = make([][]Answer, len(scripts))
	}
	for left := threads * len(scripts); left > 0; {
		var r Reply
		if err := d.replies.Decode(&r); err != nil {
			return nil, fmt.Errorf("the process with the library ended, with %d of %d scripts to go: %w", left, threads*len(scripts), err)
		}
		of := &all[r.Script/len(scripts)][r.Script%len(scripts)]
		switch {
		case r.Error != "":
			return nil, errors.New(r.Error)
		case r.Done:
			left--
		case r.Answer != nil:
			*of = append(*of, r.Answer)
		}
	}
	return all, nil
}

// Serve is the loop of a driver. It reads scripts from in, plays them on api, and writes replies to out. It plays the
// scripts one after the other, or on several threads. run must call a function on a new thread.
func Serve(api API, threads int, in io.Reader, out io.Writer, run func(func())) error {
	scripts := json.NewDecoder(in)
	var mu sync.Mutex
	replies := json.NewEncoder(out)
	reply := func(r Reply) {
		mu.Lock()
		defer mu.Unlock()
		_ = replies.Encode(r) // who asked is gone
	}
	play := func(number int, calls [][]string, tellBefore bool) {
		err := Play(api, calls, func(i int) {
			if tellBefore {
				reply(Reply{Script: number, Call: i})
			}
		}, func(i int, a Answer) { reply(Reply{Script: number, Call: i, Answer: a}) })
		r := Reply{Script: number, Done: true}
		if err != nil {
			r.Error = err.Error()
		}
		reply(r)
	}
	var all [][][]string
	for {
		var calls [][]string
		if err := scripts.Decode(&calls); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if threads == 0 {
			play(len(all), calls, true)
		}
		all = append(all, calls)
	}
	if threads == 0 {
		return nil
	}
	var group sync.WaitGroup
	for t := range threads {
		group.Add(1)
		go run(func() {
			defer group.Done()
			for i := range all {
				k := (i + t) % len(all)
				play(t*len(all)+k, all[k], false)
			}
		})
	}
	group.Wait()
	return nil
}

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

// A driver is a command that loads a libnvJitLink and plays scripts on it: cmd/nvjitlink -calls
// LIBRARY. It reads a script a line, a JSON array of calls, each an array of words, and writes a
// [Reply] a line before and after each call, so that a crash shows which call it was. The library
// under test is not trusted: a driver that ends is replaced, and one that takes too long is ended.

// A Reply is a line of a driver's output.
type Reply struct {
	Script int    // number of the script, from 0
	Call   int    // number of the call
	Answer Answer `json:",omitempty"` // nil: the call begins
	Done   bool   `json:",omitempty"` // the script is at its end
	Error  string `json:",omitempty"` // and cannot be played
}

// Child plays cases on a shared library in processes of a driver.
type Child struct {
	Driver  []string // command and arguments, without the library's path
	Path    string   // of the library
	Dir     string   // folder with the inputs
	Temp    string   // folder for temporary files, the only one that it may write in
	Trusted bool     // it reaches all files
	Reads   []string // files and folders that it reads beside its own
	Time    time.Duration
	Env     []string // more variables, as that of the release, which culink's library reads
	// Stream plays all cases in one process, as long as it lives; else each has its own.
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

// start starts a process, confined as that of a linker under test is.
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

// play plays one script; alive reports whether the process goes on.
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

// PlayAtOnce plays scripts on so many threads of one process, each thread all of the scripts, from
// another one on. Answers are by thread and script; a crash is the error.
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

// Serve is the driver's side: it plays the scripts of in on api and writes replies, one script
// after the other, or on so many threads; run calls a function in a thread of its own.
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

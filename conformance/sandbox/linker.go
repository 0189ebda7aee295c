// Package sandbox runs a linker under test, or nvlink itself, as a child process.
//
// A linker is not trusted. Package confine restricts it to a separate folder, with limits on time, memory, disk space
// and printed bytes. nvlink hangs and crashes on some inputs, so it runs in the same way.
package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/linker/input"
)

// Limits are the limits of one link.
type Limits struct {
	Time   time.Duration
	Memory uint64 // address space in bytes; enforced on Linux only
	File   uint64 // bytes of one file; enforced on Linux only
	Disk   uint64 // bytes of all files that it leaves
	Output int    // bytes of stdout and of stderr; more kills the child
}

// mostRead returns the number of bytes that are read from the files that a link leaves. 0 means all.
func (l Limits) mostRead() uint64 {
	if l.Disk == 0 {
		return 0
	}
	return min(l.Disk, mostRead)
}

// mostRead is the limit on the bytes of files that are read after a link (CONF-065).
const mostRead = 256 << 20

// DefaultLimits are far above what any case of the corpus needs.
var DefaultLimits = Limits{Time: 30 * time.Second, Memory: 8 << 30, File: 1 << 30, Disk: 2 << 30, Output: 64 << 20}

// A Linker is a command that accepts nvlink's arguments.
type Linker struct {
	Command []string // program and leading arguments
	Name    string   // argv[0], which a linker prints in messages; if empty, that of Command
	Limits  Limits
	Env     []string // variables in addition to those that every linker gets
	KeepEnv []string // names of further variables of the harness that it gets
	Trusted bool     // do not confine it, and let it inherit the whole environment
	Reads   []string // files and folders that it may read in addition to its own
	Serves  bool     // in a pool, it serves links from its standard input (docs/serve.md)

	env       Environment
	server    *Server // server, for a pooled linker that serves links
	pool      *pool   // if nil, each link has its own supervisor and folder
	AnyLocale bool    // use locales that the system lacks too; for a linker that does not warn about them
}

// ParseCommand splits a command line into a program and its arguments with [commandline.SplitWords]. It makes the
// program and every word that names a file absolute, because a linker runs in a separate folder.
func ParseCommand(line string) ([]string, error) {
	words, err := commandline.SplitWords(line)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("an empty command")
	}
	if words[0], err = exec.LookPath(words[0]); err != nil {
		return nil, err
	}
	for i, w := range words {
		if info, err := os.Stat(w); err == nil && info.Mode().IsRegular() {
			if words[i], err = filepath.Abs(w); err != nil {
				return nil, err
			}
		}
	}
	return words, nil
}

// Run runs the linker with the arguments argv in a new folder. before holds the files that the folder has before the
// link. Run returns an error only if the child cannot be started or its folder cannot be read.
func (l *Linker) Run(ctx context.Context, before attempt.Files, argv []string) (*attempt.Outcome, error) {
	if l.pool == nil {
		pooled, end := l.Pooled()
		o, err := pooled.Run(ctx, before, argv)
		end()
		return o, errors.Join(err, pooled.Left())
	}
	if l.server != nil {
		return l.server.runIn(ctx, l.environmentOrPlain().Folder, before, argv)
	}
	p, err := l.pool.take()
	if err != nil {
		return nil, err
	}
	defer l.pool.places.Put(p)
	s, err := p.stage(l.environmentOrPlain().Folder, before)
	if err != nil {
		return nil, err
	}
	o, err := l.RunIn(ctx, s.work, s.temp, argv)
	if err != nil {
		return nil, err
	}
	s.gather(o, l.Limits.mostRead())
	return o, nil
}

// kept lists the variables that every linker inherits, in addition to culink's variables: search paths of programs and
// libraries, and variables that Windows needs.
var kept = []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "GOCOVERDIR", "SYSTEMROOT", "SystemRoot", "PATHEXT", "COMSPEC"}

// ownVariables is the prefix of the names of culink's variables.
const ownVariables = "CULINK_"

// environment returns the variables of a child. temp is its folder for temporary files.
func (l *Linker) environment(temp string) []string {
	var env []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if l.Trusted || slices.Contains(kept, name) || slices.Contains(l.KeepEnv, name) || strings.HasPrefix(name, ownVariables) {
			env = append(env, variable)
		}
	}
	if !l.Trusted {
		env = append(env, "HOME="+temp)
	}
	given := l.environmentOrPlain()
	return slices.Concat(env, l.Env, given.Variables, []string{"TMPDIR=" + temp, "LC_ALL=" + l.localeOrPlain(given.Locale)})
}

// UsePTXAS sets the ptxas that the linker runs.
func (l *Linker) UsePTXAS(file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	l.Env = append(l.Env, input.PTXASVariable+"="+file)
	return nil
}

// rules returns the rules of a child that writes to these folders.
func (l *Linker) rules(folders ...string) confine.Rules {
	rules := confine.Rules{Trusted: l.Trusted, Write: folders}
	if !l.Trusted {
		rules.Read = slices.Concat(l.Reads, l.ownFiles())
	}
	return rules
}

// ownFiles returns the result of [readsOf] for the linker. A pool stores it.
func (l *Linker) ownFiles() []string {
	key := strings.Join(slices.Concat(l.Command, l.Env, l.KeepEnv), "\x00")
	if l.pool != nil {
		if known, ok := l.pool.reads.Load(key); ok {
			return known.([]string)
		}
	}
	command := l.Command
	if path, err := l.path(); err == nil {
		command = append([]string{path}, command[1:]...)
	}
	named := slices.Clone(l.KeepEnv)
	for _, variable := range l.Env {
		name, _, _ := strings.Cut(variable, "=")
		named = append(named, name)
	}
	own := readsOf(command, slices.Concat(os.Environ(), l.Env), named, homes())
	if l.pool != nil {
		l.pool.reads.Store(key, own)
	}
	return own
}

// path returns the absolute name of the program.
func (l *Linker) path() (string, error) {
	path, err := exec.LookPath(l.Command[0])
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// confined returns the linker as a confined program. It runs in the folder dir and has the folder temp for temporary
// files.
func (l *Linker) confined(dir, temp string, argv []string) (*confine.Command, error) {
	path, err := l.path()
	if err != nil {
		return nil, err
	}
	command := &confine.Command{
		Path: path, Args: slices.Concat(l.Command, argv), Dir: dir, Env: l.environment(temp),
		Rules:  l.rules(dir, temp),
		Alone:  l.environmentOrPlain().Alone,
		Limits: confine.Limits{Memory: l.Limits.Memory, File: l.Limits.File, Disk: l.Limits.Disk},
	}
	if l.Name != "" {
		command.Args[0] = l.Name
	}
	return command, nil
}

// Pooled returns a linker that reuses supervisors and folders from link to link, which halves the time of a link. end
// ends the supervisors and removes the folders. If the linker is already pooled, Pooled returns it unchanged.
func (l *Linker) Pooled() (pooled *Linker, end func()) {
	if l.pool != nil {
		return l, func() {}
	}
	other := *l
	other.pool = new(pool)
	if l.Serves {
		other.server = &Server{Linker: *l}
		return &other, func() { other.server.Close(); other.pool.close() }
	}
	return &other, other.pool.close
}

// Left returns the reasons why a pooled linker that has ended could not remove files of its links. It returns nil if all
// were removed.
func (l *Linker) Left() error {
	if l.server != nil {
		return errors.Join(l.server.left, l.pool.left)
	}
	return l.pool.left
}

// Start starts the linker as a process that serves its standard input. It runs in the folder dir and has the folder temp
// for temporary files. It can write only below the folder write. Its limits on memory and files apply.
func (l *Linker) Start(dir, temp, write string) (*confine.Process, error) {
	command, err := l.confined(dir, temp, nil)
	if err != nil {
		return nil, err
	}
	command.Rules = l.rules(write)
	command.Rules.Read = append(command.Rules.Read, dir)
	return command.Start()
}

// RunIn runs the linker in the folder dir, which the caller has prepared. temp is its folder for temporary files. The
// outcome has no files.
func (l *Linker) RunIn(ctx context.Context, dir, temp string, argv []string) (*attempt.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Limits.Time)
	defer cancel()
	o := &attempt.Outcome{}
	ctx, flood := context.WithCancelCause(ctx)
	defer flood(nil)
	stdout := &cappedBuffer{limit: l.Limits.Output, exceeded: flood}
	stderr := &cappedBuffer{limit: l.Limits.Output, exceeded: flood}
	command, err := l.confined(dir, temp, argv)
	if err != nil {
		return nil, err
	}
	command.Stdout, command.Stderr = stdout, stderr
	run := command.Run
	if l.pool != nil {
		run = func(ctx context.Context) (confine.Result, error) { return l.pool.supervisors.Run(ctx, command) }
	}
	result, err := run(ctx)
	o.Stdout, o.Stderr = stdout.kept.Bytes(), stderr.kept.Bytes()
	o.Exit, o.Killed, o.Usage = result.Exit, result.Killed, result.Usage
	switch {
	case context.Cause(ctx) == errFlood:
		o.Killed = "output"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.Killed = "time"
	case err != nil:
		return nil, err
	}
	return o, nil
}

var errFlood = errors.New("too much output")

// A cappedBuffer keeps the first limit bytes. It calls exceeded when more are written.
type cappedBuffer struct {
	kept     bytes.Buffer
	limit    int
	exceeded context.CancelCauseFunc
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	room := b.limit - b.kept.Len()
	if len(p) > room {
		b.kept.Write(p[:room])
		b.exceeded(errFlood)
		return len(p), nil
	}
	return b.kept.Write(p)
}

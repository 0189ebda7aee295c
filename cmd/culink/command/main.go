// Package command implements the command culink, which links CUDA device code as a replacement for NVIDIA's nvlink
// 13.0.88. It has the same options, messages, exit status and output bytes. It is a separate package so that cuconform
// can start itself as culink.
//
// Messages and the tool note contain the name from argv[0]. So a copy or a symbolic link called nvlink appears as
// nvlink. The link itself is in package linker. This command reads options and inputs, prints messages and writes files.
package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/culink/culink/cmd/culink/advice"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// Main runs the command line of the process and exits.
func Main() {
	inShadow()
	ctx, cancel := context.WithCancel(helper.Own(context.Background()))
	c := new(command)
	c.minded = sync.OnceFunc(func() { c.endBySignal(cancel) })
	c.files.outputs.Naming = c.mayLeave
	exit := c.run(ctx, os.Args, os.Stdout, os.Stderr)
	if ctx.Err() != nil {
		select {} // a signal is ending the process
	}
	os.Exit(exit)
}

// Run runs a command line in this process and its working folder, and returns the exit status.
// args[0] is the name of the command.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return new(command).run(ctx, args, stdout, stderr)
}

// A command is one run of culink.
type command struct {
	files   files
	minded  func()         // installs the handling of signals; nil if the run is not a process
	running sync.WaitGroup // programs that it has started
	bare    bool           // it was called without arguments

	atTerminal bool // stderr is a terminal
}

// run runs the command; args[0] is its name. It returns the exit status (DIAG-002).
// A failed write to stdout is a fatal error (OPT-510).
func (c *command) run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c.files.rec = newRecorder()
	c.bare = len(args) == 1
	settings, said := parse(ctx, args[1:], c.files.readResponses)
	host := settings.Platform.Or()
	c.files.host = host
	c.files.rec.moveResponses(host)
	tool := toolName(host, filepath.ToSlash(args[0]))
	out := &checkedWriter{to: host.Text(stdout)}
	c.atTerminal, stderr = isTerminal(stderr), host.Text(stderr)
	exit := c.pack(ctx, tool, args[1:], settings, said, out, stderr)
	if out.err == nil {
		return exit
	}
	r := &report{tool: tool, stderr: stderr, text: stderr}
	r.log.Add(diag.New(diag.CannotWriteFile, "stdout").Because(out.err))
	r.flush()
	return r.exit()
}

// pack carries out the command, and writes the package of --repro.
func (c *command) pack(ctx context.Context, tool string, args []string, settings *option.Settings, said []diag.Diagnostic, stdout, stderr io.Writer) int {
	rec := c.files.rec
	if settings.ReproFile == "" {
		c.files.rec = nil
		return c.carryOut(ctx, tool, settings, said, stdout, stderr)
	}
	rec.note = rec.movedNote(args)
	exit := c.carryOut(ctx, tool, settings, said, io.MultiWriter(stdout, &rec.stdout), io.MultiWriter(stderr, &rec.stderr))
	r := &report{tool: tool, stderr: stderr, text: stderr}
	if c.files.clash(&r.log, settings, settings.ReproFile) || !c.files.writeTo(&r.log, settings.ReproFile, func(w io.Writer) error {
		return rec.write(w, tool, args, exit)
	}) {
		r.flush()
		return r.exit()
	}
	return exit
}

// carryOut runs a parsed command line and returns the exit status.
func (c *command) carryOut(ctx context.Context, tool string, settings *option.Settings, said []diag.Diagnostic, stdout, stderr io.Writer) int {
	r := &report{tool: tool, stderr: stderr, text: stderr}
	switch {
	case settings.JSON:
		r.json = stdout
	case settings.Platform.Or().TextOnStdout:
		r.text = stdout
	}
	variable := os.Getenv(option.AdviceVariable)
	r.adviser, r.answers = adviser(settings), c.printsAdvice(settings, variable, tool)
	r.gathered = gatherAdvice(settings, variable)
	r.log.Diagnostics = said
	if r.failed() {
		if r.gathered != nil {
			c.files.appendAdvice(settings, variable, r.gathered)
		}
		return r.exit()
	}
	switch {
	case settings.Help:
		option.WriteHelp(stdout, r.tool, settings.Toolkit, settings.Platform)
		return r.exit()
	case settings.Version:
		option.WriteVersion(stdout, r.tool, settings.Toolkit)
		return r.exit()
	case settings.ShadowFolder != "":
		makeShadow(ctx, settings, &r.log, stdout)
		r.flush()
		return r.exit()
	case settings.AdviceFile != "":
		showAdvice(settings.AdviceFile, &r.log, stdout)
		r.flush()
		return r.exit()
	}
	// After this point, messages use the requested tool name, severity and suffix.
	if settings.Given("tool-name") {
		r.tool = toolName(settings.Platform, settings.ToolName)
	}
	r.suffix = settings.Suffix()
	r.log.WarningsAreErrors = settings.WarningsAreErrors
	r.log.DropWarnings = settings.DisableInfos || settings.DisableWarnings && settings.Toolkit.Options.DisablesWarnings
	r.answers = c.printsAdvice(settings, variable, r.tool)

	l := &linking{command: c, ctx: ctx, settings: settings, report: r, stdout: stdout}
	l.run()
	if c.bare && r.answers {
		advice.Write(stderr, advice.FirstWords(tool))
	}
	if r.gathered != nil {
		c.files.appendAdvice(settings, variable, r.gathered)
	}
	return r.exit()
}

// toolName returns the last element of a path, without its extension (OPT-051).
func toolName(host *platform.Platform, name string) string {
	name = host.Base(name)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[:dot]
	}
	return name
}

// Package command is the command culink, which links CUDA device code in the place of
// NVIDIA's nvlink 13.0.88: the same options, messages, exit status and output bytes.
// It is a package so that cuconform can start itself as culink.
//
// It takes its name in messages and in the tool note from argv[0], so that a copy
// or a link called nvlink is nvlink to all who look. All knowledge of linking is
// in package linker; this command reads options and inputs, prints messages and
// writes files.
package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/culink/culink/cmd/culink/edgname"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/repro"
)

// Main does what the words of the process ask for, and ends it.
func Main() {
	inShadow()
	ctx, cancel := context.WithCancel(context.Background())
	c := new(command)
	c.minded = sync.OnceFunc(func() { c.endBySignal(cancel) })
	c.files.outputs.Naming = c.mayLeave
	exit := c.run(ctx, os.Args, os.Stdout, os.Stderr)
	if ctx.Err() != nil {
		select {} // a signal is ending the process
	}
	os.Exit(exit)
}

// A command is one run of culink.
type command struct {
	files   files
	minded  func()         // minds signals from now on; nil: the run is not a process
	running sync.WaitGroup // programs that it has started
}

// run runs the command; args starts with the name it was called by. It returns the
// exit status (DIAG-002), which is that of a fatal message when stdout takes not all
// that is printed (OPT-510).
func (c *command) run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c.files.rec = newRecorder()
	settings, said := parse(ctx, args[1:], c.files.readResponses)
	tool := toolName(filepath.ToSlash(args[0]))
	out := &checkedWriter{to: stdout}
	exit := c.pack(ctx, tool, args[1:], settings, said, out, stderr)
	if out.err == nil {
		return exit
	}
	r := &report{tool: tool, stderr: stderr}
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
	r := &report{tool: tool, stderr: stderr}
	if c.files.clash(&r.log, settings, settings.ReproFile) || !c.files.writeTo(&r.log, settings.ReproFile, func(w io.Writer) error {
		return rec.write(w, tool, args, exit)
	}) {
		r.flush()
		return r.exit()
	}
	return exit
}

// carryOut does what a parsed command line asks for, and returns the exit status.
func (c *command) carryOut(ctx context.Context, tool string, settings *option.Settings, said []diag.Diagnostic, stdout, stderr io.Writer) int {
	r := &report{tool: tool, stderr: stderr}
	if settings.JSON {
		r.json = stdout
	}
	r.log.Diagnostics = said
	if r.failed() {
		return r.exit()
	}
	switch {
	case settings.Help:
		option.WriteHelp(stdout, r.tool, settings.Toolkit)
		return r.exit()
	case settings.Version:
		option.WriteVersion(stdout, r.tool, settings.Toolkit)
		return r.exit()
	case settings.ShadowFolder != "":
		makeShadow(ctx, settings, &r.log, stdout)
		r.flush()
		return r.exit()
	}
	// What follows knows the name, the severity and the suffix that were asked for.
	if settings.Given("tool-name") {
		r.tool = toolName(settings.ToolName)
	}
	r.suffix = settings.Suffix()
	r.log.WarningsAreErrors = settings.WarningsAreErrors
	r.log.DropWarnings = settings.DisableInfos || settings.DisableWarnings && settings.Toolkit.Options.DisablesWarnings
	r.adviser, r.answers = adviser(settings), printsAdvice(settings, r.tool, stderr)

	c.link(ctx, settings, r, stdout)
	return r.exit()
}

// link does what the settings say; r holds the outcome, c.files what went in and out.
func (c *command) link(ctx context.Context, s *option.Settings, r *report, stdout io.Writer) {
	rec := c.files.rec
	if s.Check(&r.log); r.failed() {
		return
	}
	if s.HostLinkerScript != "" {
		c.writeHostLinkerScript(ctx, s, &r.log, stdout)
		if s.Given("output-file") {
			rec.wrote(s.Output, repro.Unchecked)
		}
		r.flush()
		return
	}
	times := openTimes(s, &r.log, stdout)
	if r.failed() {
		return
	}
	defer func() {
		times.close(&r.log)
		r.flush()
	}()
	if times != nil && times.Closer != nil {
		rec.wrote(s.TimeFile, repro.Unchecked)
	}
	host := checkSideInputs(s, &c.files, &r.log)
	if r.failed() {
		return
	}
	if c.minded != nil {
		target, _ := s.Toolkit.Parse(s.Arch)
		prepareHeap(s.Inputs, target.Mercury())
	}
	loaded, err := c.loadInputs(ctx, s, times, &r.log)
	if r.failed() || err != nil || r.log.Worst() >= diag.Error {
		return
	}
	if c.files.clash(&r.log, s, mapName(s), s.TraceFile, s.ReproFile); r.failed() {
		return
	}
	r.adviser.Objects = adviceInputs(loaded)
	if s.LTO() && loaded.Program == nil {
		if loaded.ReportNoCode(&r.log); r.failed() {
			return
		}
	}
	told := openTrace(s, &r.log, r.stderr)
	if r.failed() {
		return
	}
	opt := linkOptions(s, r.tool, host)
	opt.Trace = told.listener()
	opt.Stream = rec == nil // which wants the sum of the output
	var result *linker.Result
	if err := loaded.Guard(func() { result = linker.LinkLoaded(ctx, opt, loaded) }); err != nil {
		r.log.Add(changed(err))
		r.flush()
		return
	}
	told.close(&r.log, &c.files)
	if loaded.Program != nil {
		c.files.writeProgram(s, &r.log, result, loaded)
	} else {
		for _, d := range result.Log.Diagnostics {
			r.log.Add(d)
		}
		writeExplanations(s, stdout, result.Explanations)
		if r.failed() {
			c.files.writeMap(s, &r.log, result)
			r.flush()
			return
		}
		c.files.writeOutputs(s, &r.log, loaded, result)
	}
	r.flush()
	if worst := r.log.Worst(); rec != nil && worst < diag.Fatal {
		if opt.Note != rec.note && loaded.Program == nil {
			// The note names the paths of -L: the output of the moved link is another one.
			opt.Note, opt.Trace = rec.note, nil
			result = linker.LinkLoaded(ctx, opt, loaded)
		}
		rec.linked(s, result, worst)
	}
}

// linkOptions are the settings that package linker works by.
func linkOptions(s *option.Settings, tool string, host []byte) linker.Options {
	opt := linker.Options{
		Toolkit:  s.Toolkit,
		ToolName: tool,
		Arch:     s.Arch,
		Note:     s.Note(),
		Object:   s.Object(),

		Relocatable:              s.Relocatable && s.Toolkit.Options.Relocatable,
		KeepRelocs:               s.KeepRelocs,
		AcceptLostRelocations:    s.AcceptLost,
		Debug:                    s.Debug,
		SuppressDebugInfo:        s.SuppressDebugInfo,
		PreserveRelocs:           s.PreserveRelocs,
		ForceRela:                s.ForceRela,
		Verbose:                  s.Verbose,
		WarningsAreErrors:        s.WarningsAreErrors && !s.DisableInfos,
		ExtraWarnings:            s.ExtraWarnings,
		SuppressStackSizeWarning: s.SuppressStackSizeWarning,
		AllowUndefinedGlobals:    s.AllowUndefinedGlobals,
		ExtendedShared:           s.EnableExtendedShared,
		NoReservedShared:         s.DisableSharedReservation,
		ReserveNullPointer:       s.ReserveNullPointer && !s.DontReserveNullPointer,
		DumpCallgraph:            s.DumpCallgraph || s.DumpCallgraphNoDemangle,
		Dot:                      s.Given("dot-file"),
		Demangle:                 edgname.Demangle,
		Map:                      s.MapFile != "",
		Explain:                  s.Explain,
		KernelsUsed:              s.KernelsUsed,
		VariablesUsed:            s.VariablesUsed,
		KeepSystem:               s.KeepSystem,
		ToolsPatch:               s.ToolsPatch,
		Host:                     host,
	}
	if s.IgnoreHostInfo {
		opt.HostKernels = linker.AllKernels
	}
	return opt
}

// toolName is the last part of a path up to its last dot (OPT-051).
func toolName(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[:dot]
	}
	return name
}

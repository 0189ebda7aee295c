package command

import (
	"context"
	"io"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/edgname"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/repro"
)

// These steps lead from a parsed command line to written files. Their order is the order of nvlink's messages. The link
// itself is one of the steps; package linker divides it further.

// A linking is the state of one link between its steps.
type linking struct {
	*command
	ctx      context.Context
	settings *option.Settings
	report   *report
	stdout   io.Writer

	times   *timeTable // nil without -time
	host    []byte     // content of -nv-host
	loaded  *input.Loaded
	trace   *tracing // nil without --trace
	options linker.Options
	result  *linker.Result
}

// A linkStep is one step of the command. do reports whether the link continues. A fatal message ends it in any case.
type linkStep struct {
	do   func(*linking) bool
	rule string // rule about the step's checks, inputs or outputs
}

// linkSteps lists all steps of the command.
var linkSteps = [...]linkStep{
	{(*linking).checkOptions, "OPT-020"},
	{(*linking).hostLinkerScript, "OPT-056"},
	{(*linking).openTimes, "OPT-055"},
	{(*linking).sideInputs, "OPT-050"},
	{(*linking).load, "LOAD-201"},
	{(*linking).passedOver, "DIAG-504"},
	{(*linking).separateOutputs, "OPT-511"},
	{(*linking).requireCode, "LOAD-042"},
	{(*linking).openTrace, "OPT-500"},
	{(*linking).link, "LOAD-505"},
	{(*linking).write, "OPT-052"},
	{(*linking).lost, "DIAG-511"},
	{(*linking).record, "OPT-501"},
}

// run runs the steps until one ends the link. Then it closes the table of -time and prints all messages.
func (l *linking) run() {
	for _, s := range linkSteps {
		if !s.do(l) || l.report.failed() {
			break
		}
	}
	l.times.close(&l.report.log)
	l.report.flush()
}

func (l *linking) checkOptions() bool {
	l.settings.Check(&l.report.log)
	return true
}

// hostLinkerScript writes the script of -gen-host-linker-script. With this option nothing is linked.
func (l *linking) hostLinkerScript() bool {
	s := l.settings
	if s.HostLinkerScript == "" {
		return true
	}
	l.writeHostLinkerScript(l.ctx, s, &l.report.log, l.stdout)
	if s.Given("output-file") {
		l.files.rec.wrote(s.Output, repro.Unchecked)
	}
	return false
}

func (l *linking) openTimes() bool {
	l.times = openTimes(l.settings, &l.report.log, l.stdout)
	if l.times != nil && l.times.Closer != nil {
		l.files.rec.wrote(l.settings.TimeFile, repro.Unchecked)
	}
	return true
}

func (l *linking) sideInputs() bool {
	l.host = checkSideInputs(l.settings, &l.files, &l.report.log)
	return true
}

// load reads the device code of the inputs. An error among them ends the link.
func (l *linking) load() bool {
	if l.minded != nil {
		target, _ := l.settings.Toolkit.Parse(l.settings.Arch)
		prepareHeap(l.settings.Inputs, target.Mercury())
	}
	var err error
	l.loaded, err = l.loadInputs(l.ctx, l.settings, !l.report.wantsAnswers(), l.times, &l.report.log)
	return !l.report.failed() && err == nil && l.report.log.Worst() < diag.Error
}

// passedOver reports inputs from which nothing was linked.
func (l *linking) passedOver() bool {
	for _, name := range l.loaded.PassedOver {
		l.report.remark(diag.New(diag.InputPassedOver, name))
	}
	return true
}

// separateOutputs rejects a map, trace or repro file that is also another file of the link.
func (l *linking) separateOutputs() bool {
	s := l.settings
	l.files.clash(&l.report.log, s, mapName(s), s.TraceFile, s.ReproFile)
	return true
}

// requireCode ends a link with -lto if no input has intermediate code.
func (l *linking) requireCode() bool {
	l.report.adviser.Objects = adviceInputs(l.loaded)
	if l.settings.LTO() && l.loaded.Program == nil {
		l.loaded.ReportNoCode(&l.report.log)
	}
	return true
}

func (l *linking) openTrace() bool {
	l.trace = openTrace(l.settings, &l.report.log, l.report.stderr)
	return true
}

// link links the loaded inputs. If another program changes an input meanwhile, this is a fatal error.
func (l *linking) link() bool {
	l.options = linkOptions(l.settings, l.report.tool, l.host)
	l.options.Trace = l.trace.listener()
	l.options.Stream = l.files.rec == nil // --repro needs the checksum of the output
	err := l.loaded.Guard(func() { l.result = linker.LinkLoaded(l.ctx, l.options, l.loaded) })
	if err != nil {
		l.report.log.Add(changed(err))
	}
	return err == nil
}

// write writes the outputs of the link. For a failed link it writes only the trace and the map.
func (l *linking) write() bool {
	log := &l.report.log
	l.trace.close(log, &l.files)
	if l.loaded.Program != nil {
		l.files.writeProgram(l.settings, log, l.result, l.loaded)
		return true
	}
	for _, d := range l.result.Log.Diagnostics {
		log.Add(d)
	}
	writeExplanations(l.settings, l.stdout, l.result.Explanations)
	if l.report.failed() {
		l.files.writeMap(l.settings, log, l.result)
		return false
	}
	l.files.writeOutputs(l.settings, log, l.loaded, l.result)
	return true
}

// lost reports code that is missing or unusable in the output although the link succeeded.
func (l *linking) lost() bool {
	if s := l.settings; l.report.wantsAnswers() && !s.LTO() && !s.Relocatable && l.report.log.Worst() < diag.Error {
		keepsDeadCode := s.Debug || s.PreserveRelocs || s.ToolsPatch
		for _, d := range l.report.adviser.Lost(keepsDeadCode, s.KernelsUsed) {
			l.report.remark(d)
		}
	}
	return true
}

// record stores the outputs for --repro.
func (l *linking) record() bool {
	rec := l.files.rec
	if rec == nil {
		return true
	}
	if l.options.Note != rec.note && l.loaded.Program == nil {
		// The tool note contains the paths of -L, so the link has a different output after its files are moved. The hash
		// must be that of the moved link.
		l.options.Note, l.options.Trace = rec.note, nil
		l.result = linker.LinkLoaded(l.ctx, l.options, l.loaded)
	}
	rec.linked(l.settings, l.result, l.report.log.Worst())
	return true
}

// demangler returns the function that formats the names of functions in messages of a release.
func demangler(p *arch.Profile) func(string) string {
	if p.Reach.ShowsMembers {
		return edgname.DemangleByMembers
	}
	return edgname.Demangle
}

// linkOptions returns the options for package linker.
func linkOptions(s *option.Settings, tool string, host []byte) linker.Options {
	opt := linker.Options{
		Toolkit:  s.Toolkit.Version,
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
		Demangle:                 demangler(s.Toolkit),
		Map:                      s.MapFile != "",
		Explain:                  s.Explain,
		KernelsUsed:              s.KernelsUsed,
		VariablesUsed:            s.VariablesUsed,
		KeepSystem:               s.KeepSystem,
		ToolsPatch:               s.ToolsPatch,
		MaxAPI:                   s.MaxAPI(),
		Host:                     host,
	}
	if s.IgnoreHostInfo {
		opt.HostKernels = linker.AllKernels
	}
	return opt
}

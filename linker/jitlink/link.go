package jitlink

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/lto"
	variables "github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// A link is open from a successful Create until it has been linked, successfully or not. Code can be added only
// to an open link (JIT-030). Inputs are checked when they are added, and Complete links them. If Create failed
// only because of the index file, the link is open too, but with -lto it has no program for the compiler of
// intermediate code (JIT-015).

// A link is the state of a handle.
type link struct {
	library *Library

	mu       sync.Mutex
	settings *Settings
	began    time.Time
	open     bool
	started  bool         // Create started the link
	failed   bool         // the link was attempted and failed
	ended    bool         // Complete ended the link before linking
	budget   limit.Budget // for all inputs together (LIMIT-001)
	objects  []input.Object
	lto      []lto.Input
	// noProgram reports that the compiler of intermediate code has no program (JIT-015).
	noProgram bool
	others    bool // inputs without intermediate code were added, accepted or not (JIT-105)
	compiled  bool // the compiler of PTX was started
	refused   bool // the compiler refused PTX
	errors    textLog
	infos     textLog
	image     []byte
	ptx       []byte
	code      []byte // linked intermediate code

	// inputs is for Library.Answer. It is empty if that is nil.
	inputs   []Input
	linked   []input.Object // objects, which Complete does not empty
	messages []Message      // of the call under way
}

// These constants are for the tool note of the library's output (JIT-070).
const (
	noteObject  = "in-memory-ELF-image"
	noteTool    = "nvJIT API"
	noteBuild   = "Build system must define TOOLS_VERSION_EXTENDED"
	noteOptions = "JIT API Command Line Options"
)

// guard turns a panic of culink's code into a result and a line of the error log. A panic must not end the
// caller's process.
func (k *link) guard(f func() Result) (r Result) {
	defer func() {
		if fault := recover(); fault != nil {
			k.errors.printf("fatal   : Internal error: %v\n%s\n", fault, debug.Stack())
			r = Internal
		}
	}()
	defer k.answer()
	r = f()
	return k.settings.dialect.result(r)
}

// fail writes the message of a failure to the error log.
func (k *link) fail(f *failure) Result {
	k.errors.printf("%s", f.text)
	return f.result
}

func (k *link) create(words []string) Result {
	k.began = time.Now()
	settings, fail := parse(dialectOf(k.library.toolkit()), words)
	k.settings = settings
	if err := k.library.Unusable; err != nil {
		return k.fail(failed(UnrecognizedOption, "fatal   : %v\n", err))
	}
	for _, n := range settings.notes {
		k.infos.printf("%s", n)
	}
	if fail != nil {
		k.noProgram = settings.LTO && settings.dialect.startsLate
		return k.fail(fail)
	}
	if settings.trace && !settings.dialect.silentTrace {
		k.infos.printf("no driver so no cache\n")
	}
	index, fail := settings.readIndex(&k.budget)
	k.open, k.started, k.noProgram = true, true, fail != nil && settings.LTO
	if fail != nil {
		return k.fail(fail)
	}
	if index != nil {
		k.addData(InputIndex, index, settings.index) // its result does not matter
	}
	return Success
}

func (k *link) addFile(kind InputType, name string) Result {
	data, there, fail := readFile(name, &k.budget)
	switch {
	case fail != nil:
		return k.fail(fail)
	case !there:
		if text := k.settings.dialect.missingFile; text != "" {
			k.errors.printf(text, name)
		}
		return InvalidInput
	case len(data) == 0:
		k.errors.printf("bad input: %s\n", name)
		return InvalidInput
	}
	return k.addData(kind, data, name)
}

// readFile returns the contents of a file, or nil if it cannot be read. there reports whether a file has the name. Only
// regular files are read, of at most the size that the budget allows: a sparse file states any size.
func readFile(name string, budget *limit.Budget) (data []byte, there bool, fail *failure) {
	name = platform.Opened(name)
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return nil, false, nil
	}
	if info.Mode().IsRegular() {
		if uint64(info.Size()) > budget.Left(limit.Read) {
			over := &limit.Error{Kind: limit.Read, Most: budget.Limits.Most(limit.Read)}
			d := diag.New(diag.LimitReached, name, over.Error(), over.Name())
			return nil, true, failed(InvalidInput, "%s"+badInput, logged(d), name)
		}
		data, _ = os.ReadFile(name)
	}
	return data, true, nil
}

func (k *link) addData(kind InputType, data []byte, name string) Result {
	d := k.settings.dialect
	if len(data) == 0 && !d.anyContent {
		return InvalidInput
	}
	known, fail := k.typed(kind, data, name)
	switch {
	case fail != nil:
		return k.fail(fail)
	case known == input.UnknownData:
		return Success
	case known == input.LTOData && k.settings.LTO && !d.anyArch:
		if number := uint32(lto.Arch(data)); number > k.settings.number {
			k.errors.printf("ERROR "+d.laterArch+" in LTOIR arch newer than target arch\n", number)
			return ArchMismatch
		}
	}
	data = bytes.Clone(data) // the caller may reuse its buffer after the call
	if k.library.Answer != nil {
		k.inputs = append(k.inputs, Input{name, data})
	}
	k.others = k.others || known == input.CubinData || known == input.PTXData
	loaded := k.load(known, name, data)
	fail = loaded.fail
	k.others = k.others || fail != nil && fail.result == PTXCompile // PTX in a fat binary
	if known == input.CubinData && !k.open && !k.outranks(loaded) {
		return k.notOpen(name)
	}
	k.report(loaded.said)
	k.timeCubins(known, loaded)
	for _, o := range loaded.objects {
		switch {
		case o.Intermediate():
			k.lto = append(k.lto, lto.Input{Name: o.Name, Data: o.Data})
		case !k.open:
			return k.notOpen(name)
		default:
			k.objects = append(k.objects, o)
			k.others = true
		}
	}
	if fail != nil {
		k.asks(fail.text, loaded.err)
		return k.fail(fail)
	}
	if len(loaded.objects) == 0 {
		k.remark(diag.New(diag.InputPassedOver, name))
	}
	return Success
}

// typed returns the kind of code as which an input of a type is read, or the failure for an input that is not of this type. If
// there is nothing to read, the kind is UnknownData.
func (k *link) typed(kind InputType, data []byte, name string) (input.DataKind, *failure) {
	d := k.settings.dialect
	known, ok := kind.data(data)
	switch {
	case !ok || slices.Contains(d.lacksTypes, kind):
		return known, failed(IncorrectInputType, "unsupported input type: %s\n", name)
	case kind == InputAny && known == input.UnknownData:
		return known, failed(UnrecognizedInput, "unrecognized input type: %s\n", name)
	case d.anyContent:
		return k.asTyped(known, data, name)
	case kind == InputIndex || !known.Is(data) && !(known == input.LTOData && d.anyIntermediate):
		return known, mismatched(kind, name)
	}
	return known, nil
}

// timeCubins writes the times of the machine code of an input that reaches the link (JIT-014).
func (k *link) timeCubins(known input.DataKind, l loaded) {
	if !k.settings.dialect.timesCubins {
		return
	}
	if known == input.CubinData && !l.malformed && !l.otherFormat {
		k.timed(timeOfCubin, k.began)
	}
	for _, o := range l.objects {
		if k.open && known != input.CubinData && !o.Intermediate() {
			k.timed(timeOfCubin, k.began)
		}
	}
}

// outranks reports whether the result of reading a cubin is reported rather than the error that the link is not open.
// This can also be the result for a cubin that is skipped (JIT-106).
func (k *link) outranks(l loaded) bool {
	d := k.settings.dialect
	executable := l.err == nil && len(l.objects) == 0
	switch {
	case k.failed && d.judgesFailed:
		return l.fail != nil || executable
	case l.noELF:
		return true
	case executable && (d.refusesExecutable || d.closedAsBad && k.image != nil):
		return true
	}
	return l.fail != nil && l.malformed
}

// mismatched returns the failure for an input that does not begin as its type requires.
func mismatched(kind InputType, name string) *failure {
	return failed(IncorrectInputType, "ERROR 1: bad input: does not match type %v%s\n", kind, name)
}

// notOpen refuses code for a link that is no longer open.
func (k *link) notOpen(name string) Result {
	if k.settings.dialect.closedAsBad && !k.failed {
		return k.fail(failed(InvalidInput, badInput, name))
	}
	k.errors.printf("ERROR 1: empty elfw when adding cubin%s\n", name)
	return Internal
}

// inputOptions returns the options of package input for this link.
func (k *link) inputOptions() input.Options {
	compiler := &input.LibraryCompiler{Build: noteBuild}
	var options []string
	for i, target := range k.settings.targets {
		if i == 0 {
			compiler.Arch = target
		} else {
			options = append(options, "-arch="+target)
		}
	}
	o := input.Options{
		Arch: cmp.Or(k.settings.Target.Name, standIn), Toolkit: k.settings.dialect.release.Version, Budget: &k.budget,
		PTXAS: input.PTXAS{
			Path: k.library.PTXAS, Options: append(options, k.settings.PTXASOptions...), Library: compiler,
			Started: func() (ended func()) { k.compiled = true; return func() {} },
		},
	}
	if k.settings.LTO {
		o.LTO = &input.LTO{}
	}
	return o
}

// standIn is the target for reading inputs if Create found no valid one. The PTX compiler still gets the target
// as typed, and fat binaries are refused (JIT-107).
const standIn = "sm_90"

// A loaded is the result of load for one input.
type loaded struct {
	objects   []input.Object
	said      []diag.Diagnostic
	fail      *failure // nil: success
	err       error    // of package input
	malformed bool     // a damaged cubin that the release reports as malformed
	noELF     bool     // a cubin that is no ELF file, where the release says so (JIT-960)
	// otherFormat is set for machine code that is refused for a Mercury target.
	otherFormat bool
}

// load reads the code for the target from one input.
func (k *link) load(kind input.DataKind, name string, data []byte) loaded {
	var log diag.Log
	objects, err := input.LoadData(k.library.context(), k.inputOptions(), kind, name, data, &log)
	l := k.judge(kind, name, objects, log.Diagnostics, err)
	l.err = err
	addsNothing := l.fail == nil && len(objects) == 0 && (kind == input.CubinData || kind == input.FatbinData)
	if addsNothing && k.settings.dialect.refusesExecutable {
		l.fail = failed(InvalidInput, "ERROR 3: bad input:%s\n", name)
	}
	return l
}

// judge returns what the library reports about an input. objects, messages and err are the results of package
// input for it.
func (k *link) judge(kind input.DataKind, name string, objects []input.Object, messages []diag.Diagnostic, err error) loaded {
	l := loaded{objects: objects, said: messages}
	var why diag.Diagnostic
	said := func(id diag.ID) bool {
		return slices.ContainsFunc(l.said, func(d diag.Diagnostic) bool { return d.ID == id })
	}
	isCode := kind == input.CubinData || kind == input.PTXData || kind == input.LTOData
	switch {
	case errors.As(err, &why) && kind == input.LibraryData && why.ID == diag.ElfLinkInternal: // damage (JIT-109)
		l.said = slices.DeleteFunc(l.said, func(d diag.Diagnostic) bool { return d.ID == why.ID })
		l.fail = failed(Internal, "ERROR 1: library processing:%s\n", name)
		return l
	case k.settings.Target == arch.Target{} && !isCode && (err != nil || len(objects) > 0):
		return loaded{fail: failed(InvalidInput, "ERROR 5: bad input:%s\n", name)}
	case err == nil:
		return l
	case !errors.As(err, &why): // the error of the context
		l.fail = failed(Internal, "fatal   : %v\n", err)
		return l
	case said(diag.NoFatbinIn):
		return loaded{fail: failed(MissingFatbin, "ERROR 1: no fatbin:%s\n", name)} // NVIDIA's library prints the message itself
	case why.ID == diag.FinalizerFailed: // NVIDIA's library prints the reason (KIT-174)
		return loaded{objects: objects, fail: failed(Finalize, "ERROR 13: finalize error for input: %s\n", name)}
	case k.settings.dialect.malformed && (why.ID == diag.DamagedInput || why.ID == diag.SizeOfTargetMismatch):
		return loaded{objects: objects, malformed: true, fail: failed(InvalidInput, "ERROR 1: bad input: malformed cubin ELF%s\n", name)}
	case why.ID == diag.NotDeviceELF:
		return loaded{objects: objects, noELF: k.settings.dialect.noELF != "", fail: k.notELF(name, err)}
	case k.isUnreadable(why):
		return loaded{objects: objects, fail: failed(InvalidInput, k.settings.dialect.unreadable, name)}
	case errors.Is(err, lto.ErrNoCode) && !errors.Is(err, lto.ErrOtherVersion):
		l.fail = k.noIntermediate(name)
		return l
	}
	id := why.ID
	if said(diag.PTXASSaid) {
		id = diag.PTXASFailed
	}
	if id == diag.PTXASFailed {
		k.refused, l.said = true, errorsOf(l.said)
		if k.settings.kind != arch.Real && !said(diag.PTXASSaid) {
			return loaded{fail: k.noCubin(name)}
		}
		l.fail = k.notCompiled(name, l.said)
		return l
	}
	l.fail, l.otherFormat = k.refusal(id, name), id == diag.OutputLimited
	return l
}

// notELF returns the failure for code, in a fat binary or up to 12.2 alone, that does not begin as its kind requires.
func (k *link) notELF(name string, err error) *failure {
	switch text := k.settings.dialect.noELF; {
	case errors.Is(err, input.ErrNotPTX):
		return mismatched(InputPTX, name)
	case text != "":
		return failed(InvalidInput, text, name)
	}
	return mismatched(InputCubin, name)
}

// isUnreadable reports whether the release has a message of its own for what is wrong with a cubin (JIT-961).
func (k *link) isUnreadable(why diag.Diagnostic) bool {
	return k.settings.dialect.unreadable != "" && (why.ID == diag.UnknownArch || errors.Is(why, input.ErrNoSections))
}

// notCompiled returns the failure for PTX that does not compile. 12.0 reports the status of the compiler (JIT-965).
func (k *link) notCompiled(name string, said []diag.Diagnostic) *failure {
	if !k.settings.dialect.ptxStatus {
		return failed(PTXCompile, compileFailed+"\n", name)
	}
	status := "3"
	if slices.ContainsFunc(said, func(d diag.Diagnostic) bool { return strings.Contains(d.Text(), "Unsupported .version") }) {
		status = "7"
	}
	return failed(PTXCompile, "ERROR %s: ptxjit:%s\n", status, name)
}

// noCubin returns the failure for PTX that compiles for a target for which ptxas writes no cubin (JIT-107).
func (k *link) noCubin(name string) *failure {
	return failed(PTXCompile, "ERROR %s: ptxjit:%s\n"+compileFailed+"\n", k.settings.dialect.noCubin, name, name)
}

// noIntermediate returns the failure for intermediate code that does not begin as such.
func (k *link) noIntermediate(name string) *failure {
	switch {
	case !k.settings.dialect.anyIntermediate:
		return mismatched(InputLTOIR, name)
	case !k.settings.LTO:
		return k.refusal(diag.LTOObjects, name)
	}
	return failed(ArchMismatch, "%s", k.settings.dialect.noArch)
}

// refusal returns the failure for an input for which nvlink reports id.
func (k *link) refusal(id diag.ID, name string) *failure {
	d := k.settings.dialect
	for _, r := range refusals {
		if r.id == id {
			words := strings.NewReplacer("$NAME", name, "$MISMATCH", strings.ReplaceAll(d.mismatch, "$NAME", name), "$VERSION", strings.ReplaceAll(d.otherVersion, "$STATUS", d.containerStatus), "$LTO", d.notEnabled, "$CODE", strings.ReplaceAll(d.noCode, "$NAME", name))
			log := ""
			if id == diag.NVVMError && k.noProgram && !d.checksFirst {
				if log = d.noLog; d.failsLate {
					return failed(r.result, "%s", log)
				}
			}
			return failed(r.result, "%s%s\n", log, words.Replace(r.text))
		}
	}
	return failed(InvalidInput, badInput, name)
}

// badInput is the message for an input that is refused for no other reason.
const badInput = "ERROR 4: bad input:%s\n"

// refusals maps nvlink's messages to the library's refusals of an input. An input with any other message is
// refused like one for another target.
var refusals = []struct {
	id     diag.ID
	result Result
	text   string // $NAME is the name of the input; $MISMATCH, $VERSION, $LTO and $CODE are texts of the dialect
}{
	{diag.ArchNotFound, InvalidInput, "$CODE"},
	{diag.OutputLimited, InvalidInput, "$MISMATCH"},
	{diag.LTOObjects, LTONotEnabled, "ERROR 1: $LTO"},
	{diag.NVVMError, OutdatedLibrary, "$VERSION"},
	{diag.ElfLinkFatbinary, InvalidInput, "ERROR 5: bad input:$NAME"},
	{diag.NeedsPTXAS, PTXCompile, fmt.Sprintf(compileFailed, "$NAME")},
}

// compileFailed follows the messages of the compiler of PTX.
const compileFailed = "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (%s)"

func (k *link) complete() Result {
	if !k.open || k.ended || k.image != nil {
		return k.notStarted()
	}
	k.timed("nvJitLink time until Complete", k.began)
	began := time.Now()
	if k.settings.LTO {
		if r := k.compileLTO(); r != Success {
			return r
		}
	}
	if k.image == nil && k.ptx == nil {
		k.open = k.settings.LTO && k.settings.isForCode() // (JIT-030)
		if !k.settings.isForCode() {
			if r := k.link(); r != Success {
				k.failed = true
				return r
			}
		}
	}
	if k.settings.dialect.timesOnce {
		k.printTime("nvJitLink time", k.began)
	}
	k.timed("nvJitLinkComplete time to finish", began)
	return Success
}

// notStarted returns the result of Complete for a link that Create did not start or that has ended. Up to 12.6 it then
// reaches the compiler of intermediate code, which has no program (JIT-942).
func (k *link) notStarted() Result {
	d := k.settings.dialect
	switch {
	case !k.settings.LTO || k.started:
		return Internal
	case d.compilesUnstarted:
		return k.withoutProgram()
	}
	k.errors.printf("%s", d.emptyProgram)
	return Internal
}

// withoutProgram fails because the compiler of intermediate code has no program (JIT-015).
func (k *link) withoutProgram() Result {
	k.errors.printf("%s", k.settings.dialect.withoutProgram(k.compiled))
	if k.settings.dialect.failsLate {
		return Internal
	}
	return NVVMCompile
}

// timeOfCubin is the label in -time for the time until machine code was added (JIT-014).
const timeOfCubin = "nvJitLink time until Add_Cubin"

// timed writes the elapsed time of a step in milliseconds, for -time.
func (k *link) timed(what string, since time.Time) {
	if !k.settings.dialect.timesOnce {
		k.printTime(what, since)
	}
}

func (k *link) printTime(what string, since time.Time) {
	if k.settings.Time {
		k.infos.printf("%s: %f\n", what, float64(time.Since(since).Microseconds())/1000)
	}
}

// link links the objects and releases them.
func (k *link) link() Result {
	s := k.settings
	loaded := &input.Loaded{Objects: k.objects, Unreferenced: true} // the references of host code do not count
	if k.library.Answer != nil {
		k.linked = k.objects
	}
	k.objects = nil
	result := linker.LinkLoaded(k.library.context(), linker.Options{
		ToolName: noteTool, Object: noteObject, Note: noteOptions, Build: noteBuild,
		Toolkit: s.dialect.release.Version, Arch: s.Target.Name,
		Relocatable: s.Relocatable, Debug: s.Debug, Verbose: s.Verbose, NoReservedShared: s.NoReservedShared && !s.dialect.keepsReserved,
		Specific:    s.specific,
		KernelsUsed: s.KernelsUsed, VariablesUsed: s.VariablesUsed,
		AcceptLostRelocations: variables.IsOn(os.Getenv(variables.AcceptLostVariable)), // OPT-520
	}, loaded)
	k.report(result.Log.Diagnostics)
	if result.Output == nil {
		k.errors.printf("%s\n", k.ending(&result.Log))
		return Internal
	}
	k.image = result.Output
	return Success
}

// ending returns the last line of the error log of a failed link.
func (k *link) ending(log *diag.Log) string {
	step := k.settings.dialect.step
	if k.settings.LTO {
		step = stepOfLTO
	}
	switch {
	case slices.ContainsFunc(log.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == diag.ElfLinkFinalization }):
		return "ERROR 13: finalize" // JIT-112
	case k.refused || log.Worst() == diag.Fatal: // the compiler's fatal message counts (JIT-108)
		return "ERROR 1: " + step
	}
	return "ERROR 9: " + step
}

package jitlink

import (
	"bytes"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/lto"
	variables "github.com/culink/culink/linker/option"
)

// A link is open from a good Create until it was linked, well or not; only an open one takes code
// (JIT-030). Inputs are judged as they are added, and linked when the link completes.

// A link is what a handle names.
type link struct {
	library *Library

	mu       sync.Mutex
	settings *Settings
	began    time.Time
	open     bool
	budget   limit.Budget // for all inputs together (LIMIT-001)
	objects  []input.Object
	lto      []lto.Input
	others   bool // inputs without intermediate code were added
	errors   textLog
	infos    textLog
	image    []byte
	ptx      []byte
}

// The tool note of what the library makes (JIT-070).
const (
	noteObject  = "in-memory-ELF-image"
	noteTool    = "nvJIT API"
	noteBuild   = "Build system must define TOOLS_VERSION_EXTENDED"
	noteOptions = "JIT API Command Line Options"
)

// guard turns a fault of ours into a result and a line of the error log: it must not end
// the process of the caller.
func (k *link) guard(f func() Result) (r Result) {
	defer func() {
		if fault := recover(); fault != nil {
			k.errors.printf("fatal   : Internal error: %v\n%s\n", fault, debug.Stack())
			r = Internal
		}
	}()
	return f()
}

// fail writes what a failure says.
func (k *link) fail(f *failure) Result {
	k.errors.printf("%s", f.text)
	return f.result
}

func (k *link) create(words []string) Result {
	k.began = time.Now()
	settings, notes, fail := parse(dialectOf(k.library.toolkit()), words)
	k.settings = settings
	if err := k.library.Unusable; err != nil {
		return k.fail(failed(UnrecognizedOption, "fatal   : %v\n", err))
	}
	if fail != nil {
		return k.fail(fail)
	}
	for _, n := range notes {
		k.infos.printf("%s", n)
	}
	if settings.trace {
		k.infos.printf("no driver so no cache\n")
	}
	index, fail := settings.readIndex()
	if fail != nil {
		return k.fail(fail)
	}
	k.open = true
	if index != nil {
		k.addData(InputIndex, index, settings.index) // what it returns does not count
	}
	return Success
}

func (k *link) addFile(kind InputType, name string) Result {
	data, there := readFile(name)
	switch {
	case !there:
		k.errors.printf("no such file: %s\n", name)
		return InvalidInput
	case len(data) == 0:
		k.errors.printf("bad input: %s\n", name)
		return InvalidInput
	}
	return k.addData(kind, data, name)
}

// readFile returns the contents of a file, nothing when it cannot be read; there reports whether
// it is one.
func readFile(name string) (data []byte, there bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	data, _ = os.ReadFile(name)
	return data, true
}

func (k *link) addData(kind InputType, data []byte, name string) Result {
	if len(data) == 0 {
		return InvalidInput
	}
	known, ok := kind.data(data)
	switch {
	case !ok:
		k.errors.printf("unsupported input type: %s\n", name)
		return IncorrectInputType
	case kind == InputAny && known == input.UnknownData:
		k.errors.printf("unrecognized input type: %s\n", name)
		return UnrecognizedInput
	case kind == InputIndex || !known.Is(data):
		return k.notOfType(kind, name)
	}
	if known == input.CubinData && !k.open {
		return k.notOpen(name)
	}
	if known == input.LTOData && k.settings.LTO {
		if number := lto.Arch(data); number > k.settings.Target.Number {
			k.errors.printf("ERROR "+k.settings.dialect.laterArch+" in LTOIR arch newer than target arch\n", number)
			return ArchMismatch
		}
	}
	data = bytes.Clone(data) // the caller's buffer is its own again after the call
	objects, r := k.load(known, name, data)
	if k.settings.dialect.timesCubins {
		if known == input.CubinData && r != Success {
			k.timed(timeOfCubin, k.began)
		}
		for _, o := range objects {
			if !o.Intermediate() {
				k.timed(timeOfCubin, k.began)
			}
		}
	}
	for _, o := range objects {
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
	return r
}

// notOfType refuses an input that does not begin as its type says.
func (k *link) notOfType(kind InputType, name string) Result {
	k.errors.printf("ERROR 1: bad input: does not match type %v%s\n", kind, name)
	return IncorrectInputType
}

// notOpen refuses code for a link that takes no more.
func (k *link) notOpen(name string) Result {
	k.errors.printf("ERROR 1: empty elfw when adding cubin%s\n", name)
	return Internal
}

// inputOptions are those of package input for this link.
func (k *link) inputOptions() input.Options {
	o := input.Options{
		Arch: k.settings.Target.Name, Toolkit: k.settings.dialect.release.Version, Budget: &k.budget,
		PTXAS: input.PTXAS{
			Path: k.library.PTXAS, Options: k.settings.PTXASOptions,
			Library: &input.LibraryCompiler{Arch: k.settings.Arch, Build: noteBuild},
		},
	}
	if k.settings.LTO {
		o.LTO = &input.LTO{}
	}
	return o
}

// load takes the code for the target out of one input.
func (k *link) load(kind input.DataKind, name string, data []byte) ([]input.Object, Result) {
	var log diag.Log
	objects, err := input.LoadData(k.library.context(), k.inputOptions(), kind, name, data, &log)
	var why diag.Diagnostic
	if err == nil || !errors.As(err, &why) {
		k.report(log.Diagnostics)
		if err != nil { // the context's
			k.errors.printf("fatal   : %v\n", err)
			return nil, Internal
		}
		return objects, Success
	}
	if slices.ContainsFunc(log.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == diag.NoFatbinIn }) {
		k.errors.printf("ERROR 1: no fatbin:%s\n", name) // the message itself NVIDIA's library prints
		return nil, MissingFatbin
	}
	if why.ID == diag.FinalizerFailed {
		k.errors.printf("ERROR 13: finalize error for input: %s\n", name) // the reason NVIDIA's library prints (KIT-174)
		return objects, Finalize
	}
	if k.settings.dialect.malformed && kind == input.CubinData && (why.ID == diag.DamagedInput || why.ID == diag.SizeOfTargetMismatch) {
		k.errors.printf("ERROR 1: bad input: malformed cubin ELF%s\n", name)
		return objects, InvalidInput
	}
	if why.ID == diag.NotDeviceELF {
		return objects, k.notOfType(InputCubin, name) // of a fat binary
	}
	k.report(log.Diagnostics)
	if errors.Is(err, lto.ErrNoCode) && !errors.Is(err, lto.ErrOtherVersion) {
		return objects, k.notOfType(InputLTOIR, name)
	}
	id := why.ID
	if slices.ContainsFunc(log.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == diag.PTXASSaid }) {
		id = diag.PTXASFailed
	}
	for _, r := range refusals {
		if r.id == id {
			k.errors.printf("%s\n", strings.NewReplacer("$NAME", name, "$MISMATCH", strings.ReplaceAll(k.settings.dialect.mismatch, "$NAME", name), "$STATUS", k.settings.dialect.containerStatus).Replace(r.text))
			return objects, r.result
		}
	}
	k.errors.printf("ERROR 4: bad input:%s\n", name)
	return objects, InvalidInput
}

// refusals says how the library refuses an input, by nvlink's message for it; all others are
// refused as one for another target is.
var refusals = []struct {
	id     diag.ID
	result Result
	text   string // $NAME is that of the input, $MISMATCH and $STATUS are words of the dialect
}{
	{diag.ArchNotFound, InvalidInput, "ERROR 3: bad input: $NAME"},
	{diag.OutputLimited, InvalidInput, "$MISMATCH"},
	{diag.LTOObjects, LTONotEnabled, "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)"},
	{diag.NVVMError, OutdatedLibrary, "ERROR $STATUS in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library"},
	{diag.ElfLinkFatbinary, InvalidInput, "ERROR 5: bad input:$NAME"},
	{diag.NeedsPTXAS, PTXCompile, compileFailed},
	{diag.PTXASFailed, PTXCompile, compileFailed},
}

// compileFailed is what follows the messages of the compiler of PTX.
const compileFailed = "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX ($NAME)"

func (k *link) complete() Result {
	if !k.open {
		return Internal
	}
	k.timed("nvJitLink time until Complete", k.began)
	began := time.Now()
	if k.settings.LTO {
		if r := k.compileLTO(); r != Success || k.ptx != nil {
			return r
		}
	}
	k.open = false
	if k.image == nil {
		if r := k.link(); r != Success {
			return r
		}
	}
	k.timed("nvJitLinkComplete time to finish", began)
	return Success
}

// timeOfCubin is what -time calls the time until machine code was added (JIT-014).
const timeOfCubin = "nvJitLink time until Add_Cubin"

// timed writes how many milliseconds something took, for -time.
func (k *link) timed(what string, since time.Time) {
	if k.settings.Time {
		k.infos.printf("%s: %f\n", what, float64(time.Since(since).Microseconds())/1000)
	}
}

// link links the objects, which are not needed after that.
func (k *link) link() Result {
	s := k.settings
	inputs := make([]linker.Input, len(k.objects))
	for i, o := range k.objects {
		inputs[i] = linker.Input{Name: o.Name, Data: o.Data}
	}
	k.objects = nil
	result := linker.Link(k.library.context(), linker.Options{
		ToolName: noteTool, Object: noteObject, Note: noteOptions, Build: noteBuild,
		Toolkit: s.dialect.release.Version, Arch: s.Target.Name,
		Relocatable: s.Relocatable, Debug: s.Debug, Verbose: s.Verbose, NoReservedShared: s.NoReservedShared,
		KernelsUsed: s.KernelsUsed, VariablesUsed: s.VariablesUsed,
		AcceptLostRelocations: variables.IsOn(os.Getenv(variables.AcceptLostVariable)), // OPT-520
	}, inputs)
	k.report(result.Log.Diagnostics)
	if result.Output == nil {
		number := 9
		if result.Log.Worst() == diag.Fatal {
			number = 1
		}
		step := k.settings.dialect.step
		if s.LTO {
			step = stepOfLTO
		}
		k.errors.printf("ERROR %d: %s\n", number, step)
		return Internal
	}
	k.image = result.Output
	return Success
}

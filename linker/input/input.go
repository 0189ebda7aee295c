// Package input turns the files and libraries of a command line into device ELFs. It reads archives, host
// objects, fat binaries and PTX.
//
// [Load] reads the inputs in order and recognises each by its suffix and then by its content. It chooses the
// code for the target, checks it, and returns the cubins to link. It reports the messages of nvlink 13.0.88
// (docs/rules.md, LOAD), and stops at the first fatal one.
package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/lto"
	"github.com/culink/culink/linker/platform"
)

// Options are the parts of a command line that determine what is loaded.
type Options struct {
	Arch    string // target: "sm_90a"
	Toolkit string // the release whose rules apply to inputs: "13.0", "13.0.88"; empty: 13.0.88

	// Platform is the system of the emulated nvlink: "linux", "linux-arm64" or "windows". Empty means the running system.
	Platform string

	// Folder is the base of relative names. Empty means the current folder.
	Folder string

	// FS is the file system for Files, Libraries and the members of thin archives. They are looked up from
	// Folder, a path in FS. nil means the files of the system. Contents read from FS are copied.
	FS fs.FS

	Files       []string // as typed, in order
	Outputs     []string // outputs of the link, which may also be inputs
	Copy        bool     // map no file: the contents are needed after the link, or the process makes many links
	Passing     bool     // the contents of a file are not needed after its merge, and may be lost
	Libraries   []string // -l
	SearchPaths []string // -L
	CPUArch     string   // -cpu-arch: the host architecture of libraries; empty: the linker's own
	Machine     int      // -m: the size of addresses in bits, 32 or 64; 0 is 64

	LTO                 *LTO // -lto; nil if not requested
	Registers           bool // --register-link-binaries: modules that are already linked are left out
	SuppressArchWarning bool // -suppress-arch-warning

	// Budget limits the resources of the link. If it is nil, the default limits apply.
	Budget *limit.Budget

	PTXAS PTXAS // compiler for inputs that contain only PTX
	// Timed, if set, is called after each run of a compiler: "ptxas" with the name of the PTX, "cicc" with the
	// name of the -lto program.
	Timed func(compiler, name string, took time.Duration)
	// Opened, if set, is called with each file that affects the link and the data read from it. The data is
	// empty for a file that only had to exist (--repro, OPT-501).
	Opened func(name string, data []byte)
}

// Loaded is the content of the inputs for the target.
type Loaded struct {
	Objects []Object // device ELFs, in link order
	Hosts   []Host   // host objects with relocatable device code, also those without code for the target
	Modules []Module // for the register file, in link order
	// Unreferenced reports that the references of host code do not choose kernels: an input does not list them,
	// because it is a plain cubin or a host object without relocatable device code (LOAD-024), or the release
	// ignores them (KIT-681).
	Unreferenced bool

	// Compiled is set if a compiler ran. It cancels -Werror and
	// -disable-infos: later warnings are printed, as warnings (LOAD-046).
	Compiled  bool
	Optimised bool     // there was intermediate code (-lto)
	HostFirst bool     // the link is partial only because of libcudadevrt: references of host code count from the start (LTO-009)
	Program   *Program // set if -lto left nothing to link

	// PassedOver lists the files that were skipped without a message.
	PassedOver []string

	budget  *limit.Budget
	mapped  []mappedFile
	rooms   []*room               // of small files, with Options.Passing
	filters map[int]*KernelFilter // by the number of objects of libcudadevrt, made on demand
}

// An Object is one device ELF to link.
type Object struct {
	Name string // as shown in messages: "a.o", "lib.a:member.o"
	Data []byte // a cubin with a checked header; borrowed from the file if possible
	Host int    // index in Loaded.Hosts, or -1
	// System marks the code of libcudadevrt. If a link does not need that code, it is left out (LOAD-023).
	System bool
	// SystemBefore is the number of objects of libcudadevrt before this one, and after the object before it, that have no
	// code for the target (LOAD-960).
	SystemBefore int

	code  bool      // intermediate code, which optimise replaces
	flags lto.Flags // the options that it was compiled with
}

// Load reads all inputs. It adds messages to log. The error is the fatal message that ended the load, or the
// context's error.
//
// Large files are mapped, and other programs may change them: see [Loaded.Guard].
func Load(ctx context.Context, opt Options, log *diag.Log) (loaded *Loaded, err error) {
	l, err := newLoader(ctx, opt, log)
	if err != nil {
		return nil, err
	}
	if changed := l.loaded.Guard(func() { loaded, err = l.load() }); changed != nil {
		return nil, l.failChanged(changed)
	}
	return loaded, err
}

func (l *loader) load() (*Loaded, error) {
	opt, log := &l.opt, l.log
	l.loaded.Unreferenced = l.target.Profile.Input.IgnoresReferences
	if l.target.Kind == arch.LTO {
		return nil, l.fail(diag.VirtualTarget, opt.Arch)
	}
	if err := l.readSearchPaths(); err != nil {
		return nil, err
	}
	var libraries []*file
	for _, name := range opt.Libraries {
		f, err := l.library(name)
		if err != nil {
			return nil, err
		}
		if f != nil {
			libraries = append(libraries, f)
		}
	}
	ahead := l.readAhead()
	defer ahead.end()
	for i, name := range opt.Files {
		before := l.sizes()
		if err := l.file(name, ahead.take(i)); err != nil {
			return nil, err
		}
		if l.sizes() == before {
			l.loaded.PassedOver = append(l.loaded.PassedOver, name)
		}
	}
	for _, f := range libraries {
		if err := l.libraryFile(f); err != nil {
			return nil, err
		}
	}
	if opt.Registers {
		l.leaveOutLinked()
	}
	if opt.LTO != nil && log.Worst() < diag.Error {
		if err := l.optimise(); err != nil {
			return nil, err
		}
	}
	return &l.loaded, nil
}

// sizes returns counts of objects, modules, hosts and messages. They change if a file contributes anything.
func (l *loader) sizes() [4]int {
	return [...]int{len(l.loaded.Objects), len(l.loaded.Modules), len(l.loaded.Hosts), len(l.log.Diagnostics)}
}

// A loader is the state of one Load.
type loader struct {
	ctx        context.Context
	opt        Options
	target     arch.Target
	host       *platform.Platform
	log        *diag.Log
	loaded     Loaded
	inMemory   bool // the input comes from LoadData
	limited    bool // "Output is limited" was reported
	mercury    bool // an input contains Mercury code (LOAD-970)
	extensible bool // an input is an extensible whole program
	foreign    bool // an input has device code, but none for the target
	runtime    bool // libcudadevrt is among the inputs, and was not dropped

	systemObjects int           // number of objects of libcudadevrt
	systemBefore  int           // number of those without code for the target since the last object
	mixed         bool          // there is machine code among the inputs other than libcudadevrt's
	archives      []fs.FileInfo // archives already read
	linked        []string      // ids of modules that are already linked in an input
	budget        *limit.Budget
	search        searchPaths
	members       map[string]*thinMember // of thin archives, by path
	own           reader                 // for files that are not read ahead
	sections      []elfSection           // buffer for the sections of one cubin after the other
	outputs       []fs.FileInfo          // those that exist before the link
	cwd           *string                // the working folder; nil until needed
}

// newLoader returns a loader for the target in opt.
func newLoader(ctx context.Context, opt Options, log *diag.Log) (*loader, error) {
	l, err := newFileLoader(ctx, opt, log)
	if err != nil {
		return nil, err
	}
	release, err := arch.Find(cmp.Or(opt.Toolkit, arch.Default.Version))
	if err != nil {
		return nil, l.fail(diag.UnknownToolkit, opt.Toolkit, arch.Versions())
	}
	ok := false
	if l.target, ok = release.Parse(opt.Arch); !ok {
		return nil, l.fail(diag.UnknownArch, opt.Arch)
	}
	return l, nil
}

// newFileLoader returns a loader that reads files but has no target.
func newFileLoader(ctx context.Context, opt Options, log *diag.Log) (*loader, error) {
	l := &loader{ctx: ctx, opt: opt, host: platform.Native(), log: log, budget: opt.Budget, members: map[string]*thinMember{}}
	if l.budget == nil {
		l.budget = new(limit.Budget)
	}
	l.loaded.budget = l.budget
	if opt.Platform != "" {
		named, ok := platform.Find(opt.Platform)
		if !ok {
			return nil, l.fail(diag.ValueNotDefined, opt.Platform, "platform")
		}
		l.host = named
	}
	for _, name := range opt.Outputs {
		if info, err := os.Stat(l.path(name)); err == nil {
			l.outputs = append(l.outputs, info)
		}
	}
	l.own = l.reader()
	return l, nil
}

// failChanged is fail for an error of Changed.
func (l *loader) failChanged(err error) error {
	return l.failBecause(err, diag.DamagedInput, err.(*ChangedError).Name, changedDuringLink)
}

// fail reports a fatal message. It returns the message as the error that ends the load.
func (l *loader) fail(id diag.ID, args ...any) error {
	return l.failBecause(nil, id, args...)
}

// afterError fails if an error has been reported, or a warning with -Werror. After an error it is fatal to read most
// kinds of inputs, even those without device code (LOAD-041).
func (l *loader) afterError(id diag.ID) error {
	if l.log.Worst() < diag.Error {
		return nil
	}
	return l.fail(id)
}

// failBecause is fail with the underlying error.
func (l *loader) failBecause(cause error, id diag.ID, args ...any) error {
	d := diag.New(id, args...).Because(cause)
	l.log.Add(d)
	return d
}

// failDamaged is fail for an input that cannot be read.
func (l *loader) failDamaged(name string, reason error) error {
	d := diag.Damaged(name, reason)
	l.log.Add(d)
	return d
}

// minSize is the size in bytes of the smallest file that nvlink opens (LOAD-010), and of the smallest cubin in
// a fat binary. Releases before 13.0 open smaller files (KIT-101).
const minSize = 56

// read returns the contents of a file, or nil without an error if the file is empty. early holds the file if it was
// read ahead, and is nil otherwise.
func (l *loader) read(name string, early *aheadFile) (data []byte, info fs.FileInfo, err error) {
	if err := l.ctx.Err(); err != nil {
		return nil, nil, err
	}
	if early == nil {
		data, info, err = l.readFile(name)
	} else if info, err = early.info, early.err; err == nil {
		if data, err = l.taken(name, info, early.data); err == nil {
			l.opened(name, data)
		}
	}
	if exceeded := (*limit.Error)(nil); errors.As(err, &exceeded) {
		return nil, nil, l.exceeded(name, err)
	}
	if err == nil && (len(data) > 0 || !l.target.Profile.Input.TakesEmpty) && len(data) < l.target.Profile.Input.MinFile && (l.target.Profile.Input.OpensHeaders || !archive.Is(data)) {
		err = fmt.Errorf("%s: a file of %d bytes, and the smallest that is read has %d", name, len(data), l.target.Profile.Input.MinFile)
	}
	if err != nil {
		return nil, nil, l.failBecause(err, diag.CannotOpenInput, name)
	}
	return data, info, nil
}

func (l *loader) readFile(name string) ([]byte, fs.FileInfo, error) {
	path := l.path(name)
	info, err := l.own.stat(path)
	if err != nil {
		return nil, nil, err
	}
	data, err := l.contents(name, info)
	if err == nil {
		l.opened(name, data)
	}
	return data, info, err // info describes the file that could not be read
}

// opened reports a file that was read or found.
func (l *loader) opened(name string, data []byte) {
	if l.opt.Opened != nil {
		l.opt.Opened(name, data)
	}
}

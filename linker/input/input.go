// Package input turns what a command line names into device ELFs: files,
// libraries, archives, host objects, fat binaries, PTX.
//
// [Load] reads the inputs in order, recognises each by its suffix and then its
// content, chooses the code for the target, checks it, and gives the cubins to
// link. It says what nvlink 13.0.88 says on the way (docs/rules.md, LOAD), and
// stops at the first fatal message.
package input

import (
	"cmp"
	"context"
	"errors"
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

// Options are the parts of a command line that decide what is loaded.
type Options struct {
	Arch    string // target: "sm_90a"
	Toolkit string // the release that inputs are checked against: "13.0", "13.0.88"; empty: 13.0.88

	// Platform is the system of the nvlink whose links are made: "linux", "windows"; empty: the running one.
	Platform string

	// Folder is where relative names begin; empty: the current one.
	Folder string

	// FS is where Files, Libraries and the members of thin archives are looked up, from Folder on, which is a path in it;
	// nil: the files of the system. What is read of it is copied.
	FS fs.FS

	Files       []string // as typed, in order
	Outputs     []string // of the link, which may be inputs too
	Copy        bool     // map no file: what is read is needed after the link
	Libraries   []string // -l
	SearchPaths []string // -L
	CPUArch     string   // -cpu-arch: the host machine that libraries are for; empty: the linker's own

	LTO                 *LTO // -lto; nil when it is not asked for
	Registers           bool // --register-link-binaries: modules that are linked already stay out
	SuppressArchWarning bool // -suppress-arch-warning

	// Budget is what the link may take of the machine; nil for one with the defaults.
	Budget *limit.Budget

	PTXAS PTXAS // compiler for inputs that hold only PTX
	// Timed, when set, is called after each run of a compiler: "ptxas" with the name of the
	// PTX, "cicc" with that of the program of -lto.
	Timed func(compiler, name string, took time.Duration)
	// Opened, when set, is called with each file that decides something: with what
	// was read, nothing for a file that only had to exist (--repro, OPT-501).
	Opened func(name string, data []byte)
}

// Loaded is what the inputs hold for the target.
type Loaded struct {
	Objects []Object // device ELFs, in link order
	Hosts   []Host   // host objects with relocatable device code, also those without code for the target
	Modules []Module // for the register file, in link order
	// Unreferenced tells that an input says nothing about what host code refers
	// to: a plain cubin, a host object without relocatable device code (LOAD-024).
	Unreferenced bool

	// Compiled says that a compiler ran, after which warnings are warnings again, whatever
	// -Werror and -disable-infos say (LOAD-046).
	Compiled  bool
	Optimised bool     // there was intermediate code (-lto)
	HostFirst bool     // it is partial for libcudadevrt alone: what host code refers to decides from the start (LTO-009)
	Program   *Program // set when -lto left nothing to link

	// PassedOver are the files from which nothing was taken, without a message.
	PassedOver []string

	budget  *limit.Budget
	mapped  []mappedFile
	filters [2]*KernelFilter // without libcudadevrt and with it, made when they are asked for
}

// An Object is one device ELF to link.
type Object struct {
	Name string // as shown in messages: "a.o", "lib.a:member.o"
	Data []byte // a cubin whose header has been checked; borrowed from the file where possible
	Host int    // index in Loaded.Hosts, or -1
	// System marks the code of libcudadevrt, which stays out of a link that
	// does not need it (LOAD-023).
	System bool

	code  bool      // intermediate code, which optimise replaces
	flags lto.Flags // how it was compiled
}

// Load reads all inputs. Messages go to log; the error is the fatal one among
// them that ended the load, or the context's.
//
// Large files are mapped, and may be changed by other programs: see [Loaded.Guard].
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

// sizes tell whether a file has brought anything: objects, modules, hosts, or messages.
func (l *loader) sizes() [4]int {
	return [...]int{len(l.loaded.Objects), len(l.loaded.Modules), len(l.loaded.Hosts), len(l.log.Diagnostics)}
}

// A loader is the state of one Load.
type loader struct {
	ctx      context.Context
	opt      Options
	target   arch.Target
	host     *platform.Platform
	log      *diag.Log
	loaded   Loaded
	inMemory bool          // the input is one of LoadData
	limited  bool          // "Output is limited" has been said
	runtime  bool          // libcudadevrt is among the inputs, and not forgotten
	mixed    bool          // there is machine code among the inputs, libcudadevrt's aside
	archives []fs.FileInfo // archives already taken
	linked   []string      // ids of modules that are linked in an input
	budget   *limit.Budget
	search   searchPaths
	members  map[string]*thinMember // of thin archives, by path
	own      reader                 // of the files that are not read ahead
	sections []elfSection           // room for those of a cubin, one after the other
	outputs  []fs.FileInfo          // that are there before the link
	cwd      *string                // the working folder; nil until somebody asks
}

// newLoader begins to load for the target that opt names.
func newLoader(ctx context.Context, opt Options, log *diag.Log) (*loader, error) {
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

// failChanged is fail for an error of Changed.
func (l *loader) failChanged(err error) error {
	return l.failBecause(err, diag.DamagedInput, err.(*ChangedError).Name, changedDuringLink)
}

// fail reports a fatal message and gives it back as the error that ends the load.
func (l *loader) fail(id diag.ID, args ...any) error {
	return l.failBecause(nil, id, args...)
}

// failBecause is fail with the error behind the message.
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

// read returns the contents of a file; nil without error for an empty one. early is what has
// been read of it ahead, if it has.
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
	if err != nil || (len(data) > 0 || !l.target.Profile.Input.TakesEmpty) && len(data) < l.target.Profile.Input.MinFile && !archive.Is(data) {
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
	return data, info, err // info says what could not be read
}

// opened tells of a file that was read, or found.
func (l *loader) opened(name string, data []byte) {
	if l.opt.Opened != nil {
		l.opt.Opened(name, data)
	}
}

package command

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/lto"
	"github.com/culink/culink/linker/option"
)

// checkSideInputs checks the additional inputs: the optimizer library of -lto, then
// the files of -uidx and -nv-host (OPT-050). It returns the content of the -nv-host file.
func checkSideInputs(s *option.Settings, f *files, log *diag.Log) (host []byte) {
	if s.LTO() {
		library, err := optimiserOf(s)
		switch {
		case err != nil && s.Toolkit.Options.OwnOptimiser: // KIT-622
			log.Add(diag.New(diag.OptimiserLoadError).Because(err))
			return nil
		case err != nil:
			log.Add(diag.New(diag.LibraryLoadError).Because(err))
			return nil
		}
		f.opened(library, nil) // only its existence is checked
	}
	side := input.Options{Platform: s.Platform.Or().Name, Budget: &limit.Budget{Limits: s.Limits}}
	if s.Given("uidx-file") {
		data, ok := input.ReadWhole(s.UIDXFile, side, log)
		if ok {
			f.opened(s.UIDXFile, data)
		}
		if len(data) > 0 {
			log.Report(diag.InternalError, "not uidx input")
		}
		return nil
	}
	if s.Given("nv-host") {
		var ok bool
		if host, ok = input.ReadWhole(s.HostInfoFile, side, log); ok {
			f.opened(s.HostInfoFile, host)
		}
	}
	return host
}

// optimiserOf returns the library of the optimiser below the folder of -nvvmpath.
func optimiserOf(s *option.Settings) (library string, err error) {
	for _, name := range s.Platform.OptimiserPaths {
		library = filepath.Join(s.Platform.Local(s.NVVMPath), filepath.FromSlash(name))
		if _, err = os.Stat(library); err == nil {
			break
		}
	}
	return library, err
}

// nameLibraries returns the inputs that a link reads, and its libraries.
func nameLibraries(s *option.Settings) (files, libraries []string) {
	return s.NameLibraries(func(name string) bool {
		info, err := os.Stat(s.Platform.Local(name))
		return err == nil && info.Mode().IsRegular()
	})
}

// loadInputs reads the device code that the command line names. passing: nobody reads it after the link.
func (c *command) loadInputs(ctx context.Context, s *option.Settings, passing bool, times *timeTable, log *diag.Log) (*input.Loaded, error) {
	files, libraries := nameLibraries(s)
	opt := input.Options{
		Arch:                s.Arch,
		Toolkit:             s.Toolkit.Version,
		Platform:            s.Platform.Name,
		Copy:                c.files.rec != nil || c.minded == nil, // mappings last as long as the process
		Passing:             passing && c.files.rec == nil,
		Outputs:             named(s.Output, s.RegisterLinkBinaries, s.DotFile, s.TimeFile, s.MapFile, s.TraceFile),
		Files:               files,
		Libraries:           libraries,
		SearchPaths:         s.LibraryPaths,
		CPUArch:             s.CPUArch,
		Machine:             int(s.Machine),
		Registers:           s.Given("register-link-binaries"),
		SuppressArchWarning: s.SuppressArchWarning,
		PTXAS:               input.PTXAS{Find: func() string { return input.FindPTXAS(s.PtxasPath) }, Options: ptxasOptions(s), MaxRegisters: int(s.MaxRegCount), APIVersion: s.CUDAAPIVersion, Started: c.started},
		Opened:              c.files.opened,
		Budget:              &limit.Budget{Limits: s.Limits},
	}
	if s.LTO() {
		opt.LTO = linkTimeOptimisation(s)
	}
	if times != nil {
		opt.Timed = times.ran
	}
	return input.Load(ctx, opt, log)
}

// linkTimeOptimisation returns the settings of -lto (LTO-001).
func linkTimeOptimisation(s *option.Settings) *input.LTO {
	return &input.LTO{
		Find: func() (lto.Compiler, error) {
			return lto.Find(lto.Search{Named: s.LTOCompiler, NVVMPath: s.NVVMPath, PTXAS: input.FindPTXAS(s.PtxasPath)})
		},
		Provided: linker.ProvidedByDriver,
		Options: lto.Options{
			Debug:          s.Debug && !s.SuppressDebugInfo,
			FastCompile:    s.FastCompile,
			SplitCompile:   int(s.SplitCompile),
			SplitExtended:  int(s.SplitCompileExtended),
			OptimiserFlags: s.NVVMOptions,
			KernelsUsed:    s.KernelsUsed,
			VariablesUsed:  s.VariablesUsed,
		},
		Partial:    s.Partial(),
		Whole:      s.ForceWholeLTO,
		EmitPTX:    s.EmitPTX,
		IgnoreHost: s.IgnoreHostInfo,
		Steps:      s.Verbose2,
	}
}

// ptxasOptions returns the options of the link that are passed to the compiler of PTX inputs (OPT-058).
func ptxasOptions(s *option.Settings) []string {
	options := append(strings.Fields(s.PtxasText), s.PtxasOptions...)
	if s.Verbose2 {
		options = append(options, "-v2")
	}
	if s.Debug && !s.SuppressDebugInfo {
		options = append(options, s.Toolkit.Options.Debug...)
	}
	if s.SplitCompile != 1 {
		options = append(options, "-split-compile", strconv.Itoa(int(s.SplitCompile)))
	}
	if s.Given("device-stack-protector") {
		options = append(options, "-device-stack-protector="+strconv.FormatBool(s.StackProtector))
	}
	if s.Given("Ofast-compile") && s.FastCompile != "0" {
		options = append(options, "-Ofc", s.FastCompile)
	}
	return options
}

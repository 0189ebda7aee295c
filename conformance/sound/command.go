package sound

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
)

// ErrNoCubin is the error for a command line that does not write a cubin.
var ErrNoCubin = errors.New("not a link that writes a cubin")

// FromCommand returns the link that a command line describes and the name of its output. It chooses the inputs as nvlink
// does. files holds the contents of the folder in which the command runs.
func FromCommand(ctx context.Context, files map[string][]byte, argv []string) (link *Link, output string, err error) {
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	s, said := option.Parse(argv, func(name string) ([]byte, error) {
		if data, ok := files[filepath.ToSlash(filepath.Clean(name))]; ok {
			return data, nil
		}
		return nil, os.ErrNotExist
	})
	for _, d := range said {
		if d.Severity == diag.Fatal {
			return nil, "", fmt.Errorf("the command line: %w", d)
		}
	}
	target, ok := s.Toolkit.Parse(s.Arch)
	if !ok || target.Kind != arch.Real || s.Output == "" || s.HostLinkerScript != "" {
		return nil, "", ErrNoCubin
	}
	inputs, libraries := s.NameLibraries(func(name string) bool {
		info, err := fs.Stat(folder, path.Clean(filepath.ToSlash(name)))
		return err == nil && info.Mode().IsRegular()
	})
	opt := input.Options{
		Arch: s.Arch, Toolkit: s.Toolkit.Version, Platform: s.Platform.Name, CPUArch: s.CPUArch, SuppressArchWarning: true,
		FS: folder, Files: inputs, Libraries: libraries, SearchPaths: s.LibraryPaths,
		PTXAS:     input.PTXAS{Path: input.FindPTXAS(s.PtxasPath), Options: s.PtxasOptions},
		Registers: s.Given("register-link-binaries"),
	}
	loaded, err := input.Load(ctx, opt, &diag.Log{})
	if err != nil {
		return nil, "", fmt.Errorf("the inputs: %w", err)
	}
	s.Relocatable = s.Relocatable && s.Toolkit.Options.Relocatable // KIT-015
	link = &Link{Target: target, Options: Options{
		Relocatable:      s.Relocatable,
		Debug:            s.Debug,
		DebugCode:        s.Debug && !s.SuppressDebugInfo,
		PreserveRelocs:   s.PreserveRelocs,
		ExtendedShared:   s.EnableExtendedShared,
		NoReservedShared: s.DisableSharedReservation,
		KeepSystem:       s.KeepSystem,
		AllowUndefined:   s.AllowUndefinedGlobals,
		Root:             roots(s, loaded),
		Chosen:           chosen(s),
	}}
	for _, o := range loaded.Objects {
		link.Inputs = append(link.Inputs, Input{Name: o.Name, Data: o.Data, System: o.System})
	}
	return link, s.Output, nil
}

// chosen returns a filter for the kernels that count as kernels although --preserve-relocs keeps all of them. It returns
// nil if all count.
func chosen(s *option.Settings) func(kernel string) bool {
	if !s.PreserveRelocs || s.Debug || len(s.KernelsUsed)+len(s.VariablesUsed) == 0 {
		return nil
	}
	return func(kernel string) bool { return named(s, kernel) }
}

// named reports whether -kernels-used selects a kernel.
func named(s *option.Settings, kernel string) bool {
	return slices.ContainsFunc(s.KernelsUsed, func(word string) bool { return strings.Contains(kernel, word) })
}

// roots returns a filter for the kernels that the options or the host objects select (REACH-010, REACH-030). It returns
// nil if all kernels are selected. With -g and --preserve-relocs nothing is dropped.
func roots(s *option.Settings, l *input.Loaded) func(kernel string, internal bool, systemParts int) bool {
	switch {
	case s.Debug || s.PreserveRelocs || s.Relocatable:
		return nil
	case len(s.KernelsUsed)+len(s.VariablesUsed) > 0:
		return func(kernel string, _ bool, _ int) bool { return named(s, kernel) }
	case s.IgnoreHostInfo:
		return nil
	}
	return func(kernel string, internal bool, systemParts int) bool {
		return l.KernelFilter(systemParts).Keeps(kernel, internal)
	}
}

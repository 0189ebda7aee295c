package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// --toolkit, or else the environment, selects the nvlink release that culink emulates. With "auto"
// the inputs select it. No release links the output of a newer one, so the release of the newest
// input is the oldest that can link all inputs.

// parse parses a command line for the release that the command line or the environment selects
// (KIT-002), or the nearest build of it (KIT-207).
func parse(ctx context.Context, words []string, readFile func(string) ([]byte, error)) (*option.Settings, []diag.Diagnostic) {
	toolkit, newest := arch.Default, madeInput{}
	named := cmp.Or(option.NamedToolkit(words), os.Getenv(option.ToolkitVariable))
	switch named {
	case "":
	case option.AutoToolkit:
		newest = newestInput(ctx, words, readFile)
		i := slices.IndexFunc(arch.Releases(), func(p *arch.Profile) bool { return p.API == newest.api })
		switch {
		case i >= 0:
			toolkit = oldestFor(newest.target, arch.Releases()[i:])
			if build, err := arch.Find(newest.build); err == nil && build.API == toolkit.API && build.IsNamed(newest.build) {
				toolkit = build
			}
		case newest.api != 0:
			return unknownToolkit(fmt.Sprintf("%d.%d", newest.api/10, newest.api%10))
		}
	default:
		var err error
		if toolkit, err = arch.Find(named); err != nil {
			return unknownToolkit(named)
		}
	}
	name := os.Getenv(option.PlatformVariable)
	host, ok := platform.Find(name)
	if !ok && name != "" && option.NamedPlatform(words) == "" {
		return &option.Settings{Toolkit: toolkit}, []diag.Diagnostic{diag.New(diag.ValueNotDefined, name, option.PlatformVariable)}
	}
	settings, said := option.ParseFor(toolkit, host, words, readFile)
	settings.ReadEnvironment(os.Getenv)
	settings.NewestInput = newest.name
	if named != "" && named != option.AutoToolkit && !toolkit.IsNamed(named) {
		said = slices.Insert(said, 0, diag.New(diag.NearestToolkit, named, toolkit.Version))
	}
	return settings, said
}

func unknownToolkit(version string) (*option.Settings, []diag.Diagnostic) {
	return &option.Settings{Toolkit: arch.Default}, []diag.Diagnostic{diag.New(diag.UnknownToolkit, version, arch.Versions())}
}

// oldestFor returns the first of some releases that links for a target; the first of all if none does.
func oldestFor(target string, releases []*arch.Profile) *arch.Profile {
	for _, p := range releases {
		if _, ok := p.Parse(target); ok {
			return p
		}
	}
	return releases[0]
}

// A madeInput is the newest input of a link for a target: its name, and the release that made it, as in
// arch.Profile.API, and as its version. All is empty where no input says one.
type madeInput struct {
	name, target string
	api          uint32
	build        string
}

// isOlder reports whether an earlier release made x than y, or an earlier build of the release.
func (x madeInput) isOlder(y madeInput) bool {
	patch := func(build string) int {
		n, _ := strconv.Atoi(build[strings.LastIndexByte(build, '.')+1:])
		return n
	}
	return x.api < y.api || x.api == y.api && patch(x.build) < patch(y.build)
}

// buildOf returns the version of the tool that made a file, by its note: "13.2.86"; empty where none says it.
func buildOf(f *cubin.File) string {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Type != cubin.SectionNote || s.Name != ".note.nv.tkinfo" {
			continue
		}
		notes, _ := f.Notes(uint32(i))
		for _, n := range notes {
			if tool, err := nvinfo.DecodeToolInfo(n.Desc); err == nil {
				_, build, _ := strings.Cut(tool.Release, ", V")
				return build
			}
		}
	}
	return ""
}

// newestInput returns the newest input, or none if the inputs cannot be read; the link then reports the error. Inputs are
// read as the newest release with support for the target reads them (KIT-007).
func newestInput(ctx context.Context, words []string, readFile func(string) ([]byte, error)) (newest madeInput) {
	for _, toolkit := range slices.Backward(arch.Releases()) {
		settings, _ := option.ParseFor(toolkit, nil, words, readFile)
		if _, ok := toolkit.Parse(settings.Arch); !ok {
			continue
		}
		files, libraries := nameLibraries(settings)
		loaded, err := input.Load(ctx, input.Options{
			Arch: settings.Arch, Toolkit: toolkit.Version, Platform: settings.Platform.Name, CPUArch: settings.CPUArch,
			Files: files, Libraries: libraries, SearchPaths: settings.LibraryPaths, SuppressArchWarning: true,
		}, &diag.Log{})
		if err != nil {
			return madeInput{}
		}
		for _, o := range loaded.Objects {
			if f, err := cubin.Open(o.Name, o.Data); err == nil {
				if made := (madeInput{o.Name, settings.Arch, uint32(nvinfo.OriginOf(f).Toolkit), buildOf(f)}); newest.isOlder(made) {
					newest = made
				}
			}
		}
		return newest
	}
	return madeInput{}
}

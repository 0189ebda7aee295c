package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// Which nvlink culink stands in for is said by --toolkit, else by the environment. "auto"
// leaves it to the inputs: no release links what a newer one has made, so that of the newest
// input is the oldest that can link them.

// parse reads the words of a command line for the release that they or the environment name
// (KIT-002).
func parse(ctx context.Context, words []string, readFile func(string) ([]byte, error)) (*option.Settings, []diag.Diagnostic) {
	toolkit, newest := arch.Default, madeInput{}
	switch version := cmp.Or(option.NamedToolkit(words), os.Getenv(option.ToolkitVariable)); version {
	case "":
	case option.AutoToolkit:
		newest = newestInput(ctx, words, readFile)
		i := slices.IndexFunc(arch.Releases(), func(p *arch.Profile) bool { return p.API == newest.api })
		switch {
		case i >= 0:
			toolkit = oldestFor(newest.target, arch.Releases()[i:])
		case newest.api != 0:
			return unknownToolkit(fmt.Sprintf("%d.%d", newest.api/10, newest.api%10))
		}
	default:
		var err error
		if toolkit, err = arch.Find(version); err != nil {
			return unknownToolkit(version)
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
// arch.Profile.API. All is empty where no input says one.
type madeInput struct {
	name, target string
	api          uint32
}

// newestInput returns the newest input; none where the inputs cannot be read, which the link then says. They are read as
// the newest release reads them that links for the target (KIT-007).
func newestInput(ctx context.Context, words []string, readFile func(string) ([]byte, error)) (newest madeInput) {
	for _, toolkit := range slices.Backward(arch.Releases()) {
		settings, _ := option.ParseFor(toolkit, nil, words, readFile)
		if _, ok := toolkit.Parse(settings.Arch); !ok {
			continue
		}
		loaded, err := input.Load(ctx, input.Options{
			Arch: settings.Arch, Toolkit: toolkit.Version, Platform: settings.Platform.Name, CPUArch: settings.CPUArch,
			Files: settings.Inputs, Libraries: settings.Libraries, SearchPaths: settings.LibraryPaths, SuppressArchWarning: true,
		}, &diag.Log{})
		if err != nil {
			return madeInput{}
		}
		for _, o := range loaded.Objects {
			if f, err := cubin.Open(o.Name, o.Data); err == nil {
				if api := uint32(nvinfo.OriginOf(f).Toolkit); api > newest.api {
					newest = madeInput{o.Name, settings.Arch, api}
				}
			}
		}
		return newest
	}
	return madeInput{}
}

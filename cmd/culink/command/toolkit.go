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

// --toolkit selects the nvlink release that culink emulates. Without it, the environment selects the release. With
// "auto" the inputs select it: no release links the output of a newer one, so the release of the newest input is the
// oldest that can link all inputs.

// parse parses a command line for the release that the command line or the environment selects (KIT-002). If culink does
// not know that build, it uses the nearest one (KIT-207).
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

// oldestFor returns the first of the given releases that supports a target. If none does, it returns the first of all.
func oldestFor(target string, releases []*arch.Profile) *arch.Profile {
	for _, p := range releases {
		if _, ok := p.Parse(target); ok {
			return p
		}
	}
	return releases[0]
}

// A madeInput describes the newest input of a link for a target: its name, and the release that made it. api is the
// release as in arch.Profile.API, and build is its version. All fields are empty if no input has this information.
type madeInput struct {
	name, target string
	api          uint32
	build        string
}

// isOlder reports whether x was made by an earlier release than y, or by an earlier build of the same release.
func (x madeInput) isOlder(y madeInput) bool {
	patch := func(build string) int {
		n, _ := strconv.Atoi(build[strings.LastIndexByte(build, '.')+1:])
		return n
	}
	return x.api < y.api || x.api == y.api && patch(x.build) < patch(y.build)
}

// buildOf returns the version of the tool that made a file, such as "13.2.86", from the file's note. It is empty if
// there is no such note.
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

// newestInput returns the newest input. It returns none if the inputs cannot be read, because the link will report that
// error. It reads inputs as the newest release that supports the target does (KIT-007).
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

// Package quick links files as the command does, but in this process. It is for tests with thousands of small links.
package quick

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
)

// A File is an input with its name.
type File struct {
	Name string
	Data []byte
}

// An Outcome has the exit status, the messages and the output that the command would have.
type Outcome struct {
	Exit   int
	Stderr string
	Output []byte // nil when there is none
}

// Link does the same as "nvlink -arch ARCH FILE... -o out.cubin" for these files. It writes them to the folder dir.
func Link(ctx context.Context, dir, target string, files ...File) (Outcome, error) {
	args := []string{"-arch", target}
	var names []string
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return Outcome{}, err
		}
		args, names = append(args, f.Name), append(names, name)
	}
	settings, said := option.Parse(append(args, "-o", "out.cubin"), os.ReadFile)
	log := diag.Log{Diagnostics: said}
	settings.Check(&log)
	var output []byte
	if log.Worst() < diag.Fatal {
		output = link(ctx, settings, names, &log)
	}
	var text strings.Builder
	if err := diag.Print(&text, "nvlink", settings.Suffix(), log.Diagnostics); err != nil {
		return Outcome{}, err
	}
	// The files are opened by paths in dir. The command would print their names without the folder.
	stderr := strings.ReplaceAll(text.String(), dir+string(filepath.Separator), "")
	return Outcome{log.ExitStatus(), stderr, output}, nil
}

func link(ctx context.Context, s *option.Settings, names []string, log *diag.Log) []byte {
	loaded, err := input.Load(ctx, input.Options{Arch: s.Arch, Platform: s.Platform.Name, Toolkit: s.Toolkit.Version, Files: names}, log)
	if err != nil || log.Worst() >= diag.Error {
		return nil
	}
	var inputs []linker.Input
	for _, o := range loaded.Objects {
		inputs = append(inputs, linker.Input{Name: o.Name, Data: o.Data, System: o.System})
	}
	result := linker.Link(ctx, linker.Options{ToolName: "nvlink", Arch: s.Arch, Note: s.Note(), Object: s.Object()}, inputs)
	for _, d := range result.Log.Diagnostics {
		log.Add(d)
	}
	if log.Worst() >= diag.Error {
		return nil
	}
	return result.Output
}

package main

import (
	"context"
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
)

// Shell completion and manual pages are generated from the table of commands.

const completionAbout = `Shells: bash, zsh, fish. For bash and zsh, in the file that the shell reads at its start:

  . <(cuconform completion bash)

For fish: cuconform completion fish > ~/.config/fish/completions/cuconform.fish`

func setupCompletion(p *commandline.Program) func(*flag.FlagSet) commandline.Action {
	return func(*flag.FlagSet) commandline.Action {
		return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
			if err := commandline.Expect(args, 1, 1); err != nil {
				return 0, err
			}
			return commandline.OK, p.WriteCompletion(stdout, args[0])
		}
	}
}

const manualAbout = `The page of cuconform, or with the argument culink that of the linker. For man to find it:

  cuconform man > ~/.local/share/man/man1/cuconform.1`

// culinkPage is the argument that selects the manual page of culink.
const culinkPage = "culink"

func setupManual(p *commandline.Program) func(*flag.FlagSet) commandline.Action {
	return func(*flag.FlagSet) commandline.Action {
		return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
			const date = "2026-11-22"
			release := "nvlink " + suite.Toolkit
			switch {
			case len(args) == 0:
				return commandline.OK, p.WriteManual(stdout, date, release)
			case len(args) == 1 && args[0] == culinkPage:
				return commandline.OK, writeCulinkManual(stdout, date, release)
			}
			return 0, commandline.Expect(args, 2, 1)
		}
	}
}

// writeCulinkManual writes the manual page of culink from the table of its options.
func writeCulinkManual(w io.Writer, date, release string) error {
	page := commandline.Page{
		Name: "culink", Summary: "link CUDA device code in the place of nvlink", Date: date, Release: release,
		Usage: "culink [options] inputs...",
	}
	for _, part := range []struct {
		title string
		own   bool
	}{{"OPTIONS OF NVLINK", false}, {"OPTIONS OF CULINK", true}} {
		section := commandline.PageSection{Title: part.title}
		for i := range option.Table {
			o := &option.Table[i]
			if o.Own != part.own || o.Hidden || !o.KnownTo(arch.Default) {
				continue
			}
			text := o.Help
			if values := o.Values(arch.Default); len(values) > 0 {
				text += " Values: " + strings.Join(values, ", ") + "."
			}
			if o.Default != "" {
				text += " Default: " + o.Default + "."
			}
			section.Items = append(section.Items, commandline.PageItem{Head: o.Names(), Text: text})
		}
		slices.SortFunc(section.Items, func(a, b commandline.PageItem) int { return strings.Compare(a.Head, b.Head) })
		page.Sections = append(page.Sections, section)
	}
	return page.Write(w)
}

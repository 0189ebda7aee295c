package main

import (
	"context"
	"flag"
	"io"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
)

// What a shell and man read is made from the table of commands.

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

func setupManual(p *commandline.Program) func(*flag.FlagSet) commandline.Action {
	return func(*flag.FlagSet) commandline.Action {
		return func(_ context.Context, _ []string, stdout, _ io.Writer) (int, error) {
			return commandline.OK, p.WriteManual(stdout, "2026-11-22", "nvlink "+conformance.Toolkit)
		}
	}
}

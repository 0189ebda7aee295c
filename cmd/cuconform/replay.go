package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/replay"
)

// setupReplay defines the command that repeats a link from a package of culink --repro (OPT-502).
func setupReplay(flags *flag.FlagSet) commandline.Action {
	command := flags.String("linker", "", "a `COMMAND` that takes nvlink's arguments (default: culink, built in)")
	ptxas := flags.String("ptxas", "", "the assembler `FILE` for packages with PTX (default: ptxas in the system's folders)")
	keep := flags.String("keep", "", "also unpack the inputs into this `FOLDER`, and keep them")
	return func(ctx context.Context, args []string, stdout, _ io.Writer) (int, error) {
		if err := commandline.Expect(args, 1, 1); err != nil {
			return 0, err
		}
		p, err := replay.Open(args[0])
		if err != nil {
			return 0, err
		}
		if *keep != "" {
			if err := replay.Unpack(p, *keep); err != nil {
				return 0, err
			}
		}
		linker, err := linkerUnderTest(*command)
		if err != nil {
			return 0, err
		}
		if *ptxas != "" {
			if err := linker.UsePTXAS(*ptxas); err != nil {
				return 0, err
			}
		}
		fmt.Fprintln(stdout, "confinement:", confine.Describe(false))
		same, err := replay.Run(ctx, p, *linker, stdout)
		if err != nil {
			return 0, err
		}
		if !same {
			return commandline.Differs, nil
		}
		fmt.Fprintln(stdout, "the same")
		return commandline.OK, nil
	}
}

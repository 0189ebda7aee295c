package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/replay"
)

// replayFile does the link that culink --repro packed again (OPT-502).
func replayFile(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	flags := newFlags("replay", stderr)
	linkerCommand := flags.String("linker", "", "the linker: a `command` that takes nvlink's arguments (default: culink, built now)")
	ptxas := flags.String("ptxas", "", "the assembler `FILE` for packages with PTX (default: ptxas in the system's folders)")
	keep := flags.String("keep", "", "also unpack the inputs into this `folder`, and keep them")
	// The file may stand before the options.
	var file string
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		file, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return exitMisuse, err
	}
	rest := flags.Args()
	if file == "" && len(rest) > 0 {
		file, rest = rest[0], rest[1:]
	}
	if file == "" || len(rest) > 0 {
		return exitMisuse, errors.New("usage: cuconform replay FILE [-linker COMMAND] [-ptxas FILE] [-keep FOLDER]")
	}
	p, err := replay.Open(file)
	if err != nil {
		return exitMisuse, err
	}
	if *keep != "" {
		if err := replay.Unpack(p, *keep); err != nil {
			return exitMisuse, err
		}
	}
	linker, remove, err := linkerUnderTest(ctx, *linkerCommand)
	if err != nil {
		return exitMisuse, err
	}
	defer remove()
	if *ptxas != "" {
		if err := linker.UsePTXAS(*ptxas); err != nil {
			return exitMisuse, err
		}
	}
	fmt.Fprintln(stdout, "confinement:", confine.Describe(false)+"; sealed")
	same, err := replay.Run(ctx, p, *linker, stdout)
	if err != nil {
		return exitMisuse, err
	}
	if !same {
		return exitDiffers, nil
	}
	fmt.Fprintln(stdout, "the same")
	return exitOK, nil
}

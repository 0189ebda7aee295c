package main

import (
	"context"
	"flag"
	"io"
	"os"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/limit"
)

// dump prints files in the text form cutext (docs/cubintext.md). build turns such text back into files.

func setupDump(flags *flag.FlagSet) commandline.Action {
	return convert(flags, func(_ string, data []byte) (string, error) {
		return cubintext.Format(data), nil
	})
}

func setupBuild(flags *flag.FlagSet) commandline.Action {
	return convert(flags, func(name string, data []byte) (string, error) {
		built, err := cubintext.Parse(name, string(data))
		return string(built), err
	})
}

// convert defines a command that converts one file to another. "-" stands for standard input.
func convert(flags *flag.FlagSet, turn func(name string, data []byte) (string, error)) commandline.Action {
	out := flags.String("o", "", "write `FILE` instead of standard output")
	return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
		if err := commandline.Expect(args, 1, 1); err != nil {
			return 0, err
		}
		data, err := readFile(args[0])
		if err != nil {
			return 0, err
		}
		commandline.HoldMemory(len(data))
		text, err := turn(args[0], data)
		if err != nil {
			return 0, err
		}
		fill := func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
		if *out != "" {
			return commandline.OK, writeFile(*out, fill)
		}
		return commandline.OK, fill(stdout)
	}
}

func readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, limit.MostOfFile))
	}
	return limit.ReadFile(name, limit.MostOfFile)
}

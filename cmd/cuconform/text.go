package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/limit"
)

// dump prints files as cutext (docs/cubintext.md); build makes the files again.

func dump(_ context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	return convert("dump", args, stdout, stderr, func(_ string, data []byte) ([]byte, error) {
		return []byte(cubintext.Format(data)), nil
	})
}

func build(_ context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	return convert("build", args, stdout, stderr, func(name string, data []byte) ([]byte, error) {
		return cubintext.Parse(name, string(data))
	})
}

// convert turns one file, "-" for stdin, into another.
func convert(name string, args []string, stdout, stderr io.Writer, turn func(name string, data []byte) ([]byte, error)) (int, error) {
	flags := newFlags(name, stderr)
	out := flags.String("o", "", "write `FILE` instead of standard output")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	if flags.NArg() != 1 {
		return 0, fmt.Errorf("one file expected, not %d", flags.NArg())
	}
	file := flags.Arg(0)
	data, err := readFile(file)
	if err != nil {
		return 0, err
	}
	if data, err = turn(file, data); err != nil {
		return 0, err
	}
	if *out != "" {
		return exitOK, os.WriteFile(*out, data, 0o666)
	}
	_, err = stdout.Write(data)
	return exitOK, err
}

func readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, limit.MostOfFile))
	}
	return limit.ReadFile(name, limit.MostOfFile)
}

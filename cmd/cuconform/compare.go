package main

import (
	"context"
	"io"

	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/hunt"
)

func compare(_ context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	return diff.Run(args, stdout, stderr), nil
}

func huntPrograms(_ context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	return hunt.Run(args, stdout, stderr), nil
}

// Package kernels makes machine code at random, for the commands that learn from it and that
// measure with it: kernels of random statements in PTX, which NVIDIA's assembler translates.
package kernels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// PerModule is how many kernels the assembler gets at once.
const PerModule = 250

// levels are how the assembler may optimize; most code is made with the last.
var levels = []string{"-O3", "-O2", "-O3", "-O1"}

// patience is how long the assembler may take for a module, which is seconds mostly.
const patience = 5 * time.Minute

// ErrCrashed is of an assembler that did not come to an end by itself: it crashes now and then, or finds
// no end.
var ErrCrashed = errors.New("the assembler crashed")

// Assemble has the assembler of a toolkit, installed in a folder, make a cubin of PerModule random kernels
// for an SM. The same seed and number give the same kernels; every third module is relocatable, and the
// levels of optimization take turns.
func Assemble(toolkit, cubin string, sm int, seed, number uint64) error {
	target := fmt.Sprintf("sm_%d", sm)
	text := Module(rand.New(rand.NewPCG(seed, number<<8|uint64(sm))), sm, target, PerModule)
	source := cubin + ".ptx"
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return err
	}
	defer os.Remove(source)
	args := []string{"-arch", target, levels[number%uint64(len(levels))], "-o", cubin, source}
	if number%3 == 0 {
		args = append(args, "-c")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(toolkit, "bin", "ptxas"), args...).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed) && !failed.Exited():
		return fmt.Errorf("%s: %w: %w", cubin, ErrCrashed, err)
	}
	return fmt.Errorf("%s: %w: %s", cubin, err, out)
}

// Package kernels creates random machine code: kernels of random PTX statements, assembled by NVIDIA's
// assembler. The commands learn and measure use it.
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

// PerModule is the number of kernels in each assembled module.
const PerModule = 250

// levels are the optimisation levels of the assembler. Most code uses the last one.
var levels = []string{"-O3", "-O2", "-O3", "-O1"}

// patience is the time limit of the assembler for a module. A module usually takes seconds.
const patience = 5 * time.Minute

// ErrCrashed is the error for an assembler that crashed or exceeded the time limit, which happens occasionally.
var ErrCrashed = errors.New("the assembler crashed")

// Assemble assembles a cubin of PerModule random kernels for an SM, with the assembler of a toolkit installed
// in a folder. The same seed and number produce the same kernels. Every third module is relocatable, and the
// optimisation levels alternate.
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

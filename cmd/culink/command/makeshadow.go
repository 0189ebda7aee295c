package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/culink/culink/cmd/culink/shadow"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/option"
)

// makeShadow creates the folder of --make-shadow from this program, and prints how to use it
// (OPT-505).
func makeShadow(ctx context.Context, s *option.Settings, log *diag.Log, stdout io.Writer) {
	err := func() error {
		toolkit, err := shadow.Toolkit(s.CUDAPath)
		if err != nil {
			return err
		}
		release, err := releaseOf(ctx, s, toolkit)
		if err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		return shadow.Make(s.ShadowFolder, shadow.Options{Toolkit: toolkit, Release: release.Version, Program: self, Advice: s.Advice == "yes"})
	}()
	if err != nil {
		log.Add(diag.New(diag.ShadowFailed, s.ShadowFolder, err.Error()).Because(err))
		return
	}
	dir, err := filepath.Abs(s.ShadowFolder)
	if err != nil {
		dir = s.ShadowFolder
	}
	fmt.Fprintf(stdout, "%[1]s is ready: use %[2]s, or name %[1]s to your build as the CUDA toolkit\n", dir, filepath.Join(dir, "bin", "nvcc"))
	if s.Advice == "yes" {
		fmt.Fprintf(stdout, "after a build, see its answers with: culink --show-advice %s\n", shadow.AdviceIn(dir))
	}
}

// releaseOf returns the release of a toolkit: the one that --toolkit names, or else the build that the toolkit's nvlink
// prints ("release 13.5, V13.5.37"). If culink does not know this build, it returns the nearest one of the same minor
// version (KIT-207).
func releaseOf(ctx context.Context, s *option.Settings, toolkit string) (*arch.Profile, error) {
	if s.ToolkitName != "" && s.ToolkitName != option.AutoToolkit {
		return s.Toolkit, nil
	}
	printed, err := helper.Command{Path: shadow.Linker(toolkit), Args: []string{"--version"}}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("its release is not known, name it with --toolkit: %w", err)
	}
	_, line, _ := strings.Cut(string(printed), ", release ")
	line, version, _ := strings.Cut(line, ", V")
	version, _, _ = strings.Cut(version, "\n")
	release, err := arch.Find(strings.TrimSpace(version))
	if err != nil {
		release, err = arch.Find(line)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: name the release to stand in for with --toolkit", err)
	}
	return release, nil
}

// inShadow sets the release and the file for answers if the program is in a toolkit folder that --make-shadow made. It
// does not override the environment.
func inShadow() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	for variable, value := range map[string]string{option.ToolkitVariable: shadow.Release(self), option.AdviceVariable: shadow.AdviceFile(self)} {
		if value != "" && os.Getenv(variable) == "" {
			os.Setenv(variable, value)
		}
	}
}

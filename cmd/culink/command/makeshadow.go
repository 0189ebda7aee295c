package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/culink/culink/cmd/culink/shadow"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// makeShadow makes the folder of --make-shadow from this program, and says how it is used
// (OPT-505).
func makeShadow(s *option.Settings, log *diag.Log, stdout io.Writer) {
	err := func() error {
		toolkit, err := shadow.Toolkit(s.CUDAPath)
		if err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		return shadow.Make(s.ShadowFolder, toolkit, self)
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
}

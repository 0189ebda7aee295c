package conformance

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/culink/culink/conformance/sandbox"
)

// referencePackage is the package of the linker under test if the command line names none.
const referencePackage = "github.com/culink/culink/cmd/culink"

// BuildReference builds culink in dir under the name nvlink, because the messages and notes in the recordings contain
// this name. It needs the Go tool, and a working folder inside the module.
func BuildReference(ctx context.Context, dir string) (*sandbox.Linker, error) {
	program := filepath.Join(dir, "nvlink")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", program, referencePackage).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("building %s: %w\n%s", referencePackage, err, out)
	}
	return &sandbox.Linker{Command: []string{program}, Limits: sandbox.DefaultLimits}, nil
}

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/culink/culink/conformance/suite"
)

// SlowFactor is how much longer a program may take through Wine or an emulator. Beside other programs of Wine a link may wait for
// its server for more than half a minute, and would seem to hang.
const SlowFactor = 6

// Foreign returns NVIDIA's nvlink for another platform, such as "windows" or "linux-arm64". oracle is the folder of the
// tools for Linux. The folder for the other platform is beside it: oracle-windows-13.0.88 or oracle-arm64-13.0.88. Its
// nvlink is a script that starts Wine or an emulator. It may access all files: Wine keeps a server in the folder for
// temporary files.
func Foreign(oracle, platform string) (*Linker, error) {
	system := strings.TrimPrefix(platform, "linux-")
	program := filepath.Join(filepath.Dir(oracle), "oracle-"+system+"-"+suite.Toolkit, "bin", "nvlink")
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("no nvlink for %s: %w", platform, err)
	}
	limits := Limits{Time: SlowFactor * DefaultLimits.Time, Output: DefaultLimits.Output}
	return &Linker{Command: []string{"env", "-u", "TMPDIR", program}, Limits: limits, Trusted: true}, nil
}

// Package cleanenv removes variables that would affect tests from their environment.
package cleanenv

import (
	"os"

	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// Unset removes the variables that act as options from the environment of this process, so that tests do not depend on
// the exported variables of the shell. A TestMain calls it before it runs the tests; a test sets the variables that it
// is about. On systems other than Linux, the tests still check the behaviour of nvlink for Linux. Unset fails if the
// system refuses to change the environment.
func Unset() {
	for i := range option.Variables {
		if err := os.Unsetenv(option.Variables[i].Name); err != nil {
			panic(err)
		}
	}
	if platform.Native() != platform.Linux {
		if err := os.Setenv(option.PlatformVariable, platform.Linux.Name); err != nil {
			panic(err)
		}
	}
}

// Package cleanenv removes environment variables that would affect tests.
package cleanenv

import (
	"os"

	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// Unset removes the variables that act as options from the environment of this process. So tests do not depend on
// variables that the user's shell exports. A TestMain should call it before it runs the tests. A test sets the variables
// that it needs. On systems other than Linux, the tests still check the behaviour of nvlink for Linux. Unset panics if
// the system refuses to change the environment.
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

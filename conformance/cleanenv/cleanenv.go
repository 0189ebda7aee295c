// Package cleanenv gives tests an environment of their own.
package cleanenv

import (
	"os"

	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// Unset takes the variables that stand for options out of the environment of this process, so that
// tests do not depend on what the shell that starts them exports. A TestMain calls it before it runs the tests;
// a test sets what it is about. Elsewhere than on Linux they are about its nvlink all the same. Unset fails where the
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

// Package cleanenv gives tests an environment of their own.
package cleanenv

import (
	"os"

	"github.com/culink/culink/linker/option"
)

// Unset takes the variables that stand for options out of the environment of this process, so that
// tests do not depend on what the shell that starts them exports. A TestMain calls it before it runs the tests;
// a test sets what it is about. It fails where the system refuses to change the environment.
func Unset() {
	for i := range option.Variables {
		if err := os.Unsetenv(option.Variables[i].Name); err != nil {
			panic(err)
		}
	}
}

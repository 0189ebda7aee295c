package linker

import "github.com/culink/culink/linker/internal/program"

// ProvidedByDriver reports whether the driver provides the function with this name when it loads a program.
// Such a function may stay undefined (LOAD-043, REACH-202, LTO-004).
func ProvidedByDriver(name string) bool { return program.ProvidedByDriver(name) }

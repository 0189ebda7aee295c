package sandbox

import (
	"flag"
	"path/filepath"
)

// A Trust is what a command line says of how far a linker under test is trusted: by default not at all.
type Trust struct {
	Trusted bool
	Reads   []string // absolute names
}

// Set lets it hold for a linker.
func (t *Trust) Set(l *Linker) { l.Trusted, l.Reads = t.Trusted, append(l.Reads, t.Reads...) }

// AddFlags adds its flags to those of a command.
func (t *Trust) AddFlags(flags *flag.FlagSet) {
	flags.BoolVar(&t.Trusted, "trust", false, "do not confine the linker under test (docs/security.md)")
	flags.Func("read", "let the linker read this `FOLDER` or file too (repeatable)", func(name string) error {
		name, err := filepath.Abs(name)
		t.Reads = append(t.Reads, name)
		return err
	})
}

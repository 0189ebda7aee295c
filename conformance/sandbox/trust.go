package sandbox

import (
	"flag"
	"path/filepath"
)

// A Trust records how far the user trusts a linker under test. The zero Trust confines the linker.
type Trust struct {
	Trusted bool
	Reads   []string // absolute names of what it may read
}

// Set applies the trust to a linker.
func (t *Trust) Set(l *Linker) { l.Trusted, l.Reads = t.Trusted, append(l.Reads, t.Reads...) }

// AddFlags adds -trust and -read to the flags of a command.
func (t *Trust) AddFlags(flags *flag.FlagSet) {
	flags.BoolVar(&t.Trusted, "trust", false, "do not confine the linker under test (docs/security.md)")
	flags.Func("read", "let the linker read this `FOLDER` or file too (repeatable)", func(name string) error {
		name, err := filepath.Abs(name)
		t.Reads = append(t.Reads, name)
		return err
	})
}

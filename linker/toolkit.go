package linker

import (
	"cmp"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// Toolkits returns the releases of the CUDA toolkit that a link can emulate, as "11.8.89". The oldest is first.
func Toolkits() []string {
	var versions []string
	for _, p := range arch.Releases() {
		versions = append(versions, p.Version)
	}
	return versions
}

// Targets returns the possible values of [Options.Arch] for a release, as "sm_90a" or "compute_90a". toolkit
// has the form of [Options.Toolkit]. The error is a [diag.Diagnostic].
func Targets(toolkit string) ([]string, error) {
	p, err := profile(toolkit)
	if err != nil {
		return nil, err
	}
	return p.Names(), nil
}

// profile returns the release that Options.Toolkit names.
func profile(toolkit string) (*arch.Profile, error) {
	p, err := arch.Find(cmp.Or(toolkit, arch.Default.Version))
	if err != nil {
		return nil, diag.New(diag.UnknownToolkit, toolkit, arch.Versions())
	}
	return p, nil
}

package jitlink

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/arch"
	variables "github.com/culink/culink/linker/option"
)

// One library serves all programs of a major version. It exports the names of every release, and behaves like
// one release. By default this is the newest one, so that no input is too new for it.

// Release returns the release of a major version that is selected by named, the value of CULINK_TOOLKIT: "13.0"
// or "13.0.88". For an empty value, "auto", and a release of another major version, which is meant for other
// programs, it is the newest one; for major version 12 that is arch.Default (JIT-008). The error lists the
// known releases (JIT-009).
func Release(major int, named string) (*arch.Profile, error) {
	var newest *arch.Profile
	var versions []string
	for _, p := range arch.Releases() {
		if p.Major == major {
			newest, versions = p, append(versions, p.Version)
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("no release has the major number %d", major)
	}
	if major < arch.Default.Major {
		newest = arch.Default
	}
	if named == "" || named == variables.AutoToolkit {
		return newest, nil
	}
	p, err := arch.Find(named)
	switch {
	case err != nil:
		return newest, fmt.Errorf("%s: toolkit %q is not one of %s", variables.ToolkitVariable, named, strings.Join(versions, ", "))
	case p.Major != major:
		return newest, nil
	}
	return p, nil
}

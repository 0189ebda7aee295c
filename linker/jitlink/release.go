package jitlink

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/arch"
	variables "github.com/culink/culink/linker/option"
)

// One library serves all programs of a major version. It exports the names of every release, and behaves like
// one of them. By default this is the newest release, for which no input is too new.

// Release returns the release of a major version that named selects. named is the value of CULINK_TOOLKIT:
// "13.0" or "13.0.88". The newest release is returned for an empty value, for "auto", and for a release of
// another major version, because that is meant for other programs. For major version 12, arch.Default takes the
// place of the newest release (JIT-008). The error lists the known releases (JIT-009).
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

package jitlink

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/arch"
	variables "github.com/culink/culink/linker/option"
)

// One library serves all programs of a major number: it exports the names of every release, and
// behaves as one release, unless it is told otherwise the newest, so that no input is too new for it.

// Release returns the release with a major number that named, the value of CULINK_TOOLKIT, names:
// "13.0" or "13.0.88". Empty, "auto", and a release with another major number, which is meant for
// other programs, leave the newest one; that is arch.Default for the major number 12 (JIT-008). The
// error names the releases that there are (JIT-009).
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

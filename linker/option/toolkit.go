package option

import (
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// Which options there are depends on the release of the toolkit, so --toolkit is looked for
// before all other words are read. It counts wherever it stands on the command line, but not
// in a response file.

const toolkitOption = "toolkit"

// ToolkitVariable is the environment variable that names a release, where the command line
// does not.
const ToolkitVariable = "CULINK_TOOLKIT"

// AutoToolkit, in the place of a version, stands for the release that made the newest input.
const AutoToolkit = "auto"

// NamedToolkit returns the version that --toolkit names, the last one of several; empty
// without one.
func NamedToolkit(words []string) (version string) {
	for i, word := range words {
		option, value, hasValue := strings.Cut(word, "=")
		switch {
		case option != "--"+toolkitOption:
		case hasValue:
			version = value
		case i+1 < len(words):
			version = words[i+1]
		}
	}
	return version
}

// chooseToolkit takes the release that --toolkit names.
func (p *parser) chooseToolkit(words []string) error {
	version := NamedToolkit(words)
	if version == "" || version == AutoToolkit {
		return nil
	}
	toolkit, err := arch.Find(version)
	if err != nil {
		return diag.New(diag.UnknownToolkit, version, arch.Versions())
	}
	p.settings.Toolkit = toolkit
	return nil
}

package option

import (
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// Which options there are depends on the release of the toolkit, and its platform, so
// --toolkit and --platform are looked for before all other words are read. They count wherever they stand on the command line, but not
// in a response file.

const (
	toolkitOption  = "toolkit"
	platformOption = "platform"
)

// ToolkitVariable is the environment variable that names a release, where the command line
// does not.
const ToolkitVariable = "CULINK_TOOLKIT"

// PlatformVariable is the environment variable that names a platform, where the command line does not.
const PlatformVariable = "CULINK_PLATFORM"

// AutoToolkit, in the place of a version, stands for the release that made the newest input.
const AutoToolkit = "auto"

// NamedToolkit returns the version that --toolkit names, the last one of several; empty
// without one.
func NamedToolkit(words []string) (version string) { return lastValue(words, toolkitOption) }

// NamedPlatform returns what --platform names; empty without it.
func NamedPlatform(words []string) string { return lastValue(words, platformOption) }

// lastValue is the value of a long option where it stands last; empty without it.
func lastValue(words []string, long string) (last string) {
	for i, word := range words {
		option, value, hasValue := strings.Cut(word, "=")
		switch {
		case option != "--"+long:
		case hasValue:
			last = value
		case i+1 < len(words):
			last = words[i+1]
		}
	}
	return last
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

package option

import (
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// The available options depend on the release of the toolkit and on the platform. --toolkit and --platform are
// therefore read before all other words. They may be anywhere in the command line, but not in a response file.

const (
	toolkitOption  = "toolkit"
	platformOption = "platform"
)

// ToolkitVariable is the environment variable that selects the release if the command line does not.
const ToolkitVariable = "CULINK_TOOLKIT"

// PlatformVariable is the environment variable that selects the platform if the command line does not.
const PlatformVariable = "CULINK_PLATFORM"

// AutoToolkit, used as a version, selects the release that made the newest input.
const AutoToolkit = "auto"

// NamedToolkit returns the version in the last --toolkit, or an empty string if there is none.
func NamedToolkit(words []string) (version string) { return lastValue(words, toolkitOption) }

// NamedPlatform returns the value of the last --platform, or an empty string if there is none.
func NamedPlatform(words []string) string { return lastValue(words, platformOption) }

// lastValue returns the value of the last occurrence of a long option, or an empty string if there is none.
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

// chooseToolkit selects the release in --toolkit.
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

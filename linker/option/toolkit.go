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

// chooseToolkit takes the release that --toolkit names, the last one of several.
func (p *parser) chooseToolkit(words []string) error {
	for i, word := range words {
		option, version, hasValue := strings.Cut(word, "=")
		if option != "--"+toolkitOption || !hasValue && i+1 == len(words) {
			continue
		}
		if !hasValue {
			version = words[i+1]
		}
		toolkit, err := arch.Find(version)
		if err != nil {
			return diag.New(diag.UnknownToolkit, version, arch.Versions())
		}
		p.settings.Toolkit = toolkit
	}
	return nil
}

package attempt

import (
	"context"
	"sync"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/linker/arch"
)

// A Link is one step of a case: its files before the link, and its arguments. The facet sound needs it, because it
// compares the output with the inputs.
type Link struct {
	Before  Files
	Argv    []string
	Toolkit *arch.Profile // release of the wanted outcome; nil for that of the recordings
	// Platform is the platform of the nvlink that made the wanted outcome. The empty string stands for Linux.
	Platform string

	// Known returns the result of [Link.Asked]. If it is nil, each call of Asked reads the inputs.
	Known func() (*Asked, error)
}

// An Asked is the parsed command line of a link.
type Asked struct {
	*sound.Link
	Output string // file name
}

// Remembered returns the link with a Known that reads the inputs only once.
func (l Link) Remembered(ctx context.Context) Link {
	once := l
	once.Known = sync.OnceValues(func() (*Asked, error) { return l.Asked(ctx) })
	return once
}

// Asked reads the inputs that the command line names. It follows the rules of the link's release.
func (l Link) Asked(ctx context.Context) (*Asked, error) {
	if l.Known != nil {
		return l.Known()
	}
	argv := l.Argv
	if l.Platform != "" {
		argv = append([]string{"--platform=" + l.Platform}, argv...)
	}
	if l.Toolkit != nil {
		argv = append([]string{"--toolkit=" + l.Toolkit.Version}, argv...)
	}
	link, output, err := sound.FromCommand(ctx, l.Before, argv)
	return &Asked{link, output}, err
}

package attempt

import (
	"context"
	"sync"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/linker/arch"
)

// A Link is one step of a case: the folder before it, and its arguments. The facet sound compares the output with the
// inputs, so it needs the link.
type Link struct {
	Before  Files
	Argv    []string
	Toolkit *arch.Profile // the release of the wanted outcome; nil for that of the recordings
	// Platform is that of the nvlink with the wanted outcome; empty: Linux.
	Platform string

	// Known returns what [Link.Asked] returns; nil: the inputs are read by each call.
	Known func() (*Asked, error)
}

// Asked is the parsed command line of a link.
type Asked struct {
	*sound.Link
	Output string // file name
}

// Remembered returns the link with a Known that reads the inputs once.
func (l Link) Remembered(ctx context.Context) Link {
	once := l
	once.Known = sync.OnceValues(func() (*Asked, error) { return l.Asked(ctx) })
	return once
}

// Asked reads the inputs that the command line names, by the rules of its release.
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

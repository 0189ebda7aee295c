package attempt

import (
	"context"
	"sync"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/linker/arch"
)

// A Link is one step: the folder before it, and its arguments.
type Link struct {
	Before  Files
	Argv    []string
	Toolkit *arch.Profile // the release that judges; nil for that of the recordings
	// Platform is that of the nvlink that judges; empty: Linux.
	Platform string

	Known func() (*Asked, error) // what asked returns; nil: read the inputs
}

// Asked is what a link asks for.
type Asked struct {
	*sound.Link
	Output string // the name of its file
}

// Remembered returns the link such that its inputs are read once, however many facets ask for them.
func (l Link) Remembered(ctx context.Context) Link {
	once := l
	once.Known = sync.OnceValues(func() (*Asked, error) { return l.Asked(ctx) })
	return once
}

// Asked returns what the link asks for, of its release.
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

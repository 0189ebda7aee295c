package conformance

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

	known func() (*asked, error) // what asked returns; nil: read the inputs
}

// asked is what a link asks for.
type asked struct {
	*sound.Link
	output string // the name of its file
}

// remembered returns the link such that its inputs are read once, however many facets ask for them.
func (l Link) remembered(ctx context.Context) Link {
	once := l
	once.known = sync.OnceValues(func() (*asked, error) { return l.asked(ctx) })
	return once
}

// asked returns what the link asks for, of its release.
func (l Link) asked(ctx context.Context) (*asked, error) {
	if l.known != nil {
		return l.known()
	}
	argv := l.Argv
	if l.Platform != "" {
		argv = append([]string{"--platform=" + l.Platform}, argv...)
	}
	if l.Toolkit != nil {
		argv = append([]string{"--toolkit=" + l.Toolkit.Version}, argv...)
	}
	link, output, err := sound.FromCommand(ctx, l.Before, argv)
	return &asked{link, output}, err
}

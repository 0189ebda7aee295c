//go:build !linux

package confine

import "context"

// A Pool is empty on this system, where programs have no supervisor.
type Pool struct{}

// Run does the same as [Command.Run].
func (*Pool) Run(ctx context.Context, c *Command) (Result, error) { return c.Run(ctx) }

// Close does nothing.
func (*Pool) Close() {}

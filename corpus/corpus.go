// Package corpus embeds the recorded cases, so that cuconform needs nothing but
// itself. docs/corpus.md says how they are laid out.
package corpus

import "embed"

// Files holds <area>/<case>/..., sources/ and waivers.txt.
//
//go:embed waivers.txt */*
var Files embed.FS

// Package corpus embeds the recorded cases, so that cuconform needs nothing but
// itself. docs/corpus.md says how they are laid out.
package corpus

import "embed"

// Files holds waivers.txt and of each case what a run needs: <area>/<case>/case.txt and its
// recordings, without the sources that they were made from.
//
//go:embed waivers.txt */*/case.txt */*/sm_*
var Files embed.FS

//go:build !packed

package corpus

import "embed"

// Files holds the cases.
//
//go:embed waivers.txt */*/case.txt */*/sm_*
var Files embed.FS

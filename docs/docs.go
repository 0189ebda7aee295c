// Package docs embeds the pages that the commands show.
package docs

import _ "embed"

// Rules is rules.md: every behaviour by its id.
//
//go:embed rules.md
var Rules string

// Coverage is coverage.md: what tests each rule.
//
//go:embed coverage.md
var Coverage string

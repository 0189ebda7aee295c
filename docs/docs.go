// Package docs embeds the tables that commands show.
package docs

import _ "embed"

// Rules is rules.tsv: every behaviour by its id.
//
//go:embed rules.tsv
var Rules string

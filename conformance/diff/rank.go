package diff

// A Rank tells how early a linker decides a value, and so how many other values depend on it. Differences are sorted by
// rank.
type Rank int

// Ranks, the earliest first.
const (
	RankKind        Rank = iota // kind of the file
	RankSections                // set of sections
	RankSymbols                 // set of symbols
	RankOrder                   // order of sections and symbols
	RankNames                   // string tables
	RankPlacement               // sizes and alignments of sections, values of symbols
	RankAttributes              // other fields of sections and symbols
	RankRelations               // call graph, prototypes, attributes of functions
	RankRelocations             // relocations that stay
	RankContents                // bytes of sections
	RankNotes                   // notes and compatibility records
	RankListOrder               // order inside a section of records
	RankLayout                  // offsets, segments and counts, which follow from the rest
	RankPadding                 // bytes that belong to nothing
)

func (r Rank) String() string {
	return [...]string{
		RankKind:        "kind of file",
		RankSections:    "which sections there are",
		RankSymbols:     "which symbols there are",
		RankOrder:       "order of sections and symbols",
		RankNames:       "string tables",
		RankPlacement:   "sizes, alignments and values",
		RankAttributes:  "other fields of sections and symbols",
		RankRelations:   "call graph, prototypes, attributes",
		RankRelocations: "relocations",
		RankContents:    "contents",
		RankNotes:       "notes",
		RankListOrder:   "order of records",
		RankLayout:      "file layout (follows from the rest)",
		RankPadding:     "bytes that belong to nothing",
	}[r]
}

package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WritePage writes docs/rules.md, a readable form of the table. It has a section for each area, and an anchor for each
// rule and clause.
func (b *Book) WritePage(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString(`# Rules

Every behaviour of culink that a test can see has an id. Code, tests, corpus cases and testscripts cite ids.
` + "`cuconform rules ID`" + ` prints a rule and the cases that cite it. A long rule has clauses, each with an id of its own.

The evidence says where a statement comes from: *oracle* (nvlink was asked, with the number of links), a seed
document (*000* to *004*), or *choice* (culink differs on purpose, see [errata.md](errata.md)).

This page is made from [rules.tsv](rules.tsv) by ` + "`go run ./cmd/cuconform rules -page docs/rules.md`" + `.
`)
	rest := b.Rules
	for _, a := range b.Areas {
		fmt.Fprintf(out, "\n## %s: %s\n\n", a.Name, a.Title)
		if a.Introduction != "" {
			fmt.Fprintf(out, "%s\n\n", a.Introduction)
		}
		for len(rest) > 0 && rest[0].area() == a.Name {
			rest[0].write(out)
			rest = rest[1:]
		}
	}
	return out.Flush()
}

// write writes a rule as a list item.
func (r Rule) write(w io.Writer) {
	if c := r.Clauses[0]; c.ID == r.ID {
		c.write(w, "- ")
		return
	}
	fmt.Fprintf(w, "- <a id=\"%s\"></a>**%s**\n", r.ID, r.ID)
	for _, c := range r.Clauses {
		c.write(w, "    - ")
	}
}

func (c Clause) write(w io.Writer, mark string) {
	fmt.Fprintf(w, "%s<a id=\"%s\"></a>**%s** %s *Evidence: %s*\n", mark, c.ID, c.ID, plain(c.Statement), plain(c.Evidence))
}

// plain escapes a text for HTML: outside code spans, < becomes &lt;.
func plain(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], "<", "&lt;")
	}
	return strings.Join(parts, "`")
}

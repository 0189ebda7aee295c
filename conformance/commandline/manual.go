package commandline

import (
	"fmt"
	"io"
	"strings"
)

// The manual is one page for a program with all its commands. It uses the man macros of roff.

// WriteManual writes the page for section 1. date and release appear in the page's footer.
func (p *Program) WriteManual(w io.Writer, date, release string) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %q %q %q\n", strings.ToUpper(p.Name), date, release, "User Commands")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", p.Name, roff(strings.TrimSuffix(p.Summary, ".")))
	b.WriteString(".SH SYNOPSIS\n")
	for i := range p.Commands {
		if i > 0 {
			b.WriteString(".br\n")
		}
		fmt.Fprintf(&b, ".B %s\n", roff(p.usage(&p.Commands[i])))
	}
	b.WriteString(".SH COMMANDS\n")
	for i := range p.Commands {
		c := &p.Commands[i]
		fmt.Fprintf(&b, ".SS %q\n%s.\n", c.Name, roff(strings.ToUpper(c.Summary[:1])+c.Summary[1:]))
		if c.About != "" {
			for paragraph := range strings.SplitSeq(c.About, "\n\n") {
				if strings.HasPrefix(paragraph, "  ") {
					fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(paragraph))
				} else {
					fmt.Fprintf(&b, ".PP\n%s\n", roff(paragraph))
				}
			}
		}
		for _, f := range c.flagsOf() {
			value, text := describe(f)
			fmt.Fprintf(&b, ".TP\n\\fB\\-%s\\fR", roff(f.Name))
			if value != "" {
				fmt.Fprintf(&b, " \\fI%s\\fR", roff(value))
			}
			fmt.Fprintf(&b, "\n%s\n", roff(text))
		}
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%s\n", roff(p.Status))
	_, err := io.WriteString(w, b.String())
	return err
}

// A Page is the manual page of a program without commands.
type Page struct {
	Name, Summary string
	Date, Release string
	Usage         string
	Sections      []PageSection
}

// A PageSection has a title in capitals.
type PageSection struct {
	Title string
	Items []PageItem
}

// A PageItem is an option with its description.
type PageItem struct{ Head, Text string }

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %q %q %q\n", strings.ToUpper(p.Name), p.Date, p.Release, "User Commands")
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", p.Name, roff(p.Summary), roff(p.Usage))
	for _, s := range p.Sections {
		fmt.Fprintf(&b, ".SH %s\n", roff(s.Title))
		for _, i := range s.Items {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(i.Head), roff(i.Text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// roff escapes a text, so that none of its lines is a request of roff, and so that a hyphen stays a hyphen when it is
// copied.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

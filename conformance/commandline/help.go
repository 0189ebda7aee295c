package commandline

import (
	"fmt"
	"io"
	"strings"
)

// columns is the width of help texts.
const columns = 80

// writeHelp lists the commands.
func (p *Program) writeHelp(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s COMMAND [flags] [arguments]\n\n%s\n\n", p.Name, p.Summary)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "  %-11s %s\n", c.Name, c.Summary)
	}
	fmt.Fprintf(&b, "\n%s help COMMAND shows its flags.\n%s\n", p.Name, wrap(p.Status, ""))
	io.WriteString(w, b.String())
}

// usage returns the line that shows the syntax of a command.
func (p *Program) usage(c *Command) string {
	line := p.Name + " " + c.Name
	if len(c.flagsOf()) > 0 {
		line += " [flags]"
	}
	if c.Arguments != "" {
		line += " " + c.Arguments
	}
	return line
}

// writeCommandHelp shows a command with its flags.
func (p *Program) writeCommandHelp(w io.Writer, c *Command) {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n", p.usage(c))
	about := c.About
	if about == "" {
		about = strings.ToUpper(c.Summary[:1]) + c.Summary[1:] + "."
	}
	for paragraph := range strings.SplitSeq(about, "\n\n") {
		b.WriteString("\n" + wrap(paragraph, "") + "\n")
	}
	const indent = "                      "
	for i, f := range c.flagsOf() {
		if i == 0 {
			b.WriteByte('\n')
		}
		value, text := describe(f)
		head := fmt.Sprintf("  -%s", f.Name)
		if value != "" {
			head += " " + value
		}
		body := wrap(text, indent)
		if len(head)+2 > len(indent) {
			fmt.Fprintf(&b, "%s\n%s\n", head, body)
		} else {
			fmt.Fprintf(&b, "%-*s%s\n", len(indent), head, strings.TrimPrefix(body, indent))
		}
	}
	io.WriteString(w, b.String())
}

// wrap breaks a text at blanks into indented lines of at most 80 columns. An indented text is left unchanged.
func wrap(text, indent string) string {
	if strings.HasPrefix(text, "  ") {
		return text
	}
	var b strings.Builder
	length := 0
	for word := range strings.FieldsSeq(text) {
		if length > 0 && length+1+len(word) > columns {
			b.WriteByte('\n')
			length = 0
		}
		lead := " "
		if length == 0 {
			lead = indent
		}
		b.WriteString(lead + word)
		length += len(lead) + len(word)
	}
	return b.String()
}

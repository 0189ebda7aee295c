package option

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
)

// WriteVersion writes the output of --version. Build tools look for the release line (OPT-028).
func WriteVersion(w io.Writer, tool string, toolkit *arch.Profile) error {
	_, err := fmt.Fprintf(w, "%s: %s\n%s\n%s\n", tool, title(toolkit), toolkit.Release, toolkit.Build)
	return err
}

// title returns the name and version of culink, and the emulated nvlink. It contains no capital V, because
// Meson takes the text after the last one for the version.
func title(toolkit *arch.Profile) string {
	own := "of unknown version"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		own = info.Main.Version
	}
	by := ""
	if toolkit.Interpolated {
		by = "by interpolation, "
	}
	return fmt.Sprintf("culink %s, an open linker for CUDA device code, %sin the place of nvlink %s", own, by, toolkit.Version)
}

// WriteHelp writes the output of --help. nvlink's options come first, by their long names. culink's own
// options follow.
func WriteHelp(w io.Writer, tool string, toolkit *arch.Profile, host *platform.Platform) error {
	var b strings.Builder
	writeFolded(&b, "", columns, title(toolkit))
	fmt.Fprintf(&b, "\nUsage: %s [options] inputs...\n\nOptions of nvlink\n", tool)
	writeOptions(&b, toolkit, func(o *Option) bool {
		return !o.Hidden && !o.Own && o.KnownTo(toolkit) && (o.On == nil || host.IsA(o.On))
	})
	b.WriteString("\nOptions of culink\n")
	writeOptions(&b, toolkit, func(o *Option) bool { return o.Own })
	_, err := io.WriteString(w, b.String())
	return err
}

// columns is the width of the help text.
const columns = 80

func writeOptions(b *strings.Builder, toolkit *arch.Profile, wanted func(*Option) bool) {
	const indent = "        "
	for _, o := range sorted(wanted) {
		b.WriteString("\n" + o.Names() + "\n")
		writeFolded(b, indent, columns, o.Help)
		if values := o.Values(toolkit); len(values) > 0 {
			writeFolded(b, indent, columns, "Values: "+strings.Join(values, ", ")+".")
		}
		if o.Bare != "" {
			writeFolded(b, indent, columns, "Without a value: "+o.Bare+".")
		}
		if o.Default != "" {
			writeFolded(b, indent, columns, "Default: "+o.Default+".")
		}
	}
}

// Names returns the heading of the option in the help, as "--output-file <file name> (-o)".
func (o *Option) Names() string {
	names := "--" + o.Long
	if o.Arg != "" {
		names += " " + o.Arg
	}
	if o.Short != "" {
		names += " (-" + o.Short + ")"
	}
	return names
}

// sorted returns the wanted options, sorted by long name.
func sorted(wanted func(*Option) bool) []*Option {
	var rows []*Option
	for i := range Table {
		if wanted(&Table[i]) {
			rows = append(rows, &Table[i])
		}
	}
	slices.SortFunc(rows, func(a, b *Option) int { return strings.Compare(a.Long, b.Long) })
	return rows
}

// writeFolded writes text in lines of at most width columns.
func writeFolded(b *strings.Builder, indent string, width int, text string) {
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}

package nvinfo

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

var update = flag.Bool("update", false, "write docs/attributes.md anew")

const docsPath = "../../docs/attributes.md"

// docs/attributes.md agrees with the tables.
func TestDocsAreCurrent(t *testing.T) {
	want := attributesDoc()
	if *update {
		if err := os.WriteFile(docsPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not current: go test ./linker/nvinfo -run Docs -update", docsPath)
	}
}

func attributesDoc() string {
	var b strings.Builder
	b.WriteString(`# Attributes

Made from the tables of ` + "`linker/nvinfo`" + `; do not edit. Write it anew with ` + "`go test ./linker/nvinfo -run Docs -update`" + `.

## .nv.info

One record is four bytes: format, code, and two bytes of value; a sized record's value is the length of the payload that
follows (INFO-007). Formats: ` + fmt.Sprintf("%d %v (none), %d %v (byte), %d %v (half), %d %v (sized).", NoValue, NoValue, Byte, Byte, Half, Half, Sized, Sized) + `
A payload is 32-bit words, if not said otherwise; words in **bold** are symbol indices (INFO-008).

"Linker" is what the linker does for an executable with a record of a function; kernels are those that reach the function
(INFO-030 to INFO-038). Formats, sections and targets are those seen in what ptxas 13.0 and libraries of toolkit 13 hold; where
they are empty, no object was seen that has the attribute.

| code | name | format | section | value or payload | linker | seen on | meaning |
| --- | --- | --- | --- | --- | --- | --- | --- |
`)
	for number, a := range Attributes {
		if a.Name == "" {
			continue
		}
		fmt.Fprintf(&b, "| %02x | %s | %s | %s | %s | %s | %s | %s |\n",
			number, a.Name, formatWord(a.Format), code(a.Scope.String()), payloadText(a), a.Merge, a.Targets, a.Meaning)
	}
	b.WriteString(`
Codes that are not in the table are carried unchanged.

## .nv.compat

Files for sm_90 and later have it. The linker's own records come first and last, the others in the order in which the inputs
bring them (INFO-010 to INFO-014).

| code | name | format | of two inputs | when missing | releases | meaning |
| --- | --- | --- | --- | --- | --- | --- |
`)
	for code, c := range Compats {
		if c.Name == "" && c.Merge == CompatIgnore {
			continue
		}
		missing := ""
		if c.Required {
			missing = fmt.Sprintf("%#x", c.Default)
		}
		if c.Warn {
			missing += ", with a warning"
		}
		fmt.Fprintf(&b, "| %02x | %s | %s | %s | %s | %s | %s |\n", code, c.Name, formatWord(c.Format), c.Merge, missing, arch.Range(c.Since, c.Until), c.Meaning)
	}
	return b.String()
}

func formatWord(f Format) string {
	return [...]string{"", "none", "byte", "half", "sized"}[f]
}

// code formats a section name as code. Otherwise its angle brackets would be markup.
func code(name string) string {
	if name == "" || name == Both.String() {
		return name
	}
	return "`" + name + "`"
}

// payloadText formats a payload, with symbols in bold.
func payloadText(a Attribute) string {
	first, rest, more := strings.Cut(a.Payload, ",")
	switch {
	case a.Symbols == NoSymbols:
		return strings.ReplaceAll(a.Payload, "<", "&lt;")
	case !more:
		return "**" + first + "**"
	}
	return strings.ReplaceAll("**"+first+"**,"+rest, "<", "&lt;")
}

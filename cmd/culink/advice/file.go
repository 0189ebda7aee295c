package advice

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/culink/culink/linker/show"
)

// Build tools hide the output of a linker, or mix it with other output. So the answers of many links can be collected in
// one file. Each link appends one block with a single write, so that the lines of concurrent links do not mix. The first
// line of a block identifies the link. Its messages follow, each with its answer (DIAG-505).

// A Block is the answers of one link.
type Block struct {
	Output string // the file that the link was to make
	Target string // "sm_90"
	Folder string // the working folder; file names are relative to it
	text   strings.Builder
}

// blockMark begins the first line of a block.
const blockMark = "== "

// Add adds a message as it was printed, and its answer. If there is no answer, it adds nothing.
func (b *Block) Add(message string, facts []Fact) {
	if len(facts) == 0 {
		return
	}
	for line := range strings.Lines(message) {
		b.text.WriteString(strings.Map(printable, strings.TrimSuffix(line, "\n")) + "\n")
	}
	Write(&b.text, facts) // a Builder returns no error
}

// AppendTo appends the block to a file, which it creates if needed. It appends nothing if the block has no answers.
func (b *Block) AppendTo(name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeCharDevice == 0 {
		return fmt.Errorf("%s is no file", name) // opening a pipe would block until something reads it
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if b.text.Len() > 0 {
		head := fmt.Sprintf("%s for %s in %s", b.Output, b.Target, b.Folder)
		_, err = file.WriteString(blockMark + strings.Map(printable, head) + "\n" + b.text.String())
	}
	return errors.Join(err, file.Close())
}

// Show prints a file of answers. If a link was repeated, its identical blocks are printed once.
func Show(w io.Writer, file string) error {
	var order []string
	times := map[string]int{}
	add := func(block string) {
		if times[block]++; block != "" && times[block] == 1 {
			order = append(order, block)
		}
	}
	from, at := 0, 0
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, blockMark) {
			add(file[from:at])
			from = at
		}
		at += len(line)
	}
	add(file[from:])
	var b strings.Builder
	for _, block := range order {
		for line := range strings.Lines(block) {
			b.WriteString(show.Line(strings.TrimSuffix(line, "\n")))
			if n := times[block]; n > 1 && strings.HasPrefix(line, blockMark) {
				fmt.Fprintf(&b, " (%d times)", n)
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"path/filepath"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/scoreboard"
)

const scoreboardAbout = `Shows reports of cuconform run -json side by side: a row for each, with NAME or the name of its linker, and columns for facets and areas. Without -html and -page the page of Markdown is printed.`

// setupScoreboard defines the command that shows reports side by side.
func setupScoreboard(flags *flag.FlagSet) commandline.Action {
	var html, page outputFile
	flags.StringVar(&html.name, "html", "", "write one self-contained page of HTML to this `FILE`")
	flags.StringVar(&page.name, "page", "", "write a page of Markdown to this `FILE`")
	return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
		var entries []scoreboard.Entry
		for _, arg := range args {
			name, file, named := strings.Cut(arg, "=")
			if !named {
				file = arg
			}
			r, err := readReport(file)
			if err != nil {
				return 0, err
			}
			if !named {
				name = filepath.Base(cmp.Or(r.Linker, "culink")) + " " + r.Toolkit
			}
			entries = append(entries, scoreboard.Entry{Name: name, Report: r})
		}
		boards, err := scoreboard.New(entries)
		if err != nil {
			return 0, err
		}
		for _, o := range []*outputFile{&html, &page} {
			if err := o.open(); err != nil {
				return 0, err
			}
			defer o.discard()
		}
		if html.name == "" && page.name == "" {
			return commandline.OK, boards.WriteMarkdown(stdout)
		}
		return commandline.OK, errors.Join(html.write(boards.WriteHTML), page.write(boards.WriteMarkdown))
	}
}

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/show"
)

func setupList(flags *flag.FlagSet) commandline.Action {
	var chosen selectionFlags
	chosen.add(flags)
	return func(_ context.Context, _ []string, stdout, _ io.Writer) (int, error) {
		selection, err := chosen.selection()
		if err != nil {
			return 0, err
		}
		cases, err := suite.LoadCasesOf(chosen.files(), chosen.platform)
		if err != nil {
			return 0, err
		}
		tw := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
		for _, c := range cases {
			var targets []string
			for _, sm := range c.Targets {
				if selection.Selects(c, sm) {
					targets = append(targets, "sm_"+sm)
				}
			}
			if len(targets) > 0 {
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", show.Line(c.ID()), show.Line(strings.Join(targets, " ")), show.Line(strings.Join(c.Rules, " ")), show.Line(c.Title))
			}
		}
		return commandline.OK, tw.Flush()
	}
}

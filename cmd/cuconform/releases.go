package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/show"
)

// culink treats an nvlink build that was never tested as the nearest tested one (KIT-207). The package index lists the
// builds; docs/newrelease.md describes how to add one.

const releasesAbout = `Asks pip which builds of the compiler the package index has, and says of each whether culink knows it (KIT-201). PACKAGE is one that holds nvlink. Exit status 1: there is a build that culink does not know.`

// holdsNVLink is the Python package that contains nvlink, from 13.0 on.
const holdsNVLink = "nvidia-cuda-nvcc"

// setupReleases defines the command that compares the builds of a package with the builds that culink knows.
func setupReleases(flags *flag.FlagSet) commandline.Action {
	from := flags.String("from", "", "read what \"pip index versions\" printed from this `FILE`, and ask nothing")
	return func(ctx context.Context, args []string, stdout, _ io.Writer) (int, error) {
		if *from != "" {
			printed, err := os.ReadFile(*from)
			if err != nil {
				return 0, err
			}
			return tellBuilds(string(printed), stdout)
		}
		if len(args) == 0 {
			args = []string{holdsNVLink}
		}
		worst := commandline.OK
		for _, name := range args {
			printed, err := helper.Command{Path: helper.Find("python3"), Args: []string{"-m", "pip", "index", "versions", "--disable-pip-version-check", "--", name}}.Run(ctx)
			if err != nil {
				return 0, fmt.Errorf("pip index versions %s: %w: %s", show.Line(name), err, show.Line(string(printed)))
			}
			status, err := tellBuilds(string(printed), stdout)
			if err != nil {
				return 0, err
			}
			worst = max(worst, status)
		}
		return worst, nil
	}
}

// tellBuilds prints a line for each version in the output of pip, the oldest first.
func tellBuilds(printed string, stdout io.Writer) (int, error) {
	const intro = "Available versions: "
	_, list, found := strings.Cut(printed, intro)
	if !found {
		return 0, fmt.Errorf("pip printed no line %q: %s", intro, show.Line(printed))
	}
	list, _, _ = strings.Cut(list, "\n")
	versions := strings.Split(strings.TrimSpace(list), ", ")
	slices.Reverse(versions)
	status := commandline.OK
	for _, version := range versions {
		build, err := arch.Find(version)
		text := "known"
		switch {
		case err != nil:
			text, status = "unknown", commandline.Differs
		case !build.IsNamed(version):
			text, status = "unknown, "+build.Version+" takes its place", commandline.Differs
		case build.Interpolated:
			text = "interpolated: nobody has its nvlink"
		}
		if _, err := fmt.Fprintf(stdout, "%-12s %s\n", show.Line(cmp.Or(version, "?")), text); err != nil {
			return 0, err
		}
	}
	return status, nil
}

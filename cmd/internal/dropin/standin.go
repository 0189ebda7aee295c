package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/cmd/internal/sidebyside"
)

// sameVerdict begins the line of a link that is the same with both linkers.
const sameVerdict = "same: "

// standIn acts as nvlink of the copied toolkit. It links with both linkers, and adds a line with the result to the file
// of links. Its exit status, messages and outputs are those of culink. nvlink writes its outputs into another folder.
func standIn(folder string, args []string) int {
	outcome, err := linkBoth(folder, args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dropin:", err)
		return 1
	}
	os.Stdout.Write(outcome.Stdout)
	os.Stderr.Write(outcome.Stderr)
	return outcome.Exit
}

func linkBoth(folder string, args []string) (ours sidebyside.Outcome, err error) {
	toolkit, err := os.Readlink(filepath.Join(folder, originalName))
	if err != nil {
		return ours, err
	}
	aside, err := os.MkdirTemp(folder, "theirs-")
	if err != nil {
		return ours, err
	}
	defer os.RemoveAll(aside)
	moved, names := moveOutputs(args, aside)
	theirFiles, ourFiles := map[string]string{}, map[string]string{}
	for _, name := range names {
		theirFiles[name], ourFiles[name] = filepath.Join(aside, name), name
		if err := os.MkdirAll(filepath.Dir(theirFiles[name]), 0o777); err != nil {
			return ours, err
		}
	}
	culink := filepath.Join(folder, culinkName)
	env := []string{"PATH=" + culink + string(os.PathListSeparator) + os.Getenv("PATH")}
	theirs, err := sidebyside.Link(filepath.Join(toolkit, "bin", "nvlink"), "", env, moved, theirFiles)
	if err != nil {
		return ours, err
	}
	if ours, err = sidebyside.Link(filepath.Join(culink, "nvlink"), "", env, args, ourFiles); err != nil {
		return ours, err
	}
	if slices.Contains(args, "--version") {
		theirs.Stdout = ours.Stdout // culink names itself
	}
	verdict := sameVerdict
	if all := sidebyside.Differences(theirs, ours, names); len(all) > 0 {
		verdict = "DIFFERENT " + strings.Join(all, " DIFFERENT ") + ": "
	}
	return ours, appendLine(filepath.Join(folder, linksName), verdict+"nvlink "+strings.Join(args, " "))
}

// moveOutputs returns the arguments with the outputs moved to the folder aside, and the original names of the outputs.
func moveOutputs(args []string, aside string) (moved, names []string) {
	isOutput := false
	for _, word := range args {
		option, value, joined := strings.Cut(word, "=")
		takes := slices.Contains([]string{"-o", "--output-file", "--register-link-binaries"}, option)
		switch {
		case isOutput:
			names, word = append(names, word), filepath.Join(aside, word)
		case takes && joined:
			names, word = append(names, value), option+"="+filepath.Join(aside, value)
		}
		isOutput = takes && !joined && !isOutput
		moved = append(moved, word)
	}
	return moved, names
}

// appendLine adds a line to a file. It uses one write, because the links of a build run in parallel.
func appendLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

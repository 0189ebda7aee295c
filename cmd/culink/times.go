package main

import (
	"io"
	"os"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// -time keeps a table of comma separated values: a new or empty file gets the
// headings, and each step that the link runs adds a row. Linking itself is no
// such step; compiling PTX is (OPT-055).
const timeHeadings = "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n"

// startTimes opens the table before any input is read.
func startTimes(s *option.Settings, log *diag.Log, stdout io.Writer) {
	if !s.Given("time") {
		return
	}
	if s.TimeFile == "-" {
		io.WriteString(stdout, timeHeadings)
		return
	}
	f, err := os.OpenFile(s.TimeFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		log.Add(diag.New(diag.CannotOpenFile, s.TimeFile).Because(err))
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		io.WriteString(f, timeHeadings)
	}
}

package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// -time writes a table of comma-separated values. A new or empty file gets the headings. Each program that the link runs
// adds a row: the compiler of PTX (OPT-055) and the optimiser of -lto (LTO-008). Linking itself adds no row.

const timeHeadings = "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n"

// A timeTable is the file of -time, or stdout.
type timeTable struct {
	io.Writer
	file *checkedWriter // nil for stdout
	io.Closer
	name, arch string
}

// openTimes opens the table before any input is read. It returns nil without -time, or after a fatal message.
func openTimes(s *option.Settings, log *diag.Log, stdout io.Writer) *timeTable {
	if !s.Given("time") {
		return nil
	}
	if s.TimeFile == "-" {
		io.WriteString(stdout, timeHeadings)
		return &timeTable{Writer: stdout, arch: s.Arch}
	}
	if s.Platform.IsNull(s.TimeFile) {
		return &timeTable{Writer: io.Discard, arch: s.Arch}
	}
	f, err := os.OpenFile(s.Platform.Local(s.TimeFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		log.Add(diag.New(diag.CannotOpenFile, s.TimeFile).Because(err))
		return nil
	}
	w := &checkedWriter{to: f}
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		io.WriteString(s.Platform.Text(w), timeHeadings)
	}
	return &timeTable{Writer: s.Platform.Text(w), file: w, Closer: f, name: s.TimeFile, arch: s.Arch}
}

// programFiles lists the names of the intermediate files of -lto in the table. Each is made from the previous one.
var programFiles = []string{"lto.nvvm", "lto.ptx", "lto.cubin"}

// ran adds the row of a compilation. For a PTX file the row has the name of the file, for PTX in a container it has
// "ptx", and for a program of -lto it has an intermediate file.
func (t *timeTable) ran(compiler, name string, took time.Duration) {
	source, in, output := name, name, ""
	if at := slices.Index(programFiles, name); at >= 0 {
		in, output = "", programFiles[at+1]
	} else if !strings.HasSuffix(name, ".ptx") {
		source, output = "ptx", "cubin"
	}
	fmt.Fprintf(t, "%s , %s , %s , %s , %s , nvlink , %.4f , ms\n", source, compiler, in, output, t.arch, float64(took)/float64(time.Millisecond))
}

// close closes the table. A failed write is a fatal error (OPT-057).
func (t *timeTable) close(log *diag.Log) {
	if t == nil || t.file == nil {
		return
	}
	if err := errors.Join(t.file.err, t.Close()); err != nil {
		log.Add(diag.New(diag.CannotWriteFile, t.name).Because(err))
	}
}

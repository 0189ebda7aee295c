package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/option"
)

// -gen-host-linker-script links nothing. It writes a script that makes a host linker keep the sections with device code.
// Each section stays in one piece, in an order in which the driver finds it. With lcs-aug the script is an addition to
// the linker's default script. With lcs-abs it is the default script followed by the addition (OPT-056). The default
// script depends on how the host compiler calls the linker.
const hostScriptSections = "SECTIONS\n{\n" +
	"\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n" +
	"\t__nv_relfatbin : { *(__nv_relfatbin) } \n" +
	"\t.nv_fatbin : { *(.nv_fatbin) }\n" +
	"}\n"

func (c *command) writeHostLinkerScript(ctx context.Context, s *option.Settings, log *diag.Log, stdout io.Writer) {
	c.mayLeave()
	whole := s.HostLinkerScript == "lcs-abs"
	script := hostScriptSections
	if whole {
		script = defaultHostScript(ctx, s) + script
	}
	if !s.Given("output-file") {
		io.WriteString(stdout, script)
		return
	}
	if !whole {
		c.files.write(log, s.Output, []byte(script))
		return
	}
	var trial diag.Log
	if !c.files.write(&trial, s.Output, []byte(script)) || !isHostScript(ctx, s.Output) {
		log.Report(diag.HostScriptFailed)
	}
}

// defaultHostScript returns the script that ld uses when the host compiler calls it. It returns the empty string if ld
// prints none.
func defaultHostScript(ctx context.Context, s *option.Settings) string {
	ld := helper.Find("ld")
	own, _ := helper.Command{Path: ld, Args: append([]string{"--verbose"}, hostLinkerFlags(ctx, s)...), OnlyStdout: true}.Run(ctx)
	version, _ := helper.Command{Path: ld, Args: []string{"-V"}, OnlyStdout: true}.Run(ctx)
	isVersion := map[string]bool{}
	for line := range strings.Lines(strings.TrimRight(string(version), "\n")) {
		isVersion[strings.TrimSuffix(line, "\n")] = true
	}
	// The rest of the output is a heading, a line of equals signs, the script, and another such line.
	var lines []string
	for line := range strings.Lines(string(own)) {
		if !isVersion[strings.TrimSuffix(line, "\n")] {
			lines = append(lines, line)
		}
	}
	if len(lines) < 3 {
		return ""
	}
	return strings.Join(lines[2:len(lines)-1], "")
}

// hostLinkerFlags returns the flags that select ld's script. It finds them in the command that the host compiler prints
// with -###. Without a compiler it returns no flags.
func hostLinkerFlags(ctx context.Context, s *option.Settings) []string {
	compiler := s.HostCompiler
	if compiler == "" {
		compiler = "gcc"
	}
	if !strings.ContainsAny(compiler, `/\`) {
		compiler = helper.Find(compiler)
	}
	args := []string{"-###", "/dev/null"}
	if s.Shared {
		args = append(args, "-shared")
	}
	if s.Relocatable {
		args = append(args, "-r")
	}
	said, _ := helper.Command{Path: compiler, Args: append(args, "-m64")}.Run(ctx)
	var flags []string
	for line := range strings.Lines(string(said)) {
		if !strings.Contains(line, "collect2") {
			continue
		}
		words := strings.Fields(line)
		for i, word := range words {
			switch word {
			case "-pie", "-r", "-shared":
				flags = append(flags, word)
			case "-z", "-m":
				if i+1 < len(words) {
					flags = append(flags, word, words[i+1])
				}
			}
		}
	}
	return flags
}

// isHostScript reports whether ld accepts the file as a script. If so, ld's only error is the missing input. A pipe
// cannot be read twice, so isHostScript accepts it unread.
func isHostScript(ctx context.Context, name string) bool {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return true
	}
	said, _ := helper.Command{Path: helper.Find("ld"), Args: []string{"-T", name}}.Run(ctx)
	return bytes.Contains(said, []byte("no input files"))
}

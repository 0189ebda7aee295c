package main

import (
	"context"
	"io"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// -gen-host-linker-script links nothing. It writes a script that makes a host
// linker keep the sections with device code, each in one piece and in an order in
// which the driver finds them: lcs-aug is an addition to the linker's own script,
// lcs-abs the linker's own script with the addition behind it (OPT-056).
const hostScriptSections = "SECTIONS\n{\n" +
	"\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n" +
	"\t__nv_relfatbin : { *(__nv_relfatbin) } \n" +
	"\t.nv_fatbin : { *(.nv_fatbin) }\n" +
	"}\n"

func writeHostLinkerScript(_ context.Context, s *option.Settings, log *diag.Log, stdout io.Writer) {
	if s.HostLinkerScript == "lcs-abs" {
		log.Report(diag.NotYet, "-ghls=lcs-abs")
		return
	}
	if !s.Given("output-file") {
		io.WriteString(stdout, hostScriptSections)
		return
	}
	writeFile(log, s.Output, []byte(hostScriptSections))
}

package jitlink

import (
	"fmt"
	"strings"

	"github.com/culink/culink/linker/diag"
)

// A handle has two logs. Both grow by lines as calls are made, and are never emptied; reading
// one shows all of it, with a zero byte at its end that counts as part of its size (JIT-020).

// A textLog is one of them.
type textLog struct{ text strings.Builder }

func (t *textLog) printf(format string, args ...any) { fmt.Fprintf(&t.text, format, args...) }

// bytes is the log with its zero byte; nil when nothing was said.
func (t *textLog) bytes() []byte {
	if t.text.Len() == 0 {
		return nil
	}
	return append([]byte(t.text.String()), 0)
}

// report writes messages of the linker and of the compiler of PTX into the log that each belongs
// to: errors, and all the rest. There is no name of a tool before them.
func (k *link) report(messages []diag.Diagnostic) {
	for _, d := range messages {
		switch {
		case silent[d.ID]:
		case d.ID == diag.PTXASSaid:
			k.reportCompiler(d.Text())
		case d.Severity >= diag.Error:
			k.errors.printf("%-8s: %s\n", d.Severity, d.Text())
		default:
			k.infos.printf("%-8s: %s\n", d.Severity, d.Text())
		}
	}
}

// reportCompiler writes one message of ptxas. What goes on in a further line has a dot in the
// place of the severity.
func (k *link) reportCompiler(text string) {
	to := &k.infos
	first, more, _ := strings.Cut(text, "\n")
	if strings.Contains(first, "error   :") || strings.Contains(first, "fatal   :") {
		to = &k.errors
	}
	to.printf("%s\n", first)
	for line := range strings.Lines(more) {
		to.printf("ptxas         . %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// silent are messages of nvlink in whose place the library has a result, or nothing.
var silent = map[diag.ID]bool{
	diag.ArchNotFound: true, diag.OutputLimited: true, diag.LTOObjects: true, diag.ElfLinkFatbinary: true, diag.NVVMError: true, diag.JITCompileFailed: true,
	diag.ArchMismatch: true, diag.ABIMismatch: true, diag.SizeOfTargetMismatch: true, diag.PartialLTO: true,
	diag.NewerThanToolkit: true,
}

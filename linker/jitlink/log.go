package jitlink

import (
	"fmt"
	"slices"
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
		to := &k.infos
		if isError(d) {
			to = &k.errors
		}
		switch {
		case silent[d.ID]:
		case d.ID == diag.PTXASSaid:
			reportCompiler(to, d.Text())
		default:
			to.printf("%-8s: %s\n", d.Severity, d.Text())
		}
	}
}

// isError reports whether a message is one for the error log.
func isError(d diag.Diagnostic) bool {
	if d.ID != diag.PTXASSaid {
		return d.Severity >= diag.Error
	}
	first, _, _ := strings.Cut(d.Text(), "\n")
	return strings.Contains(first, "error   :") || strings.Contains(first, "fatal   :")
}

// errorsOf are the messages of a compiler of PTX that failed: the others are lost (JIT-050).
func errorsOf(messages []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(messages, func(d diag.Diagnostic) bool { return !isError(d) })
}

// reportCompiler writes one message of ptxas. What goes on in a further line has a dot in the
// place of the severity.
func reportCompiler(to *textLog, text string) {
	first, more, _ := strings.Cut(text, "\n")
	to.printf("%s\n", first)
	for line := range strings.Lines(more) {
		to.printf("ptxas         . %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// silent are messages of nvlink in whose place the library has a result, or nothing.
var silent = map[diag.ID]bool{
	diag.ArchNotFound: true, diag.OutputLimited: true, diag.LTOObjects: true, diag.ElfLinkFatbinary: true, diag.NVVMError: true, diag.JITCompileFailed: true,
	diag.ArchMismatch: true, diag.ABIMismatch: true, diag.SizeOfTargetMismatch: true, diag.PartialLTO: true,
	diag.NewerThanToolkit: true, diag.SpecificBesideOther: true, diag.ElfLinkFinalization: true,
}

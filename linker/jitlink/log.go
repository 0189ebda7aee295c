package jitlink

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/diag"
)

// A handle has two logs. Calls append lines to them, and nothing empties them. Reading a log returns all of
// it, with a zero byte at the end that is included in its size (JIT-020).

// A textLog is one of these logs.
type textLog struct{ text strings.Builder }

func (t *textLog) printf(format string, args ...any) { fmt.Fprintf(&t.text, format, args...) }

// bytes returns the log with its zero byte, or nil if it is empty.
func (t *textLog) bytes() []byte {
	if t.text.Len() == 0 {
		return nil
	}
	return append([]byte(t.text.String()), 0)
}

// report writes messages of the linker and of the compiler of PTX to the error log or to the info log. They
// have no tool name.
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
			text := logged(d)
			to.printf("%s", text)
			k.asks(text, d)
		}
	}
}

// logged returns a message in the form of the logs.
func logged(d diag.Diagnostic) string { return fmt.Sprintf("%-8s: %s\n", d.Severity, d.Text()) }

// isError reports whether a message belongs to the error log.
func isError(d diag.Diagnostic) bool {
	if d.ID != diag.PTXASSaid {
		return d.Severity >= diag.Error
	}
	first, _, _ := strings.Cut(d.Text(), "\n")
	return strings.Contains(first, "error   :") || strings.Contains(first, "fatal   :")
}

// errorsOf returns the errors of a PTX compiler that failed. Its other messages are dropped (JIT-050).
func errorsOf(messages []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(messages, func(d diag.Diagnostic) bool { return !isError(d) })
}

// reportCompiler writes one message of ptxas. Continuation lines have a dot instead of the severity.
func reportCompiler(to *textLog, text string) {
	first, more, _ := strings.Cut(text, "\n")
	to.printf("%s\n", first)
	for line := range strings.Lines(more) {
		to.printf("ptxas         . %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// silent contains messages of nvlink that the library replaces with a result, or drops.
var silent = map[diag.ID]bool{
	diag.ArchNotFound: true, diag.OutputLimited: true, diag.LTOObjects: true, diag.ElfLinkFatbinary: true, diag.NVVMError: true, diag.JITCompileFailed: true,
	diag.ArchMismatch: true, diag.ABIMismatch: true, diag.SizeOfTargetMismatch: true, diag.PartialLTO: true,
	diag.NewerThanToolkit: true, diag.SpecificBesideOther: true, diag.ElfLinkFinalization: true, diag.NotEFCuda64: true,
}

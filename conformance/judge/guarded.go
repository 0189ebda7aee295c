package judge

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// judgeKey is the key of the difference for a panic of a judge.
const judgeKey = "judge"

// guarded calls a judge. If the judge panics, guarded returns the panic with its position in the source. Otherwise it
// returns the empty string. Outcomes and cases are untrusted, so no file may end a run (CONF-015).
func guarded(judge func()) (failure string) {
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Sprintf("the judge failed: %v, in %s", r, placeOfPanic())
		}
	}()
	judge()
	return ""
}

// Guarded calls a judge of another package, and returns its panic with the position in the source, or the empty string.
func Guarded(judge func()) (failure string) { return guarded(judge) }

// placeOfPanic returns the file and the line of the panic. A deferred function calls it.
func placeOfPanic() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // skip runtime.Callers, placeOfPanic and the deferred function
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(filepath.Dir(frame.File))+"/"+filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

package fuzz

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/culink/culink/conformance/cleanenv"
)

// TestMain lets garbage grow to eight times the memory in use. Otherwise links of some kilobytes spend a third of their
// time in the collector.
func TestMain(m *testing.M) {
	cleanenv.Unset()
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

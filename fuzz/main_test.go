package fuzz

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/culink/culink/conformance/cleanenv"
)

// TestMain sets the garbage collector so that garbage can grow to eight times the memory in use. With the default, links
// of some kilobytes would spend a third of their time in the collector.
func TestMain(m *testing.M) {
	cleanenv.Unset()
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

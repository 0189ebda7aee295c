package main

import (
	"flag"
	"testing"
	"time"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/sandbox"
)

// A link through Wine may wait for Wine's server. It has six times as long, unless -timeout states a limit.
func TestWineHasTime(t *testing.T) {
	for _, tt := range []struct {
		program string
		args    []string
		want    time.Duration
	}{
		{"/usr/bin/nvlink", nil, 30 * time.Second},
		{"/usr/bin/wine", nil, 3 * time.Minute},
		{"/opt/oracle/wine-run", nil, 3 * time.Minute},
		{"/usr/bin/wine", []string{"-timeout", "30s"}, 30 * time.Second},
	} {
		flags := flag.NewFlagSet("run", flag.ContinueOnError)
		r := &corpusRun{flags: flags, limits: sandbox.DefaultLimits}
		commandline.Span(flags, &r.limits.Time, "timeout", "")
		if err := flags.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		if got := r.limitsOf([]string{tt.program, "culink.exe"}).Time; got != tt.want {
			t.Errorf("%s %q: %v, want %v", tt.program, tt.args, got, tt.want)
		}
	}
}

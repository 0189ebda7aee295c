package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Each build that pip lists is known, interpolated or unknown. If one is unknown, the exit status is 1 (KIT-207).
func TestReleases(t *testing.T) {
	for _, tt := range []struct {
		printed string
		exit    int
		want    string
	}{
		{"WARNING\nnvidia-cuda-nvcc (13.2.86)\nAvailable versions: 13.2.86, 13.0.48\n", 0, "13.0.48      known\n13.2.86      known\n"},
		{"Available versions: 14.0.1, 13.2.90, 12.3.107\n", 1, "12.3.107     interpolated: nobody has its nvlink\n13.2.90      unknown, 13.2.86 takes its place\n14.0.1       unknown\n"},
		{"ERROR: No matching distribution\n", 2, ""},
	} {
		file := filepath.Join(t.TempDir(), "printed")
		if err := os.WriteFile(file, []byte(tt.printed), 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if exit := run(t.Context(), []string{"releases", "-from", file}, &stdout, &stderr); exit != tt.exit || stdout.String() != tt.want {
			t.Errorf("%q: %d, %q, %q; want %d, %q", tt.printed, exit, &stdout, &stderr, tt.exit, tt.want)
		}
	}
}

package race

import (
	"strings"
	"testing"
)

// The report shows increases of CPU time and of memory separately.
func TestWorse(t *testing.T) {
	heat := func(name string, cpu float64, memory int64) *Heat {
		measure := func(cpu float64, memory int64) *Measure {
			return &Measure{Least: Time{CPU: cpu}, Median: Time{CPU: 2 * cpu, Memory: memory << 20}}
		}
		return &Heat{Workload: name, Size: 7, A: measure(cpu, memory), B: measure(1, 100)}
	}
	failed := heat("failed", 9, 900)
	failed.A.Least.Exit = 1
	for _, tt := range []struct {
		heats []*Heat
		want  []string
	}{
		{nil, []string{"nothing"}},
		{[]*Heat{heat("same", 1.05, 105), failed, {Workload: "alone", A: failed.B}}, []string{"nothing"}},
		{[]*Heat{heat("slow", 1.06, 1), heat("large", 1, 106)}, []string{"slow 7 CPU time 1060.0 ms, 1000.0", "large 7 memory 106.0 MB, 100.0"}},
	} {
		var b strings.Builder
		(&Result{Heats: tt.heats}).writeWorse(&b, 5)
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		if strings.Join(got, ";") != strings.Join(tt.want, ";") {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// Package race times two linkers on the same links. They run alternately, in pairs, so that other load on the machine
// affects both.
//
// The links are generated (Workloads) and can have any size. The growth of the cost with the size shows more than a
// single time. Both linkers get the same command line in the same folder, and their outputs are compared.
package race

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/conformance/sandbox"
)

// A Racer is one of the two linkers.
type Racer struct {
	Name   string
	Linker *sandbox.Linker
}

// Options are the settings of a race.
type Options struct {
	A, B  Racer // A is compared to B; if B is empty, A runs alone
	SM    int
	Pairs int // of runs
}

// A Time is the cost of one run.
type Time struct {
	Wall, CPU float64 // seconds; CPU is the sum of user and system time
	Memory    int64   // peak, in bytes; 0 if the system does not report it
	Exit      int     // exit status; -1 if a limit stopped the run, which then has no time
}

// A Measure is the cost of one link for one linker: the least and the median of several runs.
type Measure struct {
	Least, Median Time
}

// A Heat is one link by both linkers.
type Heat struct {
	Workload string
	Size     int
	Bytes    int64    // size of the inputs
	A, B     *Measure // nil without that linker
	Cat      *Measure // time of cat with all inputs, as a lower bound; nil if it did not run
	Ratios   []float64
	Same     bool // the outputs are equal byte for byte
}

// Ratio returns the median, the least and the greatest ratio of B's time to A's in a pair. The results are 0 if there is
// no B.
func (h *Heat) Ratio() (least, median, most float64) {
	if len(h.Ratios) == 0 {
		return 0, 0, 0
	}
	sorted := slices.Sorted(slices.Values(h.Ratios))
	return sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
}

// A Law describes how a workload's cost grows. For each linker it has the exponent of the CPU time between the smallest
// and the largest size.
type Law struct {
	Workload string
	From, To int
	A, B     float64 // NaN if a run has no time
}

// A Result is the result of a race.
type Result struct {
	A, B        string
	SM          int
	Pairs       int
	Confinement string // of both
	Heats       []*Heat
	Laws        []Law
}

// Run runs a race on the workload at each size. After each heat it calls the function told.
func (o *Options) Run(ctx context.Context, w *Workload, sizes []int, told func(*Heat)) ([]*Heat, error) {
	var heats []*Heat
	for _, size := range sizes {
		h, err := o.heat(ctx, w, size)
		if err != nil {
			return heats, fmt.Errorf("%s at size %d: %w", w.Name, size, err)
		}
		told(h)
		heats = append(heats, h)
	}
	return heats, nil
}

// heat runs a race on one link, in a temporary folder.
func (o *Options) heat(ctx context.Context, w *Workload, size int) (*Heat, error) {
	dir, err := os.MkdirTemp("", "cuconform-race-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var names []string
	err = w.Inputs(o.SM, size, func(name string, data []byte) error {
		names = append(names, name)
		return os.WriteFile(filepath.Join(dir, name), data, 0o666)
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, optionsFile), []byte(strings.Join(names, "\n")+"\n"), 0o666); err != nil {
		return nil, err
	}
	args := append([]string{fmt.Sprintf("-arch=sm_%d", w.Target(o.SM))}, w.Flags...)
	return o.link(ctx, &Heat{Workload: w.Name, Size: size}, dir, args, names)
}

// Folder runs a race on a link whose inputs are in a folder. inputs.optf in that folder lists the inputs. args holds the
// other options, without the output, and files the inputs.
func (o *Options) Folder(ctx context.Context, name, dir string, args, files []string) (*Heat, error) {
	return o.link(ctx, &Heat{Workload: name, Size: len(files)}, dir, args, files)
}

// link races on one link in a folder.
func (o *Options) link(ctx context.Context, h *Heat, dir string, args, files []string) (*Heat, error) {
	for _, name := range files {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			h.Bytes += info.Size()
		}
	}
	temp, err := os.MkdirTemp("", "cuconform-race-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	args = append(slices.Clone(args), "-optf", optionsFile, "-o", outputFile)
	var a, b, cat []Time
	var outputs [2]string
	racers := [...]Racer{o.A, o.B}
	for pair := range o.Pairs {
		for k := range racers {
			i := (pair + k) % len(racers) // the second run of a pair is up to 3 % slower
			r := racers[i]
			if r.Linker == nil {
				continue
			}
			linker := *r.Linker
			linker.Limits.Disk += uint64(h.Bytes) // the inputs are in its folder
			t, err := once(ctx, &linker, dir, temp, args)
			if err != nil {
				return nil, err
			}
			outputs[i] = sum(filepath.Join(dir, outputFile))
			os.Remove(filepath.Join(dir, outputFile))
			if i == 0 {
				a = append(a, t)
			} else {
				b = append(b, t)
			}
		}
		if t, err := o.cat(ctx, dir, files); err == nil {
			cat = append(cat, t)
		}
		if o.B.Linker != nil {
			h.Ratios = append(h.Ratios, b[len(b)-1].Wall/a[len(a)-1].Wall)
		}
	}
	h.A, h.B, h.Cat = measure(a), measure(b), measure(cat)
	h.Same = o.B.Linker == nil || outputs[0] != "" && outputs[0] == outputs[1]
	return h, nil
}

// sum returns the checksum of a file, or the empty string if there is no file. It does not read the whole file into
// memory, because the memory of this process would count as the initial peak of a child process.
func sum(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return string(h.Sum(nil))
}

// Names in the folder of a heat.
const (
	optionsFile = "inputs.optf"
	outputFile  = "out.cubin"
)

// cat concatenates all inputs into one file.
func (o *Options) cat(ctx context.Context, dir string, files []string) (Time, error) {
	all, err := os.Create(filepath.Join(dir, outputFile))
	if err != nil {
		return Time{}, err
	}
	defer os.Remove(all.Name())
	defer all.Close()
	cmd := exec.CommandContext(ctx, "cat", files...)
	cmd.Dir, cmd.Stdout = dir, all
	start := time.Now()
	err = cmd.Run()
	return Time{Wall: time.Since(start).Seconds()}, err
}

// once runs a linker that is confined to the folders.
func once(ctx context.Context, l *sandbox.Linker, dir, temp string, args []string) (Time, error) {
	outcome, err := l.RunIn(ctx, dir, temp, args)
	if err != nil {
		return Time{}, err
	}
	t := Time{Wall: outcome.Usage.Wall.Seconds(), CPU: outcome.Usage.CPU.Seconds(), Memory: outcome.Usage.Memory, Exit: outcome.Exit}
	if outcome.Killed != "" {
		t = Time{Wall: l.Limits.Time.Seconds(), Exit: -1}
	}
	return t, ctx.Err()
}

// measure summarises the runs of a linker. Each figure is computed separately.
func measure(runs []Time) *Measure {
	if len(runs) == 0 {
		return nil
	}
	m := &Measure{Least: runs[0]}
	figure := func(of func(*Time) float64) (least, median float64) {
		var all []float64
		for i := range runs {
			all = append(all, of(&runs[i]))
		}
		slices.Sort(all)
		return all[0], all[len(all)/2]
	}
	m.Least.Wall, m.Median.Wall = figure(func(t *Time) float64 { return t.Wall })
	m.Least.CPU, m.Median.CPU = figure(func(t *Time) float64 { return t.CPU })
	least, median := figure(func(t *Time) float64 { return float64(t.Memory) })
	m.Least.Memory, m.Median.Memory = int64(least), int64(median)
	for _, t := range runs {
		m.Least.Exit, m.Median.Exit = cmp.Or(m.Least.Exit, t.Exit), cmp.Or(m.Median.Exit, t.Exit)
	}
	return m
}

// LawOf returns the exponents of a workload from its heats, ordered by size.
func LawOf(heats []*Heat) Law {
	first, last := heats[0], heats[len(heats)-1]
	exponent := func(a, b *Measure) float64 {
		if a == nil || b == nil || a.Least.Exit != 0 || b.Least.Exit != 0 || first.Size == last.Size {
			return math.NaN()
		}
		return math.Log(b.Least.CPU/a.Least.CPU) / math.Log(float64(last.Size)/float64(first.Size))
	}
	return Law{Workload: first.Workload, From: first.Size, To: last.Size, A: exponent(first.A, last.A), B: exponent(first.B, last.B)}
}

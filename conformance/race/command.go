package race

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/show"
)

// settings has the values of the flags of race.
type settings struct {
	linker, against  string
	toolkit, oracle  string
	glob, json, page string
	links            string
	size, sm, pairs  int
	grow, worse      int
	most             time.Duration
	trust            sandbox.Trust
	builtIn          func() (*sandbox.Linker, error)
	stdout, stderr   io.Writer
}

// Command returns the command "cuconform race". builtIn returns the linker to run if the command line names none.
func Command(builtIn func() (*sandbox.Linker, error)) commandline.Command {
	return commandline.Command{
		Name: "race", Summary: "time two linkers on generated links",
		About: `Makes links of many files, functions, relocations and so on, without a compiler, and times two linkers on each, in pairs of runs in turn. A line for each link says the time and the memory of both (the median of the runs), how many times as long the second takes as the first with the least and the most of the pairs, and whether the outputs are the same. Then each workload is linked at larger sizes, up to -grow times, for the exponent of the growth of the cost.

Without -against the first linker runs alone, or against the real nvlink where CULINK_ORACLE names its folder.

With -links each folder in FOLDER is a link instead: inputs.optf in it lists the inputs, and meta.json, if it is there, has the architecture ("arch") and options ("flags").

Other work on the machine changes times, but ratios of pairs little. The status is 1 when outputs differ or a linker fails.`,
		Setup: func(flags *flag.FlagSet) commandline.Action {
			s := &settings{pairs: 5, sm: 90, grow: 1, most: time.Minute, builtIn: builtIn}
			flags.StringVar(&s.linker, "linker", "", "the first `COMMAND`; culink where none is named")
			flags.StringVar(&s.against, "against", "", "the second `COMMAND`")
			flags.StringVar(&s.toolkit, "toolkit", "", "race with nvlink of this `RELEASE`, from "+suite.Toolkit+" on (default: that)")
			flags.StringVar(&s.oracle, "oracle", "", "a `FOLDER` with the tools of -toolkit (default: by CULINK_ORACLE)")
			flags.StringVar(&s.glob, "workload", "*", "only workloads whose names match `GLOB`")
			flags.StringVar(&s.links, "links", "", "race on the links in the folders of `FOLDER`")
			commandline.Number(flags, &s.size, "size", 1, "size `N` of every workload; else each has its own")
			commandline.Number(flags, &s.sm, "sm", 50, "architecture `NUMBER` below 100")
			commandline.Number(flags, &s.pairs, "n", 1, "`NUMBER` of pairs of runs")
			commandline.Number(flags, &s.grow, "grow", 1, "largest `FACTOR` of the size, for the growth law")
			commandline.Number(flags, &s.worse, "worse", 1, "tell what the first linker needs more than `PERCENT` more of than the second, in CPU time and memory")
			commandline.Span(flags, &s.most, "most", "end a run after `TIME`")
			s.trust.AddFlags(flags)
			flags.StringVar(&s.json, "json", "", "write all figures to `FILE` as JSON; - is the standard output, without the table")
			flags.StringVar(&s.page, "page", "", "write an HTML page with plots to `FILE`")
			return func(ctx context.Context, _ []string, stdout, stderr io.Writer) (int, error) {
				s.stdout, s.stderr = stdout, stderr
				return s.run(ctx)
			}
		},
	}
}

// run runs the races and writes the requested reports.
func (s *settings) run(ctx context.Context) (int, error) {
	if _, err := path.Match(s.glob, ""); err != nil {
		return 0, fmt.Errorf("-workload %s: %w", s.glob, err)
	}
	o, err := s.options(ctx)
	if err != nil {
		return 0, err
	}
	table := s.stdout
	if s.json == "-" {
		table = io.Discard
	}
	r := &Result{A: o.A.Name, B: o.B.Name, SM: o.SM, Pairs: o.Pairs, Confinement: confine.Describe(s.trust.Trusted)}
	fmt.Fprintf(table, "confinement: %s\n%s", r.Confinement, Header)
	if s.links != "" {
		if r.Heats, err = s.runFolders(ctx, o, table); err != nil {
			return 0, err
		}
	}
	for i := range Workloads {
		w := &Workloads[i]
		if ok, _ := path.Match(s.glob, w.Name); !ok || s.links != "" {
			continue
		}
		heats, err := o.Run(ctx, w, s.sizes(w), func(h *Heat) { fmt.Fprint(table, h.Line()) })
		if err != nil {
			return 0, err
		}
		r.Heats = append(r.Heats, heats...)
		if len(heats) > 1 {
			r.Laws = append(r.Laws, LawOf(heats))
		}
	}
	if len(r.Heats) == 0 {
		return 0, fmt.Errorf("no workload is called %s", s.glob)
	}
	r.writeLaws(table)
	if s.worse > 0 {
		r.writeWorse(table, s.worse)
	}
	if err := s.write(r); err != nil {
		return 0, err
	}
	return r.status(), nil
}

// runFolders runs races on links whose inputs are in folders.
func (s *settings) runFolders(ctx context.Context, o *Options, table io.Writer) (heats []*Heat, err error) {
	dirs, err := filepath.Glob(filepath.Join(s.links, s.glob))
	for _, dir := range dirs {
		list, missing := os.ReadFile(filepath.Join(dir, optionsFile))
		if missing != nil {
			continue
		}
		var meta struct {
			Arch  string
			Flags []string
		}
		if data, missing := os.ReadFile(filepath.Join(dir, "meta.json")); missing == nil {
			if err := json.Unmarshal(data, &meta); err != nil {
				return heats, fmt.Errorf("%s: %w", dir, err)
			}
		}
		args := append([]string{"-arch=sm_" + cmp.Or(meta.Arch, strconv.Itoa(s.sm))}, meta.Flags...)
		h, err := o.Folder(ctx, filepath.Base(dir), dir, args, strings.Fields(string(list)))
		if err != nil {
			return heats, err
		}
		fmt.Fprint(table, h.Line())
		heats = append(heats, h)
	}
	return heats, err
}

// options finds the two linkers.
func (s *settings) options(ctx context.Context) (*Options, error) {
	o := &Options{SM: s.sm, Pairs: s.pairs}
	if s.sm >= 100 {
		return nil, fmt.Errorf("-sm %d: the workloads have no Mercury code", s.sm)
	}
	release, err := conformance.FindRelease(ctx, s.toolkit, s.oracle)
	if err != nil {
		return nil, err
	}
	if release != nil && release.Profile.API < arch.Default.API {
		return nil, fmt.Errorf("-toolkit %s: the workloads are objects of %s", s.toolkit, suite.Toolkit)
	}
	if o.A, err = racer(s.linker); err != nil {
		return nil, err
	}
	if o.A.Linker == nil {
		o.A.Name = "culink"
		if o.A.Linker, err = s.builtIn(); err != nil {
			return nil, err
		}
	}
	release.Set(o.A.Linker)
	against := s.against
	if against == "" && release != nil && release.NVLink != nil {
		against = filepath.Join(release.Oracle, "bin", "nvlink")
	}
	if dir := os.Getenv("CULINK_ORACLE"); against == "" && dir != "" && release == nil {
		against = filepath.Join(dir, "bin", "nvlink")
	}
	if o.B, err = racer(against); err != nil {
		return nil, err
	}
	for _, l := range []*sandbox.Linker{o.A.Linker, o.B.Linker} {
		if l != nil {
			l.Limits = sandbox.DefaultLimits
			s.trust.Set(l)
			l.Limits.Time = s.most
		}
	}
	return o, nil
}

// racer returns the linker of a command. If the command is empty, it returns no linker.
func racer(command string) (Racer, error) {
	if command == "" {
		return Racer{}, nil
	}
	words, err := sandbox.ParseCommand(command)
	if err != nil {
		return Racer{}, fmt.Errorf("the linker cannot be started: %w", err)
	}
	return Racer{filepath.Base(words[0]), &sandbox.Linker{Command: words}}, nil
}

// sizes returns the sizes of a workload that are raced.
func (s *settings) sizes(w *Workload) []int {
	size := cmp.Or(s.size, w.Size)
	sizes := []int{size}
	for factor := 2; factor <= min(s.grow, w.Grows); factor *= 2 {
		sizes = append(sizes, size*factor)
	}
	return sizes
}

// Header is the heading of the table of heats.
const Header = "workload        size     input |  A ms      cpu    MB |  B ms      cpu    MB |  B/A    least  most | A/cat | bytes\n"

// Line returns a heat as a line of the table.
func (h *Heat) Line() string {
	column := func(m *Measure) string {
		if m == nil {
			return fmt.Sprintf("| %6s %7s %5s ", "", "", "")
		}
		if m.Least.Exit != 0 {
			return fmt.Sprintf("| %20s ", fmt.Sprintf("exit %d", m.Least.Exit))
		}
		return fmt.Sprintf("| %6.1f %7.1f %5d ", m.Median.Wall*1e3, m.Median.CPU*1e3, m.Median.Memory>>20)
	}
	line := fmt.Sprintf("%-12s %7d %6.1f MB ", h.Workload, h.Size, float64(h.Bytes)/1e6) + column(h.A) + column(h.B)
	least, median, most := h.Ratio()
	verdict := "differ"
	switch {
	case h.B == nil:
		return line + "|\n"
	case h.Same:
		verdict = "same"
	}
	return line + fmt.Sprintf("| %6.2f %6.2f %6.2f | %5.2f | %s\n", median, least, most, h.Floors(), verdict)
}

// Floors returns the ratio of A's time to that of cat, or 0 if it is not known.
func (h *Heat) Floors() float64 {
	if h.A == nil || h.Cat == nil {
		return 0
	}
	return h.A.Median.Wall / h.Cat.Median.Wall
}

// writeLaws prints how the cost grows.
func (r *Result) writeLaws(w io.Writer) {
	for i, l := range r.Laws {
		if i == 0 {
			fmt.Fprint(w, "\nexponent of the CPU time\n")
		}
		fmt.Fprintf(w, "%-12s %7d to %7d | A %5.2f", l.Workload, l.From, l.To, l.A)
		if !math.IsNaN(l.B) {
			fmt.Fprintf(w, " | B %5.2f", l.B)
		}
		fmt.Fprintln(w)
	}
}

// write writes the requested files.
func (s *settings) write(r *Result) error {
	if s.json != "" {
		data, err := json.MarshalIndent(r, "", "\t")
		data = show.PlainJSON(data)
		if err == nil && s.json == "-" {
			_, err = fmt.Fprintf(s.stdout, "%s\n", data)
		} else if err == nil {
			err = os.WriteFile(s.json, append(data, '\n'), 0o666)
		}
		if err != nil {
			return err
		}
	}
	if s.page == "" {
		return nil
	}
	f, err := os.Create(s.page)
	if err != nil {
		return err
	}
	err = r.WritePage(f)
	return cmp.Or(err, f.Close())
}

// status returns the exit status of the command.
func (r *Result) status() int {
	for _, h := range r.Heats {
		if !h.Same || h.A.Least.Exit != 0 {
			return commandline.Differs
		}
	}
	return commandline.OK
}

// MarshalJSON omits exponents that are not known.
func (l Law) MarshalJSON() ([]byte, error) {
	type plain struct {
		Workload string
		From, To int
		A, B     *float64 `json:",omitempty"`
	}
	known := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return json.Marshal(plain{l.Workload, l.From, l.To, known(l.A), known(l.B)})
}

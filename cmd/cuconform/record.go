package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/library"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/recipe"
	"github.com/culink/culink/conformance/record"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
	"github.com/culink/culink/linker/show"
)

func setupRecord(flags *flag.FlagSet) commandline.Action {
	r := &recording{flags: flags}
	r.chosen.add(flags)
	flags.StringVar(&r.oracle, "oracle", "", "the `FOLDER` of the CUDA tools, with bin/nvlink (default: $CULINK_ORACLE)")
	flags.StringVar(&r.toolkit, "toolkit", "", "record what differs with nvlink of this `RELEASE`, of -oracle or beside $CULINK_ORACLE (default: "+suite.Toolkit+")")
	flags.BoolVar(&r.check, "check", false, "write nothing; fail when a recording would change")
	flags.StringVar(&r.shard, "shard", "", "only part `I/N` of the recordings")
	r.library.AddFlags(flags)
	return r.run
}

// A recording holds the flags of record.
type recording struct {
	flags   *flag.FlagSet
	chosen  selectionFlags
	oracle  string
	toolkit string
	shard   string
	check   bool
	library library.CommandLine
}

// releaseOracle returns the folder that was named for the tools of another release.
func (o *recording) releaseOracle() string {
	if o.toolkit == "" {
		return ""
	}
	return o.oracle
}

func (o *recording) run(ctx context.Context, _ []string, stdout, _ io.Writer) (int, error) {
	if err := checkLibraryFlags(o.flags, o.library.Library != "", "run", "check", "toolkit"); err != nil {
		return 0, err
	}
	if l := &o.library; l.Library != "" {
		l.Run, l.Check, l.Time, l.Release = o.chosen.run, o.check, sandbox.DefaultLimits.Time, o.toolkit
		return l.Record(ctx, stdout)
	}
	profile, err := o.findOracle(ctx)
	if err != nil {
		return 0, err
	}
	chosen := o.chosen
	if chosen.corpus == "" {
		chosen.corpus = "corpus"
	}
	selection, err := chosen.selection()
	if err == nil && o.shard != "" {
		selection.Shard, err = plan.ParseShard(o.shard)
	}
	if err != nil {
		return 0, err
	}
	files := chosen.files()
	cases, err := suite.LoadCasesOf(files, chosen.platform)
	if err != nil {
		return 0, err
	}
	recorder := &record.Recorder{
		Oracle: o.oracle, Corpus: files, Limits: sandbox.DefaultLimits, Once: o.check, Release: profile,
		Scripts: os.DirFS(filepath.Join(filepath.Dir(filepath.Clean(chosen.corpus)), "testscripts")),
	}
	if recorder.NVLink, err = o.otherNVLink(); err != nil {
		return 0, err
	}
	t := tally{recording: o, corpus: chosen.corpus, files: files, out: stdout}
	if err := t.removeStale(cases); err != nil {
		return 0, err
	}
	if err := recorder.RecordAll(ctx, cases, selection, t.add); err != nil {
		return 0, err
	}
	return t.conclude()
}

// findOracle finds the tools for recording. If -toolkit names a release other than that of the corpus, it returns the
// profile of that release.
func (o *recording) findOracle(ctx context.Context) (profile *arch.Profile, err error) {
	release, err := conformance.FindRelease(ctx, o.toolkit, o.releaseOracle())
	if err != nil {
		return nil, err
	}
	if release != nil {
		if release.NoTools != nil {
			return nil, release.NoTools
		}
		profile, o.oracle = release.Profile, release.Oracle
	}
	if o.oracle = cmp.Or(o.oracle, os.Getenv("CULINK_ORACLE")); o.oracle == "" {
		return nil, errors.New("no oracle: set CULINK_ORACLE or -oracle")
	}
	if _, err := os.Stat(filepath.Join(o.oracle, "bin", "nvlink")); err != nil {
		return nil, fmt.Errorf("no oracle: %w", err)
	}
	return profile, nil
}

// otherNVLink returns the nvlink of a platform other than Linux, or nil for Linux.
func (o *recording) otherNVLink() (*sandbox.Linker, error) {
	if o.chosen.platform == platform.Linux.Name {
		return nil, nil
	}
	return sandbox.Foreign(o.oracle, o.chosen.platform)
}

// A tally counts recordings and saves them, unless they are only checked.
type tally struct {
	*recording
	corpus string // folder to save to
	files  fs.FS  // the corpus as it is
	out    io.Writer

	done, changed, notMade int
	why                    error // reason why the tools cannot make the inputs of the first such case
}

// removeStale removes recordings for targets that the case no longer lists.
func (t *tally) removeStale(cases []*suite.Case) error {
	for _, c := range cases {
		stale, err := record.StaleTargets(t.files, c)
		if err != nil {
			return err
		}
		for _, name := range stale {
			fmt.Fprintln(t.out, show.Line(fmt.Sprintf("%s/%s is no target of the case", c.ID(), name)))
			t.changed++
			if t.check {
				continue
			}
			if err := (corpus.Target{}).Save(t.corpus, path.Join(c.ID(), name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// add saves a recording if it differs from that of the corpus.
func (t *tally) add(stored *suite.Stored) error {
	t.done++
	if stored.NotMade != nil {
		t.notMade++
		t.why = cmp.Or(t.why, stored.NotMade)
	}
	if errors.Is(stored.NotMade, recipe.ErrNoTools) {
		return nil
	}
	names, err := stored.Changed(t.files)
	if err != nil || len(names) == 0 {
		return err
	}
	t.changed++
	fmt.Fprintln(t.out, show.Line(fmt.Sprintf("%s: %d files changed: %s", stored.Name(), len(names), names[0])))
	if t.check {
		return nil
	}
	return stored.Save(t.corpus)
}

// conclude prints the counts and returns the exit status.
func (t *tally) conclude() (int, error) {
	if t.done == 0 {
		return 0, errors.New("nothing is selected; cuconform list shows the cases")
	}
	fmt.Fprintf(t.out, "%d recordings, %d changed\n", t.done, t.changed)
	if t.notMade > 0 {
		fmt.Fprintln(t.out, show.Line(fmt.Sprintf("%d have inputs that the tools do not make, the first because %v", t.notMade, t.why)))
	}
	if t.check && t.changed > 0 {
		return commandline.Differs, nil
	}
	return commandline.OK, nil
}

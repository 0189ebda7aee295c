package sound_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubin"
)

// The checker must not reject a correct output. The tests give the inputs of each link of the corpus to the installed
// nvlink in a different arrangement that keeps the program the same: in reversed order, under other names, in an
// archive, or with bytes after their end. nvlink's output must be sound.

// A rearrangement changes the files before a link and its arguments. It returns false if it does not apply to the link.
type rearrangement struct {
	name string
	do   func(before attempt.Files, argv []string) (attempt.Files, []string, bool)
}

// inputsOf returns the positions of the arguments that are device ELF files.
func inputsOf(before attempt.Files, argv []string) (at []int) {
	for i, a := range argv {
		if data, ok := before[a]; ok && strings.HasSuffix(a, ".cubin") && (i == 0 || argv[i-1] != "-o") {
			if _, err := cubin.Open(a, data); err == nil {
				at = append(at, i)
			}
		}
	}
	return at
}

func rearrangements() []rearrangement {
	return []rearrangement{
		{"reversed", func(before attempt.Files, argv []string) (attempt.Files, []string, bool) {
			at, changed := inputsOf(before, argv), slices.Clone(argv)
			for i, k := range at {
				changed[k] = argv[at[len(at)-1-i]]
			}
			return before, changed, len(at) > 1
		}},
		{"renamed", func(before attempt.Files, argv []string) (attempt.Files, []string, bool) {
			at, changed, files := inputsOf(before, argv), slices.Clone(argv), attempt.Files{}
			for name, data := range before {
				files[name] = data
			}
			for i, k := range at {
				changed[k] = fmt.Sprintf("z%d/%d.cubin", i%2, i)
				files[changed[k]] = before[argv[k]]
			}
			return files, changed, len(at) > 0
		}},
		{"in an archive", func(before attempt.Files, argv []string) (attempt.Files, []string, bool) {
			at, files := inputsOf(before, argv), attempt.Files{}
			for name, data := range before {
				files[name] = data
			}
			var members []craft.Member
			var changed []string
			for i, a := range argv {
				if !slices.Contains(at, i) {
					changed = append(changed, a)
				} else if len(members) == 0 {
					changed = append(changed, "all.a")
				}
				if slices.Contains(at, i) {
					members = append(members, craft.Member{Name: fmt.Sprintf("%d.cubin/", i), Data: before[a]})
				}
			}
			files["all.a"] = craft.Archive(members...)
			return files, changed, len(at) > 0
		}},
		{"padded", func(before attempt.Files, argv []string) (attempt.Files, []string, bool) {
			at, files := inputsOf(before, argv), attempt.Files{}
			for name, data := range before {
				files[name] = data
			}
			for _, k := range at {
				files[argv[k]] = append(slices.Clone(before[argv[k]]), make([]byte, 64)...)
			}
			return files, argv, len(at) > 0
		}},
	}
}

// orderOfNames lists cases in which the order of the inputs does not matter. The output for the reversed inputs must
// then also be sound for the original link.
var orderOfNames = map[string]bool{"global/strings": true, "merge/static-functions": true, "basic/two-files": true, "shared/two-files": true}

// wrongSo maps a case and a rearrangement to the erratum that explains why nvlink's output is wrong.
var wrongSo = map[string]string{"shared/shared-extern-between-equal reversed": "E-355"}

// allRearranged is the environment variable that makes the test try every link. By default it tries a fixed third of
// them, which takes two minutes.
const allRearranged = "CULINK_ALL_REARRANGED"

// sampled reports whether a link is in a sample of about one link in this many. The choice depends on the link alone, so
// it does not change when other cases are added or removed.
func sampled(s step, of uint32) bool {
	h := fnv.New32a()
	fmt.Fprint(h, s.id, s.argv)
	return h.Sum32()%of == 0
}

func TestLiveRearrangedLinksAreSound(t *testing.T) {
	nvlink := &sandbox.Linker{Command: []string{toolstest.NVLink(t)}, Limits: sandbox.DefaultLimits}
	type job struct {
		step
		rearrangement
	}
	all, least := os.Getenv(allRearranged) != "", 900
	if !all {
		least = 300
	}
	var jobs []job
	for _, r := range rearrangements() {
		for _, s := range steps(t) {
			if !s.unsound && (all || sampled(s, 3)) {
				jobs = append(jobs, job{s, r})
			}
		}
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	judged := map[string]int{}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, j := range jobs {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			before, argv, ok := j.do(j.before, j.argv)
			if !ok {
				return
			}
			link, output, err := sound.FromCommand(context.Background(), before, argv)
			if err != nil {
				if !errors.Is(err, sound.ErrNoCubin) {
					t.Logf("%s %s %v: %v", j.id, j.name, argv, err)
				}
				return
			}
			got, err := nvlink.Run(context.Background(), before, argv)
			if err != nil {
				t.Error(err)
				return
			}
			data := got.Files[output]
			if _, err := cubin.Open(output, data); err != nil || got.Exit != 0 {
				return
			}
			findings := sound.Check(*link, data)
			if j.name == "reversed" && orderOfNames[caseOf(j.id)] {
				asked, _, err := sound.FromCommand(context.Background(), j.before, j.argv)
				if err != nil {
					t.Error(err)
					return
				}
				findings = append(findings, sound.Check(*asked, data)...)
			}
			mu.Lock()
			defer mu.Unlock()
			judged[j.name]++
			if erratum := wrongSo[caseOf(j.id)+" "+j.name]; erratum != "" {
				if len(findings) == 0 {
					t.Errorf("%s %s: sound, despite %s", j.id, j.name, erratum)
				}
				return
			}
			for _, f := range findings {
				t.Errorf("%s %s %v: %s", j.id, j.name, argv, f)
			}
		})
	}
	group.Wait()
	for _, r := range rearrangements() {
		if judged[r.name] < least {
			t.Errorf("only %d links were %s", judged[r.name], r.name)
		}
	}
	t.Logf("judged: %v", judged)
}

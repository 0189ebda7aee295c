package sound_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
)

// A step is a link of the corpus with the recorded result of nvlink.
type step struct {
	id     string
	before attempt.Files
	argv   []string
	want   attempt.Outcome

	unsound bool // some step of the case is, as it says
}

// steps lists the steps of the corpus that write files.
func steps(t *testing.T) []step {
	t.Helper()
	list := recordedSteps()
	if len(list) == 0 {
		t.Fatal("no corpus")
	}
	return list
}

// recordedSteps reads the corpus once.
var recordedSteps = sync.OnceValue(func() []step {
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		return nil
	}
	var list []step
	for _, c := range cases {
		for _, sm := range c.Targets {
			r, err := suite.LoadRecording(corpus.Files, c, sm)
			if err != nil {
				return nil
			}
			for i, o := range r.Steps {
				if len(o.Files) > 0 && c.Expect == suite.ExpectRecorded {
					list = append(list, step{c.ID() + "/sm_" + sm, r.Before(i), c.Argv(i, sm), o, c.Unsound != ""})
				}
			}
		}
	}
	return list
})

// Every cubin that nvlink wrote for the corpus is sound, except in cases that state a reason.
func TestCorpusIsSound(t *testing.T) {
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	judged := map[bool]int{} // by -r
	excused := map[string]bool{}
	for _, s := range steps(t) {
		if s.unsound {
			mu.Lock()
			if id := caseOf(s.id); !excused[id] {
				excused[id] = false
			}
			mu.Unlock()
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			link, output, err := sound.FromCommand(context.Background(), s.before, s.argv)
			if errors.Is(err, sound.ErrNoCubin) {
				return
			}
			if err != nil {
				t.Errorf("%s %v: %v", s.id, s.argv, err)
				return
			}
			data := s.want.Files[output]
			if _, err := cubin.Open(output, data); err != nil {
				return
			}
			findings := sound.Check(*link, data)
			mu.Lock()
			defer mu.Unlock()
			judged[link.Relocatable]++
			if s.unsound && len(findings) > 0 {
				excused[caseOf(s.id)] = true
				return
			}
			for _, f := range findings {
				t.Errorf("%s %v: %s", s.id, s.argv, f)
			}
		})
	}
	group.Wait()
	for id, is := range excused {
		if !is {
			t.Errorf("every step of %s is sound, although it says otherwise", id)
		}
	}
	if judged[false] < 1000 || judged[true] < 100 {
		t.Errorf("only %d executables and %d relocatable files", judged[false], judged[true])
	}
	t.Logf("%d executables, %d relocatable files", judged[false], judged[true])
}

// caseOf returns the case of a recording: "area/name" for "area/name/sm_80".
func caseOf(id string) string { return id[:strings.LastIndexByte(id, '/')] }

// orderCounts lists cases in which the order of the inputs affects more than addresses. The order may decide which
// alignment of a variable counts, which weak function prevails, or which of several local functions of one name comes
// first.
var orderCounts = map[string]bool{
	"global/zero-and-set": true, "relocatable/common-alignment": true, "relocatable/commons": true,
	"host/device-runtime-references":           true,
	"merge/common-alignment":                   true,
	"constant/compiler-constants-of-copies":    true,
	"merge/prototypes":                         true,
	"options/preserve-relocs-equal-names":      true,
	"relocatable/compiler-generated-constants": true, "mercury/frames": true, "mercury/line-order": true, "mercury/places-of-statics": true,
	"mercury/replaced-debug":          true,
	"mercury/replaced-registers":      true,
	"shared/shared-strong-after-weak": true,
}

// A linker may place things at other addresses: if the order of the inputs affects only addresses, nvlink's output for
// the inputs in another order is sound too.
func TestOtherLayoutsAreSound(t *testing.T) {
	type written struct {
		step
		link *sound.Link
		data []byte
	}
	judged := 0
	earlier := map[string][]written{}
	for _, s := range steps(t) {
		if len(s.want.Files) != 1 || s.unsound || strings.HasPrefix(s.id, "weak/") || orderCounts[caseOf(s.id)] || choosesKernels(s.argv) {
			continue
		}
		link, output, err := sound.FromCommand(context.Background(), s.before, s.argv)
		if err != nil || len(link.Inputs) < 2 {
			continue
		}
		w := written{s, link, s.want.Files[output]}
		for _, other := range earlier[s.id] {
			if !sameInputs(w.link, other.link) || slices.Equal(s.argv, other.argv) {
				continue
			}
			judged++
			for _, f := range append(sound.Check(*w.link, other.data), sound.Check(*other.link, w.data)...) {
				t.Errorf("%s %v: %s", s.id, s.argv, f)
			}
		}
		earlier[s.id] = append(earlier[s.id], w)
	}
	if judged < 50 {
		t.Errorf("only %d pairs", judged)
	}
}

// choosesKernels reports whether a link uses only some kernels of its inputs.
func choosesKernels(argv []string) bool {
	return slices.ContainsFunc(argv, func(a string) bool { return strings.HasPrefix(a, "-kernels-used=") })
}

// Two files have local strings with the same name and the same text. The checker tells them apart by the code that
// refers to them, in any order of the symbols.
func TestEqualLocalSymbols(t *testing.T) {
	for _, s := range steps(t) {
		if s.id != printing {
			continue
		}
		link, _, err := sound.FromCommand(context.Background(), s.before, s.argv)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(cubintext.Format(link.Inputs[0].Data), "_Z1kPi", "_Z1qPi")
		data, err := cubintext.Parse("renamed", text)
		if err != nil {
			t.Fatal(err)
		}
		link.Inputs = append(link.Inputs, sound.Input{Name: "renamed.cubin", Data: data})
		var inputs []linker.Input
		for _, in := range slices.Backward(link.Inputs) {
			inputs = append(inputs, linker.Input{Name: in.Name, Data: in.Data})
		}
		result := linker.Link(context.Background(), linker.Options{ToolName: "nvlink", Arch: "sm_80"}, inputs)
		if findings := sound.Check(*link, result.Output); len(findings) > 0 {
			t.Error(findings)
		}
		return
	}
	t.Fatalf("no case %s", printing)
}

// sameInputs reports whether two links have the same inputs and options, in any order.
func sameInputs(a, b *sound.Link) bool {
	count := map[string]int{}
	for _, in := range a.Inputs {
		count[string(in.Data)]++
	}
	for _, in := range b.Inputs {
		count[string(in.Data)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return a.Target == b.Target && a.Relocatable == b.Relocatable && a.Debug == b.Debug && a.PreserveRelocs == b.PreserveRelocs &&
		a.NoReservedShared == b.NoReservedShared && a.KeepSystem == b.KeepSystem
}

// Whatever the bytes of the output, the checker does not panic, and it does not accept a file that is not a cubin.
func FuzzCheck(f *testing.F) {
	links := map[string]*sound.Link{}
	seeds := []string{sharing90, textures, compiler, kinds, instances, fences, tables, slots, lines, unfinished}
	for _, s := range recordedSteps() {
		if !slices.Contains(seeds, s.id) {
			continue
		}
		link, output, err := sound.FromCommand(context.Background(), s.before, s.argv)
		if err != nil {
			f.Fatal(err)
		}
		links[s.id] = link
		f.Add(s.id, s.want.Files[output])
		f.Add(s.id, link.Inputs[0].Data)
	}
	f.Fuzz(func(t *testing.T, id string, output []byte) {
		link := links[id]
		if link == nil {
			return
		}
		findings := sound.Check(*link, output)
		if _, err := cubin.Open("", output); err != nil && len(findings) == 0 {
			t.Error("what is no cubin is sound")
		}
		// The bytes are also tried as an input.
		damaged := *link
		damaged.Inputs = append(slices.Clone(link.Inputs), sound.Input{Name: "fuzzed", Data: output})
		sound.Check(damaged, output)
	})
}

package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/cmd/culink/command"
	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/info"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/reduce"
	"github.com/culink/culink/conformance/replay"
)

// The reports of culink and cuconform about a link must also work for damaged files: every report of the command, info
// about the files of the link, and a reduction.

// answers returns the options for all reports of culink. form selects one of the three forms of the map.
func answers(dir string, form int) []string {
	name := filepath.Join(dir, "map"+[]string{".txt", ".json", ".html"}[form%3])
	return []string{
		"--json", "--advice=yes", "--explain=_,k,f", "--map=" + name,
		"--trace=merge,reach,propagate,layout,finalize,relocate", "--trace-file=" + filepath.Join(dir, "trace"), "--repro=" + filepath.Join(dir, "repro.tar"),
	}
}

// askAll links damaged inputs with all reports. It returns an error if the exit status or the output differs from that
// of a link without reports, if a line of --json is not valid, or if the package of --repro cannot be opened.
func askAll(dir string, form int, data [][]byte) (output []byte, err error) {
	out := filepath.Join(dir, "out.cubin")
	args := []string{"nvlink", "-arch=" + archOf(data[0]), "-o", out}
	for i, b := range data {
		name := filepath.Join(dir, fmt.Sprintf("%d.cubin", i))
		if err := os.WriteFile(name, b, 0o666); err != nil {
			return nil, err
		}
		args = append(args, name)
	}
	exit := command.Run(context.Background(), args, io.Discard, io.Discard)
	output, _ = os.ReadFile(out)
	os.Remove(out)
	var stdout bytes.Buffer
	asked := append(args[:len(args):len(args)], answers(dir, form)...)
	if again := command.Run(context.Background(), asked, &stdout, io.Discard); again != exit {
		return nil, fmt.Errorf("exit %d, and %d without answers: %s", again, exit, stdout.Bytes()[max(0, stdout.Len()-1000):])
	}
	if again, _ := os.ReadFile(out); !bytes.Equal(again, output) {
		return nil, fmt.Errorf("exit %d, %d bytes, and %d without answers: %s", exit, len(again), len(output), stdout.Bytes()[max(0, stdout.Len()-1000):])
	}
	for line := range bytes.Lines(stdout.Bytes()) {
		if !json.Valid(line) {
			return nil, fmt.Errorf("no JSON: %q", line)
		}
	}
	if _, err := replay.Open(filepath.Join(dir, "repro.tar")); err != nil {
		return nil, err
	}
	return output, nil
}

// showInfo prints everything that info reports about a file, in both forms.
func showInfo(dir string, data []byte) error {
	name := filepath.Join(dir, "shown")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{{name}, {"-json", name}, {"-schedule", name}, {"-totals", name}} {
		var stderr strings.Builder
		if status := info.Command().Run(context.Background(), args, io.Discard, &stderr); status > 2 {
			return fmt.Errorf("%v: status %d, %s", args, status, &stderr)
		}
	}
	return nil
}

// reduceDamaged reduces a link of damaged inputs, with a judge that always finds the same difference.
func reduceDamaged(data [][]byte) error {
	link := attempt.Link{Before: attempt.Files{}, Argv: []string{"-arch=" + archOf(data[0])}}
	for i, b := range data {
		name := fmt.Sprintf("%d.cubin", i)
		link.Before[name] = b
		link.Argv = append(link.Argv, name)
	}
	same := func(_ context.Context, l attempt.Link) ([]judge.Difference, []int, error) {
		return []judge.Difference{{Facet: judge.FacetBytes, Key: "k"}}, nil, nil
	}
	_, err := reduce.Reduce(context.Background(), link, same, reduce.Options{Time: 100 * time.Millisecond})
	return err
}

// answerDamaged requests all reports about a damaged link.
func answerDamaged(dir string, form int, data [][]byte) error {
	output, err := askAll(dir, form, data)
	if err != nil {
		return err
	}
	for _, b := range append(data[:len(data):len(data)], output) {
		if err := showInfo(dir, b); err != nil {
			return err
		}
	}
	if form%8 == 0 {
		return reduceDamaged(data)
	}
	return nil
}

// Every report, info and a reduction handle damaged links. Each run draws other damage (DIAG-303, CONF-015).
func TestAnswersOfDamagedLinks(t *testing.T) {
	t.Parallel()
	links := seedLinks(t)
	fields := damagedFields(t, links)
	random := rand.New(rand.NewPCG(rand.Uint64(), 54))
	for form := range 16 {
		name := damagedSeeds[random.IntN(len(damagedSeeds))]
		edits := make([]byte, 10*(1+random.IntN(3)))
		for i := range edits {
			edits[i] = byte(random.Uint32())
		}
		for i := 10; i <= len(edits); i += 10 { // mostly small values
			clear(edits[i-8+random.IntN(8) : i])
		}
		if err := answerDamaged(t.TempDir(), form, damaged(links[name], fields[name], edits)); err != nil {
			t.Errorf("%s, %x: %v", name, edits, err)
		}
	}
}

// FuzzAnswers does the same as TestAnswersOfDamagedLinks for any edits.
func FuzzAnswers(f *testing.F) {
	fuzzEdits(f, func(t *testing.T, form int, link ...[]byte) error { return answerDamaged(t.TempDir(), form, link) })
}

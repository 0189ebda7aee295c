package reduce

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/suite/suitetest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
)

// recorded returns the first step of a case on sm_80.
func recorded(t *testing.T, id string) attempt.Link {
	t.Helper()
	c := suitetest.Case(t, id)
	r, err := suite.LoadRecording(corpus.Files, c, "80")
	if err != nil {
		t.Fatal(err)
	}
	return attempt.Link{Before: r.Before(0), Argv: c.Argv(0, "80")}
}

// good links as culink does.
func good(ctx context.Context, link attempt.Link) *attempt.Outcome {
	inputs, output, err := inputsOf(ctx, link)
	if err != nil {
		return &attempt.Outcome{Exit: 1, Stderr: []byte("nvlink fatal   : " + err.Error() + "\n")}
	}
	result := linker.Link(ctx, linker.Options{ToolName: "nvlink", Arch: "sm_80"}, inputs)
	if result.Output == nil {
		return &attempt.Outcome{Exit: 255}
	}
	return &attempt.Outcome{Files: attempt.Files{output: result.Output}}
}

// inputsOf reads the inputs of a command line whose inputs are all cubins.
func inputsOf(ctx context.Context, link attempt.Link) (inputs []linker.Input, output string, err error) {
	var rest []string
	for _, word := range link.Argv {
		if data, ok := link.Before[word]; ok && strings.HasSuffix(word, ".cubin") {
			inputs = append(inputs, linker.Input{Name: word, Data: data})
		} else {
			rest = append(rest, word)
		}
	}
	if slices.Equal(rest, []string{"-arch=sm_80", "-o", "out.cubin"}) && len(inputs) > 0 {
		return inputs, "out.cubin", nil
	}
	asked, output, err := sound.FromCommand(ctx, link.Before, link.Argv)
	if err != nil {
		return nil, "", err
	}
	inputs = nil
	for _, in := range asked.Inputs {
		inputs = append(inputs, linker.Input{Name: in.Name, Data: in.Data})
	}
	return inputs, output, nil
}

// A spoiler changes the outcome of a link to that of a faulty linker.
type spoiler func(o *attempt.Outcome)

// bitOf returns a spoiler that flips a bit in the first byte of a section.
func bitOf(section string) spoiler {
	return func(o *attempt.Outcome) {
		for name, data := range o.Files {
			f, err := cubin.Open(name, data)
			if err != nil {
				return
			}
			if s := f.Section(section); s != nil && s.HasBytes() && s.Size > 0 {
				data[s.Offset] ^= 1
			}
		}
	}
}

// without returns a spoiler that removes the lines of the output that contain a text.
func without(text string) spoiler {
	return func(o *attempt.Outcome) {
		for name, data := range o.Files {
			lines := slices.DeleteFunc(strings.SplitAfter(cubintext.Format(data), "\n"), func(line string) bool { return strings.Contains(line, text) })
			if built, err := cubintext.Parse(name, strings.Join(lines, "")); err == nil {
				o.Files[name] = built
			}
		}
	}
}

// warn returns a spoiler that adds a warning to links that contain a function.
func warn(function string) spoiler {
	return func(o *attempt.Outcome) {
		for _, data := range o.Files {
			if bytes.Contains(data, []byte("\x00"+function+"\x00")) {
				o.Stderr = []byte("nvlink warning : 7 of '" + function + "' is too much\n")
			}
		}
	}
}

// spoiledAgainst returns a judge that compares a spoiled linker with the correct one on a facet.
func spoiledAgainst(facet judge.Facet, spoil spoiler) Judge {
	return func(ctx context.Context, link attempt.Link) ([]judge.Difference, []int, error) {
		want := good(ctx, link)
		got := &attempt.Outcome{Exit: want.Exit, Files: attempt.Files{}}
		for name, data := range want.Files {
			got.Files[name] = bytes.Clone(data)
		}
		spoil(got)
		return judge.Link(ctx, facet, suite.ExpectRecorded, link, want, got), []int{want.Exit, got.Exit}, nil
	}
}

// A link of several files is reduced to the lines without which the fault disappears.
func TestReduce(t *testing.T) {
	for _, test := range []struct {
		name, id string
		facet    judge.Facet
		spoil    spoiler
		class    string
		files    int
		lines    int // at most
		holds    string
	}{
		{"a bit of code", "basic/chain-of-five", judge.FacetImage, bitOf(".text._Z2f3i"), "image out.cubin:section.text._Z2f3i.bytes", 1, 14, ".text._Z2f3i"},
		{"a bit of code, by itself", "basic/chain-of-five", judge.FacetSound, bitOf(".text._Z2f5i"), "sound out.cubin:code._Z2f5i", 1, 16, ".text._Z2f5i"},
		{"a record", "callgraph/printf", judge.FacetSound, without("attr EXTERNS"), "sound out.cubin:attribute._Z1kPi.EXTERNS", 1, 14, "EXTERNS"},
		{"a relocation", "callgraph/diamonds", judge.FacetSound, without("R_CUDA_ABS47_34"), "sound out.cubin:relocation.", 2, 50, "_Z2"},
		{"a message", "weak/fewer-registers-wins", judge.FacetMessages, warn("kmany"), "messages nothing, ", 1, 8, "kmany"},
	} {
		t.Run(test.name, func(t *testing.T) {
			link := recorded(t, test.id)
			link.Argv = append([]string{"-v"}, link.Argv...)
			result, err := Reduce(t.Context(), link, spoiledAgainst(test.facet, test.spoil), Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := state{argv: result.Link.Argv, texts: result.Texts}
			if len(s.names()) != test.files || s.lines() > test.lines || len(s.argv) != 3+test.files {
				t.Errorf("reduced to %s, want %d files and at most %d lines: %v %v", s.size(), test.files, test.lines, s.argv, s.texts)
			}
			if class := classOf(result.Difference); !strings.HasPrefix(class, test.class) {
				t.Errorf("class %q, want %q", class, test.class)
			}
			for _, name := range s.names() {
				if !strings.Contains(strings.Join(s.texts[name], "\n"), test.holds) {
					t.Errorf("%s without %s: %v", name, test.holds, s.texts[name])
				}
			}
			differences, _, _ := spoiledAgainst(test.facet, test.spoil)(t.Context(), result.Link)
			if len(differences) == 0 {
				t.Error("the reduced link passes")
			}
		})
	}
}

// Reduction extracts the members of an archive.
func TestReduceUnpacks(t *testing.T) {
	link := recorded(t, "archive/members")
	result, err := Reduce(t.Context(), link, spoiledAgainst(judge.FacetImage, bitOf(".symtab")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := newState(result.Link); len(s.files) > 0 {
		t.Errorf("reduced to %s: %v", s.size(), s.files.Names())
	}
}

func TestReduceRefusesAGoodLink(t *testing.T) {
	_, err := Reduce(t.Context(), recorded(t, "basic/two-files"), spoiledAgainst(judge.FacetBytes, func(*attempt.Outcome) {}), Options{})
	if !errors.Is(err, ErrPasses) {
		t.Errorf("error %v, want %v", err, ErrPasses)
	}
}

// shrink finds the required items among many, in any positions.
func TestShrink(t *testing.T) {
	items := make([]int, 100)
	for i := range items {
		items[i] = i
	}
	for _, needed := range [][]int{{}, {0}, {99}, {3, 4, 71}, {0, 50, 99}} {
		got := shrink(items, func() bool { return false }, func(kept []int) bool {
			return !slices.ContainsFunc(needed, func(n int) bool { return !slices.Contains(kept, n) })
		})
		if !slices.Equal(got, needed) {
			t.Errorf("shrunk to %v, want %v", got, needed)
		}
	}
}

// A reduction ends with its time, however many lines the inputs have: shrink asks no more.
func TestShrinkEndsWithItsTime(t *testing.T) {
	asked := 0
	got := shrink(make([]int, 1000), func() bool { return asked == 3 }, func([]int) bool { asked++; return false })
	if asked != 3 || len(got) != 1000 {
		t.Errorf("asked %d times, %d items left", asked, len(got))
	}
}

// The case of a link has the same inputs and command line as the link.
func TestWriteCase(t *testing.T) {
	link := recorded(t, "basic/two-files")
	link.Before["lib/x.a"] = []byte("no cubin")
	link.Argv = append(link.Argv, "a word")
	dir := t.TempDir()
	c := Case{ID: "reduced/one", SM: "80", Title: "a title\nin two lines", Texts: newState(link).texts}
	if _, err := c.Write(dir, link); err != nil {
		t.Fatal(err)
	}
	want := good(t.Context(), link)
	if err := c.Record(dir, link, want); err != nil {
		t.Fatal(err)
	}
	cases, err := suite.LoadCases(dirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	r, err := suite.LoadRecording(dirFS(dir), cases[0], "80")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range link.Before {
		if !bytes.Equal(r.Inputs[name], data) {
			t.Errorf("input %s is another one", name)
		}
	}
	if !slices.Equal(cases[0].Argv(0, "80"), link.Argv) || cases[0].Title != "a title in two lines" || len(cases[0].Inputs) != 3 {
		t.Errorf("case %+v", cases[0])
	}
}

func TestTargetOf(t *testing.T) {
	for words, want := range map[string]string{"-arch=sm_90a x": "90a", "--arch sm_80": "80", "-arch sm_75": "75", "x -o y": "", "-arch": ""} {
		if sm, ok := TargetOf(strings.Fields(words)); sm != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", words, sm, ok)
		}
	}
}

func dirFS(dir string) fs.FS { return corpus.Plain(os.DirFS(dir)) }

// With the facet "sound", Reduce rejects a link on which the reference itself fails (CONF-007).
func TestReferenceStaysSound(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linkers are shell scripts")
	}
	link := recorded(t, "basic/two-files")
	dir := t.TempDir()
	output := filepath.Join(dir, "linked")
	if err := os.WriteFile(output, good(t.Context(), link).Files["out.cubin"], 0o666); err != nil {
		t.Fatal(err)
	}
	script := func(name, text string) *sandbox.Linker {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		return &sandbox.Linker{Command: []string{file}, Limits: sandbox.DefaultLimits}
	}
	right := script("right", "cp "+output+" out.cubin")
	part := script("part", "cp callee.cubin out.cubin") // relocatable code
	refuses := script("refuses", "exit 1")
	for _, c := range []struct {
		name              string
		linker, reference *sandbox.Linker
		differences       bool
		err               error
	}{
		{"both right", right, right, false, nil},
		{"linker wrong", part, right, true, nil},
		{"both wrong", part, part, false, ErrReference},
		{"reference refuses", part, refuses, false, ErrReference},
	} {
		d, _, err := Against(c.linker, c.reference, judge.FacetSound)(t.Context(), link)
		if !errors.Is(err, c.err) || len(d) > 0 != c.differences {
			t.Errorf("%s: %v, %v", c.name, d, err)
		}
	}
}

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/culink/culink/cmd/culink/advice"
	"github.com/culink/culink/cmd/culink/output"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/jitlink"
	"github.com/culink/culink/linker/option"
)

// The environment variable CULINK_ADVICE determines where answers to messages are written: below the messages on stderr, or
// to the end of a file. The logs stay as NVIDIA's library writes them, because programs parse and compare them (JIT-088).

// answerBy returns the function for Library.Answer that a value of CULINK_ADVICE selects. It returns nil if the value
// selects no answers.
func answerBy(variable string, p *arch.Profile, stderr io.Writer) func(*jitlink.Question) {
	switch {
	case variable == "1":
		return func(q *jitlink.Question) { printAnswers(stderr, q, adviser(p, q)) }
	case option.NamesFile(variable):
		return func(q *jitlink.Question) { gatherAnswers(variable, q, adviser(p, q)) }
	}
	return nil
}

// adviser returns an Adviser that knows what was added to a link. It has no other files to examine.
func adviser(p *arch.Profile, q *jitlink.Question) *advice.Adviser {
	a := advice.ForTarget(p, q.Settings.Target.Name)
	a.LTO, a.Typed = q.Settings.LTO, true
	for _, o := range q.Objects {
		a.Objects = append(a.Objects, advice.Object{Name: o.Name, Data: o.Data})
	}
	var inputs []jitlink.Input
	for _, in := range q.Inputs {
		// Programs often give several inputs the same name. Two inputs are the same file only if their contents are equal.
		isOther := func(i jitlink.Input) bool { return i.Name == in.Name && !bytes.Equal(i.Data, in.Data) }
		if !slices.ContainsFunc(inputs, isOther) {
			inputs = append(inputs, in)
			a.Files = append(a.Files, in.Name)
		}
	}
	a.Open = func(name string) ([]byte, error) {
		for _, in := range inputs {
			if in.Name == name {
				return in.Data, nil
			}
		}
		return nil, fmt.Errorf("%s is no input", name)
	}
	return a
}

// printAnswers prints the messages of a call, each with its answer, in one write.
func printAnswers(w io.Writer, q *jitlink.Question, a *advice.Adviser) {
	var b bytes.Buffer
	for _, m := range q.Messages {
		facts := slices.Concat(advice.Cause(m.Means), a.On(m.Means))
		if m.Remark && len(facts) == 0 {
			continue
		}
		b.WriteString(m.Text)
		advice.Write(&b, facts) // a Buffer returns no error
	}
	w.Write(b.Bytes()) // nobody reads what cannot be printed
}

// gatherAnswers appends the messages of a call that have answers to a file, with these answers. If the file cannot be
// written, or is an input, it stays as it is.
func gatherAnswers(file string, q *jitlink.Question, a *advice.Adviser) {
	if output.Clash([]string{file}, a.Files) != "" {
		return
	}
	folder, err := os.Getwd()
	if err != nil {
		folder = "an unknown folder"
	}
	block := advice.Block{Output: "a link by libnvJitLink", Target: q.Settings.Target.Name, Folder: folder}
	for _, m := range q.Messages {
		block.Add(m.Text, slices.Concat(advice.Cause(m.Means), a.On(m.Means)))
	}
	block.AppendTo(file)
}

package library

import (
	"context"

	"github.com/culink/culink/linker/jitlink"
)

// InProcess plays cases on package linker/jitlink in this process. It does not support null pointers.
type InProcess struct{ Library *jitlink.Library }

// Play plays one case. File names are relative to the working folder.
func (p *InProcess) Play(_ context.Context, calls [][]string) ([]Answer, error) {
	var answers []Answer
	err := Play(goAPI{p.Library}, calls, func(int) {}, func(_ int, a Answer) { answers = append(answers, a) })
	return answers, err
}

// goAPI gives package jitlink the interface of the C library.
type goAPI struct{ l *jitlink.Library }

func (g goAPI) Version(bool) (result int32, major, minor uint32) {
	major, minor = g.l.Version()
	return 0, major, minor
}

func (g goAPI) Create(handle *uint64, _ int, options []*string) int32 {
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = *o
	}
	h, r := g.l.Create(words)
	*handle = uint64(h)
	return int32(r)
}

func (g goAPI) Destroy(handle *uint64) int32 {
	r := g.l.Destroy(jitlink.Handle(*handle))
	if r == jitlink.Success {
		*handle = 0
	}
	return int32(r)
}

func (g goAPI) AddData(handle uint64, kind int32, data []byte, size int, name *string) int32 {
	shown := "(null)"
	if name != nil {
		shown = *name
	}
	return int32(g.l.AddData(jitlink.Handle(handle), jitlink.InputType(kind), data[:size], shown))
}

func (g goAPI) AddFile(handle uint64, kind int32, name *string) int32 {
	return int32(g.l.AddFile(jitlink.Handle(handle), jitlink.InputType(kind), *name))
}

func (g goAPI) Complete(handle uint64) int32 { return int32(g.l.Complete(jitlink.Handle(handle))) }

func (g goAPI) Size(handle uint64, what string, size *uint64) int32 {
	data, r := g.get(handle, what)
	*size = uint64(len(data))
	return int32(r)
}

func (g goAPI) Content(handle uint64, what string, to []byte) int32 {
	data, r := g.get(handle, what)
	copy(to, data)
	return int32(r)
}

func (g goAPI) get(handle uint64, what string) ([]byte, jitlink.Result) {
	h := jitlink.Handle(handle)
	switch what {
	case "LinkedCubin":
		return g.l.LinkedCubin(h)
	case "LinkedPtx":
		return g.l.LinkedPTX(h)
	case "LinkedLTOIR":
		return g.l.LinkedLTOIR(h)
	case "ErrorLog":
		return g.l.ErrorLog(h)
	}
	return g.l.InfoLog(h)
}

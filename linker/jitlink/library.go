// Package jitlink is libnvJitLink without C: links that a program makes while it runs, with
// the calls, result codes, logs and images of NVIDIA's library of one release of the CUDA toolkit.
//
// A [Library] hands out handles. Each is a link of its own: [Library.Create] reads the options,
// [Library.AddData] and [Library.AddFile] take inputs, [Library.Complete] links them, and the
// image, the PTX and both logs can be read until [Library.Destroy]. Calls for different handles
// run at the same time; those for one handle wait for each other. libnvjitlink puts a C
// interface around a Library, and docs/nvjitlink.md says what differs from NVIDIA's by choice.
//
// Where NVIDIA's library crashes or ends the process, a call returns a result: a handle is a
// number that is looked up, never an address.
package jitlink

import (
	"context"
	"sync"

	"github.com/culink/culink/linker/arch"
)

// A Handle names one link of a Library. Zero is no link.
type Handle uint64

// A Library is the state that all links share. The zero Library is ready for use, but for PTX
// and LTO inputs, which other programs compile.
type Library struct {
	// Toolkit is the release that the library stands in for; nil: arch.Default. It stays as it is
	// from the first call on.
	Toolkit *arch.Profile
	// Unusable, when it is not nil, says why the library cannot link: Create writes it to the
	// error log, and is UNRECOGNIZED_OPTION (JIT-009).
	Unusable error
	// Context ends links that are under way, when it is not nil.
	Context context.Context
	// PTXAS is the path of the compiler for PTX; empty: none.
	PTXAS string
	// CompileLTO makes PTX of the LTO inputs of a link; nil: none can.
	CompileLTO LTOCompiler

	mu    sync.Mutex
	links map[Handle]*link
	last  Handle
}

// handleStep keeps handles apart by more than one, so that an address or a small number
// that is passed for one is hardly ever one.
const handleStep = 0x10

// firstHandle is below every handle.
const firstHandle = 0x6a69740000000000

// Version is the release that the library stands in for.
func (l *Library) Version() (major, minor uint32) {
	p := l.toolkit()
	return uint32(p.Major), uint32(p.Minor)
}

func (l *Library) toolkit() *arch.Profile {
	if l.Toolkit == nil {
		return arch.Default
	}
	return l.Toolkit
}

// Create starts a link. The handle is good, for its error log, also when the options are not.
func (l *Library) Create(options []string) (Handle, Result) {
	k := &link{library: l}
	result := k.guard(func() Result { return k.create(options) })
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.links == nil {
		l.links, l.last = map[Handle]*link{}, firstHandle
	}
	l.last += handleStep
	l.links[l.last] = k
	return l.last, result
}

// Destroy ends a link. A call for it that is under way ends first.
func (l *Library) Destroy(h Handle) Result {
	l.mu.Lock()
	k := l.links[h]
	delete(l.links, h)
	l.mu.Unlock()
	if k == nil {
		return noLink(h)
	}
	k.mu.Lock() // after a call that is under way
	defer k.mu.Unlock()
	return Success
}

// AddData adds an input. data is copied where it is needed after the call.
func (l *Library) AddData(h Handle, kind InputType, data []byte, name string) Result {
	return l.with(h, func(k *link) Result { return k.addData(kind, data, name) })
}

// AddFile adds the contents of a file as an input by the name of the file.
func (l *Library) AddFile(h Handle, kind InputType, name string) Result {
	return l.with(h, func(k *link) Result { return k.addFile(kind, name) })
}

// Complete links what was added.
func (l *Library) Complete(h Handle) Result { return l.with(h, (*link).complete) }

// LinkedCubin is the image of a link that is complete.
func (l *Library) LinkedCubin(h Handle) (image []byte, r Result) {
	r = l.with(h, func(k *link) Result {
		if image = k.image; image == nil {
			return Internal
		}
		return Success
	})
	return image, r
}

// LinkedPTX is the PTX of a complete link with -ptx, with a zero byte at its end.
func (l *Library) LinkedPTX(h Handle) (text []byte, r Result) {
	r = l.with(h, func(k *link) Result {
		switch text = k.ptx; {
		case !k.settings.PTX:
			return InvalidInput
		case text == nil:
			return Internal
		}
		return Success
	})
	return text, r
}

// LinkedLTOIR is the linked intermediate code of a link with -lto, complete or not, from 13.4 on (JIT-065).
func (l *Library) LinkedLTOIR(h Handle) (code []byte, r Result) {
	r = l.with(h, func(k *link) Result {
		switch code = k.code; {
		case !k.settings.LTO:
			return InvalidInput
		case code == nil:
			return Internal
		}
		return Success
	})
	return code, r
}

// ErrorLog is what went wrong, with a zero byte at its end; nothing when nothing did.
func (l *Library) ErrorLog(h Handle) (text []byte, r Result) {
	r = l.with(h, func(k *link) Result { text = k.errors.bytes(); return Success })
	return text, r
}

// InfoLog is what else was said, with a zero byte at its end; nothing when nothing was.
func (l *Library) InfoLog(h Handle) (text []byte, r Result) {
	r = l.with(h, func(k *link) Result { text = k.infos.bytes(); return Success })
	return text, r
}

// with calls f for a link, alone.
func (l *Library) with(h Handle, f func(*link) Result) Result {
	l.mu.Lock()
	k := l.links[h]
	l.mu.Unlock()
	if k == nil {
		return noLink(h)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.guard(func() Result { return f(k) })
}

// noLink is the result for a handle that names no link.
func noLink(h Handle) Result {
	if h == 0 {
		return NullInput
	}
	return InvalidInput
}

func (l *Library) context() context.Context {
	if l.Context == nil {
		return context.Background()
	}
	return l.Context
}

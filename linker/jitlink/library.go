// Package jitlink is libnvJitLink without the C interface. It links code for a running program, with the calls,
// result codes, logs and images of NVIDIA's library of one release of the CUDA toolkit.
//
// A [Library] manages handles. Each handle is a separate link: [Library.Create] parses the options,
// [Library.AddData] and [Library.AddFile] add inputs, and [Library.Complete] links them. The image, the PTX and
// both logs can be read until [Library.Destroy]. Calls for different handles run concurrently; those for one
// handle wait for each other. libnvjitlink adds a C interface to a Library, and docs/nvjitlink.md lists the
// deliberate differences from NVIDIA's library.
//
// In cases where NVIDIA's library crashes or ends the process, a call returns a result. A handle is a number
// that is looked up, never an address.
package jitlink

import (
	"context"
	"sync"

	"github.com/culink/culink/linker/arch"
)

// A Handle identifies one link of a Library. Zero is not a link.
type Handle uint64

// A Library is the state shared by all links. The zero Library is ready for use, except for PTX and LTO inputs,
// which other programs compile.
type Library struct {
	// Toolkit is the release that the library emulates; nil: arch.Default. It must not change after the first
	// call.
	Toolkit *arch.Profile
	// Unusable, if not nil, is the reason why the library cannot link. Create writes it to the error log and
	// returns UNRECOGNIZED_OPTION (JIT-009).
	Unusable error
	// Context, if not nil, cancels running links.
	Context context.Context
	// PTXAS is the path of the compiler for PTX; empty if there is none.
	PTXAS string
	// CompileLTO compiles the LTO inputs of a link to PTX; nil if this is not possible.
	CompileLTO LTOCompiler
	// Answer, when it is not nil, is called at the end of a call that has logged messages of nvlink's, before the call
	// returns (JIT-088). Calls for different links call it at the same time; it makes no call for the same link.
	Answer func(*Question)

	mu    sync.Mutex
	links map[Handle]*link
	last  Handle
}

// handleStep is the difference between consecutive handles, so that an address or a small number passed as a
// handle is hardly ever a valid one.
const handleStep = 0x10

// firstHandle is below every handle.
const firstHandle = 0x6a69740000000000

// Version returns the release that the library emulates.
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

// Create starts a link. The handle is valid for its error log even if the options are invalid.
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

// Destroy ends a link, after any running call for it.
func (l *Library) Destroy(h Handle) Result {
	l.mu.Lock()
	k := l.links[h]
	delete(l.links, h)
	l.mu.Unlock()
	if k == nil {
		return l.noLink(h)
	}
	k.mu.Lock() // wait for a running call
	defer k.mu.Unlock()
	return Success
}

// AddData adds an input. data is copied if it is needed after the call.
func (l *Library) AddData(h Handle, kind InputType, data []byte, name string) Result {
	return l.with(h, func(k *link) Result { return k.addData(kind, data, name) })
}

// AddFile adds the contents of a file as an input with the name of the file.
func (l *Library) AddFile(h Handle, kind InputType, name string) Result {
	return l.with(h, func(k *link) Result { return k.addFile(kind, name) })
}

// Complete links the inputs.
func (l *Library) Complete(h Handle) Result { return l.with(h, (*link).complete) }

// LinkedCubin returns the image of a complete link.
func (l *Library) LinkedCubin(h Handle) (image []byte, r Result) {
	r = l.with(h, func(k *link) Result {
		if image = k.image; image == nil {
			return Internal
		}
		return Success
	})
	return image, r
}

// LinkedPTX returns the PTX of a complete link with -ptx, with a zero byte at its end.
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

// LinkedLTOIR returns the linked intermediate code of a link with -lto, complete or not, from 13.4 on
// (JIT-065).
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

// ErrorLog returns the error messages, with a zero byte at the end, or nil if there are none.
func (l *Library) ErrorLog(h Handle) (text []byte, r Result) {
	r = l.with(h, func(k *link) Result { text = k.errors.bytes(); return Success })
	return text, r
}

// InfoLog returns the other messages, with a zero byte at the end, or nil if there are none.
func (l *Library) InfoLog(h Handle) (text []byte, r Result) {
	r = l.with(h, func(k *link) Result { text = k.infos.bytes(); return Success })
	return text, r
}

// with calls f for a link and holds the link's lock.
func (l *Library) with(h Handle, f func(*link) Result) Result {
	l.mu.Lock()
	k := l.links[h]
	l.mu.Unlock()
	if k == nil {
		return l.noLink(h)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.guard(func() Result { return f(k) })
}

// noLink returns the result for an invalid handle.
func (l *Library) noLink(h Handle) Result {
	if h == 0 {
		return dialectOf(l.toolkit()).result(NullInput)
	}
	return InvalidInput
}

func (l *Library) context() context.Context {
	if l.Context == nil {
		return context.Background()
	}
	return l.Context
}

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

// A Library holds the state that all links share. The zero Library is ready for use, except for PTX and LTO inputs,
// because other programs compile these.
type Library struct {
	// Toolkit is the release that the library emulates. nil stands for arch.Default. It must not change after the
	// first call.
	Toolkit *arch.Profile
	// Unusable, if not nil, is the reason why the library cannot link. Create writes it to the error log and
	// returns UNRECOGNIZED_OPTION (JIT-009).
	Unusable error
	// Context, if not nil, cancels running links.
	Context context.Context
	// PTXAS is the path of the compiler for PTX, or empty if there is none.
	PTXAS string
	// CompileLTO compiles the LTO inputs of a link to PTX. It is nil if no compiler is available.
	CompileLTO LTOCompiler
	// Answer, if not nil, is called when a call has logged messages of nvlink, before that call returns (JIT-088). It
	// may be called at the same time for different links. It must not call the library for the same link.
	Answer func(*Question)

	mu    sync.Mutex
	links map[Handle]*link
	last  Handle
}

// handleStep is the difference between consecutive handles. It makes it unlikely that an address or a small number
// that is passed as a handle is a valid one.
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

// Create starts a link. Even if the options are invalid, the handle can be used to read the error log.
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

// LinkedPTX returns the PTX of a completed link with -ptx. A zero byte follows the PTX.
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

// LinkedLTOIR returns the linked intermediate code of a link with -lto. The link need not be complete. Releases before
// 13.4 return none (JIT-065).
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

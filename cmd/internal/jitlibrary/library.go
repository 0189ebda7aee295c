//go:build linux || windows

package jitlibrary

import (
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"
)

// A Library is a loaded libnvJitLink. The fields are its functions. They have the names of the public header and return
// 0 on success.
type Library struct {
	create     func(handle *uintptr, count uint32, options **byte) int32
	destroy    func(handle *uintptr) int32
	addData    func(handle uintptr, kind Kind, data *byte, size uintptr, name *byte) int32
	complete   func(handle uintptr) int32
	cubinSize  func(handle uintptr, size *uintptr) int32
	cubin      func(handle uintptr, data *byte) int32
	ptxSize    func(handle uintptr, size *uintptr) int32
	ptx        func(handle uintptr, data *byte) int32
	ltoirSize  func(handle uintptr, size *uintptr) int32 // nil before 13.2
	ltoir      func(handle uintptr, data *byte) int32    // nil before 13.2
	errorsSize func(handle uintptr, size *uintptr) int32
	errors     func(handle uintptr, data *byte) int32
	notesSize  func(handle uintptr, size *uintptr) int32
	notes      func(handle uintptr, data *byte) int32
}

// Open loads the library.
func Open(path string) (*Library, error) {
	handle, err := load(path)
	if err != nil {
		return nil, err
	}
	l := &Library{}
	for _, f := range []struct {
		name string
		to   any
	}{
		{"nvJitLinkCreate", &l.create},
		{"nvJitLinkDestroy", &l.destroy},
		{"nvJitLinkAddData", &l.addData},
		{"nvJitLinkComplete", &l.complete},
		{"nvJitLinkGetLinkedCubinSize", &l.cubinSize},
		{"nvJitLinkGetLinkedCubin", &l.cubin},
		{"nvJitLinkGetLinkedPtxSize", &l.ptxSize},
		{"nvJitLinkGetLinkedPtx", &l.ptx},
		{"nvJitLinkGetErrorLogSize", &l.errorsSize},
		{"nvJitLinkGetErrorLog", &l.errors},
		{"nvJitLinkGetInfoLogSize", &l.notesSize},
		{"nvJitLinkGetInfoLog", &l.notes},
	} {
		name := f.name
		if _, err := symbol(handle, name); err != nil { // before 12.3, the library has only names with a version
			name = "__" + name + "_12_0"
		}
		if _, err := symbol(handle, name); err != nil {
			return nil, err
		}
		purego.RegisterLibFunc(f.to, handle, name)
	}
	for name, to := range map[string]any{"nvJitLinkGetLinkedLTOIRSize": &l.ltoirSize, "nvJitLinkGetLinkedLTOIR": &l.ltoir} {
		if _, err := symbol(handle, name); err == nil {
			purego.RegisterLibFunc(to, handle, name)
		}
	}
	return l, nil
}

// Link links inputs and returns the cubin and the library's log. It ignores empty inputs, as nvlink does.
func (l *Library) Link(options []string, inputs []Input) (cubin, log []byte, err error) {
	return l.run(options, inputs, func(handle uintptr) []byte { return l.text(handle, l.cubinSize, l.cubin) })
}

// Compile compiles inputs of intermediate code. It returns the PTX, the linked intermediate code and the library's log,
// which without an error is that of errors alone. The options must request this (-lto, -ptx). There may be linked
// intermediate code without PTX. Releases before 13.4 return no linked intermediate code.
func (l *Library) Compile(options []string, inputs []Input) (ptx, code, log []byte, err error) {
	var said []byte
	ptx, log, err = l.run(options, inputs, func(handle uintptr) []byte {
		if l.ltoir != nil {
			code = l.text(handle, l.ltoirSize, l.ltoir)
		}
		said = l.text(handle, l.errorsSize, l.errors)
		return l.text(handle, l.ptxSize, l.ptx)
	})
	if err == nil {
		log = said
	}
	return ptx, code, log, err
}

func (l *Library) run(options []string, inputs []Input, output func(handle uintptr) []byte) (made, log []byte, err error) {
	// The library keeps pointers to its inputs until the link is complete.
	var kept [][]byte
	defer func() { runtime.KeepAlive(kept) }()
	text := func(s string) *byte {
		b := append([]byte(s), 0)
		kept = append(kept, b)
		return &b[0]
	}
	words := make([]*byte, len(options))
	for i, o := range options {
		words[i] = text(o)
	}
	var handle uintptr
	// Even if create fails, the handle can be used to read the log.
	defer func() {
		log = append(l.text(handle, l.notesSize, l.notes), l.text(handle, l.errorsSize, l.errors)...)
		l.destroy(&handle)
	}()
	if status := l.create(&handle, uint32(len(words)), &words[0]); status != 0 {
		return nil, nil, &StatusError{"nvJitLinkCreate", status}
	}
	for _, in := range inputs {
		if len(in.Data) == 0 {
			continue
		}
		kept = append(kept, in.Data)
		if status := l.addData(handle, in.Kind, &in.Data[0], uintptr(len(in.Data)), text(in.Name)); status != 0 {
			return nil, nil, &StatusError{"nvJitLinkAddData " + in.Name, status}
		}
	}
	status := l.complete(handle)
	made = output(handle)
	if status != 0 {
		return nil, nil, &StatusError{"nvJitLinkComplete", status}
	}
	if len(made) == 0 {
		return nil, nil, fmt.Errorf("the library made nothing")
	}
	return made, nil, nil
}

// text calls size for the size of a text, and then get for the text.
func (l *Library) text(handle uintptr, size func(uintptr, *uintptr) int32, get func(uintptr, *byte) int32) []byte {
	var n uintptr
	if handle == 0 || size(handle, &n) != 0 || n == 0 {
		return nil
	}
	b := make([]byte, n)
	if get(handle, &b[0]) != 0 {
		return nil
	}
	return b
}

package main

import (
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"
)

// A library is libnvJitLink, loaded. The names of its calls are those of its
// public header; every call gives 0 for success.
type library struct {
	create     func(handle *uintptr, count uint32, options **byte) int32
	destroy    func(handle *uintptr) int32
	addData    func(handle uintptr, kind inputKind, data *byte, size uintptr, name *byte) int32
	complete   func(handle uintptr) int32
	cubinSize  func(handle uintptr, size *uintptr) int32
	cubin      func(handle uintptr, data *byte) int32
	errorsSize func(handle uintptr, size *uintptr) int32
	errors     func(handle uintptr, data *byte) int32
	notesSize  func(handle uintptr, size *uintptr) int32
	notes      func(handle uintptr, data *byte) int32
}

// open loads the library.
func open(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l := &library{}
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
		{"nvJitLinkGetErrorLogSize", &l.errorsSize},
		{"nvJitLinkGetErrorLog", &l.errors},
		{"nvJitLinkGetInfoLogSize", &l.notesSize},
		{"nvJitLinkGetInfoLog", &l.notes},
	} {
		if _, err := purego.Dlsym(handle, f.name); err != nil {
			return nil, err
		}
		purego.RegisterLibFunc(f.to, handle, f.name)
	}
	return l, nil
}

// link links the named files, as read gives them, and gives the output and what the library
// says.
func (l *library) link(options, files []string, read func(string) ([]byte, error)) (image, log []byte, err error) {
	// The library keeps pointers to what it is given until it has linked.
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
	// The handle is good for the log even when it cannot be made.
	defer func() {
		log = append(l.text(handle, l.notesSize, l.notes), l.text(handle, l.errorsSize, l.errors)...)
		l.destroy(&handle)
	}()
	if status := l.create(&handle, uint32(len(words)), &words[0]); status != 0 {
		return nil, nil, fmt.Errorf("nvJitLinkCreate: status %d", status)
	}
	for _, name := range files {
		data, err := read(name)
		if err != nil {
			return nil, nil, err
		}
		if len(data) == 0 {
			continue // as nvlink does
		}
		kept = append(kept, data)
		if status := l.addData(handle, kindOf(name), &data[0], uintptr(len(data)), text(name)); status != 0 {
			return nil, nil, fmt.Errorf("nvJitLinkAddData %s: status %d", name, status)
		}
	}
	if status := l.complete(handle); status != 0 {
		return nil, nil, fmt.Errorf("nvJitLinkComplete: status %d", status)
	}
	image = l.text(handle, l.cubinSize, l.cubin)
	if len(image) == 0 {
		return nil, nil, fmt.Errorf("no cubin was made")
	}
	return image, nil, nil
}

// text asks for a size, then for as many bytes.
func (l *library) text(handle uintptr, size func(uintptr, *uintptr) int32, get func(uintptr, *byte) int32) []byte {
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

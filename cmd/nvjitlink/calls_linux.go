package main

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"

	calling "github.com/culink/culink/conformance/library"
	"github.com/culink/culink/linker/jitlink"
)

// With -calls before the library's path, the command plays scripts of calls for "cuconform run -library"
// (conformance/library.Serve). It makes each call in the same way as a C program.

// playCalls plays the scripts from in on a library. If threads is not 0, it plays them on that many threads at once.
func playCalls(path string, threads int, in io.Reader, out io.Writer) error {
	runtime.LockOSThread() // the library crashes if a link continues on another thread
	childrenSayNothing()
	c, err := openCalls(path)
	if err != nil {
		return err
	}
	var api calling.API = c
	if threads == 0 { // with several threads, the printed text cannot be assigned to a call
		o, err := observe(c)
		if err != nil {
			return err
		}
		api, out = o, o.replies
	}
	return calling.Serve(api, threads, in, out, func(f func()) {
		runtime.LockOSThread()
		f()
	})
}

// childrenSayNothing restores the default action of SIGCHLD. This program and culink's library each contain a Go
// runtime. When a compiler that the library has started ends, a thread of the library may get the signal, and this
// program's handler would crash there.
func childrenSayNothing() {
	var standard [4]uint64 // a zero sigaction is SIG_DFL
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGCHLD), uintptr(unsafe.Pointer(&standard)), 0, 8, 0, 0)
}

// An observed is a library whose printed text goes to a file, where it can be read.
type observed struct {
	*calls
	replies *os.File // the original standard output
	printed *os.File
}

// observe redirects the standard output and error of the process to an unnamed file.
func observe(c *calls) (*observed, error) {
	replies, err := syscall.Dup(1)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "nvjitlink-printed-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, err
	}
	for stream := 1; stream <= 2; stream++ {
		if err := syscall.Dup3(int(file.Fd()), stream, 0); err != nil {
			return nil, err
		}
	}
	return &observed{c, os.NewFile(uintptr(replies), "replies"), file}, nil
}

// Printed returns the text that was printed since the last call.
func (o *observed) Printed() string {
	text, err := io.ReadAll(io.NewSectionReader(o.printed, 0, 1<<30))
	if err != nil || len(text) == 0 {
		return ""
	}
	_ = o.printed.Truncate(0)
	_, _ = o.printed.Seek(0, io.SeekStart)
	return string(text)
}

// calls holds the addresses of the functions of a libnvJitLink.
type calls struct {
	entry map[string]uintptr

	mu sync.Mutex
	// kept holds memory to which the library may have pointers. NVIDIA's library keeps pointers until the link is complete.
	kept map[uint64][]any
}

// callNames lists the names in the public header, without their prefix.
var callNames = []string{
	"Create", "Destroy", "AddData", "AddFile", "Complete", "GetLinkedCubinSize", "GetLinkedCubin",
	"GetLinkedPtxSize", "GetLinkedPtx", "GetErrorLogSize", "GetErrorLog", "GetInfoLogSize", "GetInfoLog",
}

// laterNames lists the names that 12.3 and 13.2 added. For a library without them, this command returns UNRECOGNIZED_INPUT.
// No library with these functions returns that status from them.
var laterNames = []string{"Version", "GetLinkedLTOIRSize", "GetLinkedLTOIR"}

func openCalls(path string) (*calls, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	c := &calls{entry: map[string]uintptr{}, kept: map[uint64][]any{}}
	for _, name := range callNames {
		address, err := purego.Dlsym(handle, "nvJitLink"+name)
		if err != nil { // before 12.3, the library has only names with a version
			address, err = purego.Dlsym(handle, "__nvJitLink"+name+"_12_0")
		}
		if err != nil {
			return nil, err
		}
		c.entry[name] = address
	}
	for _, name := range laterNames {
		if address, err := purego.Dlsym(handle, "nvJitLink"+name); err == nil {
			c.entry[name] = address
		}
	}
	return c, nil
}

// keep keeps the arguments of a call alive until the handle is destroyed.
func (c *calls) keep(handle uint64, what ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[handle] = append(c.kept[handle], what...)
}

// call makes one call.
func (c *calls) call(name string, args ...uintptr) int32 {
	if c.entry[name] == 0 {
		return int32(jitlink.UnrecognizedInput)
	}
	r, _, _ := purego.SyscallN(c.entry[name], args...)
	return int32(r)
}

// address returns the address of a slice's first byte, or 0 for an empty slice.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// cString returns s as a C string.
func cString(s string) []byte { return append([]byte(s), 0) }

func (c *calls) Version(null bool) (result int32, major, minor uint32) {
	if null {
		return c.call("Version", 0, 0), 0, 0
	}
	r := c.call("Version", uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))
	return r, major, minor
}

func (c *calls) Create(handle *uint64, count int, options []*string) int32 {
	texts := make([][]byte, len(options))
	words := make([]uintptr, len(options)+1)
	for i, o := range options {
		if o != nil {
			texts[i] = cString(*o)
			words[i] = address(texts[i])
		}
	}
	list := uintptr(unsafe.Pointer(&words[0]))
	if options == nil {
		list = 0
	}
	r := c.call("Create", uintptr(unsafe.Pointer(handle)), uintptr(count), list)
	if handle != nil {
		c.keep(*handle, texts, words)
	}
	runtime.KeepAlive(texts)
	return r
}

func (c *calls) Destroy(handle *uint64) int32 {
	var old uint64
	if handle != nil {
		old = *handle
	}
	r := c.call("Destroy", uintptr(unsafe.Pointer(handle)))
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, old)
	return r
}

func (c *calls) AddData(handle uint64, kind int32, data []byte, size int, name *string) int32 {
	var text []byte
	if name != nil {
		text = cString(*name)
	}
	data = slices.Clip(bytes.Clone(data))
	c.keep(handle, data, text)
	return c.call("AddData", uintptr(handle), uintptr(kind), address(data), uintptr(size), address(text))
}

func (c *calls) AddFile(handle uint64, kind int32, name *string) int32 {
	var text []byte
	if name != nil {
		text = cString(*name)
	}
	c.keep(handle, text)
	return c.call("AddFile", uintptr(handle), uintptr(kind), address(text))
}

func (c *calls) Complete(handle uint64) int32 { return c.call("Complete", uintptr(handle)) }

func (c *calls) Size(handle uint64, what string, size *uint64) int32 {
	return c.call("Get"+what+"Size", uintptr(handle), uintptr(unsafe.Pointer(size)))
}

func (c *calls) Content(handle uint64, what string, to []byte) int32 {
	return c.call("Get"+what, uintptr(handle), address(to))
}

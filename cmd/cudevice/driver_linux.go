package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/culink/culink/conformance/device"
)

// A driver is the loaded libcuda. Its functions return 0 on success.
type driver struct {
	device       int32
	major, minor int32

	init          func(flags uint32) int32
	count         func(n *int32) int32
	name          func(text *byte, size int32, device int32) int32
	attribute     func(value *int32, attribute int32, device int32) int32
	errorName     func(status int32, text **byte) int32
	createContext func(context *uintptr, flags uint32, device int32) int32
	destroy       func(context uintptr) int32
	alloc         func(at *uint64, size uintptr) int32
	toDevice      func(at uint64, from *byte, size uintptr) int32
	fromDevice    func(to *byte, at uint64, size uintptr) int32
	load          func(module *uintptr, image *byte) int32
	variable      func(at *uint64, size *uintptr, module uintptr, name *byte) int32
	function      func(function *uintptr, module uintptr, name *byte) int32
	launch        func(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, params, extra *uintptr) int32
	synchronize   func() int32
}

// Numbers of the attributes of a device that form its compute capability.
const (
	attributeMajor = 75
	attributeMinor = 76
)

// open loads the driver and uses its first device.
func open() (device.Driver, string, error) {
	handle, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, "", err
	}
	d := &driver{}
	for _, f := range []struct {
		name string
		to   any
	}{
		{"cuInit", &d.init},
		{"cuDeviceGetCount", &d.count},
		{"cuDeviceGetName", &d.name},
		{"cuDeviceGetAttribute", &d.attribute},
		{"cuGetErrorName", &d.errorName},
		{"cuCtxCreate_v2", &d.createContext},
		{"cuCtxDestroy_v2", &d.destroy},
		{"cuMemAlloc_v2", &d.alloc},
		{"cuMemcpyHtoD_v2", &d.toDevice},
		{"cuMemcpyDtoH_v2", &d.fromDevice},
		{"cuModuleLoadData", &d.load},
		{"cuModuleGetGlobal_v2", &d.variable},
		{"cuModuleGetFunction", &d.function},
		{"cuLaunchKernel", &d.launch},
		{"cuCtxSynchronize", &d.synchronize},
	} {
		if _, err := purego.Dlsym(handle, f.name); err != nil {
			return nil, "", err
		}
		purego.RegisterLibFunc(f.to, handle, f.name)
	}
	var devices int32
	if err := errors.Join(d.fail(d.init(0)), d.fail(d.count(&devices))); err != nil {
		return nil, "", err
	}
	if devices == 0 {
		return nil, "", errors.New("the driver has no device")
	}
	name := make([]byte, 256)
	err = errors.Join(
		d.fail(d.name(&name[0], int32(len(name)), d.device)),
		d.fail(d.attribute(&d.major, attributeMajor, d.device)),
		d.fail(d.attribute(&d.minor, attributeMinor, d.device)))
	text, _, _ := bytes.Cut(name, []byte{0})
	return d, string(text), err
}

// fail returns the error for a status, with the driver's name for it.
func (d *driver) fail(status int32) error {
	if status == 0 {
		return nil
	}
	var name *byte
	if d.errorName(status, &name) != 0 || name == nil {
		return fmt.Errorf("CUDA error %d", status)
	}
	length := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(name), length)) != 0 {
		length++
	}
	return errors.New(string(unsafe.Slice(name, length)))
}

func (d *driver) Capability() (major, minor int) { return int(d.major), int(d.minor) }

func (d *driver) Open() (device.Context, error) {
	c := &cudaContext{driver: d}
	if err := d.fail(d.createContext(&c.handle, 0, d.device)); err != nil {
		return nil, err
	}
	return c, nil
}

// A cudaContext is a context of the driver. It must be the current context of the thread.
type cudaContext struct {
	*driver
	handle uintptr
}

func (c *cudaContext) Close() { c.destroy(c.handle) }

func (c *cudaContext) Alloc(size int) (at uint64, err error) {
	err = c.fail(c.alloc(&at, uintptr(size)))
	return at, err
}

func (c *cudaContext) Write(at uint64, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return c.fail(c.toDevice(at, &data[0], uintptr(len(data))))
}

func (c *cudaContext) Read(at uint64, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return c.fail(c.fromDevice(&data[0], at, uintptr(len(data))))
}

func (c *cudaContext) Load(image []byte) (device.Module, error) {
	if len(image) == 0 {
		return nil, errors.New("an empty image")
	}
	m := &module{cudaContext: c}
	return m, c.fail(c.load(&m.handle, &image[0]))
}

// A module is an image in a context.
type module struct {
	*cudaContext
	handle uintptr
}

func (m *module) Variable(name string) (at uint64, size int, err error) {
	var bytes uintptr
	err = m.fail(m.variable(&at, &bytes, m.handle, text(name)))
	return at, int(bytes), err
}

// Special words in the list with which the driver gets a kernel's parameters as one block of memory.
const (
	listEnd       = 0
	listParameter = 1
	listSize      = 2
)

func (m *module) Launch(k *device.Kernel, arguments []byte) error {
	var function uintptr
	if err := m.fail(m.function(&function, m.handle, text(k.Name))); err != nil {
		return err
	}
	var pinned runtime.Pinner
	defer pinned.Unpin()
	size := uintptr(len(arguments))
	arguments = append(arguments, 0)
	pinned.Pin(&arguments[0])
	pinned.Pin(&size)
	list := []uintptr{
		listParameter, uintptr(unsafe.Pointer(&arguments[0])),
		listSize, uintptr(unsafe.Pointer(&size)), listEnd,
	}
	err := m.fail(m.launch(function, k.Grid[0], k.Grid[1], k.Grid[2], k.Block[0], k.Block[1], k.Block[2], k.Shared, 0, nil, &list[0]))
	if err != nil {
		return err
	}
	return m.fail(m.synchronize())
}

// text returns a C string.
func text(s string) *byte {
	b := append([]byte(s), 0)
	return &b[0]
}

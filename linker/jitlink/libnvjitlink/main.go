// Command libnvjitlink is the shared library libnvJitLink.so.13 or libnvJitLink.so.12, built by build.sh. It is
// package linker/jitlink with the C interface of NVIDIA's library, so that programs that link CUDA device code
// at run time can use culink without changes (docs/nvjitlink.md).
//
// Only this folder needs a C compiler. Everything that does not need C is in linker/jitlink. The functions here
// copy arguments in and results out, and handle null pointers.
package main

// #include "nvJitLink.h"
//
// typedef const char *text;
// typedef const char **texts;
// typedef const void *bytes;
//
// // The result of a call with a null argument. CUDA 12 has no NULL_INPUT (JIT-118).
// enum { NULL_RESULT = NVJITLINK_MAJOR == 12 ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_ERROR_NULL_INPUT };
//
// const char *ownFile(void);
// void setRelease(unsigned int major, unsigned int minor);
import "C"

import (
	"context"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/jitlink"
	"github.com/culink/culink/linker/lto"
	"github.com/culink/culink/linker/option"
)

// ballast is memory that is never accessed, so that the system never allocates it. The garbage collector runs
// when as many bytes were allocated as are in use, but not before 4 MiB, which is 40 small links. With ballast
// it runs every 8 MiB. A large link has more memory of its own, and the ballast does not change how it is
// collected.
var ballast = make([]byte, 8<<20)

// library is shared by all callers in the process.
var library = newLibrary()

// newLibrary determines the release and the compilers. It looks for the PTX compiler at once. The compiler for
// intermediate code is looked for when a link needs it.
func newLibrary() *jitlink.Library {
	toolkit, err := jitlink.Release(C.NVJITLINK_MAJOR, os.Getenv(option.ToolkitVariable)) // never nil
	ptxas := input.FindPTXAS("")
	keeper := helper.Find(lto.HelperName, ownFolder()) // programs that have loaded the library may wait for its children
	l := &jitlink.Library{
		Context: helper.Through(context.Background(), keeper),
		Toolkit: toolkit, Unusable: err,
		PTXAS: ptxas, CompileLTO: jitlink.AskCompiler(lto.Search{PTXAS: ptxas, Beside: ownFolder()}),
		Answer: answerBy(os.Getenv(option.AdviceVariable), toolkit, os.Stderr),
	}
	if major, minor := l.Version(); major == C.NVJITLINK_MAJOR {
		C.setRelease(C.uint(major), C.uint(minor))
	}
	return l
}

// goReady returns as soon as the library is initialised. Calls from C wait for that.
//
//export goReady
func goReady() {}

// ownFolder returns the folder of the shared library, with symbolic links resolved, or an empty string if it is
// unknown.
func ownFolder() string {
	file, err := filepath.Abs(C.GoString(C.ownFile()))
	if err != nil {
		return ""
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return ""
	}
	return filepath.Dir(file)
}

func main() {} // a shared library does not use it, but Go requires it

// handleOf returns the number in a handle.
func handleOf(h C.nvJitLinkHandle) jitlink.Handle {
	return jitlink.Handle(uintptr(unsafe.Pointer(h)))
}

//export goCreate
func goCreate(handle *C.nvJitLinkHandle, count C.uint32_t, options C.texts) C.nvJitLinkResult {
	if handle == nil || options == nil {
		return C.NULL_RESULT
	}
	words := make([]string, count)
	for i, word := range unsafe.Slice((**C.char)(options), count) {
		if word == nil {
			return C.NULL_RESULT
		}
		words[i] = C.GoString(word)
	}
	h, result := library.Create(words)
	*(*uintptr)(unsafe.Pointer(handle)) = uintptr(h)
	return C.nvJitLinkResult(result)
}

//export goDestroy
func goDestroy(handle *C.nvJitLinkHandle) C.nvJitLinkResult {
	if handle == nil || *handle == nil {
		return C.NULL_RESULT
	}
	result := library.Destroy(handleOf(*handle))
	if result == jitlink.Success {
		*handle = nil
	}
	return C.nvJitLinkResult(result)
}

//export goAddData
func goAddData(handle C.nvJitLinkHandle, kind C.nvJitLinkInputType, data C.bytes, size C.size_t, name C.text) C.nvJitLinkResult {
	switch {
	case handle == nil:
		return C.NULL_RESULT
	case data == nil || size == 0:
		return C.nvJitLinkResult(library.AddData(handleOf(handle), jitlink.InputType(kind), nil, nameOf(name)))
	}
	content := unsafe.Slice((*byte)(unsafe.Pointer(data)), size)
	return C.nvJitLinkResult(library.AddData(handleOf(handle), jitlink.InputType(kind), content, nameOf(name)))
}

// nameOf returns the name of an input. A missing name is shown as in C.
func nameOf(name C.text) string {
	if name == nil {
		return "(null)"
	}
	return C.GoString(name)
}

//export goAddFile
func goAddFile(handle C.nvJitLinkHandle, kind C.nvJitLinkInputType, name C.text) C.nvJitLinkResult {
	if handle == nil || name == nil {
		return C.NULL_RESULT
	}
	return C.nvJitLinkResult(library.AddFile(handleOf(handle), jitlink.InputType(kind), C.GoString(name)))
}

//export goComplete
func goComplete(handle C.nvJitLinkHandle) C.nvJitLinkResult {
	if handle == nil {
		return C.NULL_RESULT
	}
	return C.nvJitLinkResult(library.Complete(handleOf(handle)))
}

// A reader returns one of the results of a link.
type reader func(jitlink.Handle) ([]byte, jitlink.Result)

// sizeOf writes the number of bytes of a result.
func sizeOf(read reader, handle C.nvJitLinkHandle, size *C.size_t) C.nvJitLinkResult {
	if handle == nil || size == nil {
		return C.NULL_RESULT
	}
	data, result := read(handleOf(handle))
	if result == jitlink.Success {
		*size = C.size_t(len(data))
	}
	return C.nvJitLinkResult(result)
}

// copyOf writes the bytes of a result, or end if there are none.
func copyOf(read reader, handle C.nvJitLinkHandle, to unsafe.Pointer, end []byte) C.nvJitLinkResult {
	if handle == nil || to == nil {
		return C.NULL_RESULT
	}
	data, result := read(handleOf(handle))
	if result != jitlink.Success {
		return C.nvJitLinkResult(result)
	}
	if len(data) == 0 {
		data = end
	}
	copy(unsafe.Slice((*byte)(to), len(data)), data)
	return C.NVJITLINK_SUCCESS
}

// emptyText is written when an empty log is read.
var emptyText = []byte{0}

//export goGetLinkedCubinSize
func goGetLinkedCubinSize(handle C.nvJitLinkHandle, size *C.size_t) C.nvJitLinkResult {
	return sizeOf(library.LinkedCubin, handle, size)
}

//export goGetLinkedCubin
func goGetLinkedCubin(handle C.nvJitLinkHandle, to unsafe.Pointer) C.nvJitLinkResult {
	return copyOf(library.LinkedCubin, handle, to, nil)
}

//export goGetLinkedPtxSize
func goGetLinkedPtxSize(handle C.nvJitLinkHandle, size *C.size_t) C.nvJitLinkResult {
	return sizeOf(library.LinkedPTX, handle, size)
}

//export goGetLinkedPtx
func goGetLinkedPtx(handle C.nvJitLinkHandle, to *C.char) C.nvJitLinkResult {
	return copyOf(library.LinkedPTX, handle, unsafe.Pointer(to), nil)
}

//export goGetLinkedLTOIRSize
func goGetLinkedLTOIRSize(handle C.nvJitLinkHandle, size *C.size_t) C.nvJitLinkResult {
	return sizeOf(library.LinkedLTOIR, handle, size)
}

//export goGetLinkedLTOIR
func goGetLinkedLTOIR(handle C.nvJitLinkHandle, to unsafe.Pointer) C.nvJitLinkResult {
	return copyOf(library.LinkedLTOIR, handle, to, nil)
}

//export goGetErrorLogSize
func goGetErrorLogSize(handle C.nvJitLinkHandle, size *C.size_t) C.nvJitLinkResult {
	return sizeOf(library.ErrorLog, handle, size)
}

//export goGetErrorLog
func goGetErrorLog(handle C.nvJitLinkHandle, to *C.char) C.nvJitLinkResult {
	return copyOf(library.ErrorLog, handle, unsafe.Pointer(to), emptyText)
}

//export goGetInfoLogSize
func goGetInfoLogSize(handle C.nvJitLinkHandle, size *C.size_t) C.nvJitLinkResult {
	return sizeOf(library.InfoLog, handle, size)
}

//export goGetInfoLog
func goGetInfoLog(handle C.nvJitLinkHandle, to *C.char) C.nvJitLinkResult {
	return copyOf(library.InfoLog, handle, unsafe.Pointer(to), emptyText)
}

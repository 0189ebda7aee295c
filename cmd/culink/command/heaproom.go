package command

import (
	"iter"
	"unsafe"
)

// A large link touches about ten thousand new pages of memory, and the page faults took a fifth of its time. With huge
// pages they cost almost nothing, but the Go runtime does not request huge pages. A request has no effect on memory that
// the runtime has not yet mapped, and the memory of an object is in use until a collection. So culink requests huge
// pages where the runtime will allocate next. There are two ways to do this.

// The first way: the runtime maps memory in steps. The program allocates an object of slightly more than one step and
// never touches it. Up to two steps then remain for the next allocations. This is enough for a link of one or two
// hundred kernels. A link of two small files fills less than one huge page.
const heapStep = 4 << 20

// askForHugePagesNext requests huge pages for the next allocations.
func askForHugePagesNext() {
	piece := make([]byte, heapStep+1)
	from := uintptr(unsafe.Pointer(&piece[heapStep]))
	askForHugePages(from, (from+2*heapStep)/heapStep*heapStep) // the first step may hold all of the piece
}

// The second way: a stack is contiguous memory, and the runtime can use that memory again as soon as the goroutine of the
// stack ends. So a coroutine with a stack of the expected size of the heap requests huge pages for its stack. The
// coroutine ends before its caller continues, and the runtime then allocates from that memory first. Only pages that are
// touched use physical memory.

// The size of a Room is an amount of memory for the heap. The size of a stack is a power of two, and the stack also holds
// other data.
type (
	largeRoom [leastOfLarge - besides]byte
	hugeRoom  [mostRoom - besides]byte
)

// mostRoom is the largest room in bytes. It uses as much address space. A larger heap uses small pages for the rest.
const mostRoom = 256 << 20

// besides is an upper bound for other data on the stack.
const besides = 64 << 10

// makeRoom requests huge pages for the next allocations, up to the size of a Room.
func makeRoom[Room any]() {
	next, _ := iter.Pull(func(func(struct{}) bool) { stretchStack[Room](nil) })
	next()
}

// stretchStack makes its stack grow by the size of a Room: the stack must have space for the result of a call that is
// never made.
//
//go:noinline
func stretchStack[Room any](never func() Room) {
	if never != nil {
		never()
	}
	var result *Room
	top := uintptr(unsafe.Pointer(&never))
	askForHugePages(top-unsafe.Sizeof(*result), top)
}

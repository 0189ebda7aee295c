package command

import (
	"iter"
	"unsafe"
)

// A large link fills some ten thousand pages of fresh memory, and the system's work for these was a
// fifth of its time. With huge pages, which the runtime does not ask for, it is next to nothing. What
// is asked of memory before the runtime takes it is lost, and what it has taken for an object is in
// use until a collection. So huge pages are asked for where the runtime goes on, in one of two ways.

// The runtime takes memory from the system in steps. A piece that is a little more than one step
// and is never filled leaves one to two steps behind it, for all that is allocated next: enough for
// a link of one or two hundred kernels. A link of two small files fills less than one huge page.
const heapStep = 4 << 20

// askForHugePagesNext asks for huge pages for what is allocated next.
func askForHugePagesNext() {
	piece := make([]byte, heapStep+1)
	from := uintptr(unsafe.Pointer(&piece[heapStep]))
	askForHugePages(from, (from+2*heapStep)/heapStep*heapStep) // the first step may hold all of the piece
}

// A stack is one piece of memory, and free as soon as its goroutine ends. So a coroutine with a stack
// as large as the heap will be asks for huge pages there. It has ended when its caller goes on, and the
// runtime fills that piece first. Only what is filled becomes memory.

// Rooms for the heap: stacks have sizes of powers of two, and something else is on them.
type (
	largeRoom [leastOfLarge - besides]byte
	hugeRoom  [mostRoom - besides]byte
)

// mostRoom is the largest room, in bytes: it takes as much address space. What a heap takes beyond it is in small pages.
const mostRoom = 256 << 20

// besides is more than anything else takes of the stack.
const besides = 64 << 10

// makeRoom asks for huge pages for what is allocated next, as much as fits into a Room.
func makeRoom[Room any]() {
	next, _ := iter.Pull(func(func(struct{}) bool) { stretchStack[Room](nil) })
	next()
}

// stretchStack has room on its stack for the result of a call that it never makes.
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

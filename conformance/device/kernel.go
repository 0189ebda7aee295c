package device

import (
	"encoding/binary"
	"math"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
)

// An image tells how a kernel is launched, but not what its parameters mean. So this package guesses the parameters from
// their sizes, in the same way for every image. Eight bytes are a pointer into one block of memory, and fewer bytes are
// a small number. A kernel that gets a pointer instead of a count may fault or not end. That is a valid result too,
// because two correct images have the same result.

// A Kernel is one launch of a kernel.
type Kernel struct {
	Name   string    `json:"name"`
	Params []Param   `json:"params,omitempty"`
	Grid   [3]uint32 `json:"grid"`
	Block  [3]uint32 `json:"block"`
	Shared uint32    `json:"shared"` // bytes of dynamic shared memory
}

// A Param is the offset and size of a parameter.
type Param struct {
	Offset uint32 `json:"offset"` // bytes from the first one
	Size   uint32 `json:"size"`   // bytes
}

const (
	arenaSize = 1 << 20 // size of the memory in which all pointers point
	slotSize  = 1 << 16 // distance in bytes between the targets of two pointers
	count     = 32      // value of parameters of at most four bytes

	dynamicShared = 8 << 10 // bytes; every device has this much in addition to static memory
	maxShared     = 48 << 10
)

// NewJob lists the kernels and variables of an image. If an image is damaged or not an executable, it lists no kernels,
// and the driver reports the error.
func NewJob(image []byte) Job {
	job := Job{Image: image}
	part := inspect.Read("image", image)
	if part.Cubin == nil || part.Cubin.Unlinked {
		return job
	}
	for i := range part.Cubin.Functions {
		if f := &part.Cubin.Functions[i]; f.Kernel {
			job.Kernels = append(job.Kernels, newKernel(f))
		}
	}
	job.Variables = variables(image)
	return job
}

func newKernel(f *inspect.Function) Kernel {
	k := Kernel{Name: f.Name, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{count, 1, 1}}
	copy(k.Block[:], f.Required)
	if len(f.Required) == 0 && len(f.Threads) > 0 {
		k.Block[0] = min(count, f.Threads[0])
	}
	copy(k.Grid[:], f.Cluster)
	if f.Shared+dynamicShared <= maxShared {
		k.Shared = dynamicShared
	}
	for _, p := range f.Parameters {
		k.Params = append(k.Params, Param{p.Offset, p.Size})
	}
	return k
}

// variables returns the variables in global and constant memory that the driver can find by name.
func variables(image []byte) (names []string) {
	f, err := cubin.Open("image", image)
	if err != nil {
		return nil
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil
	}
	for i := range symbols {
		if y := &symbols[i]; y.Type == cubin.SymObject && y.Defined() && y.Bind != cubin.BindLocal {
			names = append(names, y.Name)
		}
	}
	return names
}

// arguments returns the bytes of a kernel's parameters, with pointers into the arena at base.
func (k *Kernel) arguments(base uint64) []byte {
	end := uint32(0)
	for _, p := range k.Params {
		end = max(end, p.Offset+p.Size)
	}
	const most = 1 << 15 // bytes; no kernel has more
	b := make([]byte, min(end, most))
	slots := uint64(0)
	for _, p := range k.Params {
		for at, left := p.Offset, p.Size; left > 0 && at < uint32(len(b)); {
			room := b[at:]
			switch {
			case at%8 == 0 && left >= 8 && len(room) >= 8:
				binary.LittleEndian.PutUint64(room, base+slots%(arenaSize/slotSize)*slotSize)
				slots++
				at, left = at+8, left-8
			case at%4 == 0 && left >= 4 && len(room) >= 4:
				binary.LittleEndian.PutUint32(room, count)
				at, left = at+4, left-4
			default:
				room[0] = 1
				at, left = at+1, left-1
			}
		}
	}
	return b
}

// newArena returns the initial memory of the arguments: words that are small integers, and words that are small floats.
func newArena() []byte {
	b := make([]byte, arenaSize)
	state := uint32(1)
	for at := 0; at < len(b); at += 4 {
		state = state*1664525 + 1013904223
		word := state >> 26
		if state&(1<<25) != 0 {
			word = math.Float32bits(float32(word) / 8)
		}
		binary.LittleEndian.PutUint32(b[at:], word)
	}
	return b
}

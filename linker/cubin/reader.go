package cubin

import (
	"fmt"
	"io"
	"math"
	"os"
)

// NewFile reads a cubin from r, as [Open] does from memory. In errors, the name of the file is that of r if r
// has a name, as an *os.File has, and "cubin" otherwise. If r does not begin like an ELF file, only its start
// is read. r is not needed after the call.
func NewFile(r io.ReaderAt) (*File, error) {
	name := "cubin"
	if named, ok := r.(interface{ Name() string }); ok {
		name = named.Name()
	}
	all := io.NewSectionReader(r, 0, math.MaxInt64)
	head := make([]byte, len(magic))
	if n, err := io.ReadFull(all, head); err == io.EOF || err == io.ErrUnexpectedEOF || err == nil && string(head) != magic {
		return Open(name, head[:n])
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rest, err := io.ReadAll(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Open(name, append(head, rest...))
}

// OpenFile reads the cubin in a file. System errors are those of package os.
func OpenFile(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return NewFile(f)
}

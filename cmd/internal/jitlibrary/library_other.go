//go:build !linux && !windows

package jitlibrary

// A Library cannot be loaded on this system.
type Library struct{}

// Open returns [ErrUnsupported].
func Open(string) (*Library, error) { return nil, ErrUnsupported }

// Link returns [ErrUnsupported].
func (*Library) Link([]string, []Input) (cubin, log []byte, err error) {
	return nil, nil, ErrUnsupported
}

// Compile returns [ErrUnsupported].
func (*Library) Compile([]string, []Input) (ptx, code, log []byte, err error) {
	return nil, nil, nil, ErrUnsupported
}

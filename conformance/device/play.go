package device

import "maps"

// A Driver is the part of the CUDA driver that this package needs.
type Driver interface {
	// Capability returns the compute capability of the device, such as 9, 0.
	Capability() (major, minor int)
	// Open creates a context. A faulting kernel damages only its own context.
	Open() (Context, error)
}

// A Context holds memory and modules. Its errors contain the driver's name for the error.
type Context interface {
	Alloc(size int) (at uint64, err error)
	Write(at uint64, data []byte) error
	Read(at uint64, data []byte) error
	Load(image []byte) (Module, error)
	Close()
}

// A Module is an image in a context.
type Module interface {
	// Variable finds a variable. It returns an error if the driver does not know the name.
	Variable(name string) (at uint64, size int, err error)
	// Launch runs a kernel to its end.
	Launch(k *Kernel, arguments []byte) error
}

// maxVariable is the number of bytes of a variable that are compared.
const maxVariable = 1 << 20

// Play runs a job. Each kernel has a separate context, so that no kernel sees the effects of another. An error is a
// failure of the driver, and not of the image.
func Play(d Driver, job *Job) (*Trace, error) {
	trace := &Trace{}
	arena := newArena()
	if len(job.Kernels) == 0 {
		return trace, withModule(d, job.Image, trace, arena, func(Context, uint64, Module) error { return nil })
	}
	for i := range job.Kernels {
		k := &job.Kernels[i]
		result := Result{Kernel: k.Name}
		err := withModule(d, job.Image, trace, arena, func(c Context, base uint64, m Module) error {
			return result.play(c, base, m, k, job.Variables, arena)
		})
		if err != nil {
			return nil, err
		}
		if trace.Refused != "" {
			return trace, nil
		}
		trace.Results = append(trace.Results, result)
	}
	return trace, nil
}

// withModule loads an image into a new context. The memory of the arguments is allocated first, so that its address
// does not depend on the size of the image.
func withModule(d Driver, image []byte, trace *Trace, arena []byte, do func(Context, uint64, Module) error) error {
	c, err := d.Open()
	if err != nil {
		return err
	}
	defer c.Close()
	base, err := c.Alloc(len(arena))
	if err == nil {
		err = c.Write(base, arena)
	}
	if err != nil {
		return err
	}
	m, err := c.Load(image)
	if err != nil {
		trace.Refused = err.Error()
		return nil
	}
	return do(c, base, m)
}

// play runs one kernel and records the memory that it changed.
func (r *Result) play(c Context, base uint64, m Module, k *Kernel, variables []string, arena []byte) error {
	before, err := contents(c, m, variables)
	if err != nil {
		return err
	}
	if err := m.Launch(k, k.arguments(base)); err != nil {
		r.Fault = err.Error()
		return nil
	}
	after, err := contents(c, m, variables)
	if err != nil {
		return err
	}
	for name := range maps.Keys(after) {
		r.keep("variable."+name, before[name], after[name])
	}
	now := make([]byte, len(arena))
	if err := c.Read(base, now); err != nil {
		return err
	}
	r.keep("arguments", arena, now)
	return nil
}

// contents returns the bytes of variables. The driver does not know variables that are not visible in the module.
func contents(c Context, m Module, variables []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, name := range variables {
		at, size, err := m.Variable(name)
		if err != nil {
			continue
		}
		data := make([]byte, min(size, maxVariable))
		if err := c.Read(at, data); err != nil {
			return nil, err
		}
		out[name] = data
	}
	return out, nil
}

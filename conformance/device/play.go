package device

import "maps"

// A Driver is what a run needs of the CUDA driver.
type Driver interface {
	// Capability is the compute capability of the device: 9, 0.
	Capability() (major, minor int)
	// Open makes a context. What a kernel breaks, it breaks in its context alone.
	Open() (Context, error)
}

// A Context holds memory and modules. Errors say the driver's name for what is wrong.
type Context interface {
	Alloc(size int) (at uint64, err error)
	Write(at uint64, data []byte) error
	Read(at uint64, data []byte) error
	Load(image []byte) (Module, error)
	Close()
}

// A Module is an image in a context.
type Module interface {
	// Variable finds a variable; an error where the driver does not know its name.
	Variable(name string) (at uint64, size int, err error)
	// Launch runs a kernel to its end.
	Launch(k *Kernel, arguments []byte) error
}

// maxVariable is how many bytes of a variable count.
const maxVariable = 1 << 20

// Play runs a job. Each kernel has a context of its own, so that no kernel sees what another
// left. The error is about the driver, not about the image.
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

// withModule loads an image into a new context, after the memory of the arguments, which so
// has one address whatever the size of the image is.
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

// play runs one kernel, and notes which memory it changed.
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

// contents are the bytes of variables. The driver does not know those that no module shows.
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

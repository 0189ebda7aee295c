package device

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/culink/culink/corpus"
)

// fake is a driver whose images are texts. A text has a line "NAME WHAT" for each kernel and a line "var NAME" for each
// variable. WHAT is a key of deeds.
type fake struct {
	runs int // of kernels
}

var errDead = errors.New("CUDA_ERROR_CONTEXT_IS_DESTROYED")

// deeds lists what a kernel of a fake can do to the memory at its first pointer.
var deeds = map[string]func(f *fake, arguments []byte) error{
	"nothing": func(*fake, []byte) error { return nil },
	"add":     func(_ *fake, b []byte) error { b[4]++; return nil },
	"other":   func(_ *fake, b []byte) error { b[4] += 2; return nil },
	"faults":  func(*fake, []byte) error { return errors.New("CUDA_ERROR_ILLEGAL_ADDRESS") },
	"clock":   func(f *fake, b []byte) error { b[8] = byte(f.runs); b[4]++; return nil },
	"hangs":   func(*fake, []byte) error { time.Sleep(time.Hour); return nil },
}

func (f *fake) Capability() (major, minor int) { return 9, 0 }

func (f *fake) Open() (Context, error) { return &fakeContext{fake: f}, nil }

// fakeBase is the address of a fake's memory.
const fakeBase = 0x7f0000000000

type fakeContext struct {
	*fake
	memory []byte
	dead   bool
}

func (c *fakeContext) Close() { c.dead = true }

func (c *fakeContext) Alloc(size int) (uint64, error) {
	at := uint64(fakeBase + len(c.memory))
	c.memory = append(c.memory, make([]byte, size)...)
	return at, nil
}

func (c *fakeContext) at(at uint64, size int) ([]byte, error) {
	if c.dead || at < fakeBase || at+uint64(size) > fakeBase+uint64(len(c.memory)) {
		return nil, errDead
	}
	return c.memory[at-fakeBase:][:size], nil
}

func (c *fakeContext) Write(at uint64, data []byte) error {
	b, err := c.at(at, len(data))
	copy(b, data)
	return err
}

func (c *fakeContext) Read(at uint64, data []byte) error {
	b, err := c.at(at, len(data))
	copy(data, b)
	return err
}

func (c *fakeContext) Load(image []byte) (Module, error) {
	m := &fakeModule{c, map[string]string{}, map[string]uint64{}}
	for line := range strings.Lines(string(image)) {
		name, what, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, errors.New("CUDA_ERROR_INVALID_IMAGE")
		}
		if name == "var" {
			m.variables[what], _ = c.Alloc(16)
			continue
		}
		m.kernels[name] = what
	}
	return m, nil
}

type fakeModule struct {
	*fakeContext
	kernels   map[string]string
	variables map[string]uint64
}

func (m *fakeModule) Variable(name string) (uint64, int, error) {
	at, ok := m.variables[name]
	if !ok {
		return 0, 0, errors.New("CUDA_ERROR_NOT_FOUND")
	}
	return at, 16, nil
}

func (m *fakeModule) Launch(k *Kernel, arguments []byte) error {
	m.runs++
	if what, ok := strings.CutPrefix(m.kernels[k.Name], "set "); ok {
		return m.Write(m.variables[what], []byte{byte(len(k.Name))})
	}
	b, err := m.at(binary.LittleEndian.Uint64(arguments), slotSize)
	if err != nil {
		return err
	}
	return deeds[m.kernels[k.Name]](m.fake, b)
}

// job returns a job for a fake's image.
func job(image string) *Job {
	j := &Job{Image: []byte(image)}
	for line := range strings.Lines(image) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "var" {
			j.Variables = append(j.Variables, what)
		} else {
			j.Kernels = append(j.Kernels, Kernel{Name: name, Params: []Param{{0, 8}}})
		}
	}
	return j
}

func play(t *testing.T, f *fake, image string) *Trace {
	t.Helper()
	trace, err := Play(f, job(image))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// Compare finds whether two images behave the same, kernel by kernel. It ignores differences between two runs of one
// image.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name, want, got string
		keys            []string
	}{
		{"the same", "k add", "k add", nil},
		{"another value", "k add", "k other", []string{"k.arguments"}},
		{"no write", "k add", "k nothing", []string{"k.arguments"}},
		{"a write too many", "k nothing", "k add", []string{"k.arguments"}},
		{"a fault", "k add", "k faults", []string{"k.fault"}},
		{"no fault", "k faults", "k add", []string{"k.fault"}},
		{"the same fault", "k faults", "k faults", nil},
		{"a clock", "k clock", "k clock", nil},
		{"a write beside a clock", "k clock", "k clock\nj add", nil},
		{"a variable", "var v\nk set v", "var v\nk nothing", []string{"k.variable.v"}},
		{"one kernel of two", "k add\nj add", "k add\nj other", []string{"j.arguments"}},
		{"no kernel sees what another left", "k add\nj add", "j add\nk add", nil},
		{"a kernel that is not there", "k add\nj add", "k add", []string{"j"}},
		{"an image that does not load", "k add", "damaged", []string{"load"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			var keys []string
			for _, d := range Compare(play(t, f, tt.want), play(t, f, tt.want), play(t, f, tt.got)) {
				keys = append(keys, d.Key)
			}
			if d := cmp.Diff(tt.keys, keys); d != "" {
				t.Error(d)
			}
		})
	}
}

// Every byte of a kernel's parameters is set. Words of eight bytes are pointers into the arena.
func TestArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Kernel{}
		at := uint32(0)
		for range rapid.IntRange(0, 40).Draw(t, "parameters") {
			size := rapid.SampledFrom([]uint32{1, 2, 4, 8, 12, 16, 64, 3}).Draw(t, "size")
			at = (at + min(size, 8) - 1) / min(size, 8) * min(size, 8)
			k.Params = append(k.Params, Param{at, size})
			at += size
		}
		b := k.arguments(fakeBase)
		if len(b) != int(at) {
			t.Fatalf("%d bytes, want %d", len(b), at)
		}
		for _, p := range k.Params {
			if p.Size == 8 {
				if to := binary.LittleEndian.Uint64(b[p.Offset:]) - fakeBase; to%slotSize != 0 || to >= arenaSize {
					t.Fatalf("parameter at %d leads to %#x of the arena", p.Offset, to)
				}
			}
			if bytes.Equal(b[p.Offset:][:p.Size], make([]byte, p.Size)) {
				t.Fatalf("parameter at %d is zero", p.Offset)
			}
		}
	})
}

// The job of a recorded image has the kernels of the image, with their parameters, and its variables.
func TestNewJob(t *testing.T) {
	const name = "global/global-concatenated/sm_80/1.out/out.cubin"
	image, err := corpus.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	job := NewJob(image)
	if len(job.Kernels) == 0 || len(job.Variables) == 0 {
		t.Errorf("%d kernels, variables %q", len(job.Kernels), job.Variables)
	}
	for _, k := range job.Kernels {
		if k.Block[0] == 0 || k.Grid[0] == 0 {
			t.Errorf("%s: grid %v, block %v", k.Name, k.Grid, k.Block)
		}
	}
	if job := NewJob([]byte("no image")); len(job.Kernels) > 0 {
		t.Errorf("kernels %v of no image", job.Kernels)
	}
}

// The test program also serves as the command of a Runner. With the first argument "serve=device" it has a fake device,
// and with "serve=none" it has no device.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "serve=device":
			if err := Serve(&fake{}, "fake", os.Stdin, os.Stdout); err != nil {
				os.Exit(1)
			}
			return
		case "serve=none":
			os.Stdout.WriteString(`{"error":"no driver"}` + "\n")
			return
		}
	}
	os.Exit(m.Run())
}

// Images run in another process. A kernel that does not end is reported as a fault, and the next kernel runs.
func TestRunner(t *testing.T) {
	r, err := Start(t.Context(), []string{os.Args[0], "serve=device"}, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Device != "fake" || !r.Runs("90") || !r.Runs("90a") || r.Runs("80") || r.Runs("100") || r.Runs("") {
		t.Errorf("device %+v", r.Greeting)
	}
	trace, err := r.Run(t.Context(), job("k add\nh hangs\nj add"))
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, result := range trace.Results {
		faults = append(faults, result.Fault)
	}
	if d := cmp.Diff([]string{"", "no end in 2s", ""}, faults); d != "" {
		t.Error(d)
	}
	direct := play(t, &fake{}, "k add")
	if d := cmp.Diff(direct.Results[0], trace.Results[0]); d != "" {
		t.Error(d)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Run(canceled, job("k hangs")); err == nil {
		t.Error("a run that was canceled has a trace")
	}
}

// Start returns ErrNone if the command finds no device, and another error if the command does not exist.
func TestNoDevice(t *testing.T) {
	for _, command := range [][]string{{os.Args[0], "serve=none"}, {"/nonexistent/cudevice"}} {
		if _, err := Start(t.Context(), command, time.Second); !errors.Is(err, ErrNone) {
			t.Errorf("%v: %v", command, err)
		}
	}
}

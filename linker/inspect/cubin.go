package inspect

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// This file describes a cubin from its own data: header, notes, and the attributes of its functions.

// A Cubin describes one device ELF.
type Cubin struct {
	Target    string     `json:"target"` // "sm_90a"
	Virtual   string     `json:"virtual,omitempty"`
	Toolkit   string     `json:"toolkit,omitempty"` // "13.0"
	File      FileType   `json:"file"`
	Unlinked  bool       `json:"unlinked,omitempty"` // relocatable code, which no driver loads
	ABI       int        `json:"abi"`
	Tools     []Tool     `json:"tools,omitempty"`
	Memory    []Memory   `json:"memory,omitempty"` // of the whole file
	Functions []Function `json:"functions,omitempty"`
	Undefined []string   `json:"undefined,omitempty"`
	Features  []string   `json:"features,omitempty"`
}

// A Tool was involved in creating the file.
type Tool struct {
	Name    string `json:"name"`
	Release string `json:"release,omitempty"`
	Build   string `json:"build,omitempty"`
	Options string `json:"options,omitempty"`
	Object  string `json:"object,omitempty"`
}

// Memory is a section of data.
type Memory struct {
	Section string `json:"section"`
	Size    uint64 `json:"size"` // bytes
}

// A Function is a kernel or a device function with its requirements. Sizes are in bytes.
type Function struct {
	Name         string      `json:"name"`
	Kernel       bool        `json:"kernel"`
	Code         uint64      `json:"code"`
	Registers    uint32      `json:"registers"`
	MaxRegisters uint32      `json:"max_registers,omitempty"` // limit for a kernel
	Barriers     uint32      `json:"barriers,omitempty"`
	Frame        uint32      `json:"frame,omitempty"`
	Stack        *uint32     `json:"stack,omitempty"` // required by a kernel of an executable; null if unknown
	StackUnknown bool        `json:"stack_unknown,omitempty"`
	Shared       uint64      `json:"shared,omitempty"`
	Constants    []Memory    `json:"constants,omitempty"`
	Parameters   []Parameter `json:"parameters,omitempty"`
	Threads      []uint32    `json:"max_threads,omitempty"`
	Required     []uint32    `json:"required_threads,omitempty"`
	Cluster      []uint32    `json:"cluster,omitempty"`
	Features     []string    `json:"features,omitempty"`
}

// A Parameter is a parameter of a kernel.
type Parameter struct {
	Offset uint32 `json:"offset"` // from the first parameter
	Size   uint32 `json:"size"`
}

// Kernels yields the functions that a program can launch.
func (c *Cubin) Kernels() iter.Seq[*Function] {
	return func(yield func(*Function) bool) {
		for i := range c.Functions {
			if c.Functions[i].Kernel && !yield(&c.Functions[i]) {
				return
			}
		}
	}
}

// features maps attributes to the hardware features whose use they show.
var features = map[nvinfo.Code]string{
	nvinfo.CTAIDZUsed:       "blockIdx.z",
	0x15:                    "bindless textures",
	0x16:                    "bindless surfaces",
	0x28:                    "warp synchronisation",
	0x2b:                    "matrix instructions",
	0x2e:                    "emulated half atomics",
	0x34:                    "indirect branches",
	nvinfo.NumMBarriers:     "mbarriers",
	0x3e:                    "clusters",
	nvinfo.ReservedSMemUsed: "reserved shared memory",
	nvinfo.KParamInfoV2:     "more than 4 KB of parameters",
	nvinfo.TCGen05OneCTA:    "tensor memory of one block",
	nvinfo.TCGen05TwoCTA:    "tensor memory of two blocks",
	nvinfo.RegReconfig:      "register reallocation",
	0x4d:                    "independent texture mode",
	0x53:                    "debug code",
	0x57:                    "stack protector",
	0x5b:                    "grid of clusters",
	nvinfo.Sanitize:         "sanitizer",
}

// sectionFeatures maps prefixes of section names to the hardware features whose use they show.
var sectionFeatures = [...]struct{ prefix, feature string }{
	{".nv.capmerc.", "Mercury code"},
	{".debug_info", "debug information"},
	{".debug_line", "line information"},
}

const unknownStack = 0xffffffff

func readCubin(f *cubin.File) (*Cubin, error) {
	c := &Cubin{Target: fmt.Sprintf("sm_%d", f.SM()), ABI: int(f.ABIVersion), File: fileType(f.Type), Unlinked: f.Type == cubin.TypeRelocatable}
	if o := nvinfo.OriginOf(f); o != (nvinfo.Origin{}) {
		c.Virtual = fmt.Sprintf("compute_%d", o.Virtual)
		c.Toolkit = fmt.Sprintf("%d.%d", o.Toolkit/10, o.Toolkit%10)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return c, err
	}
	byIndex := map[uint32]int{} // index of the function by symbol index
	byName := map[string]int{}
	for _, y := range symbols {
		switch {
		case y.Type == cubin.SymFunc && y.Defined():
			byIndex[y.Index], byName[y.Name] = len(c.Functions), len(c.Functions)
			c.Functions = append(c.Functions, Function{Name: y.Name, Kernel: y.IsEntry(), Code: y.Size})
		case y.Bind == cubin.BindGlobal && !y.Defined() && !strings.HasPrefix(y.Name, ".nv."):
			c.Undefined = append(c.Undefined, y.Name)
		}
	}
	for i := range f.Sections {
		if err := c.readSection(f, &f.Sections[i], byIndex, byName); err != nil {
			return c, err
		}
	}
	slices.SortStableFunc(c.Functions, func(a, b Function) int {
		if a.Kernel != b.Kernel {
			if a.Kernel {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i := range c.Functions {
		for _, feature := range c.Functions[i].Features {
			c.addFeature(feature)
		}
	}
	slices.Sort(c.Features)
	slices.Sort(c.Undefined)
	return c, nil
}

// A FileType is the type of a cubin as text.
type FileType string

// The types of cubins.
const (
	Relocatable          FileType = "relocatable" // an input of a link
	Executable           FileType = "executable"
	ExtendedWholeProgram FileType = "extended whole program" // an executable that a link can add to
)

func fileType(t uint16) FileType {
	switch t {
	case cubin.TypeRelocatable:
		return Relocatable
	case cubin.TypeExecutable:
		return Executable
	case cubin.TypeEWP:
		return ExtendedWholeProgram
	}
	return FileType(fmt.Sprintf("type %d", t))
}

func (c *Cubin) addFeature(feature string) {
	if !slices.Contains(c.Features, feature) {
		c.Features = append(c.Features, feature)
	}
}

// readSection reads the information in section s about the file or about one of its functions.
func (c *Cubin) readSection(f *cubin.File, s *cubin.Section, byIndex map[uint32]int, byName map[string]int) error {
	for _, sf := range sectionFeatures {
		if strings.HasPrefix(s.Name, sf.prefix) {
			c.addFeature(sf.feature)
		}
	}
	of := func(prefix string) *Function {
		if name, ok := strings.CutPrefix(s.Name, prefix); ok {
			if i, ok := byName[name]; ok {
				return &c.Functions[i]
			}
		}
		return nil
	}
	switch {
	case s.Name == ".note.nv.tkinfo":
		return c.readTools(f, s)
	case s.Name == ".nv.compat":
		records, err := records(f, s)
		for _, r := range records {
			if r.Code == nvinfo.CompatAcceleratorTarget && r.Value != 0 {
				c.Target += "a"
			}
		}
		return err
	case s.Type == cubin.SectionInfo:
		records, err := records(f, s)
		fn := of(".nv.info.")
		for _, r := range records {
			if feature, ok := features[r.Code]; ok {
				if fn != nil {
					fn.addFeature(feature)
				} else {
					c.addFeature(feature)
				}
			}
			switch {
			case fn != nil:
				fn.read(r)
			case s.Name == ".nv.info":
				if i, ok := byIndex[r.Word(0)]; ok && r.Format == nvinfo.Sized {
					c.Functions[i].readGlobal(r)
				}
			}
		}
		return err
	case strings.HasPrefix(s.Name, ".nv.shared."):
		if fn := of(".nv.shared."); fn != nil {
			fn.Shared = s.Size
		}
	case strings.HasPrefix(s.Name, ".nv.constant"):
		bank, name, perFunction := cutBank(s.Name)
		if i, ok := byName[name]; ok && perFunction {
			c.Functions[i].Constants = append(c.Functions[i].Constants, Memory{bank, s.Size})
		} else {
			c.Memory = append(c.Memory, Memory{s.Name, s.Size})
		}
	case s.Name == ".nv.global" || s.Name == ".nv.global.init":
		c.Memory = append(c.Memory, Memory{s.Name, s.Size})
	}
	return nil
}

// cutBank splits ".nv.constant0.k" into the bank's section name and the function.
func cutBank(name string) (bank, function string, ok bool) {
	const prefix = ".nv.constant"
	number, function, ok := strings.Cut(name[len(prefix):], ".")
	return prefix + number, function, ok
}

func records(f *cubin.File, s *cubin.Section) ([]nvinfo.Record, error) {
	data, err := f.Data(s.Index)
	if err != nil {
		return nil, err
	}
	records, err := nvinfo.Decode(data)
	if err != nil {
		err = fmt.Errorf("%s: section %s: %w", f.Name, s.Name, err)
	}
	return records, err
}

func (c *Cubin) readTools(f *cubin.File, s *cubin.Section) error {
	notes, err := f.Notes(s.Index)
	for _, n := range notes {
		t, err := nvinfo.DecodeToolInfo(n.Desc)
		if err != nil {
			return fmt.Errorf("%s: section %s: %w", f.Name, s.Name, err)
		}
		c.Tools = append(c.Tools, Tool{t.Tool, t.Release, t.Build, strings.TrimSpace(t.Options), t.Object})
	}
	return err
}

func (fn *Function) addFeature(feature string) {
	if !slices.Contains(fn.Features, feature) {
		fn.Features = append(fn.Features, feature)
	}
}

// readGlobal reads an attribute of .nv.info that describes the function.
func (fn *Function) readGlobal(r nvinfo.Record) {
	switch r.Code {
	case nvinfo.RegCount:
		fn.Registers = r.Word(1)
	case nvinfo.FrameSize:
		fn.Frame = r.Word(1)
	case nvinfo.MinStackSize:
		if size := r.Word(1); size == unknownStack {
			fn.StackUnknown = true
		} else {
			fn.Stack = &size
		}
	}
}

// These codes of kernel attributes are used by name only in this file.
const (
	maxThreads    nvinfo.Code = 0x05
	requiredCount nvinfo.Code = 0x10
	ctaPerCluster nvinfo.Code = 0x3d
)

// read reads an attribute of .nv.info.<function>.
func (fn *Function) read(r nvinfo.Record) {
	words := func() []uint32 {
		var w []uint32
		for i := range r.Words() {
			w = append(w, r.Word(i))
		}
		return w
	}
	switch r.Code {
	case nvinfo.NumBarriers:
		fn.Barriers = uint32(r.Value & 0xff)
	case nvinfo.MaxRegCount:
		if limit, ok := nvinfo.RegisterLimit(r); ok {
			fn.MaxRegisters = limit
		}
	case maxThreads:
		fn.Threads = words()
	case requiredCount:
		fn.Required = words()
	case ctaPerCluster:
		fn.Cluster = words()
	case nvinfo.KParamInfo:
		fn.addParameter(r.Word(1)>>16, r.Word(2)>>18)
	case nvinfo.KParamInfoV2:
		fn.addParameter(r.Word(1)>>16, r.Word(2))
	}
}

// addParameter inserts a parameter in the order of offsets. Attributes may have them in any order.
func (fn *Function) addParameter(offset, size uint32) {
	at, _ := slices.BinarySearchFunc(fn.Parameters, offset, func(p Parameter, offset uint32) int { return int(p.Offset) - int(offset) })
	fn.Parameters = slices.Insert(fn.Parameters, at, Parameter{offset, size})
}

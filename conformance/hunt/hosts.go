package hunt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/platform"
)

// Compilers put device code into host objects, and librarians put these into libraries. Their forms depend on the system.
// With -hosts, some inputs of a trial are host objects and fat binaries, and some of these are members of a library.

// A hostForm is the form of host objects and libraries of a system.
type hostForm struct {
	platform string // platform of the linkers
	suffix   string // of a host object
	library  string // name of the library for -l
	object   func(h *host, fatbin []byte) []byte
}

var hostForms = map[string]*hostForm{
	"x86_64":  {platform.Linux.Name, ".o", "lib" + searched + ".a", func(h *host, fatbin []byte) []byte { return craft.RDC(fatbin, h.id, h.references()...) }},
	"aarch64": {platform.LinuxArm.Name, ".o", "lib" + searched + ".a", objectOfArm},
	"windows": {platform.Windows.Name, ".obj", searched + ".lib", objectOfWindows},
}

// searched is the name of a library as in -l.
const searched = "archive"

// hostsFlag lists the names of hostForms for the help.
func hostsFlag() string { return strings.Join(slices.Sorted(maps.Keys(hostForms)), ", ") }

// useHosts makes the trials of a hunter have host objects of a system. Without -reference it compares with nvlink for that
// system, of the release of the recordings.
func (s *settings) useHosts(h *hunter) (err error) {
	if h.hosts = hostForms[s.hosts]; h.hosts == nil {
		return fmt.Errorf("-hosts %s: only %s", s.hosts, hostsFlag())
	}
	if s.toolkit != "" {
		return errors.New("-hosts is for the release of the recordings only, without -toolkit")
	}
	h.pair.Platform = h.hosts.platform
	h.linker = h.linker.On(h.hosts.platform)
	if h.hosts.platform == platform.Windows.Name {
		// nvlink makes an executable with -r (docs/errata.md, E-390).
		h.chains = 0
		h.options = slices.DeleteFunc(h.options, func(o option) bool { return o.name == "r" })
	}
	if h.hosts.platform == platform.Linux.Name || s.reference != "" {
		return nil
	}
	h.reference, err = sandbox.Foreign(s.oracle, h.hosts.platform)
	if err == nil {
		h.command.reference = strings.Join(h.reference.Command, " ")
	}
	return err
}

// machineOfArm is e_machine of a host object for 64-bit Arm, and machineField is its offset.
const (
	machineOfArm = 183
	machineField = 18
)

func objectOfArm(h *host, fatbin []byte) []byte {
	data := craft.RDC(fatbin, h.id, h.references()...)
	binary.LittleEndian.PutUint16(data[machineField:], machineOfArm)
	return data
}

func objectOfWindows(h *host, fatbin []byte) []byte {
	object := craft.RDCWindows(fatbin, h.id, h.references()...)
	object.Big, object.Machine = h.big, h.machine
	return object.Encode()
}

// A host is the container of one input.
type host struct {
	file      string // name of the container
	form      *hostForm
	bare      bool   // only a fat binary
	id        string // module id
	compress  string // of the entry of the fat binary
	otherCode bool   // there is an entry for an older architecture too
	launches  bool   // the object lists the kernels that its host code refers to: none
	big       bool   // the long header of Windows
	machine   uint16 // on Windows
}

// references returns the sections in which a host object lists references of its code to device code.
func (h *host) references() (list []craft.Section) {
	if !h.launches {
		return nil
	}
	for _, name := range []string{".nvHRKE", ".nvHRKI"} {
		list = append(list, craft.Section{Name: name, Data: []byte{0}})
	}
	return list
}

// encode puts a cubin for a target into the container.
func (h *host) encode(cubin []byte, sm int) []byte {
	const elf, older = 2, 52
	entries := []craft.Entry{{Kind: elf, Arch: uint32(sm), Payload: cubin, Compress: h.compress}}
	if h.otherCode {
		entries = slices.Insert(entries, 0, craft.Entry{Kind: elf, Arch: older, Payload: []byte("no code")})
	}
	fatbin := craft.Fatbin(entries...)
	if h.bare {
		return fatbin
	}
	return h.form.object(h, fatbin)
}

// Probabilities in percent for a trial with host objects.
const (
	hosted        = 60 // an input is in a container
	bare          = 15 // a container is only a fat binary
	otherEntry    = 20 // the fat binary has code for another target too
	launching     = 8  // the object lists the kernels of its host code
	bigHeader     = 20 // a Windows object has the long header
	otherMachine  = 10 // a Windows object is for another processor
	inLibrary     = 35 // some inputs are members of a library
	librarySearch = 50 // the library is found by -l
)

// addHosts puts inputs of a trial into containers of a form.
func (t *trial) addHosts(rng *rand.Rand, form *hostForm) {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	t.hosts = map[string]*host{}
	for i, file := range t.order {
		if !chance(hosted) || t.hosts[file] != nil {
			continue
		}
		h := &host{
			form: form, bare: chance(bare), compress: pick("", "", "lz4", "zstd"), otherCode: chance(otherEntry), launches: chance(launching),
			big: chance(bigHeader), machine: craft.AMD64, id: pick("_", "module") + fmt.Sprint(i),
		}
		if chance(otherMachine) {
			h.machine = []uint16{0x14c, 0xaa64}[rng.IntN(2)]
		}
		suffix := form.suffix
		if h.bare {
			suffix = ".fatbin"
		}
		h.file = strings.TrimSuffix(file, ".cubin") + suffix
		t.hosts[file] = h
	}
	t.library = form.library
	if len(t.archive) == 0 && chance(inLibrary) {
		t.archive = slices.Clone(t.order[:1+rng.IntN(len(t.order))])
	}
	t.search = chance(librarySearch)
}

// nameOf returns the name under which an input is linked.
func (t *trial) nameOf(file string) string {
	if h := t.hosts[file]; h != nil {
		return h.file
	}
	return file
}

// libraryWords returns the words of the command line that link the library.
func (t *trial) libraryWords() []string {
	if t.search {
		return []string{"-L.", "-l" + searched}
	}
	return []string{t.libraryFile()}
}

// putIntoHosts replaces the cubins of a trial by their containers.
func (t *trial) putIntoHosts(files attempt.Files) {
	for file, h := range t.hosts {
		if data, ok := files[file]; ok {
			files[h.file] = h.encode(data, t.sm)
			delete(files, file)
		}
	}
}

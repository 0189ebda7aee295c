package input

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
)

// One entry of a fat binary is linked: the best one for the target (LOAD-017). Machine code is linked as it is,
// PTX is compiled first, and intermediate code requires -dlto. Damaged containers end the load with nvlink's
// messages (LOAD-018).

// An origin describes where a device ELF was found.
type origin struct {
	host      int // index in Loaded.Hosts, or -1
	inArchive bool
	contained bool // in a fat binary, not a file of its own
	asPTX     bool // in a file of its own named .ptx
	whole     bool // code of a whole program, which needs no link
	system    bool
	announced bool // a message has named the file (KIT-702)
}

// A verdict is the outcome for a piece of device code.
type verdict uint8

const (
	ignored      verdict = iota // contains nothing to link
	notForTarget                // contains no code for the target
	taken                       // will be linked
)

// plain is the origin of a file that is not a host object.
var plain = origin{host: -1}

// plainFile returns the origin of a file that is not a host object. Such a file may be named like cudadevrt (LOAD-023).
func plainFile(f *file) origin {
	from := plain
	from.system = platform.IsSystem(f.name)
	return from
}

// fatbinFile reads a file named .fatbin.
func (l *loader) fatbinFile(f *file) error {
	if !fatbin.IsFatbin(f.data) {
		return l.fail(diag.FatbinFormat)
	}
	if err := l.afterError(diag.ElfLinkFatbinary); err != nil {
		return err
	}
	from := plainFile(f)
	l.announce(f.name, from)
	from.announced = true
	v, err := l.fatbin(f.name, f.data, from)
	registersOthers := l.target.Profile.Input.RegistersOthers
	if from.system && err == nil && v == notForTarget && (registersOthers || !l.opt.Registers) {
		l.addPlace()
	}
	switch {
	case v == taken:
		l.registerPlain(l.fileModule(f.name), from)
	case err == nil && v == notForTarget && registersOthers:
		l.registerPlain(noModule, from)
	}
	return err
}

// announce reports device code of a file that is not a host object, if a register file is written. A fat binary is
// reported before it is read, a cubin after its header has been checked (KIT-702).
func (l *loader) announce(name string, from origin) {
	if l.opt.Registers && from.host < 0 && !from.announced && l.target.Profile.Input.ReportsNoHostCode {
		l.log.Report(diag.NoHostCode, name)
	}
}

// fatbin loads the code for the target from a fat binary.
func (l *loader) fatbin(name string, data []byte, from origin) (verdict, error) {
	if err := l.afterError(diag.ElfLinkInternal); err != nil {
		return ignored, err
	}
	e, v, err := l.selectEntry(name, data, from)
	if e == nil {
		return v, err
	}
	switch {
	case e.Kind == fatbin.Unknown16: // damage, whatever nvlink does (LOAD-026)
		return ignored, l.fail(diag.DamagedInput, name, "fat binary with code of an unknown kind")
	case e.Kind == fatbin.LTOIR && l.opt.LTO == nil && refusesZstd(e, l.target.Profile):
		l.log.Report(diag.UncompressFailed)
		return ignored, l.fail(diag.ElfLinkFatbinary)
	case e.Kind == fatbin.LTOIR && l.opt.LTO == nil:
		return l.unwantedCode(name, e, from)
	case e.Kind == fatbin.LTOIR:
		return l.intermediateEntry(name, e, from)
	}
	payload, v, err := l.decode(name, e, from)
	if v != taken {
		return v, err
	}
	if err := l.checkArguments(l.opt.PTXAS.MaxRegisters); err != nil {
		return ignored, err
	}
	if e.Kind == fatbin.PTX {
		return l.embeddedPTX(name, e, payload, from)
	}
	return l.embeddedCubin(name, payload, from)
}

// embeddedPTX compiles PTX of a fat binary. The library does not read the options of the entry (JIT-050), and looks at the start of
// the text (JIT-962).
func (l *loader) embeddedPTX(name string, e *fatbin.Entry, payload []byte, from origin) (verdict, error) {
	text := fatbin.Text(payload)
	if !l.inMemory {
		return l.ptx(name, text, e.Options, from)
	}
	if !l.target.Profile.Input.TakesAnyPTX && !isPTX(text) {
		return ignored, l.failBecause(ErrNotPTX, diag.NotDeviceELF)
	}
	return l.ptx(name, text, nil, from)
}

// embeddedCubin loads machine code of a fat binary.
func (l *loader) embeddedCubin(name string, payload []byte, from origin) (verdict, error) {
	accept := &l.target.Profile.Input
	switch {
	case accept.JudgesHeaders && (accept.OnlyRelocatable || isCubin(payload)):
		from.contained = true
		return l.headerFirst(name, payload, from)
	case l.inMemory && !isCubin(payload):
		return ignored, l.fail(diag.NotDeviceELF)
	case l.inMemory && l.skipsClass(payload):
		return ignored, nil
	case len(payload) < minSize || payload[offClass] != class64:
		return ignored, l.fail(diag.SizeOfTargetMismatch, name, machine64)
	case from.whole:
		return ignored, nil
	}
	from.contained = true
	return l.cubin(name, payload, from)
}

// isCubin reports whether a payload begins as an ELF file of the CUDA machine.
func isCubin(payload []byte) bool {
	return hasELFMagic(payload) && len(payload) >= minSize && u16(payload, offMachine) == cubin.Machine
}

// selectEntry returns the entry of a fat binary that is best for the target. If no entry can be used, it returns nil
// and the verdict on the input.
func (l *loader) selectEntry(name string, data []byte, from origin) (*fatbin.Entry, verdict, error) {
	entries, err := fatbin.Parse(l.wholeFatbin(data))
	if errors.Is(err, fatbin.ErrTotal) && !l.target.Profile.Input.RefusesTotal {
		err = nil // there is no entry
	}
	if errors.Is(err, fatbin.ErrVersion) || errors.Is(err, fatbin.ErrTotal) {
		l.unknownBinary()
		return nil, ignored, l.failBecause(err, diag.ElfLinkFatbinary)
	}
	if l.target.Profile.Input.ReadsConcat {
		var wrong error
		entries, wrong = fatbin.Expand(entries)
		err = cmp.Or(err, wrong)
	}
	if name, ok := l.unknownArchitecture(entries); ok {
		l.log.Report(diag.UnknownArch, name)
		return nil, ignored, l.fail(diag.ElfLinkFatbinary)
	}
	if e := choose(entries, l.target, l.opt.LTO != nil); e != nil {
		return e, taken, nil
	}
	if err != nil { // damage, whatever nvlink does (LOAD-026)
		return nil, ignored, l.failDamaged(name, err)
	}
	l.loaded.Unreferenced = l.loaded.Unreferenced || from.host < 0
	return nil, l.archNotFound(name, from), nil
}

// mostZeros is the largest number of bytes that are read past the end of a fat binary.
const mostZeros = 1 << 20

// wholeFatbin returns the contents of a fat binary. If the file ends inside it, the libraries up to 12.3 read on, and what
// follows in memory is mostly zeros (JIT-963).
func (l *loader) wholeFatbin(data []byte) []byte {
	size := fatbin.Size(data)
	if !l.target.Profile.Input.ReadsPastEnd || size <= uint64(len(data)) || size-uint64(len(data)) > mostZeros {
		return data
	}
	return slices.Concat(data, make([]byte, size-uint64(len(data))))
}

// decode returns the payload of an entry, within the budget. If payload and error are nil, the link continues
// without the entry, and the verdict applies to the input.
func (l *loader) decode(name string, e *fatbin.Entry, from origin) ([]byte, verdict, error) {
	profile := l.target.Profile
	tooLarge := refusesZstd(e, profile) && e.IsTooLarge() // its memory is asked for first (KIT-687)
	unread := unreadFlags(e, profile)
	if unread > 0 && profile.Input.SkipsUndecodable {
		return nil, l.goWithout(name, nil, from), nil
	}
	if l.inMemory && e.Flags&fatbin.FlagLegacy != 0 { // the library does not know this flag (JIT-043)
		e.Flags &^= fatbin.FlagLegacy
		if unread == 0 && e.Compression() == fatbin.Plain {
			return nil, ignored, l.fail(diag.NotDeviceELF)
		}
	}
	if tooLarge {
		v, err := l.undecodable(name, e, fatbin.ErrTooLarge, from)
		return nil, v, err
	}
	payload, err := l.decodeEntry(e)
	for range unread { // nvlink reports each of them, and uses the payload as it is
		l.log.Report(diag.UncompressFailed)
	}
	if unread > 0 && err == nil {
		return nil, ignored, l.fail(diag.ElfLinkFatbinary)
	}
	if errors.Is(err, fatbin.ErrLimit) {
		return nil, ignored, l.exceeded(name, l.budget.Take(limit.Decoded, e.DecodedSize))
	}
	if err == nil && e.Compression() != fatbin.Plain {
		err = l.budget.Take(limit.Decoded, decodedSize(e, payload))
	}
	if err != nil {
		v, err := l.undecodable(name, e, err, from)
		return nil, v, err
	}
	if len(payload) == 0 && !e.IsImage() && e.Compression() != fatbin.Plain && profile.Input.SkipsEmptyPayload {
		return nil, l.goWithout(name, nil, from), nil
	}
	return payload, taken, nil
}

// decodeEntry decodes the payload of an entry, up to the number of bytes that the budget still allows. The payload
// must have the size that the entry states. As in nvlink, that size is truncated to a C long (WIN-006).
func (l *loader) decodeEntry(e *fatbin.Entry) ([]byte, error) {
	held := *e
	held.DecodedSize = l.host.Long(e.DecodedSize)
	payload, err := held.DecodeAtMost(l.budget.Left(limit.Decoded))
	if err == nil && held.DecodedSize < e.DecodedSize && e.Compression() != fatbin.Plain {
		return nil, fatbin.ErrShort
	}
	return payload, err
}

// decodedSize returns how many bytes are held in memory for the payload of e after decoding. For an image these are
// the bytes of all images.
func decodedSize(e *fatbin.Entry, payload []byte) uint64 {
	if e.IsImage() {
		return e.DecodedSize
	}
	return uint64(len(payload))
}

// refusesZstd reports whether e is a zstd frame that the release recognises but cannot decode (KIT-123).
func refusesZstd(e *fatbin.Entry, profile *arch.Profile) bool {
	return profile.Input.ReadsLaterFlags && !profile.Input.DecodesZstd && e.Flags&fatbin.FlagZstd != 0
}

// unreadFlags counts those flags of e that stand for storage formats that the release recognises but cannot read. It
// clears the flags that the release ignores (LOAD-018, KIT-122, KIT-123).
func unreadFlags(e *fatbin.Entry, profile *arch.Profile) int {
	if !profile.Input.ReadsLaterFlags {
		e.Flags &^= fatbin.FlagScrambled | fatbin.FlagZstd
	}
	n := 0
	if e.Scrambled() {
		n++
	}
	if refusesZstd(e, profile) {
		e.Flags &^= fatbin.FlagZstd
		n++
	}
	return n
}

// archNotFound reports that an input has no code for the target. There is no message for members of archives and for
// files of libcudadevrt (LOAD-016). The library refuses such files as all others (JIT-041).
func (l *loader) archNotFound(name string, from origin) verdict {
	if !l.opt.SuppressArchWarning && !from.inArchive && (l.inMemory || !from.system) {
		l.log.Report(diag.ArchNotFound, l.target.Name, name)
	}
	l.foreign = true
	return notForTarget
}

// undecodable reports, with nvlink's messages, a payload that cannot be decoded (LOAD-018, KIT-120). A payload that
// nvlink may decode always ends the link (E-460).
func (l *loader) undecodable(name string, e *fatbin.Entry, err error, from origin) (verdict, error) {
	switch {
	case errors.Is(err, fatbin.ErrTooLarge):
		l.log.Add(diag.New(diag.MemoryAllocation).Because(err))
	case e.Compression() == fatbin.Plain: // nvlink reads past the end of the file
		return ignored, l.failDamaged(name, err)
	case l.target.Profile.Input.SkipsUndecodable && !errors.Is(err, fatbin.ErrOthersDecode), e.Compression() == fatbin.LZ4:
		return l.goWithout(name, err, from), nil
	case e.Compression() == fatbin.Reserved:
		if errors.Is(err, fatbin.ErrCorrupt) {
			l.log.Add(diag.New(diag.UncompressFailed).Because(err))
		}
		return l.goWithout(name, err, from), nil
	case errors.Is(err, fatbin.ErrShort), errors.Is(err, fatbin.ErrUnknownCompression):
		l.log.Add(diag.New(diag.UncompressFailed).Because(err))
	default:
		l.failToUncompress(err)
	}
	return ignored, l.failBecause(err, diag.ElfLinkFatbinary)
}

// goWithout reports that a payload cannot be decoded, and continues as if the entry were absent.
func (l *loader) goWithout(name string, err error, from origin) verdict {
	l.log.Add(diag.New(diag.UncompressFailed).Because(err))
	return l.archNotFound(name, from)
}

// failToUncompress reports that a payload cannot be decoded. As in nvlink, it does so twice.
func (l *loader) failToUncompress(err error) {
	for range 2 {
		l.log.Add(diag.New(diag.UncompressFailed).Because(err))
	}
}

// virtual reports whether the target is virtual, so that the link writes nothing. PTX is then not compiled
// (LOAD-003).
func (l *loader) virtual() bool { return l.target.Kind == arch.Virtual }

// unknownArchitecture returns the first architecture in a fat binary that does not exist, by its name in messages.
func (l *loader) unknownArchitecture(entries []fatbin.Entry) (name string, ok bool) {
	profile := &l.target.Profile.Input
	for i := range entries {
		e := &entries[i]
		switch checked := profile.Checks(uint16(e.Kind)); { // KIT-683
		case checked && e.Arch == 0 && profile.ByteArch: // KIT-627
			return "sm_0", true
		case checked && (e.Arch <= 0 || e.Arch > arch.MaxNumber || e.Arch > math.MaxUint8 && profile.ByteArch):
			return "", true
		}
	}
	return "", false
}

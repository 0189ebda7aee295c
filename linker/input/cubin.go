package input

import (
	"encoding/binary"
	"strconv"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// The header of a cubin contains its architecture, the kinds of code in it and its age. nvlink checks these in a fixed order, and
// the first error ends the link (LOAD-013). An executable, or a file whose tables extend past its end, is skipped without a
// message (LOAD-012).
//
// Files of toolkits before 13 ("legacy": OSABI 0x33 instead of 0x41) have the same information in other bits.

// A cubinHeader contains the decoded header fields of a cubin.
type cubinHeader struct {
	legacy     bool
	extensible bool   // an extensible whole program (-ewp)
	sm         int    // architecture number
	mercury    bool   // contains Mercury code, which is finalized after the link
	finalised  bool   // Mercury code of either kind: the finalizer makes its machine code
	portable   bool   // may run on other members of its architecture family
	untold     bool   // without compatibility records
	alien      bool   // Mercury code that the finalizer rejects because of its compatibility records
	specific   bool   // for an architecture whose name ends in 'a'
	sass       bool   // contains plain machine code
	address64  bool   // EF_CUDA_64BIT_ADDRESS; always set in current files
	abiOK      bool   // this linker supports the ABI version
	foreign    bool   // of the later ABI, in a release of the earlier one, which checks the architecture first (KIT-208)
	api        uint32 // version of the toolkit that wrote the file, major*10+minor; 0 if unknown
	version    uint32 // e_version, which for Mercury code is such a version too
}

// isMachineCode reports whether the header of an executable states machine code. Headers before CUDA 13 state only Mercury code.
func (h cubinHeader) isMachineCode() bool { return h.sass || h.legacy && !h.finalised }

// Bits of e_flags.
const (
	flagMerc   = 0x1 // kinds of code in the current e_flags
	flagCapMer = 0x2
	flagSASS   = 0x4

	legacyFlagAddress64 = 0x400
	legacyFlagMercury   = 0x4000
	legacyFlagBadABI    = 0x80000000
)

// readCubinHeader reads the header of a device ELF. data has at least 52 bytes, as every file that is read (KIT-101). f is nil
// for a file with broken tables; the version is then not known.
func readCubinHeader(toolkit *arch.Profile, data []byte, f *elfFile) cubinHeader {
	le := binary.LittleEndian
	flags := le.Uint32(data[offFlags:])
	abi := data[offABIVersion]
	if !toolkit.Accept.ReadsLaterHeader || data[offOSABI] != cubin.OSABI {
		return cubinHeader{
			legacy:    true,
			sm:        int(flags & 0xff),
			mercury:   flags&legacyFlagMercury != 0 && toolkit.Emit.OSABI == cubin.OSABI, // older releases have no Mercury code
			finalised: flags&legacyFlagMercury != 0,
			untold:    true, // its .nv.compat is not read
			specific:  flags&cubin.FlagSpecificLegacy != 0 && flags&0xff >= arch.MinCompat,
			address64: flags&legacyFlagAddress64 != 0,
			abiOK:     isLegacyABI(toolkit, data, flags),
			api:       le.Uint32(data[offVersion:]),
		}
	}
	h := cubinHeader{
		sm:        int(flags >> 8 & 0xffff),
		mercury:   flags&flagCapMer != 0,
		finalised: flags&(flagMerc|flagCapMer) != 0,
		sass:      flags&flagSASS != 0,
		address64: true,
		abiOK:     abi == toolkit.Accept.LaterABI,
		foreign:   toolkit.Emit.OSABI != cubin.OSABI,
		version:   le.Uint32(data[offVersion:]),
	}
	if f != nil {
		early := false
		h.api, early = f.toolkitVersion(flags>>24, toolkit.Accept.ReadsRelease || !h.foreign)
		h.specific = arch.Specific(f.compat())
		if early {
			h.specific = flags&cubin.FlagSpecific != 0
		}
		h.untold = f.compat() == nil
		h.alien = h.mercury && !h.untold && !toolkit.Finalizes(f.compat(), early)
		if h.finalised {
			h.sm = toolkit.Current(h.sm)
		}
		h.portable = (h.finalised || h.sm < arch.MinMercury) && arch.Portable(f.compat()) && !(early && h.specific)
	}
	if h.foreign && !toolkit.Accept.ReadsOrigins {
		h.api = h.version
	}
	return h
}

// toolkitVersion reads the version in .note.nv.cuinfo. e_flags holds the index of that section. nvlink reads the version at a
// fixed offset, whatever sizes the note has, and uses 0 if there is none (LOAD-014). early reports that the note is too old to
// contain a version, or that the release does not read the version there. In the latter case reads is false (KIT-216). Flags then
// show whether the file is for a name that ends in 'a' (INFO-027).
func (f *elfFile) toolkitVersion(section uint32, reads bool) (version uint32, early bool) {
	const recordVersionAt, apiAt, minRecordVersion = 24, 28, 2
	if uint64(section) >= uint64(len(f.sections)) {
		return 0, false
	}
	s := &f.sections[section]
	if s.typ != cubin.SectionNote || uint64(len(f.data)) < s.offset+apiAt+2 {
		return 0, false
	}
	if !reads || u16(f.data[s.offset:], recordVersionAt) < minRecordVersion {
		return f.toolOf(s), true
	}
	return uint32(u16(f.data[s.offset:], apiAt)), false
}

// toolOf returns the first number in the tool note to which an early note links. It returns 0 if there is no such note
// (INFO-024).
func (f *elfFile) toolOf(s *elfSection) uint32 {
	const toolAt = 24
	if s.flags&cubin.FlagCUInfo == 0 || uint64(s.link) >= uint64(len(f.sections)) {
		return 0
	}
	tool := &f.sections[s.link]
	if tool.typ != cubin.SectionNote || tool.flags&cubin.FlagTKInfo == 0 || uint64(len(f.data)) < tool.offset+toolAt+4 {
		return 0
	}
	return u32(f.data[tool.offset+toolAt:])
}

// compat returns the records of .nv.compat, or nil if there are none.
func (f *elfFile) compat() []byte {
	if s := f.section(".nv.compat"); s != nil && s.typ == cubin.SectionCompat {
		return f.bytes(s)
	}
	return nil
}

// cubin checks the header of a device ELF and adds the file to the objects. data has at least 52 bytes. If the cubin is a file of
// its own, it also has the ELF magic.
func (l *loader) cubin(name string, data []byte, from origin) (verdict, error) {
	if u16(data, offMachine) != cubin.Machine && !from.contained { // nobody looks at it in a fat binary (LOAD-057)
		return ignored, l.fail(diag.NotDeviceELF)
	}
	if isExecutable(data) {
		return ignored, l.executable(name, data, from)
	}
	if from.host < 0 {
		l.loaded.Unreferenced = true
	}
	profile := l.target.Profile
	if profile.Input.ClassFirst {
		if err := l.checkClass(name, data); err != nil {
			return ignored, err
		}
	}
	data, f, ok := l.openCubin(data)
	if data[offClass] != class64 {
		if ok {
			return ignored, l.fail(diag.SizeOfTargetMismatch, name, machine64)
		}
		return ignored, nil
	}
	if ok {
		l.sections = f.sections // reused for the sections of the next input
	}
	h := readCubinHeader(profile, data, f)
	h.extensible = u16(data, offType) == cubin.TypeEWP
	refused := l.inMemory && profile.Input.RefusesMalformed && data[offEncoding] == littleEndian
	if ok && (refused || profile.Input.ChecksTables && !from.contained) {
		ok = f.hasSoundTables()
	}
	if !ok {
		l.announce(name, from)
		return ignored, l.unsoundTables(name, data, from, h.mercury, refused)
	}
	if l.inMemory && l.refusesFormat(name, data) {
		return ignored, nil
	}
	if err := l.checkHeader(name, h); err != nil {
		return ignored, err
	}
	if err := l.takeShared(name, f); err != nil {
		return ignored, err
	}
	data = cubin.WithMagicAndMachine(data)
	if err := cubin.Check(name, data); err != nil { // damage, whatever nvlink does (LOAD-026)
		return ignored, l.failDamaged(name, err)
	}
	l.announce(name, from)
	if l.opt.LTO != nil && !from.system && l.log.Worst() < diag.Error {
		l.mixed = true
		l.log.Report(diag.PartialLTO, name)
	}
	if !l.virtual() {
		l.add(Object{Name: name, Data: data, Host: from.host, System: from.system})
	}
	return taken, nil
}

// add adds an object to those that are linked.
func (l *loader) add(o Object) {
	o.SystemBefore, l.systemBefore = l.systemBefore, 0
	l.loaded.Objects = append(l.loaded.Objects, o)
	if o.System {
		l.systemObjects++
	}
}

// addPlace notes the place of an object of libcudadevrt without code for the target (LOAD-960).
func (l *loader) addPlace() {
	l.systemObjects++
	l.systemBefore++
}

// executable judges an executable cubin, of which nothing is linked. nvlink looks at nothing in it. NVIDIA's library refuses
// machine code for a Mercury target, and a damaged file where it refuses other damaged cubins (JIT-760).
func (l *loader) executable(name string, data []byte, from origin) error {
	if !l.inMemory {
		return nil
	}
	profile := l.target.Profile
	f, ok := openELF(data, nil)
	if profile.Input.RefusesMalformed && data[offEncoding] == littleEndian && !(ok && f.hasSoundTables()) {
		return l.unsoundTables(name, data, from, false, true)
	}
	l.refusesFormat(name, data)
	return nil
}

// refusesFormat reports whether NVIDIA's library refuses a cubin because it holds machine code and the target is a Mercury target.
// The warning is an error in memory.
func (l *loader) refusesFormat(name string, data []byte) bool {
	if !l.target.Mercury() || data[offClass] != class64 || !readCubinHeader(l.target.Profile, data, nil).isMachineCode() {
		return false
	}
	l.log.Report(diag.OutputLimited, l.target.Number, name)
	return true
}

// skipsClass reports whether NVIDIA's library skips a cubin as an executable before it looks at its class (JIT-760).
func (l *loader) skipsClass(data []byte) bool {
	return data[offClass] != class64 && isExecutable(data) && !l.target.Profile.Input.RefusesMalformed
}

func isExecutable(data []byte) bool { return u16(data, offType) == typeExecutable }

// openCubin opens a cubin. Early releases take one whose section table cannot be read for one without sections (KIT-686).
func (l *loader) openCubin(data []byte) ([]byte, *elfFile, bool) {
	f, ok := l.openELF(data, l.sections)
	if !ok && l.target.Profile.Input.OpensSectionless && data[offClass] == class64 && uint64(len(data)) > elf32.header {
		data = withoutSections(data)
		f, ok = l.openELF(data, l.sections)
	}
	return data, f, ok
}

// These options set the size of addresses. Messages contain them in this form.
const (
	machine32 = "-m32"
	machine64 = "-m64"
)

// checkClass compares the class of a cubin with -m (KIT-623). culink does not link 32-bit code, and so refuses it even with -m32.
func (l *loader) checkClass(name string, data []byte) error {
	switch {
	case data[offClass] != class64:
		return l.fail(diag.SizeOfTargetMismatch, name, machine64)
	case l.opt.Machine == 32:
		return l.fail(diag.SizeOfTargetMismatch, name, machine32)
	}
	return nil
}

// unsoundTables returns the error for a cubin with invalid tables, or nil if the cubin is ignored. If refused is set, the release
// refuses every such cubin (JIT-115).
func (l *loader) unsoundTables(name string, data []byte, from origin, mercury, refused bool) error {
	switch {
	case mercury && l.target.Profile.Input.RefusesUnsound && !from.contained && !refused:
		return l.fail(diag.ElfLinkInternal)
	case refused || mercury || from.contained || from.asPTX: // damage, whatever nvlink does (LOAD-026)
		return l.damagedHeader(name, "its tables do not lie inside the file", 0, len(data))
	}
	return nil
}

// isLegacyABI reports whether a release takes the ABI version of a file whose header is that of CUDA 12. Before 13.0 the
// version of a file of the later OSABI does not count, nor does a flag (KIT-944).
func isLegacyABI(toolkit *arch.Profile, data []byte, flags uint32) bool {
	same := data[offABIVersion] == cubin.ABIVersionLegacy
	if toolkit.Emit.OSABI != cubin.OSABI {
		return same || data[offOSABI] == cubin.OSABI
	}
	return same && flags&legacyFlagBadABI == 0
}

// checkHeader makes the checks of LOAD-013 in nvlink's order.
func (l *loader) checkHeader(name string, h cubinHeader) error {
	target := l.target
	if !h.address64 {
		l.log.Report(diag.NotEFCuda64, name)
	}
	if !h.abiOK && target.Profile.Emit.OSABI == cubin.OSABI { // earlier releases compare the architecture first (KIT-944)
		return l.fail(diag.ABIMismatch, name)
	}
	if target.Mercury() && !h.finalised && !l.limited {
		l.limited = true
		l.log.Report(diag.OutputLimited, target.Number, name)
	}
	if err := l.checkArchitecture(name, h); err != nil {
		return err
	}
	if !h.abiOK {
		return l.fail(diag.ABIMismatch, name)
	}
	if h.api > target.Profile.API {
		return l.fail(diag.NewerThanToolkit, name, int32(h.api), target.Profile.API)
	}
	isLater := h.foreign && target.Profile.Accept.LaterABI == cubin.ABIVersion // so of CUDA 13, whatever h.api says
	if !isLater && !l.inMemory && target.TooOld(h.api) {                       // JIT-964
		return l.fail(diag.RecompileWith12, name)
	}
	if target.Number == firstMaxwell && h.api < firstOfMaxwell { // KIT-943
		return l.fail(diag.RecompileWith7, name)
	}
	l.mercury = l.mercury || h.finalised
	l.extensible = l.extensible || h.extensible
	if l.extensible && h.api != target.Profile.API && !l.inMemory { // LOAD-056
		return l.fail(diag.ExtensibleOfOther)
	}
	return l.checkKinds(name, h)
}

// Code of releases before 6.5 for sm_50 must be compiled again, if it is linked for sm_50.
const (
	firstMaxwell   = 50
	firstOfMaxwell = 65
)

// These are the first architecture whose name has two digits (LOAD-991) and the last whose name has three (KIT-035).
const (
	minArch  = 10
	mostArch = 999
)

// checkArchitecture refuses code for an architecture that the target does not accept.
func (l *loader) checkArchitecture(name string, h cubinHeader) error {
	target := l.target
	if target.Profile.Accept.LimitsArchName && (h.sm == 0 || h.sm > mostArch) {
		return l.fail(diag.ArchNameTooLong)
	}
	if h.sm == 0 || l.virtual() && h.sm < minArch && target.Profile.Accept.NamesTwoDigits {
		return l.fail(diag.UnknownArch, arch.Prefixes[target.Kind]+strconv.Itoa(h.sm))
	}
	if h.specific && target.Suffix != 'a' && target.Profile.Accept.RefusesSpecific { // KIT-091
		return l.fail(diag.SpecificBesideOther)
	}
	// Any code at all: nvlink's buffer is too small for both names (LOAD-051).
	if l.virtual() && h.sm >= arch.MinMercury && target.Profile.Emit.OSABI == cubin.OSABI && !target.Profile.Accept.JudgesMercury {
		return l.fail(diag.ArchNameTooLong)
	}
	if !l.fits(h) {
		if h.untold && (h.finalised || l.mercury) && target.Profile.Accept.ReadsCompatFirst { // KIT-126, LOAD-970
			return l.fail(diag.UnreadableCompat)
		}
		return l.fail(diag.ArchMismatch, name, target.Name)
	}
	return nil
}

// fits reports whether the target accepts the architecture of a cubin. For a virtual target .nv.compat limits 'a' code alone.
// Before 13.1 a file with the header of CUDA 13 needs that section (LOAD-051).
func (l *loader) fits(h cubinHeader) bool {
	switch target := l.target; {
	case !target.Accepts(h.sm, 0):
		return false
	case h.sm < arch.MinCompat || h.sm == target.Number:
		return true
	case !l.virtual():
		return h.portable
	case h.specific:
		return false
	default:
		return !h.untold || h.legacy || target.Profile.Accept.JudgesMercury
	}
}

// checkKinds refuses files with both kinds of code, and Mercury code that cannot be finalized.
func (l *loader) checkKinds(name string, h cubinHeader) error {
	target := l.target
	if h.sass && h.mercury && target.Profile.Accept.FinalizesFirst { // KIT-127
		return l.fail(diag.ElfLinkFinalization)
	}
	if h.sass && h.mercury {
		return l.fail(diag.BareInternalError)
	}
	if h.finalised && h.version > target.Profile.API && !l.inMemory { // LOAD-014, JIT-041
		return l.fail(diag.NewerThanToolkit, name, int32(h.version), target.Profile.API)
	}
	if h.mercury && h.sm < arch.MinMercury && target.Profile.Accept.RefusesOldMercury { // KIT-128
		l.log.Report(diag.FinalizationFailed, "unsupported SM version")
		return l.fail(diag.ElfLinkFinalization)
	}
	if h.mercury && h.sm < arch.MinMercury { // damage, whatever nvlink does (LOAD-026)
		return l.damagedHeader(name, "Mercury code for an architecture without it", offFlags, h.sm)
	}
	if h.alien {
		return l.refuseAlien(name)
	}
	return nil
}

// refuseAlien reports Mercury code that the finalizer rejects. If an earlier input has no Mercury code, nothing is finalized, and
// later releases then skip this check (KIT-174).
func (l *loader) refuseAlien(name string) error {
	profile := l.target.Profile
	switch {
	case !profile.Accept.TellsFailures:
		return l.fail(diag.FinalizerFailed, name)
	case l.limited && profile.Accept.ChecksLaterISA:
		return nil
	}
	l.log.Report(diag.FinalizationFailed, "unsupported binary")
	return l.fail(diag.ElfLinkFinalization)
}

// damagedHeader reports a header field with an impossible value. The cause of the error has the place and the value.
func (l *loader) damagedHeader(name, msg string, offset int64, value any) error {
	place := &cubin.FormatError{File: name, Part: "ELF header", Offset: offset, Msg: msg, Value: value}
	return l.failBecause(place, diag.DamagedInput, name, msg)
}

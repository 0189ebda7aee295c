package capsule

import (
	"encoding/binary"
	"slices"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/sass"
)

// The capsules of 12.8 have another header (MERC-106). They also differ in which machine instructions are used
// unchanged and which need a short record (MERC-107). Finalizers convert them to the form of later compilers.

// Renew converts a capsule of 12.8 to the form of later compilers. text is its machine code. early reports
// whether the capsule was one of 12.8. Damaged parts are left unchanged, so that Open reports them.
func Renew(capsule, text []byte) (renewed []byte, early bool) {
	if !isEarly(capsule) {
		return nil, false
	}
	count := binary.LittleEndian.Uint32(capsule[4:])
	head := binary.LittleEndian.AppendUint32(capsule[:4:4], capsuleForm)
	head = binary.LittleEndian.AppendUint32(head, count&^formBits)
	later := slices.Concat(head, capsule[earlyHeader:])
	c, err := Open(later, Place{})
	if err != nil || c.Machine()*machine.Size > len(text) {
		return later, true
	}
	var w writer
	for _, m := range c.Instructions() {
		record := c.data[m.At : m.At+m.size]
		if m.Count == 1 && (m.size == 0 || m.size == shortRecord) {
			record = laterRecord(machine.Decode(text[m.First*machine.Size:]), record)
		}
		w.add(record)
	}
	return w.capsule(c), true
}

// laterDefaults contains the short records of 12.8 for instructions that later compilers use unchanged.
var laterDefaults = map[[shortRecord]byte]bool{
	{0x41, 0x08, 0x04, 0x0c}: true, // BSSY.RELIABLE
	{0x41, 0x09, 0x00, 0x0a}: true, // BSYNC
	{0x41, 0x09, 0x04, 0x0a}: true, // BSYNC.RELIABLE
	{0x42, 0x07, 0x06, 0x0e}: true, // BRXU
	{0x42, 0x08, 0x00, 0x06}: true, // BSSY
	{0x42, 0x0a, 0x0a, 0x0e}: true, // CALL.REL
	{0x42, 0x10, 0x0c, 0x26}: true, // DSETP of registers
	{0x42, 0x10, 0x0e, 0x26}: true, // of a uniform one
	{0x42, 0x10, 0x10, 0x32}: true, // FSETP with a constant
	{0x42, 0x10, 0x12, 0x26}: true, // of registers
	{0x42, 0x10, 0x14, 0x26}: true, // of a uniform one
	{0x42, 0x10, 0x2c, 0x26}: true, // HSETP2 of a uniform one
	{0x41, 0x1a, 0x08, 0x0a}: true, // FSET
	{0x41, 0x1f, 0x06, 0x04}: true, // IDP.2A of a uniform one
	{0x42, 0x22, 0x2a, 0x06}: true, // LDL
	{0x42, 0x22, 0x3a, 0x06}: true, // LDS
	{0x42, 0x2a, 0x08, 0x14}: true, // ULOP3 of an exclusive disjunction
	{0x42, 0x1d, 0x0e, 0x06}: true, // UIADD3 of a constant, with carries
	{0x41, 0x41, 0x0a, 0x04}: true, // VIMNMX3 of a uniform one
	{0x41, 0x42, 0x00, 0x04}: true, // VIADDMNMX of registers
	{0x42, 0x42, 0x02, 0x06}: true, // with a constant, as the last operand
	{0x42, 0x42, 0x06, 0x06}: true, // or another one
	{0x41, 0x42, 0x08, 0x04}: true, // of a uniform one
	{0x41, 0x50, 0x0a, 0x0a}: true, // MUFU.RSQ of a uniform one
	{0x41, 0x52, 0x0a, 0x0a}: true, // another function of one
	{0x41, 0x12, 0x94, 0x0a}: true, // F2F to single precision
	{0x41, 0x12, 0x96, 0x0a}: true, // of uniform ones
	{0x41, 0x12, 0xb8, 0x0a}: true, // I2F to FP64, of 16, 32, 64 and 8 bits
	{0x41, 0x12, 0xbc, 0x0a}: true,
	{0x41, 0x12, 0xc0, 0x0a}: true,
	{0x41, 0x12, 0xc4, 0x0a}: true,
	{0x41, 0x12, 0xba, 0x0a}: true, // the same of uniform registers
	{0x41, 0x12, 0xbe, 0x0a}: true,
	{0x41, 0x12, 0xc2, 0x0a}: true,
	{0x41, 0x12, 0xc6, 0x0a}: true,
}

// isLaterDefault reports whether later compilers use x unchanged although 12.8 has the short record early for
// it. halved means that x converts to a 16-bit format.
func isLaterDefault(x machine.Instr, early [shortRecord]byte, halved bool) bool {
	const (
		never = 0xf << (87 - 64) // input predicate !PT
		upper = 1 << (80 - 64)   // of SHF
	)
	switch early {
	case [...]byte{0x42, 0x10, 0x2e, 0x14}, [...]byte{0x42, 0x10, 0x30, 0x06}, [...]byte{0x42, 0x10, 0x32, 0x14}: // ISETP, also unsigned
		return x.High&never == never
	case [...]byte{0x41, 0x35, 0x0a, 0x04}: // SHF with a uniform register
		return x.High&upper != 0
	case [...]byte{0x41, 0x12, 0x48, 0x0a}, [...]byte{0x41, 0x12, 0x40, 0x0a}, // I2F of 8 and of 32 bits
		[...]byte{0x41, 0x12, 0x4a, 0x0a}, [...]byte{0x41, 0x12, 0x3e, 0x0a}, [...]byte{0x41, 0x12, 0x46, 0x0a}: // uniform: of 8, 16 and 64 bits
		return !halved
	}
	return laterDefaults[early]
}

// laterRecords contains the short records of later compilers for instructions that 12.8 uses unchanged, by the
// form of the operation.
var laterRecords = map[uint64][]byte{
	0x800 | sass.OpCALLAbs: {0x42, 0x0a, 0x02, 0x0e},
	0x800 | sass.OpRET:     {0x42, 0x33, 0x00, 0x0e},
	0xc00 | sass.OpIDP:     {0x41, 0x1e, 0x02, 0x04}, // IDP.4A of a uniform register
	0x200 | sass.OpULOP3:   {0x41, 0x27, 0x10, 0x04}, // a conjunction
	0xc00 | sass.OpFCHK:    {0x41, 0x14, 0x04, 0x0a},
	0xc00 | sass.OpFRND:    {0x41, 0x12, 0x90, 0x44},
}

// 12.8 has one record for I2F with any result. Later compilers use it only for half precision.
var (
	fromHalfWords = []byte{0x41, 0x12, 0x3c, 0x0a} // 12.8 has none
	fromLongs     = []byte{0x41, 0x12, 0x44, 0x0a} // 12.8 has none
)

// laterRecord returns the record that later compilers use for x. early is its record in 12.8, or nil.
func laterRecord(x machine.Instr, early []byte) []byte {
	const toHalf = 1 // value of bits 75 and 76; 0: to another 16-bit format
	halved := x.High>>(75-64)&3 <= toHalf
	switch {
	case len(early) == 0 && laterRecords[x.Low&0xfff] != nil:
		return laterRecords[x.Low&0xfff]
	case len(early) > 0:
		if isLaterDefault(x, [shortRecord]byte(early), halved) {
			return nil
		}
	case halved && x.Low&0xfff == 0x200|sass.OpI2F:
		return fromHalfWords
	case halved && x.Low&0xfff == 0x200|sass.OpI2F64:
		return fromLongs
	}
	return early
}

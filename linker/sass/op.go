package sass

import "fmt"

// An Op is an operation: the low nine bits of an opcode, without the three bits for the kinds of its operands.
type Op uint16

// opBits is the width of an operation in an opcode.
const opBits = 9

// These are the operations by number. The constants are untyped because they are also parts of machine words.
const (
	OpMOV             = 0x002
	OpP2R             = 0x003
	OpR2P             = 0x004
	OpVOTE            = 0x006
	OpSEL             = 0x007
	OpFSEL            = 0x008
	OpFMNMX           = 0x009
	OpFSET            = 0x00a
	OpFSETP           = 0x00b
	OpISETP           = 0x00c
	OpVIMNMX3         = 0x00f
	OpIADD3           = 0x010
	OpLEA             = 0x011
	OpLOP3            = 0x012
	OpIABS            = 0x013
	OpPRMT            = 0x016
	OpIMNMX           = 0x017
	OpSHF             = 0x019
	OpSGXT            = 0x01a
	OpBMSK            = 0x01b
	OpPLOP3           = 0x01c
	OpFMUL            = 0x020
	OpFADD            = 0x021
	OpFFMA            = 0x023
	OpIMAD            = 0x024
	OpIMADWide        = 0x025
	OpIDP             = 0x026
	OpIMADHigh        = 0x027
	OpDMUL            = 0x028
	OpDADD            = 0x029
	OpDSETP           = 0x02a
	OpDFMA            = 0x02b
	OpPREEXIT         = 0x02d
	OpELECT           = 0x02f
	OpHADD2           = 0x030
	OpHFMA2           = 0x031
	OpHMUL2           = 0x032
	OpHSET2           = 0x033
	OpHSETP2          = 0x034
	OpIADD            = 0x035 // with two operands
	OpVIADD           = 0x036
	OpIMMA            = 0x037
	OpI2I             = 0x038
	OpMOVM            = 0x03a // transposes a matrix
	OpLDSM            = 0x03b
	OpHMMA            = 0x03c
	OpF2FP            = 0x03e
	OpDMMA            = 0x03f
	OpHMNMX2          = 0x040
	OpSTSM            = 0x044
	OpI2FP            = 0x045
	OpVIADDMNMX       = 0x046
	OpVIMNMX          = 0x048
	OpQMMA            = 0x07a
	OpOMMA            = 0x07f
	OpUMOV            = 0x082
	OpVOTEU           = 0x086
	OpUSEL            = 0x087
	OpUISETP          = 0x08c
	OpUIADD3          = 0x090
	OpULEA            = 0x091
	OpULOP3           = 0x092
	OpUPRMT           = 0x096
	OpUSHF            = 0x099
	OpUIMAD           = 0x0a4
	OpUFLO            = 0x0bd
	OpUPOPC           = 0x0bf
	OpR2UR            = 0x0ca
	OpCREDUX          = 0x0cc
	OpFLO             = 0x100
	OpBREV            = 0x101
	OpFCHK            = 0x102
	OpF2F             = 0x104
	OpF2I             = 0x105
	OpI2F             = 0x106
	OpFRND            = 0x107
	OpMUFU            = 0x108
	OpPOPC            = 0x109
	OpF2F64           = 0x110 // conversions that read or write 64 bits
	OpF2I64           = 0x111
	OpI2F64           = 0x112
	OpFRND64          = 0x113
	OpNOP             = 0x118
	OpS2R             = 0x119
	OpDEPBAR          = 0x11a
	OpENDCOLLECTIVE   = 0x11b
	OpB2R             = 0x11c // the result of a barrier
	OpBAR             = 0x11d
	OpCCTLUniform     = 0x140 // CCTL of the cache of LDCU
	OpBSYNC           = 0x141
	OpBREAK           = 0x142
	OpCALLAbs         = 0x143
	OpCALLRel         = 0x144
	OpBSSY            = 0x145
	OpYIELD           = 0x146
	OpBRA             = 0x147
	OpWARPSYNC        = 0x148
	OpBRX             = 0x149
	OpJMP             = 0x14a
	OpJMX             = 0x14c
	OpEXIT            = 0x14d
	OpLEPC            = 0x14e
	OpRTT             = 0x14f
	OpRET             = 0x150
	OpBMOV            = 0x155 // to a register
	OpBMOVTo          = 0x156 // to a barrier
	OpBRXU            = 0x158
	OpJMXU            = 0x159
	OpKILL            = 0x15b
	OpBPT             = 0x15c
	OpNANOSLEEP       = 0x15d // also WARPSYNC.EXCLUSIVE
	OpTEX             = 0x160
	OpTEXB            = 0x161
	OpTLD4            = 0x163
	OpTLD4B           = 0x164
	OpTLD             = 0x166
	OpTLDB            = 0x167
	OpTMML            = 0x169 // also with the next number
	OpTMMLB           = 0x16a
	OpTXD             = 0x16c
	OpTXDB            = 0x16d
	OpTXQ             = 0x16f
	OpTXQB            = 0x170
	OpUREDGR          = 0x178
	OpLDG256          = 0x17e
	OpSTG256          = 0x17f
	OpLD              = 0x180
	OpLDG             = 0x181
	OpLDC             = 0x182
	OpLDL             = 0x183
	OpLDS             = 0x184
	OpST              = 0x185
	OpSTG             = 0x186
	OpSTL             = 0x187
	OpSTS             = 0x188
	OpSHFL            = 0x189
	OpATOM            = 0x18a
	OpATOMCAS         = 0x18b
	OpATOMS           = 0x18c
	OpATOMSCAS        = 0x18d
	OpRED             = 0x18e
	OpATOMSPOPC       = 0x18f
	OpMEMBAR          = 0x192
	OpSUATOM          = 0x194
	OpSUATOMCAS       = 0x196
	OpSULDP           = 0x197
	OpSULDPB          = 0x198
	OpSULD            = 0x199
	OpSULDB           = 0x19a
	OpSUSTP           = 0x19b
	OpSUST            = 0x19d
	OpSURED           = 0x19f
	OpMATCH           = 0x1a1
	OpATOMFloat       = 0x1a2
	OpATOMGFloat      = 0x1a3
	OpLDGMC           = 0x1a4
	OpREDGFloat       = 0x1a6
	OpSYNCS           = 0x1a7
	OpATOMG           = 0x1a8
	OpATOMGCAS        = 0x1a9
	OpQSPC            = 0x1aa
	OpERRBAR          = 0x1ab // and CGAERRBAR
	OpLDCU            = 0x1ac
	OpLDGSTS          = 0x1ae
	OpLDGDEPBAR       = 0x1af
	OpARRIVES         = 0x1b0
	OpSYNCSInvalidate = 0x1b1
	OpSYNCSExchange   = 0x1b2
	OpUTMALDG         = 0x1b4
	OpUTMASTG         = 0x1b5
	OpUTMAREDG        = 0x1b6
	OpUTMACMDFLUSH    = 0x1b7
	OpUTMAPF          = 0x1b8
	OpUTMACCTL        = 0x1b9
	OpUBLKCP          = 0x1ba
	OpUBLKRED         = 0x1bb
	OpUBLKPF          = 0x1bc
	OpSTAS            = 0x1bd // to another block of the cluster, as OpREDAS
	OpREDAS           = 0x1be
	OpS2UR            = 0x1c3
	OpREDUX           = 0x1c4
	OpFENCE           = 0x1c6 // of a view of memory
	OpUTCATOMSWS      = 0x1e3 // for the columns of tensor memory
	OpUTCCP           = 0x1e7
	OpUTCBAR          = 0x1e9
	OpUTCMMA          = 0x1ea // for all kinds of numbers
	OpSTTM            = 0x1ed
	OpLDTM            = 0x1ee
)

// names contains the mnemonics of the operations, or "" for a number without one. It is an array because an
// array needs no initialisation when the program starts.
var names = [1 << opBits]string{
	OpMOV:             "MOV",
	OpP2R:             "P2R",
	OpR2P:             "R2P",
	OpVOTE:            "VOTE",
	OpSEL:             "SEL",
	OpFSEL:            "FSEL",
	OpFMNMX:           "FMNMX",
	OpFSET:            "FSET",
	OpFSETP:           "FSETP",
	OpISETP:           "ISETP",
	OpVIMNMX3:         "VIMNMX3",
	OpIADD3:           "IADD3",
	OpLEA:             "LEA",
	OpLOP3:            "LOP3",
	OpIABS:            "IABS",
	OpPRMT:            "PRMT",
	OpIMNMX:           "IMNMX",
	OpSHF:             "SHF",
	OpSGXT:            "SGXT",
	OpBMSK:            "BMSK",
	OpPLOP3:           "PLOP3",
	OpFMUL:            "FMUL",
	OpFADD:            "FADD",
	OpFFMA:            "FFMA",
	OpIMAD:            "IMAD",
	OpIMADWide:        "IMAD.WIDE",
	OpIDP:             "IDP",
	OpIMADHigh:        "IMAD.HI",
	OpDMUL:            "DMUL",
	OpDADD:            "DADD",
	OpDSETP:           "DSETP",
	OpDFMA:            "DFMA",
	OpPREEXIT:         "PREEXIT",
	OpELECT:           "ELECT",
	OpHADD2:           "HADD2",
	OpHFMA2:           "HFMA2",
	OpHMUL2:           "HMUL2",
	OpHSET2:           "HSET2",
	OpHSETP2:          "HSETP2",
	OpIADD:            "IADD",
	OpVIADD:           "VIADD",
	OpIMMA:            "IMMA",
	OpI2I:             "I2I",
	OpMOVM:            "MOVM",
	OpLDSM:            "LDSM",
	OpHMMA:            "HMMA",
	OpF2FP:            "F2FP",
	OpDMMA:            "DMMA",
	OpHMNMX2:          "HMNMX2",
	OpSTSM:            "STSM",
	OpI2FP:            "I2FP",
	OpVIADDMNMX:       "VIADDMNMX",
	OpVIMNMX:          "VIMNMX",
	OpQMMA:            "QMMA",
	OpOMMA:            "OMMA",
	OpUMOV:            "UMOV",
	OpVOTEU:           "VOTEU",
	OpUSEL:            "USEL",
	OpUISETP:          "UISETP",
	OpUIADD3:          "UIADD3",
	OpULEA:            "ULEA",
	OpULOP3:           "ULOP3",
	OpUPRMT:           "UPRMT",
	OpUSHF:            "USHF",
	OpUIMAD:           "UIMAD",
	OpUFLO:            "UFLO",
	OpUPOPC:           "UPOPC",
	OpR2UR:            "R2UR",
	OpCREDUX:          "CREDUX",
	OpFLO:             "FLO",
	OpBREV:            "BREV",
	OpFCHK:            "FCHK",
	OpF2F:             "F2F",
	OpF2I:             "F2I",
	OpI2F:             "I2F",
	OpFRND:            "FRND",
	OpMUFU:            "MUFU",
	OpPOPC:            "POPC",
	OpF2F64:           "F2F.64",
	OpF2I64:           "F2I.64",
	OpI2F64:           "I2F.64",
	OpFRND64:          "FRND.64",
	OpNOP:             "NOP",
	OpS2R:             "S2R",
	OpDEPBAR:          "DEPBAR",
	OpENDCOLLECTIVE:   "ENDCOLLECTIVE",
	OpB2R:             "B2R",
	OpBAR:             "BAR",
	OpCCTLUniform:     "CCTL",
	OpBSYNC:           "BSYNC",
	OpBREAK:           "BREAK",
	OpCALLAbs:         "CALL.ABS",
	OpCALLRel:         "CALL.REL",
	OpBSSY:            "BSSY",
	OpYIELD:           "YIELD",
	OpBRA:             "BRA",
	OpWARPSYNC:        "WARPSYNC",
	OpBRX:             "BRX",
	OpJMP:             "JMP",
	OpJMX:             "JMX",
	OpEXIT:            "EXIT",
	OpLEPC:            "LEPC",
	OpRTT:             "RTT",
	OpRET:             "RET",
	OpBMOV:            "BMOV",
	OpBMOVTo:          "BMOV",
	OpBRXU:            "BRXU",
	OpJMXU:            "JMXU",
	OpKILL:            "KILL",
	OpBPT:             "BPT",
	OpNANOSLEEP:       "NANOSLEEP",
	OpTEX:             "TEX",
	OpTEXB:            "TEX.B",
	OpTLD4:            "TLD4",
	OpTLD4B:           "TLD4.B",
	OpTLD:             "TLD",
	OpTLDB:            "TLD.B",
	OpTMML:            "TMML",
	OpTMMLB:           "TMML.B",
	OpTXD:             "TXD",
	OpTXDB:            "TXD.B",
	OpTXQ:             "TXQ",
	OpTXQB:            "TXQ.B",
	OpUREDGR:          "UREDGR",
	OpLDG256:          "LDG.256",
	OpSTG256:          "STG.256",
	OpLD:              "LD",
	OpLDG:             "LDG",
	OpLDC:             "LDC",
	OpLDL:             "LDL",
	OpLDS:             "LDS",
	OpST:              "ST",
	OpSTG:             "STG",
	OpSTL:             "STL",
	OpSTS:             "STS",
	OpSHFL:            "SHFL",
	OpATOM:            "ATOM",
	OpATOMCAS:         "ATOM.CAS",
	OpATOMS:           "ATOMS",
	OpATOMSCAS:        "ATOMS.CAS",
	OpRED:             "RED",
	OpATOMSPOPC:       "ATOMS.POPC",
	OpMEMBAR:          "MEMBAR",
	OpSUATOM:          "SUATOM",
	OpSUATOMCAS:       "SUATOM.CAS",
	OpSULDP:           "SULD.P",
	OpSULDPB:          "SULD.P.B",
	OpSULD:            "SULD",
	OpSULDB:           "SULD.B",
	OpSUSTP:           "SUSTP",
	OpSUST:            "SUST",
	OpSURED:           "SURED",
	OpMATCH:           "MATCH",
	OpATOMFloat:       "ATOM.ADD.F",
	OpATOMGFloat:      "ATOMG.ADD.F",
	OpLDGMC:           "LDGMC",
	OpREDGFloat:       "REDG.ADD.F",
	OpSYNCS:           "SYNCS",
	OpATOMG:           "ATOMG",
	OpATOMGCAS:        "ATOMG.CAS",
	OpQSPC:            "QSPC",
	OpERRBAR:          "ERRBAR",
	OpLDCU:            "LDCU",
	OpLDGSTS:          "LDGSTS",
	OpLDGDEPBAR:       "LDGDEPBAR",
	OpARRIVES:         "ARRIVES",
	OpSYNCSInvalidate: "SYNCS.CCTL",
	OpSYNCSExchange:   "SYNCS.EXCH",
	OpUTMALDG:         "UTMALDG",
	OpUTMASTG:         "UTMASTG",
	OpUTMAREDG:        "UTMAREDG",
	OpUTMACMDFLUSH:    "UTMACMDFLUSH",
	OpUTMAPF:          "UTMAPF",
	OpUTMACCTL:        "UTMACCTL",
	OpUBLKCP:          "UBLKCP",
	OpUBLKRED:         "UBLKRED",
	OpUBLKPF:          "UBLKPF",
	OpSTAS:            "STAS",
	OpREDAS:           "REDAS",
	OpS2UR:            "S2UR",
	OpREDUX:           "REDUX",
	OpFENCE:           "FENCE",
	OpUTCATOMSWS:      "UTCATOMSWS",
	OpUTCCP:           "UTCCP",
	OpUTCBAR:          "UTCBAR",
	OpUTCMMA:          "UTCMMA",
	OpSTTM:            "STTM",
	OpLDTM:            "LDTM",
}

// String returns the mnemonic, as "LDG". For an operation without one it returns the number, as "0x1ff".
func (o Op) String() string {
	if int(o) < len(names) && names[o] != "" {
		return names[o]
	}
	return fmt.Sprintf("%#x", uint16(o))
}

// Op returns the operation of x.
func (x Instruction) Op() Op { return Op(x.Low & (1<<opBits - 1)) }

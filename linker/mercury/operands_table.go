package mercury

// operandForms are the forms of the instructions that are known, by opcode with the kind
// of operands. They were measured: nvdisasm's life ranges of the machine code of our own
// sources, and of the same instructions with one bit changed, tell which registers an
// instruction reads and writes. Masks hold what made a difference there, and what no
// legal instruction had; so a form that never came up matches no row. Measured with code
// for sm_100 and sm_120 (and checked with that for the others).
var operandForms = map[uint64][]operandForm{
	0x202: { // MOV
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x0}, "wR16 rP12 rR32"},         // MOV
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x10000}, "wR16x2 rP12 rR32x2"}, // MOV.64
	},
	0x207: { // SEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rP87"}, // SEL
	},
	0x208: { // FSEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rP87"}, // FSEL
	},
	0x20b: { // FSETP
		{instruction{0x0, 0x8000800}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24 rR32 rP87"}, // FSETP.GT.AND
	},
	0x20c: { // ISETP
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x100}, "wP81 wP84 rP12 rR24 rR32 rP68 rP87"},  // ISETP.EQ.OR.EX
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24 rR32 rP87"},         // ISETP.GT.AND
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x10000}, "wP81 wP84 rP12 rR24x2 rR32x2 rP87"}, // ISETP.EQ.S64.OR
	},
	0x20f: { // VIMNMX3
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64 rP87"}, // VIMNMX3
	},
	0x210: { // IADD3
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x0}, "wR16 wP81 wP84 rP12 rR24 rR32 rR64"},             // IADD3
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x400}, "wR16 wP81 wP84 rP12 rR24 rR32 rR64 rP77 rP87"}, // IADD3.X
	},
	0x211: { // LEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR32"},               // LEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x10200}, "wR16 wP81 rP12 rR24 rR32"},           // LEA.HI.SX32
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x10600}, "wR16 wP81 rP12 rR24 rR32 rP87"},      // LEA.HI.X.SX32
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x10000}, "wR16 wP81 rP12 rR24 rR32 rR64"},      // LEA.HI
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x10400}, "wR16 wP81 rP12 rR24 rR32 rR64 rP87"}, // LEA.HI.X
	},
	0x212: { // LOP3
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR32 rR64 rP87"}, // LOP3.LUT
	},
	0x213: { // IABS
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR32"}, // IABS
	},
	0x214: { // VABSDIFF
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR32 rR64"}, // VABSDIFF
	},
	0x215: { // VABSDIFF4
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR32 rR64"}, // VABSDIFF4.U8
	},
	0x216: { // PRMT
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64"}, // PRMT
	},
	0x217: { // IMNMX
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x400}, "wR16x2 wP81 wP84 rP12 rR24x2 rR32x2 rP77 rP87"}, // IMNMX.U64
	},
	0x219: { // SHF
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64"}, // SHF.R.U32.HI
	},
	0x220: { // FMUL
		{instruction{0x0, 0x8401000}, instruction{0x0, 0x400000}, "wR16 rP12 rR24 rR32"}, // FMUL
	},
	0x221: { // FADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32"}, // FADD
	},
	0x223: { // FFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64"}, // FFMA
	},
	0x224: { // IMAD
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64"},        // IMAD.U32
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x400}, "wR16 rP12 rR24 rR32 rR64 rP87"}, // IMAD.X
	},
	0x225: { // IMAD
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x0}, "wR16x2 wP81 rP12 rR24 rR32 rR64x2"},        // IMAD.WIDE.U32
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x400}, "wR16x2 wP81 rP12 rR24 rR32 rR64x2 rP87"}, // IMAD.WIDE.U32.X
	},
	0x226: { // IDP
		{instruction{0x0, 0x8002000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64"}, // IDP.4A.S8.S8
	},
	0x227: { // IMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR32 rR64x2"}, // IMAD.HI.U32
	},
	0x228: { // DMUL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2 rR32x2"}, // DMUL
	},
	0x229: { // DADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2 rR64x2"}, // DADD
	},
	0x22a: { // DSETP
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24x2 rR32x2 rP87"}, // DSETP.NAN.AND
	},
	0x22b: { // DFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2 rR32x2 rR64x2"}, // DFMA
	},
	0x230: { // HADD2
		{instruction{0x3000000000000000, 0x8004400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32"},                   // HADD2
		{instruction{0x2000000000000000, 0x8204400}, instruction{0x2000000000000000, 0x4000}, "wR16 rP12 rR24 rR32"}, // HADD2.F32
	},
	0x231: { // HFMA2
		{instruction{0x0, 0x802e400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64"},         // HFMA2
		{instruction{0x0, 0x802e400}, instruction{0x0, 0x8000}, "wR16 rP12 rR24 rR32 rR64 rP87"}, // HFMA2.BF16_V2.RELU
	},
	0x233: { // HSET2
		{instruction{0x1000000000000000, 0x8000401}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rP87"}, // HSET2.GT.AND
	},
	0x234: { // HSETP2
		{instruction{0x0, 0x8000001}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24 rR32 rP87"}, // HSETP2.GT.AND
	},
	0x235: { // IADD
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x200}, "wR16x2 wP81 rP12 rR24x2 rR32x2"}, // IADD.64
	},
	0x236: { // VIADD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32"}, // VIADD.16x2
	},
	0x237: { // IMMA
		{instruction{0x0, 0xbf8af00}, instruction{0x0, 0x400400}, "wR16x4 rP12 rR24x2 rR32 rR64x4"}, // IMMA.16816.U8.U8
	},
	0x23c: { // HMMA
		{instruction{0x0, 0xb8c5a00}, instruction{0x0, 0x800}, "wR16x2 rP12 rR24x4 rR32x2 rR64x2"},  // HMMA.16816.F16
		{instruction{0x0, 0xb8c5a00}, instruction{0x0, 0x85000}, "wR16x4 rP12 rR24x2 rR32 rR64x4"},  // HMMA.1684.F32.TF32
		{instruction{0x0, 0xb885a00}, instruction{0x0, 0x1800}, "wR16x4 rP12 rR24x4 rR32x2 rR64x4"}, // HMMA.16816.F32
	},
	0x23e: { // F2FP
		{instruction{0x0, 0xeefe600}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32"},            // F2FP.F16.F32.PACK_AB
		{instruction{0x0, 0xeefe600}, instruction{0x0, 0x4806000}, "wR16 rP12 rR24 rR32 rR64"}, // F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C
		{instruction{0x0, 0xeeff400}, instruction{0x0, 0x2000400}, "wR16 rP12 rR32"},           // F2FP.F16.E4M3.UNPACK_B
	},
	0x23f: { // DMMA
		{instruction{0x0, 0xb803000}, instruction{0x0, 0x0}, "wR16x4 rP12 rR24x2 rR32x2 rR64x4"}, // DMMA.8x8x4
	},
	0x240: { // HMNMX2
		{instruction{0x1000000000000000, 0x8004402}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rP87"}, // HMNMX2
	},
	0x245: { // I2FP
		{instruction{0x0, 0x830f800}, instruction{0x0, 0x201000}, "wR16 rP12 rR32"}, // I2FP.F32.S32
	},
	0x246: { // VIADDMNMX
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64 rP87"}, // VIADDMNMX
	},
	0x248: { // VIMNMX
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x400}, "wR16 rP12 rR24 rR32 rP87"},    // VIMNMX.U8x4
		{instruction{0x0, 0x87e0400}, instruction{0x0, 0x7e0000}, "wR16 rP12 rR24 rR32 rP87"}, // VIMNMX
	},
	0x24a: { // UVIMNMX
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU32 rQ87"}, // UVIMNMX.U32
	},
	0x25a: { // UI2F
		{instruction{0x0, 0x8103800}, instruction{0x0, 0x8001000}, "wU16 rQ12 rU32"}, // UI2F.U32.RP
	},
	0x25e: { // UI2FP
		{instruction{0x0, 0x830f800}, instruction{0x0, 0x8201000}, "wU16 rQ12 rU32"}, // UI2FP.F32.S32
	},
	0x287: { // USEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU32 rQ87"}, // USEL
	},
	0x28c: { // UISETP
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x8000100}, "wQ81 wQ84 rQ12 rU24 rU32 rQ68 rQ87"}, // UISETP.EQ.OR.EX
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x8000000}, "wQ81 wQ84 rQ12 rU24 rU32 rQ87"},      // UISETP.LT.U32.AND
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x8010000}, "wQ81 wQ84 rQ12 rU24x2 rU32x2 rQ87"},  // UISETP.EQ.S64.OR
	},
	0x290: { // UIADD3
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wU16 wQ81 wQ84 rQ12 rU24 rU32 rU64"},           // UIADD3
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000400}, "wU16 wQ81 wQ84 rQ12 rU24 rU32 rU64 rQ77 rQ87"}, // UIADD3.X
	},
	0x291: { // ULEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x8000000}, "wU16 wQ81 rQ12 rU24 rU32"}, // ULEA
	},
	0x297: { // UIADD3
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wU16x2 wQ81 wQ84 rQ12 rU24x2 rU32x2 rU64x2"}, // UIADD3.64
	},
	0x299: { // USHF
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU32 rU64"}, // USHF.L.U32
	},
	0x29b: { // UBMSK
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU32"}, // UBMSK
	},
	0x2a4: { // UIMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU32 rU64"}, // UIMAD
	},
	0x2bd: { // UFLO
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 wQ81 rQ12 rU32"}, // UFLO.U32
	},
	0x2bf: { // UPOPC
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU32"}, // UPOPC
	},
	0x2ca: { // R2UR
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wU16 wP81 rP12 rR24"}, // R2UR
	},
	0x2cc: { // CREDUX
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x0}, "wU16 rP12 rR24"}, // CREDUX.MIN.S32
	},
	0x300: { // FLO
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR32"}, // FLO.U32
	},
	0x301: { // BREV
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR32"}, // BREV
	},
	0x302: { // FCHK
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wP81 rP12 rR24 rR32"}, // FCHK
	},
	0x305: { // F2I
		{instruction{0x2000000000000000, 0x8700800}, instruction{0x0, 0x100000}, "wR16 rP12 rR32"}, // F2I.F16.TRUNC.NTZ
		{instruction{0x2000000000000000, 0x8700800}, instruction{0x0, 0x200000}, "wR16 rP12 rR32"}, // F2I.TRUNC.NTZ
	},
	0x306: { // I2F
		{instruction{0x2000000000000000, 0x8103800}, instruction{0x0, 0x1000}, "wR16 rP12 rR32"},   // I2F.U8
		{instruction{0x2000000000000000, 0x8203800}, instruction{0x0, 0x1000}, "wR16 rP12 rR32"},   // I2F.U8
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x100800}, "wR16 rP12 rR32"}, // I2F.F16.S16
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x102000}, "wR16 rP12 rR32"}, // I2F.BF16.S16
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x200800}, "wR16 rP12 rR32"}, // I2F.F16
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x202000}, "wR16 rP12 rR32"}, // I2F.BF16
	},
	0x307: { // FRND
		{instruction{0x0, 0x8703800}, instruction{0x0, 0x201000}, "wR16 rP12 rR32"}, // FRND
	},
	0x308: { // MUFU
		{instruction{0x0, 0x8001b00}, instruction{0x0, 0x0}, "wR16 rP12 rR32"}, // MUFU.SIN
		{instruction{0x0, 0x8002300}, instruction{0x0, 0x0}, "wR16 rP12 rR32"}, // MUFU.LG2
	},
	0x309: { // POPC
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR32"}, // POPC
	},
	0x310: { // F2F
		{instruction{0x0, 0x8703800}, instruction{0x0, 0x300800}, "wR16 rP12 rR32x2"}, // F2F.F16.F64
		{instruction{0x0, 0x8703800}, instruction{0x0, 0x301000}, "wR16 rP12 rR32x2"}, // F2F.F32.F64
		{instruction{0x0, 0x8703800}, instruction{0x0, 0x302000}, "wR16 rP12 rR32x2"}, // F2F.BF16.F64
		{instruction{0x0, 0x8703800}, instruction{0x0, 0x201800}, "wR16x2 rP12 rR32"}, // F2F.F64.F32
	},
	0x311: { // F2I
		{instruction{0x0, 0x8701800}, instruction{0x0, 0x301000}, "wR16 rP12 rR32x2"},   // F2I.F64.TRUNC
		{instruction{0x0, 0x8701800}, instruction{0x0, 0x201800}, "wR16x2 rP12 rR32"},   // F2I.U64.TRUNC
		{instruction{0x0, 0x8701800}, instruction{0x0, 0x301800}, "wR16x2 rP12 rR32x2"}, // F2I.S64.F64
	},
	0x312: { // I2F
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x300800}, "wR16 rP12 rR32x2"},   // I2F.F16.U64
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x301000}, "wR16 rP12 rR32x2"},   // I2F.U64.RP
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x302000}, "wR16 rP12 rR32x2"},   // I2F.BF16.U64
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x101800}, "wR16x2 rP12 rR32"},   // I2F.F64.S16
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x201800}, "wR16x2 rP12 rR32"},   // I2F.F64
		{instruction{0x2000000000000000, 0x8303800}, instruction{0x0, 0x301800}, "wR16x2 rP12 rR32x2"}, // I2F.F64.S64
	},
	0x313: { // FRND
		{instruction{0x0, 0x8703800}, instruction{0x0, 0x301800}, "wR16x2 rP12 rR32x2"}, // FRND.F64.TRUNC
	},
	0x31c: { // B2R
		{instruction{0x0, 0x800c000}, instruction{0x0, 0x4000}, "wR16 wP81 rP12"}, // B2R.RESULT
	},
	0x31d: { // BAR
		{instruction{0x0, 0x800e000}, instruction{0x0, 0x0}, "rP12 rR32"}, // BAR.SYNC.DEFER_BLOCKING
	},
	0x348: { // WARPSYNC
		{instruction{0x300000000, 0x1fff81c0000}, instruction{0x0, 0x0}, "rP12 rR24 rP87"}, // WARPSYNC
	},
	0x352: { // RPCMOV
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12 rR32"}, // RPCMOV.32
	},
	0x353: { // RPCMOV
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12"}, // RPCMOV.32
	},
	0x355: { // BMOV
		{instruction{0x20000000, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12"}, // BMOV.32.CLEAR
	},
	0x356: { // BMOV
		{instruction{0x20000000, 0x8000000}, instruction{0x0, 0x0}, "rP12 rR32"}, // BMOV.32
	},
	0x35d: { // NANOSLEEP
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12 rR32 rP87"}, // NANOSLEEP
	},
	0x387: { // STL
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0x800}, "rP12 rR24 rR32"},   // STL
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0xa00}, "rP12 rR24 rR32x2"}, // STL.64
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0xc00}, "rP12 rR24 rR32x4"}, // STL.128
	},
	0x388: { // STS
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x0}, "rP12 rR24 rR32"},     // STS
		{instruction{0x0, 0x8000a00}, instruction{0x0, 0x0}, "rP12 rR24 rR32"},     // STS.U8
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0xa00}, "rP12 rR24 rR32x2"}, // STS.64
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0xc00}, "rP12 rR24 rR32x4"}, // STS.128
	},
	0x389: { // SHFL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR32 rR64"}, // SHFL.UP
	},
	0x38b: { // ATOM
		{instruction{0x0, 0x8000d00}, instruction{0x0, 0x100}, "wR16 wP81 rP12 rR24x2 rR32 rR64"}, // ATOM.E.CAS.STRONG.SYS
	},
	0x38c: { // ATOMS
		{instruction{0x0, 0x8000c00}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32"}, // ATOMS.ADD
	},
	0x38d: { // ATOMS
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR32 rR64"},         // ATOMS.CAS
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0x400}, "wR16x2 rP12 rR24 rR32x2 rR64x2"}, // ATOMS.CAS.64
	},
	0x3a1: { // MATCH
		{instruction{0x0, 0x8008200}, instruction{0x0, 0x8000}, "wR16 rP12 rR24"},   // MATCH.ANY
		{instruction{0x0, 0x8008200}, instruction{0x0, 0x8200}, "wR16 rP12 rR24x2"}, // MATCH.ANY.U64
		{instruction{0x0, 0x8008200}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24"}, // MATCH.ALL
	},
	0x3a9: { // ATOMG
		{instruction{0x0, 0x8000f00}, instruction{0x0, 0x100}, "wR16 wP81 rP12 rR24x2 rR32 rR64"},       // ATOMG.E.CAS.STRONG.GPU
		{instruction{0x0, 0x8000f00}, instruction{0x0, 0x500}, "wR16x2 wP81 rP12 rR24x2 rR32x2 rR64x2"}, // ATOMG.E.CAS.64.STRONG.GPU
	},
	0x3aa: { // QSPC
		{instruction{0x0, 0x8000100}, instruction{0x0, 0x100}, "wR16 wP81 rP12 rR24x2"}, // QSPC.E.S
	},
	0x3ba: { // UBLKCP
		{instruction{0x0, 0x821e400}, instruction{0x0, 0x8000000}, "rQ12 rU24x2 rU32x2 rU64"}, // UBLKCP.S.G
	},
	0x3c4: { // REDUX
		{instruction{0x0, 0x8008000}, instruction{0x0, 0x0}, "wU16 rP12 rR24"}, // REDUX.OR
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x0}, "wU16 rP12 rR24"}, // REDUX.OR
	},
	0x402: { // MOV
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12"}, // MOV.64
	},
	0x407: { // SEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2 rP87"}, // SEL.64
	},
	0x421: { // FADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24"}, // FADD
	},
	0x423: { // FFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"}, // FFMA
	},
	0x424: { // IMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"}, // IMAD.U32
	},
	0x429: { // DADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2"}, // DADD
	},
	0x42a: { // DSETP
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24x2 rP87"}, // DSETP.NEU.AND
	},
	0x42b: { // DFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2 rR64x2"}, // DFMA
	},
	0x431: { // HFMA2
		{instruction{0x0, 0x8008400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"}, // HFMA2
	},
	0x433: { // HSET2
		{instruction{0x0, 0x8000401}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rP87"}, // HSET2.BF.EQ.AND
	},
	0x434: { // HSETP2
		{instruction{0x0, 0x8000001}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24 rP87"}, // HSETP2.GEU.AND
	},
	0x446: { // VIADDMNMX
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64 rP87"}, // VIADDMNMX
	},
	0x482: { // UMOV
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16x2 rQ12"}, // UMOV.64
	},
	0x4a4: { // UIMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU64"}, // UIMAD
	},
	0x547: { // BRA
		{instruction{0x3f0000000, 0x1fff87c0000}, instruction{0x100000000, 0x8000000}, "rP12 rQ24 rP87"}, // BRA.U
	},
	0x589: { // SHFL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR32"}, // SHFL.IDX
	},
	0x58d: { // ATOMS
		{instruction{0x0, 0x8800e00}, instruction{0x0, 0x800000}, "wP81 rP12 rR24 rR32 rR64"},     // ATOMS.CAST.SPIN
		{instruction{0x0, 0x8800e00}, instruction{0x0, 0x800400}, "wP81 rP12 rR24 rR32x2 rR64x2"}, // ATOMS.CAST.SPIN.64
	},
	0x5a7: { // SYNCS
		{instruction{0x0, 0x8003000}, instruction{0x0, 0x8001000}, "wP81 rP12 rR24 rR32 rU64"}, // SYNCS.PHASECHK.TRANS64.TRYWAIT
	},
	0x5ab: { // CGAERRBAR
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12"}, // CGAERRBAR
	},
	0x5b2: { // SYNCS
		{instruction{0x0, 0x8000300}, instruction{0x0, 0x8000100}, "wU16x2 rQ12 rU24 rU32x2"}, // SYNCS.EXCH.64
	},
	0x607: { // SEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2 rR32x2 rP87"}, // SEL.64
	},
	0x7ac: { // LDCU
		{instruction{0x0, 0x8030600}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24"},   // LDCU
		{instruction{0x0, 0x8030a00}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24"},   // LDCU.U8
		{instruction{0x0, 0x8030c00}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24"},   // LDCU.S8
		{instruction{0x0, 0x8030e00}, instruction{0x0, 0x8000a00}, "wU16x2 rQ12 rU24"}, // LDCU.64
		{instruction{0x0, 0x8030e00}, instruction{0x0, 0x8000c00}, "wU16x4 rQ12 rU24"}, // LDCU.128
	},
	0x802: { // MOV
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12"}, // MOV
	},
	0x803: { // P2R
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24"}, // P2R
	},
	0x804: { // R2P
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12 rR24"}, // R2P
	},
	0x805: { // CS2R
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x0}, "wR16 rP12"},       // CS2R.32
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x10000}, "wR16x2 rP12"}, // CS2R
	},
	0x806: { // VOTE
		{instruction{0x0, 0x8000200}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rP87"}, // VOTE.ANY
	},
	0x807: { // SEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rP87"}, // SEL
	},
	0x808: { // FSEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rP87"}, // FSEL
	},
	0x809: { // FMNMX
		{instruction{0x0, 0x8000002}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rP87"}, // FMNMX
	},
	0x80b: { // FSETP
		{instruction{0x0, 0x8000800}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24 rP87"}, // FSETP.GEU.AND
	},
	0x80c: { // ISETP
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x100}, "wP81 wP84 rP12 rR24 rP68 rP87"}, // ISETP.GT.AND.EX
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rR24 rP87"},        // ISETP.GE.AND
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x10000}, "wP81 wP84 rP12 rR24x2 rP87"},  // ISETP.NE.S64.AND
	},
	0x810: { // IADD3
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x0}, "wR16 wP81 wP84 rP12 rR24 rR64"},             // IADD3
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x400}, "wR16 wP81 wP84 rP12 rR24 rR64 rP77 rP87"}, // IADD3.X
	},
	0x811: { // LEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24"},          // LEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x10000}, "wR16 wP81 rP12 rR24 rR64"}, // LEA.HI
	},
	0x812: { // LOP3
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR64 rP87"}, // LOP3.LUT
	},
	0x816: { // PRMT
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"}, // PRMT
	},
	0x819: { // SHF
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"}, // SHF.R.S32.HI
	},
	0x81c: { // PLOP3
		{instruction{0x0, 0x8000008}, instruction{0x0, 0x0}, "wP81 wP84 rP12 rP68 rP77 rP87"}, // PLOP3.LUT
		{instruction{0x0, 0x8000008}, instruction{0x0, 0x8}, "wP81 wP84 rP12 rQ68 rP77 rP87"}, // PLOP3.LUT
	},
	0x820: { // FMUL
		{instruction{0x0, 0x8401000}, instruction{0x0, 0x400000}, "wR16 rP12 rR24"}, // FMUL.RZ
	},
	0x823: { // FFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"}, // FFMA
	},
	0x824: { // IMAD
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"},        // IMAD.U32
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x400}, "wR16 rP12 rR24 rR64 rP87"}, // IMAD.X
	},
	0x825: { // IMAD
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x0}, "wR16x2 wP81 rP12 rR24 rR64x2"},        // IMAD.WIDE.U32
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x400}, "wR16x2 wP81 rP12 rR24 rR64x2 rP87"}, // IMAD.WIDE.U32.X
	},
	0x827: { // IMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR64x2"}, // IMAD.HI.U32
	},
	0x828: { // DMUL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2"}, // DMUL
	},
	0x82b: { // DFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16x2 rP12 rR24x2 rR64x2"}, // DFMA
	},
	0x82f: { // ELECT
		{instruction{0x0, 0x0}, instruction{0x0, 0x0}, "wU16 wP81 rP12 rP87"}, // ELECT
	},
	0x831: { // HFMA2
		{instruction{0x0, 0x802c400}, instruction{0x0, 0x0}, "wR16 rP12 rR24 rR64"}, // HFMA2
	},
	0x835: { // IADD
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x200}, "wR16x2 wP81 rP12 rR24x2"}, // IADD.64
	},
	0x836: { // VIADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12 rR24"}, // VIADD
	},
	0x846: { // VIADDMNMX
		{instruction{0x0, 0x1fff87fff00}, instruction{0x0, 0x100}, "wR16 rP12 rR24 rR64 rP87"}, // VIADDMNMX
	},
	0x848: { // VIMNMX
		{instruction{0x0, 0x87e0000}, instruction{0x0, 0x7e0000}, "wR16 rP12 rR24 rP87"}, // VIMNMX
	},
	0x84a: { // UVIMNMX
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rQ87"}, // UVIMNMX.U32
	},
	0x882: { // UMOV
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wU16 rQ12"}, // UMOV
	},
	0x886: { // VOTEU
		{instruction{0x0, 0x8000200}, instruction{0x0, 0x0}, "wU16 wQ81 rP12 rP87"}, // VOTEU.ANY
	},
	0x887: { // USEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rQ87"}, // USEL
	},
	0x88c: { // UISETP
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x8000000}, "wQ81 wQ84 rQ12 rU24 rQ87"}, // UISETP.LT.U32.AND
	},
	0x890: { // UIADD3
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wU16 wQ81 wQ84 rQ12 rU24 rU64"}, // UIADD3
	},
	0x891: { // ULEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x8010000}, "wU16 wQ81 rQ12 rU24 rU64"}, // ULEA.HI
	},
	0x892: { // ULOP3
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 wQ81 rQ12 rU24 rU64 rQ87"}, // ULOP3.LUT
	},
	0x896: { // UPRMT
		{instruction{0x0, 0x8000100}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU64"}, // UPRMT
	},
	0x897: { // UIADD3
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wU16x2 wQ81 wQ84 rQ12 rU24x2 rU64x2"}, // UIADD3.64
	},
	0x899: { // USHF
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU64"}, // USHF.L.U32
	},
	0x89b: { // UBMSK
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24"}, // UBMSK
	},
	0x89c: { // UPLOP3
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wQ81 wQ84 rQ12 rQ68 rQ77 rQ87"}, // UPLOP3.LUT
	},
	0x8a4: { // UIMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU24 rU64"}, // UIMAD
	},
	0x8cb: { // CS2UR
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x0}, "wU16 rQ12"},       // CS2UR.32
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x10000}, "wU16x2 rQ12"}, // CS2UR
	},
	0x908: { // MUFU
		{instruction{0x0, 0x8002300}, instruction{0x0, 0x0}, "wR16 rP12"}, // MUFU.RCP64H
	},
	0x918: { // NOP
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12"}, // NOP
	},
	0x919: { // S2R
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 rP12"}, // S2R
	},
	0x91a: { // DEPBAR
		{instruction{0x200000000000, 0x8000000}, instruction{0x0, 0x0}, "rP12"}, // DEPBAR.LE
	},
	0x91b: { // ENDCOLLECTIVE
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12 rP87"}, // ENDCOLLECTIVE
	},
	0x941: { // BSYNC
		{instruction{0xfffffffffff00000, 0x1fff87ffcff}, instruction{0x0, 0x0}, "rP12 rP87"}, // BSYNC
	},
	0x942: { // BREAK
		{instruction{0xfffffffffff00000, 0x1fff87ffcff}, instruction{0x0, 0x0}, "rP12 rP87"}, // BREAK
	},
	0x945: { // BSSY
		{instruction{0xfff00000, 0x1fff87ffcff}, instruction{0x0, 0x0}, "rP12 rP87"}, // BSSY
	},
	0x946: { // YIELD
		{instruction{0xffffffffffff0000, 0x1fff87fffff}, instruction{0x0, 0x0}, "rP12 rP87"}, // YIELD
	},
	0x947: { // BRA
		{instruction{0x3ff000000, 0x1fff87c0000}, instruction{0x0, 0x0}, "rP12 rP87"},                    // BRA
		{instruction{0x200000000, 0x1fff87c0000}, instruction{0x200000000, 0x8000000}, "rP12 rU24 rP87"}, // BRA.DIV, BRA.CONV
	},
	0x948: { // WARPSYNC
		{instruction{0x3ff000000, 0x1fff83c0000}, instruction{0x0, 0x0}, "rP12 rP87"}, // WARPSYNC.ALL
	},
	0x949: { // BRX
		{instruction{0x300000000, 0x1fff87c0000}, instruction{0x0, 0x0}, "rP12 rR24x2 rP87"}, // BRX
	},
	0x94d: { // EXIT
		{instruction{0xffffffffffff0000, 0x1fff87fffff}, instruction{0x0, 0x0}, "rP12 rP87"}, // EXIT
	},
	0x958: { // BRXU
		{instruction{0x300000000, 0x1fff87c0000}, instruction{0x0, 0x8000000}, "rP12 rU24x2 rP87"}, // BRXU
	},
	0x95c: { // BPT
		{instruction{0xffff0000, 0x1ffffffffff}, instruction{0x0, 0x300000}, "rP12"}, // BPT.TRAP
	},
	0x95d: { // NANOSLEEP
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12 rP87"}, // NANOSLEEP
	},
	0x980: { // LD
		{instruction{0x0, 0xc000f07}, instruction{0x0, 0xc000900}, "wR16 rP12 rR24x2 rU32x2"},   // LD.E
		{instruction{0x0, 0xc000f07}, instruction{0x0, 0xc000b00}, "wR16x2 rP12 rR24x2 rU32x2"}, // LD.E.64.STRONG.GPU
		{instruction{0x0, 0xc000f07}, instruction{0x0, 0xc000d00}, "wR16x4 rP12 rR24x2 rU32x2"}, // LD.E.128.STRONG.GPU
	},
	0x981: { // LDG
		{instruction{0x0, 0xc400707}, instruction{0x0, 0xc000100}, "wR16 wP81 rP12 rR24x2 rU32x2"},   // LDG.E
		{instruction{0x0, 0xc400907}, instruction{0x0, 0xc000100}, "wR16 wP81 rP12 rR24x2 rU32x2"},   // LDG.E.S8
		{instruction{0x0, 0xc400f07}, instruction{0x0, 0xc000b00}, "wR16x2 wP81 rP12 rR24x2 rU32x2"}, // LDG.E.64
		{instruction{0x0, 0xc400f07}, instruction{0x0, 0xc000d00}, "wR16x4 wP81 rP12 rR24x2 rU32x2"}, // LDG.E.128.CONSTANT
	},
	0x983: { // LDL
		{instruction{0x0, 0xe00}, instruction{0x0, 0x800}, "wR16 rP12 rR24"},   // LDL
		{instruction{0x0, 0xe00}, instruction{0x0, 0xa00}, "wR16x2 rP12 rR24"}, // LDL.64
		{instruction{0x0, 0xe00}, instruction{0x0, 0xc00}, "wR16x4 rP12 rR24"}, // LDL.128
	},
	0x984: { // LDS
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x0}, "wR16 rP12 rR24"},              // LDS
		{instruction{0x0, 0x8000a00}, instruction{0x0, 0x0}, "wR16 rP12 rR24"},              // LDS.U8
		{instruction{0x0, 0x8000c00}, instruction{0x0, 0x0}, "wR16 rP12 rR24"},              // LDS.S8
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32"},   // LDS
		{instruction{0x0, 0x8000a00}, instruction{0x0, 0x8000200}, "wR16 rP12 rR24 rU32"},   // LDS.S8
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0xa00}, "wR16x2 rP12 rR24"},          // LDS.64
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0x8000a00}, "wR16x2 rP12 rR24 rU32"}, // LDS.64
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0xc00}, "wR16x4 rP12 rR24"},          // LDS.128
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0x8000c00}, "wR16x4 rP12 rR24 rU32"}, // LDS.128
	},
	0x985: { // ST
		{instruction{0x0, 0xc000f00}, instruction{0x0, 0xc000900}, "rP12 rR24x2 rR32 rU64x2"},   // ST.E
		{instruction{0x0, 0xc000f00}, instruction{0x0, 0xc000b00}, "rP12 rR24x2 rR32x2 rU64x2"}, // ST.E.64.STRONG.GPU
		{instruction{0x0, 0xc000f00}, instruction{0x0, 0xc000d00}, "rP12 rR24x2 rR32x4 rU64x2"}, // ST.E.128.STRONG.GPU
	},
	0x986: { // STG
		{instruction{0x0, 0xc000700}, instruction{0x0, 0xc000100}, "rP12 rR24x2 rR32 rU64x2"},   // STG.E
		{instruction{0x0, 0xc000b00}, instruction{0x0, 0xc000100}, "rP12 rR24x2 rR32 rU64x2"},   // STG.E.U8
		{instruction{0x0, 0xc000f00}, instruction{0x0, 0xc000b00}, "rP12 rR24x2 rR32x2 rU64x2"}, // STG.E.64
		{instruction{0x0, 0xc000f00}, instruction{0x0, 0xc000d00}, "rP12 rR24x2 rR32x4 rU64x2"}, // STG.E.128
	},
	0x987: { // STL
		{instruction{0x0, 0x8001600}, instruction{0x0, 0x8000000}, "rP12 rR24 rR32 rU64"}, // STL
	},
	0x988: { // STS
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x8000000}, "rP12 rR24 rR32 rU64"},   // STS
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0x8000a00}, "rP12 rR24 rR32x2 rU64"}, // STS.64
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0x8000c00}, "rP12 rR24 rR32x4 rU64"}, // STS.128
	},
	0x989: { // SHFL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24 rR64"}, // SHFL.UP
	},
	0x98a: { // ATOM
		{instruction{0x8000000000000000, 0x8000d00}, instruction{0x8000000000000000, 0x8000100}, "wR16 wP81 rP12 rR24x2 rR32 rU64x2"}, // ATOM.E.ADD.STRONG.GPU
	},
	0x98c: { // ATOMS
		{instruction{0x0, 0xb800e00}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rR32 rU64"},     // ATOMS.ADD
		{instruction{0x0, 0xf800e00}, instruction{0x0, 0x9000200}, "wR16 rP12 rR24 rR32 rU64"},     // ATOMS.MAX.S32
		{instruction{0x0, 0xf800e00}, instruction{0x0, 0x9800000}, "wR16 rP12 rR24 rR32 rU64"},     // ATOMS.INC
		{instruction{0x0, 0xf800e00}, instruction{0x0, 0xa800000}, "wR16 rP12 rR24 rR32 rU64"},     // ATOMS.AND
		{instruction{0x0, 0xf800e00}, instruction{0x0, 0xc000400}, "wR16x2 rP12 rR24 rR32x2 rU64"}, // ATOMS.EXCH.64
	},
	0x98f: { // CCTL
		{instruction{0xff000000, 0xc011100}, instruction{0xff000000, 0x0}, "rP12"}, // CCTL.IVALL
		{instruction{0x0, 0xc011100}, instruction{0x0, 0x100}, "rP12 rR24x2"},      // CCTL.E.PF2
	},
	0x992: { // MEMBAR
		{instruction{0x0, 0x8004200}, instruction{0x0, 0x0}, "rP12"}, // MEMBAR.SC.CTA
	},
	0x9a2: { // ATOM
		{instruction{0x8000000000000000, 0x8801f00}, instruction{0x8000000000000000, 0x8000100}, "wR16 wP81 rP12 rR24x2 rR32 rU64x2"}, // ATOM.E.ADD.F16x2.RN.STRONG.GPU
		{instruction{0x8000000000000000, 0x8801f00}, instruction{0x8000000000000000, 0x8000700}, "wR16 wP81 rP12 rR24x2 rR32 rU64x2"}, // ATOM.E.ADD.BF16x2.RN.STRONG.GPU
	},
	0x9a3: { // ATOMG
		{instruction{0x8000000000000000, 0x8801f00}, instruction{0x8000000000000000, 0x8001300}, "wR16 wP81 rP12 rR24x2 rR32 rU64x2"},     // ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU
		{instruction{0x8000000000000000, 0x8801f00}, instruction{0x8000000000000000, 0x8001f00}, "wR16x2 wP81 rP12 rR24x2 rR32x2 rU64x2"}, // ATOMG.E.ADD.F64.RN.STRONG.GPU
		{instruction{0x8000000000000000, 0x8801f00}, instruction{0x8000000000000000, 0x8001700}, "wR16x4 wP81 rP12 rR24x2 rR32x4 rU64x2"}, // ATOMG.E.ADD.F32x4.FTZ.RN.STRONG.GPU
	},
	0x9a7: { // SYNCS
		{instruction{0x0, 0x8403200}, instruction{0x0, 0x8000000}, "wR16x2 rP12 rR24 rR32 rU64"}, // SYNCS.ARRIVE.TRANS64.RED.A0TR
	},
	0x9a8: { // ATOMG
		{instruction{0x8000000000000000, 0xb000d00}, instruction{0x8000000000000000, 0x8000100}, "wR16 wP81 rP12 rR24x2 rR32 rU64x2"},     // ATOMG.E.ADD.STRONG.GPU
		{instruction{0x8000000000000000, 0xc000d00}, instruction{0x8000000000000000, 0x8000100}, "wR16 wP81 rP12 rR24x2 rR32 rU64x2"},     // ATOMG.E.ADD.STRONG.GPU
		{instruction{0x8000000000000000, 0xb000d00}, instruction{0x8000000000000000, 0x8000500}, "wR16x2 wP81 rP12 rR24x2 rR32x2 rU64x2"}, // ATOMG.E.ADD.64.STRONG.GPU
		{instruction{0x8000000000000000, 0xd000d00}, instruction{0x8000000000000000, 0x9000500}, "wR16x2 wP81 rP12 rR24x2 rR32x2 rU64x2"}, // ATOMG.E.MAX.64.STRONG.GPU
	},
	0x9ab: { // ERRBAR
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12"}, // ERRBAR
	},
	0x9af: { // LDGDEPBAR
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "rP12"}, // LDGDEPBAR
	},
	0x9c3: { // S2UR
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wU16 rQ12"}, // S2UR
	},
	0x9c7: { // UCGABAR_ARV
		{instruction{0x0, 0x8000100}, instruction{0x0, 0x8000000}, "rQ12"}, // UCGABAR_ARV
	},
	0xb1d: { // BAR
		{instruction{0x0, 0x800ec00}, instruction{0x0, 0x0}, "rP12"},         // BAR.SYNC.DEFER_BLOCKING
		{instruction{0x0, 0x800e400}, instruction{0x0, 0x4000}, "rP12 rP87"}, // BAR.RED.OR.DEFER_BLOCKING
		{instruction{0x0, 0x800e800}, instruction{0x0, 0x4000}, "rP12 rP87"}, // BAR.RED.AND.DEFER_BLOCKING
	},
	0xb82: { // LDC
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x0}, "wR16 rP12 rR24"},     // LDC
		{instruction{0x0, 0x8000a00}, instruction{0x0, 0x0}, "wR16 rP12 rR24"},     // LDC.U8
		{instruction{0x0, 0x8000e00}, instruction{0x0, 0xa00}, "wR16x2 rP12 rR24"}, // LDC.64
	},
	0xc02: { // MOV
		{instruction{0x0, 0x9010000}, instruction{0x0, 0x8000000}, "wR16 rP12 rU32"},     // MOV
		{instruction{0x0, 0x9010000}, instruction{0x0, 0x8010000}, "wR16x2 rP12 rU32x2"}, // MOV.64
	},
	0xc07: { // SEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32 rP87"}, // SEL
	},
	0xc0c: { // ISETP
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x8000100}, "wP81 wP84 rP12 rR24 rU32 rP68 rP87"}, // ISETP.GT.AND.EX
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x8000000}, "wP81 wP84 rP12 rR24 rU32 rP87"},      // ISETP.GE.U32.AND
		{instruction{0x0, 0x8010900}, instruction{0x0, 0x8010000}, "wP81 wP84 rP12 rR24x2 rU32x2 rP87"},  // ISETP.NE.S64.AND
	},
	0xc10: { // IADD3
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x8000000}, "wR16 wP81 wP84 rP12 rR24 rU32 rR64"},           // IADD3
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x8000400}, "wR16 wP81 wP84 rP12 rR24 rU32 rR64 rP77 rP87"}, // IADD3.X
	},
	0xc11: { // LEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x8000000}, "wR16 wP81 rP12 rR24 rU32"},           // LEA
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x8010600}, "wR16 wP81 rP12 rR24 rU32 rP87"},      // LEA.HI.X.SX32
		{instruction{0x0, 0x8010600}, instruction{0x0, 0x8010400}, "wR16 wP81 rP12 rR24 rU32 rR64 rP87"}, // LEA.HI.X
	},
	0xc12: { // LOP3
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 wP81 rP12 rR24 rU32 rR64 rP87"}, // LOP3.LUT
	},
	0xc17: { // IMNMX
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000400}, "wR16x2 wP81 wP84 rP12 rR24x2 rU32x2 rP77 rP87"}, // IMNMX.U64
	},
	0xc19: { // SHF
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32 rR64"}, // SHF.R.U32.HI
	},
	0xc20: { // FMUL
		{instruction{0x0, 0x8401000}, instruction{0x0, 0x8400000}, "wR16 rP12 rR24 rU32"}, // FMUL
	},
	0xc23: { // FFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32 rR64"}, // FFMA
	},
	0xc24: { // IMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32 rR64"}, // IMAD
	},
	0xc25: { // IMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wR16x2 wP81 rP12 rR24 rU32 rR64x2"}, // IMAD.WIDE
	},
	0xc28: { // DMUL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16x2 rP12 rR24x2 rU32x2"}, // DMUL
	},
	0xc2b: { // DFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16x2 rP12 rR24x2 rU32x2 rR64x2"}, // DFMA
	},
	0xc35: { // IADD
		{instruction{0x0, 0x8000600}, instruction{0x0, 0x8000200}, "wR16x2 wP81 rP12 rR24x2 rU32x2"}, // IADD.64
	},
	0xc36: { // VIADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32"}, // VIADD
	},
	0xc45: { // I2FP
		{instruction{0x0, 0x830f800}, instruction{0x0, 0x8201000}, "wR16 rP12 rU32"}, // I2FP.F32.S32
	},
	0xc46: { // VIADDMNMX
		{instruction{0x0, 0x1fff87fff00}, instruction{0x0, 0x8000100}, "wR16 rP12 rR24 rU32 rR64 rP87"}, // VIADDMNMX
	},
	0xc48: { // VIMNMX
		{instruction{0x0, 0x87e0400}, instruction{0x0, 0x87e0000}, "wR16 rP12 rR24 rU32 rP87"}, // VIMNMX.U32
	},
	0xc82: { // UMOV
		{instruction{0x0, 0x8010000}, instruction{0x0, 0x8000000}, "wU16 rQ12 rU32"}, // UMOV
	},
	0xc87: { // USEL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wU16x2 rQ12 rU24x2 rU32x2 rQ87"}, // USEL.64
	},
	0xd00: { // FLO
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 wP81 rP12 rU32"}, // FLO.U32
	},
	0xd05: { // F2I
		{instruction{0x0, 0x8700800}, instruction{0x0, 0x8200000}, "wR16 rP12 rU32"}, // F2I.TRUNC.NTZ
	},
	0xd06: { // I2F
		{instruction{0x0, 0x8103800}, instruction{0x0, 0x8001000}, "wR16 rP12 rU32"}, // I2F.U32.RP
	},
	0xd08: { // MUFU
		{instruction{0x0, 0x8002300}, instruction{0x0, 0x8000000}, "wR16 rP12 rU32"}, // MUFU.RSQ64H
	},
	0xd09: { // POPC
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 rP12 rU32"}, // POPC
	},
	0xd10: { // F2F
		{instruction{0x0, 0x8703800}, instruction{0x0, 0x8201800}, "wR16x2 rP12 rU32"}, // F2F.F64.F32
	},
	0xd12: { // I2F
		{instruction{0x2000000000000000, 0x8203800}, instruction{0x0, 0x8001800}, "wR16x2 rP12 rU32"}, // I2F.F64.S16
	},
	0xdc7: { // UCGABAR_WAIT
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "rQ12"}, // UCGABAR_WAIT
	},
	0xe21: { // FADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32"}, // FADD
	},
	0xe23: { // FFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32 rR64"}, // FFMA
	},
	0xe24: { // IMAD
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32 rR64"},      // IMAD.U32
		{instruction{0x0, 0x8001400}, instruction{0x0, 0x8000400}, "wR16 rP12 rR24 rU32 rR64 rP87"}, // IMAD.X
	},
	0xe25: { // IMAD
		{instruction{0x0, 0x8000400}, instruction{0x0, 0x8000000}, "wR16x2 wP81 rP12 rR24 rU32x2 rR64"}, // IMAD.WIDE.U32
	},
	0xe29: { // DADD
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16x2 rP12 rR24x2 rU32x2"}, // DADD
	},
	0xe2a: { // DSETP
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wP81 wP84 rP12 rR24x2 rU32x2 rP87"}, // DSETP.GE.AND
	},
	0xe2b: { // DFMA
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x8000000}, "wR16x2 rP12 rR24x2 rU32x2 rR64x2"}, // DFMA
	},
	0xe30: { // HADD2
		{instruction{0x0, 0x8004000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32"}, // HADD2.BF16_V2
	},
	0xe31: { // HFMA2
		{instruction{0x0, 0x840c000}, instruction{0x0, 0x8000000}, "wR16 rP12 rR24 rU32 rR64"}, // HFMA2.BF16_V2
	},
	0xe34: { // HSETP2
		{instruction{0x0, 0x8000001}, instruction{0x0, 0x8000000}, "wP81 wP84 rP12 rR24 rU32 rP87"}, // HSETP2.BF16_V2.GT.AND
	},
	0xf60: { // TEX
		{instruction{0xf600000000000000, 0xb01af00}, instruction{0x2000000000000000, 0x8000100}, "wR16 wR64 wP81 rP12 rR24x2 rR32 rU40x2"},   // TEX.LL
		{instruction{0xf600000000000000, 0xb01af00}, instruction{0x4000000000000000, 0x8000100}, "wR16 wR64 wP81 rP12 rR24x3 rR32 rU40x2"},   // TEX.LL
		{instruction{0xf600000000000000, 0xb01af00}, instruction{0x2000000000000000, 0x8000300}, "wR16x2 wR64 wP81 rP12 rR24x2 rR32 rU40x2"}, // TEX.LL
		{instruction{0xf600000000000000, 0xb01af00}, instruction{0x2000000000000000, 0x8000f00}, "wR16x2 wR64 wP81 rP12 rR24x2 rR32 rU40x2"}, // TEX.LL
		{instruction{0xd600000000000000, 0xb01af00}, instruction{0x4000000000000000, 0x8000f00}, "wR16x2 wR64 wP81 rP12 rR24x3 rR32 rU40x2"}, // TEX.LL
		{instruction{0xf600000000000000, 0xb01af00}, instruction{0xa000000000000000, 0x8000f00}, "wR16x2 wR64 wP81 rP12 rR24x3 rR32 rU40x2"}, // TEX.LL
		{instruction{0xf600000000000000, 0xb01af00}, instruction{0xe000000000000000, 0x8000f00}, "wR16x2 wR64 wP81 rP12 rR24x4 rR32 rU40x2"}, // TEX.LL
	},
	0xf63: { // TLD4
		{instruction{0xf000000000000000, 0x8018000}, instruction{0x2000000000000000, 0x8000000}, "wR16x2 wR64 wP81 rP12 rR24x2 rR32 rU40x2"}, // TLD4.G
	},
	0xf66: { // TLD
		{instruction{0xe200ff0000000000, 0x901c000}, instruction{0xff0000000000, 0x8000000}, "wR16x2 wR64 wP81 rP12 rR24 rR32"}, // TLD.LZ
	},
	0xf6c: { // TXD
		{instruction{0xe300000000000000, 0x9818000}, instruction{0x2000000000000000, 0x8000000}, "wR16x2 wR64 wP81 rP12 rR24x2 rR32x4 rU40x2"}, // TXD
	},
	0xf89: { // SHFL
		{instruction{0x0, 0x8000000}, instruction{0x0, 0x0}, "wR16 wP81 rP12 rR24"}, // SHFL.DOWN
	},
	0xf8c: { // ATOMS
		{instruction{0x0, 0xf800e00}, instruction{0x0, 0xd800000}, "wR16 rP12 rR24 rU64"}, // ATOMS.POPC.INC.32
	},
	0xf99: { // SULD
		{instruction{0xd800000000000000, 0x8000e00}, instruction{0x1000000000000000, 0x8000800}, "wR16 wP81 rP12 rR24 rU40"},     // SULD.D.BA.1D.STRONG.SM.TRAP
		{instruction{0xd800000000000000, 0x8000e00}, instruction{0x4000000000000000, 0x8000000}, "wR16 wP81 rP12 rR24x2 rU40"},   // SULD.D.BA.2D.U8.STRONG.SM.IGN
		{instruction{0xd800000000000000, 0x8000e00}, instruction{0x5000000000000000, 0x8000800}, "wR16 wP81 rP12 rR24x2 rU40"},   // SULD.D.BA.2D.STRONG.SM.TRAP
		{instruction{0xd800000000000000, 0x8000e00}, instruction{0x8800000000000000, 0x8000800}, "wR16 wP81 rP12 rR24x3 rU40"},   // SULD.D.BA.3D.STRONG.SM
		{instruction{0xd800000000000000, 0x8000e00}, instruction{0x5000000000000000, 0x8000c00}, "wR16x4 wP81 rP12 rR24x2 rU40"}, // SULD.D.BA.2D.128.STRONG.SM.TRAP
	},
	0xf9d: { // SUST
		{instruction{0xcc00000000000000, 0x8000e00}, instruction{0x0, 0x8000800}, "rP12 rR24 rR32 rU40"},                    // SUST.D.BA.1D.STRONG.SM.TRAP
		{instruction{0xcc00000000000000, 0x8000e00}, instruction{0x4000000000000000, 0x8000c00}, "rP12 rR24x2 rR32x4 rU40"}, // SUST.D.BA.2D.128.STRONG.SM.TRAP
		{instruction{0xcc00000000000000, 0x8000e00}, instruction{0x8000000000000000, 0x8000800}, "rP12 rR24x3 rR32 rU40"},   // SUST.D.BA.2D_ARRAY.STRONG.SM.TRAP
		{instruction{0xcc00000000000000, 0x8000e00}, instruction{0x8000000000000000, 0x8000a00}, "rP12 rR24x3 rR32x2 rU40"}, // SUST.D.BA.3D.64.STRONG.SM.TRAP
	},
	0xfae: { // LDGSTS
		{instruction{0x0, 0x8080400}, instruction{0x0, 0x8080000}, "wP87 rP12 rR16 rR24x2 rU64x2 rP87"}, // LDGSTS.E
		{instruction{0x0, 0x8080800}, instruction{0x0, 0x8080000}, "wP87 rP12 rR16 rR24x2 rU64x2 rP87"}, // LDGSTS.E
	},
}

package machine

import (
	"github.com/culink/culink/linker/sass"
)

// A unit executes instructions of fixed latency.
type unit uint8

const (
	AnyUnit  unit = iota // takes an instruction each cycle
	narrow               // takes an instruction every second cycle: most of logic, additions of three numbers
	floats               // products and sums of floats
	products             // products of integers and of halves, executed where floats are
	wide                 // products of 64 bits, or their upper half, executed there too
	halves               // pairs of halves, executed where floats are
	pairs                // writes or compares pairs of registers, one cycle for each register
	units                // the number of units
)

// A queue is a unit that reads the operands of its instructions in the order of the instructions, and writes
// their results in that order.
type queue uint8

const (
	sharedQueue queue = 1 + iota // also for stored values
	loadQueue
	conversionQueue
	wideConversionQueue
	DoubleQueue
)

// flags are further properties of an operation.
type flags uint32

const (
	accesses      flags = 1 << iota // uses the path to memory or to other threads
	asynchronous                    // executed later by another unit, with operands in uniform registers
	copiesBulk                      // in the queue of bulk copies
	converts                        // executed by the conversion unit
	fp64                            // double precision, kept apart where it is slow
	loads                           // its results come from memory beyond the multiprocessor
	matrix                          // multiplies matrices
	movesUniform                    // writes uniform registers as soon as a move does
	oneOperand                      // its one operand is in the slot of the second operand of others
	ordersMemory                    // later accesses to memory wait for its results
	slowPath                        // uses a path that takes an instruction every eighth cycle
	takesLate                       // reads its operands a cycle later than most
	textures                        // uses textures
	thirdPlace                      // its second operand is in the slot of the third operand of products and sums
	twoOperands                     // has no third operand
	votes                           // counts or combines predicates of threads
	writesSurface                   // writes to a surface
)

// An opcode is a row of the machine model. It holds the properties of one operation.
type opcode struct {
	unit    unit  // from sm_120 on; [AnyUnit] if register pairs can change the unit
	early   unit  // before sm_120
	queue   queue // 0 for none
	latency uint8 // until its results are written, in cycles (MERC-156); 0: that of conversions
	flags   flags
}

// opcodes is the machine model by operation. The latencies are measured: each is the shortest distance
// between two instructions at which a shared scoreboard costs no cycles (MERC-152).
var opcodes = [1 << 9]opcode{
	sass.OpMOV:             {early: narrow, flags: oneOperand},
	sass.OpP2R:             {unit: narrow, early: narrow},
	sass.OpR2P:             {unit: narrow, early: narrow},
	sass.OpVOTE:            {early: narrow, flags: votes},
	sass.OpSEL:             {early: narrow, flags: twoOperands},
	sass.OpFSEL:            {early: narrow, flags: twoOperands},
	sass.OpFMNMX:           {early: narrow, flags: twoOperands},
	sass.OpFSETP:           {early: narrow, flags: twoOperands},
	sass.OpISETP:           {early: narrow, flags: twoOperands},
	sass.OpIADD3:           {unit: narrow, early: narrow},
	sass.OpLEA:             {unit: narrow, early: narrow},
	sass.OpLOP3:            {unit: narrow, early: narrow},
	sass.OpIABS:            {unit: narrow, early: narrow, flags: oneOperand},
	sass.OpPRMT:            {unit: narrow, early: narrow},
	sass.OpIMNMX:           {early: narrow},
	sass.OpSHF:             {unit: narrow, early: narrow},
	sass.OpSGXT:            {unit: narrow, early: narrow, flags: twoOperands},
	sass.OpBMSK:            {unit: narrow, early: narrow, flags: twoOperands},
	sass.OpPLOP3:           {unit: narrow, early: narrow},
	sass.OpFMUL:            {unit: floats, early: floats, flags: twoOperands},
	sass.OpFADD:            {unit: floats, early: floats, flags: thirdPlace},
	sass.OpFFMA:            {unit: floats, early: floats},
	sass.OpIMAD:            {unit: products, early: products},
	sass.OpIMADWide:        {unit: wide, early: wide},
	sass.OpIDP:             {unit: products, early: products},
	sass.OpIMADHigh:        {unit: wide, early: wide},
	sass.OpDMUL:            {queue: DoubleQueue, flags: fp64 | twoOperands},
	sass.OpDADD:            {queue: DoubleQueue, flags: fp64},
	sass.OpDSETP:           {queue: DoubleQueue, flags: fp64 | thirdPlace},
	sass.OpDFMA:            {queue: DoubleQueue, flags: fp64},
	sass.OpHADD2:           {unit: halves, early: halves, flags: thirdPlace},
	sass.OpHFMA2:           {unit: halves, early: halves},
	sass.OpHMUL2:           {unit: halves, early: halves, flags: twoOperands},
	sass.OpHSET2:           {unit: narrow, early: halves, flags: thirdPlace},
	sass.OpHSETP2:          {unit: narrow, early: halves, flags: thirdPlace},
	sass.OpIADD:            {flags: twoOperands},
	sass.OpVIADD:           {early: products, flags: twoOperands},
	sass.OpELECT:           {unit: narrow, early: narrow},
	sass.OpIMMA:            {flags: matrix},
	sass.OpLDSM:            {queue: sharedQueue, latency: 40, flags: accesses},
	sass.OpHMMA:            {flags: matrix},
	sass.OpF2FP:            {unit: narrow, flags: twoOperands},
	sass.OpDMMA:            {flags: matrix},
	sass.OpHMNMX2:          {unit: narrow, early: halves},
	sass.OpSTSM:            {queue: sharedQueue},
	sass.OpI2FP:            {unit: narrow, early: narrow, flags: oneOperand},
	sass.OpVIMNMX:          {early: narrow, flags: twoOperands},
	sass.OpQMMA:            {flags: matrix},
	sass.OpOMMA:            {flags: matrix},
	sass.OpUMOV:            {flags: movesUniform},
	sass.OpVOTEU:           {flags: votes | movesUniform},
	sass.OpR2UR:            {unit: narrow, early: narrow},
	sass.OpFLO:             {queue: conversionQueue, flags: converts | takesLate},
	sass.OpBREV:            {queue: conversionQueue, flags: converts | takesLate},
	sass.OpFCHK:            {queue: conversionQueue, flags: converts | takesLate},
	sass.OpF2F:             {queue: conversionQueue, flags: converts | takesLate},
	sass.OpF2I:             {queue: conversionQueue, flags: converts | takesLate},
	sass.OpI2F:             {queue: conversionQueue, flags: converts | takesLate},
	sass.OpFRND:            {queue: conversionQueue, flags: converts | takesLate},
	sass.OpMUFU:            {queue: conversionQueue, latency: 17, flags: converts | takesLate},
	sass.OpPOPC:            {queue: conversionQueue, flags: converts | takesLate},
	sass.OpF2F64:           {queue: wideConversionQueue, flags: converts | takesLate | fp64},
	sass.OpF2I64:           {queue: wideConversionQueue, flags: converts | takesLate | fp64},
	sass.OpI2F64:           {queue: wideConversionQueue, flags: converts | takesLate | fp64},
	sass.OpFRND64:          {queue: wideConversionQueue, flags: converts | takesLate | fp64},
	sass.OpS2R:             {latency: 32},
	sass.OpBAR:             {flags: votes | slowPath},
	sass.OpBRX:             {flags: takesLate},
	sass.OpBMOV:            {latency: 2},
	sass.OpWARPSYNC:        {flags: takesLate},
	sass.OpNANOSLEEP:       {flags: takesLate},
	sass.OpTEX:             {flags: loads | textures | takesLate},
	sass.OpTEXB:            {flags: loads | textures | takesLate},
	sass.OpTLD4:            {flags: loads | textures | takesLate},
	sass.OpTLD4B:           {flags: loads | textures | takesLate},
	sass.OpTLD:             {flags: loads | textures | takesLate},
	sass.OpTLDB:            {flags: loads | textures | takesLate},
	sass.OpTXD:             {flags: loads | textures | takesLate},
	sass.OpTXDB:            {flags: loads | textures | takesLate},
	sass.OpTXQ:             {flags: loads | textures | takesLate},
	sass.OpTXQB:            {flags: loads | textures | takesLate},
	sass.OpLDG256:          {queue: loadQueue, flags: loads | accesses},
	sass.OpSTG256:          {queue: sharedQueue, flags: accesses},
	sass.OpLD:              {flags: loads | accesses},
	sass.OpLDG:             {queue: loadQueue, flags: loads | accesses},
	sass.OpLDC:             {latency: 48, flags: takesLate | slowPath},
	sass.OpLDL:             {flags: loads | accesses},
	sass.OpLDS:             {queue: sharedQueue, latency: 40, flags: accesses},
	sass.OpST:              {flags: accesses},
	sass.OpSTG:             {queue: sharedQueue, flags: accesses},
	sass.OpSTL:             {queue: sharedQueue, flags: accesses},
	sass.OpSTS:             {queue: sharedQueue, flags: accesses},
	sass.OpSHFL:            {queue: sharedQueue, latency: 24, flags: accesses},
	sass.OpATOM:            {flags: loads | accesses},
	sass.OpATOMCAS:         {flags: loads | accesses},
	sass.OpATOMS:           {queue: sharedQueue, latency: 24, flags: accesses},
	sass.OpATOMSCAS:        {queue: sharedQueue, latency: 24, flags: accesses},
	sass.OpRED:             {queue: sharedQueue, flags: accesses},
	sass.OpATOMSPOPC:       {queue: sharedQueue, latency: 24, flags: accesses},
	sass.OpSUATOM:          {flags: loads},
	sass.OpSUATOMCAS:       {flags: loads},
	sass.OpSULD:            {flags: loads},
	sass.OpSUSTP:           {flags: writesSurface},
	sass.OpSUST:            {flags: writesSurface},
	sass.OpSURED:           {flags: writesSurface},
	sass.OpMATCH:           {latency: 24},
	sass.OpATOMFloat:       {flags: loads | accesses},
	sass.OpATOMGFloat:      {queue: loadQueue, flags: loads | accesses},
	sass.OpLDGMC:           {queue: loadQueue, flags: loads | accesses},
	sass.OpREDGFloat:       {flags: accesses},
	sass.OpSYNCS:           {latency: 40, flags: ordersMemory},
	sass.OpATOMG:           {queue: loadQueue, flags: loads | accesses},
	sass.OpATOMGCAS:        {queue: loadQueue, flags: loads | accesses},
	sass.OpQSPC:            {queue: sharedQueue, latency: 24},
	sass.OpLDCU:            {latency: 18},
	sass.OpSYNCSInvalidate: {flags: ordersMemory},
	sass.OpSYNCSExchange:   {latency: 40, flags: asynchronous | ordersMemory},
	sass.OpUREDGR:          {flags: asynchronous},
	sass.OpUTMALDG:         {flags: asynchronous | copiesBulk},
	sass.OpUTMASTG:         {flags: asynchronous | copiesBulk},
	sass.OpUTMAREDG:        {flags: asynchronous | copiesBulk},
	sass.OpUTMAPF:          {flags: asynchronous | copiesBulk},
	sass.OpUTMACCTL:        {flags: asynchronous | copiesBulk},
	sass.OpUBLKCP:          {flags: asynchronous | copiesBulk},
	sass.OpUBLKRED:         {flags: asynchronous | copiesBulk},
	sass.OpUBLKPF:          {flags: asynchronous | copiesBulk},
	sass.OpS2UR:            {latency: 24, flags: slowPath},
	sass.OpREDUX:           {latency: 25, flags: slowPath},
	sass.OpFENCE:           {latency: 24, flags: ordersMemory},
	sass.OpUTCATOMSWS:      {flags: asynchronous},
	sass.OpUTCCP:           {flags: asynchronous},
	sass.OpUTCBAR:          {flags: asynchronous},
	sass.OpUTCMMA:          {flags: asynchronous},
	sass.OpLDTM:            {latency: 24},
}

// is reports whether the operation of x has a flag.
func (x Instr) is(f flags) bool { return opcodes[x.Op()].flags&f != 0 }

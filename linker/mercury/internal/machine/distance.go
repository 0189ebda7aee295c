package machine

import (
	"github.com/culink/culink/linker/sass"
)

// The tables of this file hold distances in cycles between the issues of two instructions of fixed latency, by
// the classes of both.

// untilIssue is the number of cycles from the issue of an instruction to that of another one, by the units of
// both. 0 means that there is no limit.
var untilIssue = [units][units]uint8{
	narrow:   {narrow: 2},
	products: {floats: 2, products: 2, wide: 2, halves: 2},
	wide:     {floats: 4, products: 4, wide: 4, halves: 4},
	halves:   {floats: 2, products: 2, wide: 2, halves: 2},
	pairs:    {AnyUnit: 2, narrow: 3, floats: 2, products: 2, wide: 2, halves: 2, pairs: 2},
}

// A reader is a class of instructions that read results in general registers after the same latency.
type reader uint8

const (
	anyReader      reader = iota
	narrowReader          // of unit narrow
	floatReader           // of unit floats
	productReader         // of units products and wide
	halfReader            // of unit halves
	halfComparison        // HSETP2 before sm_120
	pairReader            // of unit pairs
	lateReader            // instructions that read their operands a cycle later than most
	doubleReader          // double precision
	matrixReader          // products of matrices
	readers               // the number of readers
)

// untilResult is the number of cycles until an instruction can read the results of another one. It depends on
// the unit of the writer and the class of the reader.
var untilResult = [units][readers]uint8{
	//        any narrow float product half comparison pair late double matrix
	AnyUnit:  {5, 5, 5, 5, 5, 5, 5, 4, 6, 7},
	narrow:   {5, 4, 5, 5, 5, 5, 5, 4, 6, 7},
	floats:   {5, 5, 4, 5, 5, 5, 5, 4, 6, 7},
	products: {5, 5, 4, 4, 5, 5, 5, 4, 6, 7},
	wide:     {5, 5, 4, 4, 5, 5, 5, 4, 6, 7},
	halves:   {5, 5, 5, 5, 4, 4, 5, 4, 6, 7},
	pairs:    {6, 5, 6, 6, 6, 5, 6, 5, 7, 7},
}

// unitReaders has the reader class of each unit.
var unitReaders = [units]reader{
	narrow: narrowReader, floats: floatReader, products: productReader, wide: productReader, halves: halfReader, pairs: pairReader,
}

// reader returns the class of x as a reader.
func (x *Operation) reader() reader {
	switch {
	case x.IsMatrixProduct():
		return matrixReader
	case x.isEarly && x.Op() == sass.OpHSETP2 && x.Unit != halves:
		return halfComparison
	case x.Unit == AnyUnit && x.is(takesLate):
		return lateReader
	case x.Unit == AnyUnit && x.IsArithmeticDouble():
		return doubleReader
	}
	return unitReaders[x.Unit]
}

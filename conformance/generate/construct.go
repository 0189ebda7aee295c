package generate

import "fmt"

// A construct makes one kind of statement. It may add symbols to the program.
type construct struct {
	name     string
	weight   int
	from, to int // architectures; 0: no bound
	make     func(*maker) (Statement, bool)
}

// constructs lists all kinds of statements. Weights are relative to each other.
var constructs = []construct{
	{"arithmetic", 6, 0, 0, makeArithmetic},
	{"call", 30, 0, 0, makeCall},
	{"recursion", 2, 0, 0, makeRecursion},
	{"indirect", 7, 0, 0, makeIndirect},
	{"global", 12, 0, 0, makeGlobal},
	{"constant", 8, 0, 0, makeConstant},
	{"common", 4, 0, 0, makeCommon},
	{"pointer", 5, 0, 0, makePointer},
	{"managed", 1, 0, 0, makeManaged},
	{"mask", 1, 0, 0, makeMask},
	{"shared", 8, 0, 0, makeShared},
	{"sharedmodule", 7, 0, 0, makeSharedModule},
	{"sharedextern", 5, 0, 0, makeSharedExtern},
	{"local", 6, 0, 0, makeLocal},
	{"barrier", 5, 0, 0, makeBarrier},
	{"texture", 2, 0, 0, makeTexture},
	{"surface", 2, 0, 0, makeSurface},
	{"query", 1, 0, 0, makeQuery},
	{"printf", 4, 0, 0, makePrintf},
	{"heap", 3, 0, 0, makeHeap},
	{"assert", 2, 0, 0, makeAssert},
	{"double", 3, 0, 0, makeDouble},
	{"jumptable", 4, 0, 0, makeJumpTable},
	{"pressure", 4, 0, 0, makePressure},
	{"vote", 2, 0, 0, makeVote},
	{"entryaddress", 1, 0, 0, makeEntryAddress},
	{"mbarrier", 1, 90, 0, makeMbarrier},
	{"alias", 2, 0, 0, makeAlias},
	{"sharedequal", 3, 0, 0, makeSharedEqual},
	{"sharedaddress", 2, 0, 0, makeSharedAddress},
	{"large", 1, 0, 0, makeLarge},
	{"fence", 5, 0, 0, makeFence},
}

// Constructs returns the names of all constructs.
func Constructs() []string {
	var list []string
	for _, c := range constructs {
		list = append(list, c.name)
	}
	return list
}

// runtime holds the declarations of functions that the driver defines.
var runtime = map[string]string{
	"vprintf":      ".extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 arguments);",
	"malloc":       ".extern .func (.param .b64 address) malloc(.param .b64 size);",
	"free":         ".extern .func free(.param .b64 address);",
	"__assertfail": ".extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);",
}

func makeArithmetic(m *maker) (Statement, bool) {
	return Statement{Text: fmt.Sprintf("    mad.lo.u32 x, x, %d, %d;\n", 3+m.rng.IntN(1000), m.rng.IntN(1000))}, true
}

// makeBarrier uses a barrier with a number. A kernel needs as many barriers as the functions that it reaches.
func makeBarrier(m *maker) (Statement, bool) {
	return Statement{Text: fmt.Sprintf("    bar.sync %d;\n", m.rng.IntN(16))}, true
}

// makePressure keeps many values live, which raises the register count.
func makePressure(m *maker) (Statement, bool) {
	n := 4 + m.rng.IntN(40)
	text := fmt.Sprintf("    .reg .u32 v<%d>;\n", n)
	for i := range n {
		text += fmt.Sprintf("    ld.global.u32 v%d, [p+%d];\n", i, 4*i)
	}
	text += "    bar.sync 0;\n"
	for i := range n {
		text += fmt.Sprintf("    mad.lo.u32 x, x, v%d, v%d;\n", i, n-1-i)
	}
	return Statement{Text: text}, true
}

// makeVote uses instructions whose addresses are recorded in attributes.
func makeVote(m *maker) (Statement, bool) {
	switch m.rng.IntN(3) {
	case 0:
		return Statement{Text: "    .reg .pred c;\n    .reg .u32 y;\n    setp.gt.u32 c, x, 3;\n    vote.sync.ballot.b32 y, c, -1;\n    add.u32 x, x, y;\n"}, true
	case 1:
		return Statement{Text: "    .reg .u32 y;\n    shfl.sync.bfly.b32 y, x, 1, 31, -1;\n    add.u32 x, x, y;\n"}, true
	}
	return Statement{Text: "    .reg .u32 y;\n    activemask.b32 y;\n    add.u32 x, x, y;\n    atom.global.add.u32 y, [p], x;\n"}, true
}

// makeDouble needs constants. ptxas puts them into a separate bank.
func makeDouble(m *maker) (Statement, bool) {
	text := "    .reg .f64 d, e;\n    ld.global.f64 d, [p];\n"
	for range 1 + m.rng.IntN(4) {
		text += fmt.Sprintf("    add.f64 d, d, 0d4009%012X;\n    mul.f64 d, d, 0d3FF3%012X;\n", m.rng.Int64N(1<<44), m.rng.Int64N(1<<44))
	}
	return Statement{Text: text + "    st.global.f64 [p], d;\n"}, true
}

// makeJumpTable branches through a table. ptxas puts the table into constant memory.
func makeJumpTable(m *maker) (Statement, bool) {
	n := 5 + m.rng.IntN(16)
	targets := ""
	for i := range n {
		if i > 0 {
			targets += ","
		}
		targets += fmt.Sprint("l", (i*7+n)%4)
	}
	return Statement{Text: fmt.Sprintf(`    .reg .u32 t;
    rem.u32 t, x, %d;
    targets: .branchtargets %s;
    brx.idx t, targets;
  l0: add.u32 x, x, %d;
    bra.uni done;
  l1: mul.lo.u32 x, x, x;
  l2: xor.b32 x, x, 77;
    bra.uni done;
  l3: shl.b32 x, x, 3;
  done:
`, n, targets, n)}, true
}

// makeMbarrier uses mbarriers. An attribute counts them.
func makeMbarrier(m *maker) (Statement, bool) {
	name := m.name("mb")
	return Statement{Text: fmt.Sprintf("    .shared .align 8 .b64 %s;\n    .reg .b64 state;\n    mbarrier.init.shared.b64 [%s], 1;\n    mbarrier.arrive.shared.b64 state, [%s];\n", name, name, name)}, true
}

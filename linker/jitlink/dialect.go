package jitlink

import "github.com/culink/culink/linker/arch"

// A dialect describes how the library of a release differs from that of 13.0, apart from differences of its
// nvlink. There is one field for each difference (JIT-100 to JIT-104).
type dialect struct {
	release           *arch.Profile
	step              string            // name of the step in the last line of a failed link without -lto (JIT-100)
	acceptsVirtual    bool              // a virtual target needs no -ptx (JIT-117)
	missingFile       string            // the message for a file that does not exist, with a verb for its name (JIT-944)
	indexMessage      string            // the message for a file of -uidx without an index, with a verb for its name; empty: as for an input (JIT-944)
	refusesExecutable bool              // a file of which nothing is linked, such as an executable cubin, is refused, not ignored (JIT-850)
	lacksTypes        []InputType       // types of inputs that the release does not have (JIT-941)
	anyIntermediate   bool              // intermediate code need not begin as such (JIT-941)
	anyContent        bool              // an input of any other type need not begin as its type requires (JIT-960)
	emptyPTX          string            // the message for an empty PTX text, with a verb for its name (JIT-960)
	noELF             string            // the message for a cubin that is no ELF file, with a verb for its name; empty: it is of another type (JIT-960)
	unreadable        string            // the message for a cubin without an architecture or sections, with a verb for its name; empty: as for damage (JIT-961)
	ptxStatus         bool              // the status of the compiler of PTX is the last line about PTX that does not compile (JIT-965)
	anyArch           bool              // the architecture of intermediate code is not compared with the target (JIT-941)
	noArch            string            // the message for intermediate code that does not begin as such (JIT-941)
	otherVersion      string            // the message for intermediate code of another version, with a placeholder for the status (JIT-941)
	failsLate         bool              // a link without a program is INTERNAL (JIT-942)
	checksFirst       bool              // intermediate code of another version is refused before the program is missed (JIT-942)
	compilesUnstarted bool              // Complete with -lto compiles a link that Create did not start (JIT-942)
	missingValue      string            // the message for an option without its value, with a verb for it (JIT-011)
	anyLevel          bool              // -O with any digit, whatever follows, is accepted (JIT-943)
	acceptsNegative   bool              // a number of parts may be negative (JIT-943)
	silentTrace       bool              // --trace adds nothing to the info log (JIT-943)
	closedAsBad       bool              // code for a complete link is refused like code for another target (JIT-850)
	noCode            string            // the message for a file without code for the target, with a placeholder for the name (JIT-850)
	timesOnce         bool              // -time prints one time, after a successful link (JIT-014)
	timesCubins       bool              // -time prints when machine code was added (JIT-014)
	emptyProgram      string            // the message of Complete for a link with -lto that Create did not start (JIT-030)
	noModule          string            // the message for -lto without intermediate code (JIT-101)
	containerStatus   string            // prefix of a status of the compiler of intermediate code, with a verb for its number (JIT-101)
	laterArch         string            // the same for an architecture
	noLog             string            // the message for the missing log of a link without a program (JIT-015)
	noCubin           string            // number of the status for PTX for a virtual target (JIT-107)
	callbackBeforePTX bool              // the message for a link without a program ends with "callback" unless PTX was compiled (JIT-015)
	mismatch          string            // the message for machine code for a Mercury target, with a placeholder for the name (JIT-102)
	lacks             []string          // options of the grammar that the release does not have (JIT-103, JIT-116)
	fastLevels        []string          // values of -Ofc (JIT-116)
	fastList          string            // the same as in the message about another value
	versionEnd        string            // end of the message about -nvvm-version (JIT-103)
	noOptimisedDebug  bool              // -g conflicts with -O3 (JIT-103)
	startsLate        bool              // a target that cannot be linked is an error after all others, without a name (JIT-117)
	keepsReserved     bool              // -disable-smem-reserve has no effect on the link (JIT-116)
	deprecated        uint32            // targets below this number are deprecated (JIT-117)
	earlier           map[Result]Result // results in the place of those that the release does not have (JIT-118)
	notEnabled        string            // the message for intermediate code without -lto (JIT-118)
	unsupported       []int32           // known architectures that the release does not link for (JIT-104)
	checksFamilies    bool              // a name that ends in 'f' must be valid (JIT-104)
	malformed         bool              // a truncated cubin, or one of class 32, is malformed (JIT-102)
	oneLevel          bool              // the optimiser gets the last -O alone (JIT-062)
	oneNVVM           bool              // -nvvm-version may select only one mode (JIT-103)
	ltoTargets        bool              // lto_90 is a target without -ptx, and is refused with it (JIT-103)
	judgesFailed      bool              // a failed link still reports errors in a cubin (JIT-106)
	partialByR        bool              // with -r, intermediate code alone becomes a program to be linked (JIT-105, KIT-209)
	linked            string            // the info log's text for linked intermediate code, with verbs for its form and size; empty: it is not returned (JIT-065)
	completesOnce     bool              // Complete cannot be called again after intermediate code was linked (JIT-030)
	// optimiserRefuses is the message for a program that does not compile. It contains $STATUS, the $NUMBER of
	// the status, and $WORDS. It also contains $CALLBACK, which is empty if an option is the reason (JIT-101).
	optimiserRefuses string
}

// differences contains the rows in the order of the releases. until is the last release of a row, or 0 if there
// is none.
var differences = []struct {
	since, until uint32
	set          func(*dialect)
}{
	{0, 129, func(d *dialect) {
		d.unsupported, d.startsLate, d.lacks, d.earlier = nil, true, []string{"-r"}, earlierResults
		d.keepsReserved = true
		d.notEnabled = "TODO: nvvm input without LTO" // the words of NVIDIA's library
	}},
	{0, 120, func(d *dialect) {
		d.lacks, d.silentTrace = append(d.lacks, "-dlto", "--no-cache"), true
		d.ptxStatus, d.emptyPTX = true, "ERROR 2: ptxjit:%s\n"
		d.missingValue = "ERROR 1: missing option value: %s\n"
	}},
	{0, 121, func(d *dialect) {
		d.lacks = append(d.lacks, "-uidx=")
		d.anyArch = true
		d.noArch, d.otherVersion = "ERROR 4: nvvmAddNVVMContainerToProgram:\n", "ERROR 4: nvvmAddNVVMContainerToProgram:"
		d.noLog = "ERROR 5: nvvmGetProgramLogSize:\n"
	}},
	{121, 122, func(d *dialect) {
		d.emptyPTX = "ERROR 2: ptxjit:%[1]s\nERROR NVJITLINK_ERROR_INTERNAL: JIT the PTX (%[1]s)\n"
	}},
	{122, 122, func(d *dialect) { d.noArch = "ERROR 4 in nvvmGetArch:\n" }},
	{0, 122, func(d *dialect) {
		d.anyLevel, d.anyContent, d.checksFirst, d.noELF = true, true, true, "ERROR 2: bad input:%s\n"
		d.lacks = append(d.lacks, "-split-compile-extended=", "-split-compile=", "-jump-table-density=")
	}},
	{0, 123, func(d *dialect) {
		d.acceptsNegative, d.anyIntermediate, d.failsLate = true, true, true
		d.unreadable = "ERROR 1: bad input:%s\n"
		d.lacksTypes = append(d.lacksTypes, InputAny)
	}},
	{0, 124, func(d *dialect) {
		d.lacks = append(d.lacks, "--Ofast-compile=", "-Ofc=", "-no-cache", "-nvvm-version=")
	}},
	{0, 125, func(d *dialect) {
		d.refusesExecutable, d.noCode = true, "ERROR 7: bad input:$NAME"
		d.lacksTypes = append(d.lacksTypes, InputIndex)
		d.lacks = append(d.lacks, "--device-stack-protector-frame-size-threshold=", "--device-stack-protector=",
			"-no-opt", "-disable-smem-reserve")
	}},
	{0, 126, func(d *dialect) {
		d.closedAsBad, d.judgesFailed, d.compilesUnstarted = true, true, true
		d.acceptsVirtual, d.missingFile, d.indexMessage = true, "", "ERROR: File '%s' is not valid uidx input\n"
	}},
	{0, 128, func(d *dialect) { d.timesOnce, d.fastLevels, d.fastList = true, []string{"0", "max"}, "0 and max" }},
	{128, 129, func(d *dialect) {
		d.deprecated, d.emptyProgram = 75, "ERROR NVJITLINK_ERROR_INTERNAL: empty elfw ()\n"
	}},
	{131, 0, func(d *dialect) { d.step, d.timesCubins = "complete", true }},
	{131, 133, func(d *dialect) {
		d.noModule = "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram: no input files compiled with LTO support (-dlto or -lto) found, cannot proceed with -lto option\n"
	}},
	{134, 0, func(d *dialect) {
		d.noModule = "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram callback\n"
	}},
	{131, 0, func(d *dialect) {
		d.containerStatus, d.laterArch = "NVVM_ERROR_INVALID_INPUT (4)", "NVVM_ERROR not found (%d)"
		d.noLog, d.noCubin = "ERROR NVVM_ERROR_INVALID_PROGRAM (5) in nvvmGetProgramLogSize\n", "10"
	}},
	{131, 0, func(d *dialect) { d.mismatch = "Target binary format and input ($NAME) binary format mismatch" }},
	{131, 0, func(d *dialect) {
		d.optimiserRefuses, d.judgesFailed = "$WORDSERROR $STATUS ($NUMBER) in nvvmCompileProgram\n", true
	}},
	{131, 133, func(d *dialect) { d.callbackBeforePTX = true }},
	{131, 0, func(d *dialect) { d.lacks, d.versionEnd = []string{"--trace"}, "" }},
	{132, 0, func(d *dialect) {
		d.unsupported = []int32{10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 73, 101, 102}
	}},
	{133, 0, func(d *dialect) { d.checksFamilies, d.partialByR = true, true }},
	{134, 0, func(d *dialect) {
		d.optimiserRefuses = "$WORDSERROR $STATUS ($NUMBER) in nvvmCompileProgram$CALLBACK\n"
	}},
	{134, 0, func(d *dialect) { d.malformed, d.ltoTargets, d.completesOnce = true, true, true }},
	{134, 134, func(d *dialect) { d.linked = "SUCCESS: %s LTOIR Container created (%d bytes)\n" }},
	{135, 0, func(d *dialect) { d.linked = "INFO: %s LTOIR Container created (%d bytes)\n" }},
	{135, 0, func(d *dialect) { d.noOptimisedDebug, d.oneNVVM, d.oneLevel = true, true, true }},
}

// earlierResults maps results that were added in CUDA 13 to those of CUDA 12.
var earlierResults = map[Result]Result{
	NullInput: InvalidInput, IncompatibleOptions: InvalidInput, IncorrectInputType: InvalidInput,
	ArchMismatch: Internal, OutdatedLibrary: Internal, LTONotEnabled: Internal,
}

// result returns the result that the release has for r.
func (d *dialect) result(r Result) Result {
	if earlier, ok := d.earlier[r]; ok {
		return earlier
	}
	return r
}

// stepOfLTO is the name of the step in the last line of the error log with -lto, in all releases.
const stepOfLTO = "finish"

// dialectOf returns the dialect of a release.
func dialectOf(p *arch.Profile) *dialect {
	d := &dialect{
		release:         p,
		step:            stepOfLTO,
		noModule:        "ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM\n",
		containerStatus: "4", laterArch: "%d",
		noLog: "ERROR 5 in nvvmGetProgramLogSize\n", noCubin: "3",
		mismatch:         "Mercury or Capmerc target was requested, but SASS input $NAME was found.",
		missingValue:     "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (%s)\n",
		noArch:           "ERROR 4 in nvvmGetArch: No architecture detected, may be incorrect file type\n",
		otherVersion:     "ERROR $STATUS in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library",
		missingFile:      "no such file: %s\n",
		noCode:           "ERROR 3: bad input: $NAME",
		versionEnd:       "\n",
		optimiserRefuses: "ERROR in nvvmCompileProgram: $STATUS\n$WORDS",
		notEnabled:       "LTO-IR input cannot be used without LTO enabled (-lto)",
		fastLevels:       []string{"0", "min", "mid", "max"}, fastList: "0, min, mid, and max",
		unsupported: []int32{10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 69, 70},
	}
	for _, row := range differences {
		if arch.Holds(p.API, row.since, row.until) {
			row.set(d)
		}
	}
	return d
}

package jitlink

import "github.com/culink/culink/linker/arch"

// A dialect is what the library of a release answers otherwise than that of 13.0, where nvlink of the
// release has no part in it: a row for each difference (JIT-100 to JIT-104).
type dialect struct {
	release          *arch.Profile
	step             string  // what the last line of a link that fails calls the step, without -lto (JIT-100)
	timesCubins      bool    // -time tells when machine code was added (JIT-014)
	noModule         string  // what is said of -lto without intermediate code (JIT-101)
	containerStatus  string  // how a status of the compiler of intermediate code begins, with a place for its number (JIT-101)
	laterArch        string  // the same of an architecture
	mismatch         string  // what is said of machine code for a Mercury target, with a place for the name (JIT-102)
	noTrace          bool    // there is no option --trace (JIT-103)
	versionEnd       string  // what ends the complaint about -nvvm-version (JIT-103)
	noOptimisedDebug bool    // -g does not go with -O3 (JIT-103)
	unsupported      []int32 // architectures that the release knows and does not link for (JIT-104)
	checksFamilies   bool    // a name that ends in 'f' must be one (JIT-104)
	malformed        bool    // a cubin that is cut or of class 32 is malformed (JIT-102)
	oneNVVM          bool    // -nvvm-version is of one mode (JIT-103)
	ltoTargets       bool    // lto_90 is a target without -ptx, and with it none (JIT-103)
	judgesFailed     bool    // a link that failed still says what is wrong with a cubin (JIT-106)
	partialByR       bool    // -r makes a program to be linked of intermediate code alone (JIT-105, KIT-209)
	linked           string  // what the info log has of linked intermediate code, with places for its form and size; empty: none is handed out (JIT-065)
	completesOnce    bool    // no Complete comes after the compiler of intermediate code (JIT-030)
	// optimiserRefuses is what is said of a program that does not compile, with $STATUS, its $NUMBER and $WORDS, and
	// $CALLBACK, which is nothing for an option (JIT-101).
	optimiserRefuses string
}

// differences are the rows, in the order of the releases; until is the last of a row, 0 for none.
var differences = []struct {
	since, until uint32
	set          func(*dialect)
}{
	{131, 0, func(d *dialect) { d.step, d.timesCubins = "complete", true }},
	{131, 133, func(d *dialect) {
		d.noModule = "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram: no input files compiled with LTO support (-dlto or -lto) found, cannot proceed with -lto option\n"
	}},
	{134, 0, func(d *dialect) {
		d.noModule = "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram callback\n"
	}},
	{131, 0, func(d *dialect) {
		d.containerStatus, d.laterArch = "NVVM_ERROR_INVALID_INPUT (4)", "NVVM_ERROR not found (%d)"
	}},
	{131, 0, func(d *dialect) { d.mismatch = "Target binary format and input ($NAME) binary format mismatch" }},
	{131, 0, func(d *dialect) {
		d.optimiserRefuses, d.judgesFailed = "$WORDSERROR $STATUS ($NUMBER) in nvvmCompileProgram\n", true
	}},
	{131, 0, func(d *dialect) { d.noTrace, d.versionEnd = true, "" }},
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
	{135, 0, func(d *dialect) { d.noOptimisedDebug, d.oneNVVM = true, true }},
}

// stepOfLTO is what that line calls the step with -lto, in all releases.
const stepOfLTO = "finish"

// dialectOf is that of a release.
func dialectOf(p *arch.Profile) *dialect {
	d := &dialect{
		release:         p,
		step:            stepOfLTO,
		noModule:        "ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM\n",
		containerStatus: "4", laterArch: "%d",
		mismatch:         "Mercury or Capmerc target was requested, but SASS input $NAME was found.",
		versionEnd:       "\n",
		optimiserRefuses: "ERROR in nvvmCompileProgram: $STATUS\n$WORDS",
		unsupported:      []int32{10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 69, 70},
	}
	for _, row := range differences {
		if arch.Holds(p.API, row.since, row.until) {
			row.set(d)
		}
	}
	return d
}

package arch

import "slices"

// The types in this file describe the behaviours in which releases differ, grouped by the phase of the link
// that uses them. Rows of Differences set each field. The comment of a field has the rule ids of these rows.
// The zero value is what releases do for which no row sets the field.

// Options describes differences in the command line and its messages.
type Options struct {
	Relocatable      bool     // -r makes a relocatable file; without it the option has no effect (KIT-015)
	DisablesWarnings bool     // -w disables warnings (KIT-030)
	ToolsPatch       string   // the spelling of -astoolspatch in messages (KIT-148)
	Debug            []string // ptxas options implied by -g (KIT-203)
	BracketLists     bool     // brackets protect the commas of lists, and backslashes nothing (KIT-219)
	EmptyTakesNext   bool     // an option with '=' and no value takes the next word (KIT-620)
	ConflictsFirst   bool     // options that exclude each other are reported before missing ones (KIT-218)
	InputsFirst      bool     // missing inputs are reported before a missing target or output (KIT-621)
	OwnOptimiser     bool     // -lto needs no -nvvmpath, and the message about a missing optimiser is another one (KIT-622)
}

// Input describes differences in reading files: hosts, archives, fat binaries, PTX and cubins as containers.
type Input struct {
	MinFile            int  // size in bytes of the smallest file that can be opened (KIT-101)
	TakesEmpty         bool // an empty file holds no objects and is no error (KIT-081)
	OpensHeaders       bool // a file that can be opened has MinFile bytes also if it is an archive (KIT-624)
	AnyObject          bool // a file without a known suffix and without the ELF magic is a host object unless its type is 2 (KIT-625)
	TakesBitcode       bool // only without -lto is a file named .bc refused, by a message of its own (KIT-622)
	ClassFirst         bool // the class of a cubin is compared with -m before its tables are read (KIT-623)
	IgnoresSegments    bool // program headers of a file are not checked (KIT-626)
	OpensSectionless   bool // a file without a section table is one without sections (KIT-684), a cubin whose table cannot be read too (KIT-686)
	ByteArch           bool // architectures of entries of fat binaries end at 255, and 0 has a name (KIT-627)
	IgnoresReferences  bool // kernels that no host code launches stay (KIT-681)
	TakesLaterIDs      bool // further module ids of a host object count too (KIT-077)
	WholePTX           bool // below sm_90 nothing of a .ptx file is linked; a cubin in one is selected as in a fat binary (KIT-204)
	SkipsObjectCubins  bool // a cubin in a file named .o is skipped (KIT-205)
	SkipsIntermediate  bool // without -lto, intermediate code in a fat binary serves no target (KIT-685)
	SkipsLTOIR         bool // a file named .ltoir is read by its content, like a file with any other suffix (KIT-205)
	ForgetsRuntime     bool // an archive libcudadevrt before all other inputs is not read (KIT-084)
	RegistersOthers    bool // a register file has a line for a file named .fatbin without code for the target (LOAD-993)
	ReportsNoHostCode  bool // with --register-link-binaries an info names each file that is not a host object (KIT-702)
	NamesArchiveFormat bool // a malformed archive has its own message (KIT-086)
	BoundsArchives     bool // a member or long name past the end of an archive ends the link (KIT-124)
	StaysAtHome        bool // libnvJitLink refuses a cubin for sm_100 for sm_103 (JIT-042)
	BoundsMembers      bool // the magic number of a member is not read past the member's end (KIT-125)
	LimitsArguments    bool // values for the compiler have a largest size (LOAD-047, LOAD-967)
	ChecksTables       bool // a cubin with malformed attributes or relocations is skipped (KIT-095)
	RefusesMalformed   bool // libnvJitLink refuses a cubin that would be skipped for its tables, in fat binaries too (JIT-115)
	ReadsLaterFlags    bool // compression flags of fat binaries beyond LZ4 count (KIT-122)
	DecodesZstd        bool // zstd frames of fat binaries are decoded (KIT-123)
	LinksFirstEqual    bool // of equal machine code for the target's architecture in a fat binary the first is linked, not the last (KIT-300)
	ReadsConcat        bool // images of concatenated entries of fat binaries are read (KIT-200)
	NamesLibraryStep   bool // -v2 names the step of -lto that links modules (KIT-490)
	ProgramFirst       bool // the program of -lto is linked before all other code (KIT-202)
	RefusesTotal       bool // a fat binary whose size overflows is reported as another kind of binary (KIT-140)
	RenamesEntries     bool // entries of fat binaries for sm_101 are entries for sm_110 (KIT-169)
	SkipsUndecodable   bool // entries that are encrypted or do not decode are skipped (KIT-120)
	SkipsEmptyPayload  bool // a payload that decodes to nothing counts as undecodable (KIT-121)
	RefusesUnsound     bool // a Mercury cubin that would be skipped ends the link (KIT-096)
	NamesBinaryKind    bool // a file that is not a binary is reported as another kind of binary (KIT-034)
	JudgesHeaders      bool // libnvJitLink judges a cubin by its type and flags, before its sections (JIT-961)
	OnlyRelocatable    bool // libnvJitLink skips a cubin of any type but the relocatable one (JIT-961)
	TakesAnyPTX        bool // libnvJitLink passes PTX in a fat binary to the compiler, however it begins (JIT-962)
	ReadsPastEnd       bool // libnvJitLink reads a truncated fat binary as if zeros followed (JIT-963)

	EntryLetters       string // letters of architectures of fat binaries that count (KIT-540)
	ReadsOldLetter     bool   // 'a' counts in a fat binary also for an architecture without an 'a' name (KIT-543)
	PlainPTX           bool   // letters of PTX and intermediate code in fat binaries do not count (KIT-541)
	IgnoresEntryCompat bool   // compatibility records of entries of fat binaries do not count (KIT-542)

	CheckedKinds []uint16 // kinds of entries of fat binaries whose architectures are checked; nil for all (KIT-683)
}

// Checks reports whether nvlink looks at entries of fat binaries of this kind (KIT-683).
func (i *Input) Checks(kind uint16) bool {
	return i.CheckedKinds == nil || slices.Contains(i.CheckedKinds, kind)
}

// Accept describes differences in the code that a target accepts, and in how other code is refused.
type Accept struct {
	MinAPI           uint32 // first release, as in Profile.API, whose cubins of sm_90 are accepted (KIT-013)
	OldFamilies      bool   // 'f' PTX below sm_100, where no 'f' name exists, is accepted in a family of ten numbers (KIT-544)
	RefusesSpecific  bool   // code for an 'a' name is refused for every other target, entries of fat binaries included (KIT-091, KIT-149)
	JudgesMercury    bool   // virtual targets from compute_100 on accept code of sm_100 and later (KIT-092)
	KeepsFamilies    bool   // virtual targets of an 'f' name accept only code of their family (KIT-092)
	NamesTwoDigits   bool   // below a virtual target an architecture of one digit is reported as unknown (LOAD-991)
	LimitsArchName   bool   // an architecture of 0, or of more than three digits, is reported as a name that is too long (KIT-035)
	ReadsLaterHeader bool   // the flags of a file of OSABI 0x41 are those of the later ABI, even if that is unknown (KIT-208)
	LaterABI         uint8  // accepted ABI version of files of OSABI 0x41 (KIT-208, KIT-215)
	ReadsOrigins     bool   // notes of a file of OSABI 0x41 say what it was compiled for; else its header does (KIT-216)
	ReadsRelease     bool   // .note.nv.cuinfo says the release of its compiler; else, for a target of the earlier ABI, .note.nv.tkinfo does (KIT-216)

	// Mercury code.
	ReadsCompatFirst  bool   // .nv.compat is read before the architecture is refused (KIT-126)
	FinalizesFirst    bool   // an input of both kinds of code is reported as a failed finalization (KIT-127)
	TellsFailures     bool   // rejected input is reported as a failed finalization, with the reason (KIT-131)
	RefusesOldMercury bool   // Mercury code for an architecture that has none is refused in the same way (KIT-128)
	ReadsFrames       bool   // a Mercury half with truncated call frames is refused in the same way (KIT-176)
	MercuryISA        uint16 // latest version of Mercury instructions, major<<8+minor; 0 for any (KIT-174)
	ChecksEachISA     bool   // no record may have a later version, even if another follows (KIT-174)
	ChecksCompat      bool   // Mercury code must name its architecture and a version other than 0 (KIT-174)
	ChecksLaterISA    bool   // record 0d must name a version that MercuryISA allows (KIT-174)
	TakesAnyBinding   bool   // symbols of a file with a Mercury half may have any binding (KIT-132)

	// Relocations.
	RefusesMissing bool // a relocation against a symbol beyond the symbol table ends the link (KIT-097)
	RefusesUnknown bool // a relocation of an unknown type ends the link (KIT-098)
}

// Merge describes differences in how the definitions of the inputs are merged into one program.
type Merge struct {
	TakesNotes               bool // notes of inputs are copied (KIT-129)
	OmitsBankNumber          bool // banks of constants have no entry size, even if the inputs' have (KIT-211)
	OmitsCallGraph           bool // there are no .nv.callgraph and .nv.prototype (KIT-213)
	RemovesUnwinds           bool // unwind records of discarded code are removed (KIT-029)
	AddsNameless             bool // a function without a name precedes the first undefined one (KIT-075)
	KeepsWeak                bool // an undefined weak variable stays weak, and a local one that the linker defines stays local (KIT-079)
	KeepsType                bool // an undefined variable keeps its type (KIT-079)
	CountsColumns            bool // the linker defines the number of columns of tensor memory (KIT-271)
	ComparesDriverPrototypes bool // prototypes of driver functions are compared up to a bar (KIT-196)
	ChoosesByAttribute       bool // if the section header of weak code has no register count, REGCOUNT counts (KIT-031)
	TakesLooseShared         bool // shared memory of a kernel without variables becomes an unnamed variable (KIT-090)
	DiscardsCommon           bool // a definition without contents prevails over a common symbol (KIT-024)
	JoinsMinMemory           bool // the largest MIN_PER_CTA_MEMORY_SIZE becomes an attribute of the whole file (KIT-130)
	OwnAttributes            bool // static functions of the same name have separate attributes (KIT-054)

	// Inputs with a Mercury half.
	KeepsCapsules        bool // capsules keep the header and the records of 12.8 (KIT-163)
	RemakesPlain         bool // the plain half of an input is rebuilt from the Mercury half (KIT-175)
	InnerHeaders         bool // data shared by both halves has the Mercury half's section header (KIT-139)
	CopiesLast           bool // in a link of machine code the copies of a Mercury half come last (KIT-136)
	LocalsFirst          bool // local symbols of an input are merged first (KIT-058)
	NumbersConstants     bool // compiler constants are named by numbers (KIT-059)
	KeepsDiscardedTables bool // relocations of jump tables of discarded code stay (KIT-134)

	CountsDiscardedTables bool // relocations of jump tables of discarded copies count as those of the code that stayed (KIT-940)
	MisnamesStacks        bool // MAX_STACK_SIZE refers to the symbol numbers of local-first order (KIT-051)
	MisnamesHandles       bool // attributes of texture, sampler and surface parameters do so too (KIT-053)
	MisnamesExterns       bool // lists of externs do so too (KIT-460)
}

// Reach describes differences in reachability, the call graph, and the attributes that propagate along it.
type Reach struct {
	RefusesLostAliases bool // an alias that is unreached while its function is reached ends the link (KIT-080)
	LeavesOutTaken     bool // kernels that the options do not choose are left out even if their address is taken (KIT-682)
	KeepsManaged       bool // a function whose symbol is marked as managed is not dropped (KIT-930)
	ShowsMembers       bool // messages show the copy of a function for a kernel as a member of the kernel (KIT-770)
	EarlyGraph         bool // -dump-callgraph prints, and registers propagate, before memory is laid out (KIT-171)
	ListsTakers        bool // the call graph records which function takes which address (KIT-072)
	ListsLostAliases   bool // the prototype of a discarded alias stays, with symbol 0 (KIT-182)
	OmitsUndefined     bool // the call graph omits calls of undefined functions (KIT-183)
	ResolvesPointers   bool // the call graph has a call for each possible target of a pointer (KIT-073)
	RaisesRegisters    bool // the section header of a kernel counts the registers of its callees (KIT-074)
}

// Layout describes differences in the placement of memory.
type Layout struct {
	SharedByArchitecture bool // the limit of an entry's shared memory depends on the architecture (KIT-028)
	ExtendsSpecific      bool // an 'a' target has the extended limit (KIT-167)
	AlignsExternShared   bool // extern __shared__ arrays have their own alignments (KIT-017)
	DemotedIsLocal       bool // a shared variable outside kernels that only one kernel uses becomes a local symbol (KIT-025)
	HidesDemoted         bool // -g does not show such a variable (KIT-076)
	JoinsConstants       bool // equal user constants are merged (KIT-023)
	RefusesCopies        bool // pooled constants of a discarded copy are an internal error (KIT-690)
	PacksConstants       bool // user constants that exceed their bank are packed first (KIT-093)
	PlacesUndefined      bool // symbols accepted by -allow-undefined-globals have value 0, not -1 (KIT-078)
	GrowsSlots           bool // slots that -ewp has placed get the size of their whole bank in the Mercury half (KIT-711)
	DescribesSurfaces    bool // handles of queried surfaces have the description of the next surface (KIT-212)
	ReservesAlways       bool // with a Mercury half, shared symbols leave room for reserved memory even under -disable-smem-reservation (KIT-138)
}

// Relocate describes differences in how relocations are resolved.
type Relocate struct {
	KnownTypes      uint32 // how many types of relocations are known, if not all (KIT-942)
	KeepsShared     bool   // -r leaves relocations against shared variables to the final link (KIT-016)
	RefusesReplaced bool   // under -kernels-used, relocations of discarded code in a Mercury half end the link (KIT-135)
}

// Finalizer describes differences in the machine code that the finalizer makes for targets with Mercury code.
type Finalizer struct {
	RenewsCode bool // Mercury code of compilers before 13.0 becomes that of 13.0 (KIT-164)
	KeepsStack bool // a wait for an unused stack pointer stays (KIT-168)

	// Other instructions.
	DropsSelfMoves    bool // moves of a register to itself are removed (KIT-143)
	PadsReconvergence bool // a NOP precedes each reconvergence point (KIT-041)
	AddsTwo           bool // from sm_120 on additions of two numbers are IADD (KIT-043)
	ShortensProducts  bool // records of integer matrix products leave out their operands (KIT-173)
	PadsByAdditions   bool // between matrix products empty additions take the place of NOPs (KIT-109)
	ReusesPastWindows bool // additions of the shared window base do not take part in operand reuse (KIT-190, MERC-262)
	FlushesTensorMaps bool // an UTMACMDFLUSH and a NOP that waits for it end a fence that acquires a tensor map (KIT-980)

	DropsReductionWaits bool // the DEPBAR after an asynchronous reduction is removed (KIT-330)

	// Waits and scoreboards.
	WaitsOnDemand bool // branches wait for what they need alone (KIT-060)
	WaitsAtCalls  bool // the wait for a call is at the call, not one instruction before (KIT-040)
	CountsFences  bool // up to sm_110 a memory fence before another one is counted (KIT-062)
	CountsDoubles bool // on sm_100 FP64 instructions and integer matrix products are counted (KIT-063)
	ReservesLast  bool // WAR events without a consumer in their block leave the last free scoreboard to others (KIT-178)

	// Stalls.
	RecomputesStalls bool // from sm_120 on stalls follow from the instructions as they are after the changes (KIT-106)
	StallsFences     bool // a memory fence before another one stalls (KIT-061)
	ClosesDistances  bool // FP64 instructions have no issue distance (KIT-050)
	FillsProducts    bool // other instructions fill the time between matrix products (KIT-055)
	Unschedules      bool // unoptimized code waits for nothing (KIT-042)
}

// Info describes differences in what the output records about itself: notes, .nv.compat and attributes.
type Info struct {
	Notes            bool   // there are notes and, from sm_90 on, .nv.compat; otherwise the file header has their contents (KIT-011)
	EarlyNotes       bool   // the notes are in the format of 12.8, if there are any (KIT-161)
	OriginOfTarget   bool   // early notes contain the target as origin, whatever the inputs contain (KIT-170)
	OriginOfLast     bool   // early notes contain the origin of the last input (KIT-170)
	LateCompat       bool   // .nv.compat is created at the first input that has one, with the inputs' records (KIT-162)
	LimitsFastPath   bool   // CAN_FASTPATH_FINALIZE depends on the instructions (KIT-019)
	TiesFastPath     bool   // for an accelerator's target, CAN_FASTPATH_FINALIZE depends on tcgen05.mma (KIT-262)
	AddsFastPath     bool   // finalization adds CAN_FASTPATH_FINALIZE (KIT-142)
	FinalizerVersion uint16 // FINALIZER_VERSION of an output with a Mercury half; 0 for none (KIT-020)
	TellsWorkArounds bool   // finalized code has NVSAL_SW_WAR (KIT-036)
	TellsPreexit     bool   // finalized code has PREEXIT_USED (KIT-037)
	NamesWarpSync    bool   // COOP_GROUP_INSTR_OFFSETS lists the WARPSYNC before an integer reduction or a barrier (KIT-210)

	BarriersInFlags       bool // the number of barriers is in the flags of the code section (KIT-026)
	ReversesExterns       bool // the list of externs of a lone kernel is reversed (KIT-088)
	RaisesLanguage        bool // kernels record the source languages of their callees (KIT-094)
	SharesCachePreference bool // the cache preferences of loads become one preference for each kernel (KIT-018)
}

// Emit describes differences in the file: headers, names, symbols, sections and their order.
type Emit struct {
	OSABI            uint8  // of the file header (KIT-010)
	ABIVersion       uint8  // of the file header (KIT-010)
	SpecificInFlags  bool   // e_flags mark an 'a' target (KIT-165)
	RelocationAction []byte // content of .nv.rel.action, the same in every executable; nil for none (KIT-012)
	WeakIsGlobal     bool   // weak symbols are sorted among the global ones (KIT-021)
	NamesUnusedRel   bool   // a .rela entry without addend adds the name of a nonexistent .rel section (KIT-022)
	NamesEntries     bool   // .nv.uft.entry is among the first names, although no file has it (KIT-180)
	SymtabLink       uint32 // sh_link of the symbol table; 0 means the index of its string table (KIT-181)
	KeepsNames       bool   // all names ever created stay, in order of creation (KIT-070)
	LinksInfo        bool   // section flags have SHF_INFO_LINK (KIT-071)
	OmitsNull        bool   // sh_info of the symbol table does not count the null symbol (KIT-214)
	EarlySegments    bool   // there are segments for code and for data, even if empty, and none for the program headers (KIT-214)
	LinksForcedRela  bool   // so do the flags of the sections that -force-rela creates for slots (KIT-085)

	// The Mercury half.
	FreshTables     bool // it follows the order of the plain half, and its name tables contain only names in use (KIT-039)
	CopiesCallGraph bool // it has the call graph and the prototypes (KIT-038)
	FillsReserved   bool // its copy of reserved shared memory occupies bytes of the file (KIT-057)
	CountsBanks     bool // parameter banks next to it come last and count as local symbols (KIT-166)
	TellsCopies     bool // call frames describe copies of register pairs (KIT-105)

	InnerPlaces        bool // relocated words in call frames are those of the Mercury half (KIT-941)
	LosesCommonEntries bool // with -r and -g relocations in common entries of call frames are at 0 (KIT-270)

	// Debug information of finalized code.
	EndsEmptyLines     bool // a line program without rows has an end of sequence (KIT-052)
	PairsRegisters     bool // in replaced code, a register whose end is not found has no start (KIT-440)
	PausesRegisters    bool // in replaced code, the range of a register starts after the NOPs that follow (KIT-441)
	FindsBehindAliases bool // a function is found after its alias (KIT-104)
}

// Report describes differences in what -v prints about kernels.
type Report struct {
	CountsBarriers      bool // the barriers of a kernel are printed (KIT-027)
	LastRegisters       bool // the last of several register counts of a kernel is printed, not the first (INFO-976)
	RepeatsBarriers     bool // for a kernel without barriers the number of the previous kernel is printed (KIT-089)
	CountsInput         bool // the number before the first kernel is the size of the last input (KIT-099)
	CountsUnmade        bool // that number is the number of sections that the output omits (KIT-100)
	CountsEmptySections bool // that number is the number of sections without contents (KIT-089)
	JoinsTextures       bool // slots of one texture that the compiler placed count as one (INFO-880)
}

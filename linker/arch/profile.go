package arch

import (
	"slices"
	"strconv"
	"strings"
)

// A Profile is a release of the CUDA toolkit that culink stands in for: everything by which
// its nvlink differs from that of another release. Phases ask its fields and never which
// release it is.
type Profile struct {
	Version      string // "13.0.88"
	Major, Minor int
	// API is the version number in cubins, major*10+minor: the last word of
	// .note.nv.cuinfo, and the number of "newer than toolkit".
	API     uint32
	Release string // second string of the tool note, and a line of --version
	Build   string // third string of the tool note

	// Interpolated: nobody has asked the nvlink of the release; what it does follows from the
	// releases before and after it, and from images of its libnvJitLink (KIT-083).
	Interpolated bool

	Architectures []Architecture // that it links for, by number

	Mercury *Profile // the release as it is for targets with Mercury code; nil: as for others

	// The file.
	OSABI            uint8  // in the header of linked files
	ABIVersion       uint8  // in the header of linked files
	Notes            bool   // they have notes and, from sm_90 on, .nv.compat; else the header says it (KIT-011)
	EarlyNotes       bool   // these notes, where there are any, are those of 12.8 (KIT-161)
	OriginOfTarget   bool   // they say that the file was compiled for its target, whatever its inputs were (KIT-170)
	OriginOfLast     bool   // they say what the last input was compiled for (KIT-170)
	LateCompat       bool   // .nv.compat comes with the first input that has one, and holds what the inputs say (KIT-162)
	SpecificInFlags  bool   // flags of a file say that its target ends in 'a' (KIT-165)
	CountsBanks      bool   // beside a Mercury half parameter banks, which stand last, count as local symbols (KIT-166)
	KeepsCapsules    bool   // capsules have the header and the records of 12.8 (KIT-163)
	RenewsCode       bool   // Mercury code of compilers before 13.0 becomes that of later ones (KIT-164)
	RelocationAction []byte // content of .nv.rel.action, the same in every executable; nil where there is none (KIT-012)

	// What the output says of itself.
	LimitsFastPath   bool   // CAN_FASTPATH_FINALIZE depends on the instructions of the code (KIT-019)
	AddsFastPath     bool   // the finalizer adds CAN_FASTPATH_FINALIZE (KIT-142)
	FinalizerVersion uint16 // FINALIZER_VERSION of an output with a Mercury half; 0 for none (KIT-020)
	TellsWorkArounds bool   // finalized code says NVSAL_SW_WAR (KIT-036)
	TellsPreexit     bool   // finalized code says whether it lets the next kernel start early (KIT-037)

	// The Mercury half.
	CopiesCallGraph  bool // it has the call graph and the prototypes too (KIT-038)
	ReadsFrames      bool // the finalizer wants its call frames whole (KIT-176)
	RemakesPlain     bool // the plain half of an input is made anew of it (KIT-175)
	CopiesLast       bool // in a link of machine code copies of one stand last (KIT-136)
	InnerHeaders     bool // data that both halves have in one place has its header (KIT-139)
	FreshTables      bool // it mirrors the plain half in its order, and the tables of names are made for what stands in the file (KIT-039)
	LocalsFirst      bool // symbols of an input with a Mercury half are taken local ones first (KIT-058)
	NumbersConstants bool // the compiler's constants have numbers for names (KIT-059)
	KeepsLostTables  bool // relocations of jump tables stay of code that gives way to later code (KIT-134)
	ReservesAlways   bool // symbols of shared variables leave room for the system where -disable-smem-reservation does not (KIT-138)
	FillsReserved    bool // the copy of reserved shared memory has bytes in the file (KIT-057)
	SpacesProducts   bool // in finalized code other instructions take the time between products of matrices (KIT-055)
	Finalizer
	EndsEmptyLines     bool // a line program without rows has the end of a sequence (KIT-052)
	TellsCopies        bool // call frames tell of copies of pairs of registers (KIT-105)
	FindsBehindAliases bool // the finalizer finds a function behind its alias (KIT-104)

	MisnamesStacks  bool // MAX_STACK_SIZE goes by the numbers that symbols have once local ones stand first (KIT-051)
	MisnamesHandles bool // so does what is said of parameters that are textures, samplers or surfaces (KIT-053)
	OwnAttributes   bool // static functions of one name have attributes of their own (KIT-054)

	// The names and the symbols.
	WeakIsGlobal     bool   // weak symbols stand among the global ones (KIT-021)
	NamesUnusedRel   bool   // a .rela entry without addend brings the name of a .rel section that never is (KIT-022)
	NamesEntries     bool   // .nv.uft.entry is among the first names, though no file has it (KIT-180)
	SymtabLink       uint32 // what sh_link says of the symbol table; 0 is its place (KIT-181)
	KeepsNames       bool   // names stay of all that was ever made, in its order (KIT-070)
	LinksInfo        bool   // flags of sections say that sh_info is a section (KIT-071)
	LocalisedIsLocal bool   // a shared variable outside of kernels that one kernel has for itself becomes local (KIT-025)

	// What it tells.
	CountsBarriers      bool // -v counts the barriers of a kernel (KIT-027)
	RepeatsBarriers     bool // -v says of a kernel without barriers what it said of the one before (KIT-089)
	CountsInput         bool // before the first one, that is the size of the last input (KIT-099)
	CountsUnmade        bool // or the number of sections that do not stand in the output (KIT-100)
	CountsEmptySections bool // or that of sections without contents (KIT-089)

	// The link.
	Relocatable     bool // -r makes a relocatable file; else it is a word without effect (KIT-015)
	TakesNotes      bool // notes of inputs go on (KIT-129)
	TellsOldObjects bool // the output says that an object is from before 10.0 (KIT-014)

	RemovesUnwinds   bool // what unwind sections say of code that gives way goes (KIT-029)
	DisablesWarnings bool // -w is obeyed (KIT-030)

	AddsNameless     bool // a function without a name stands before the first undefined one (KIT-075)
	KeepsWeak        bool // a weak variable that nothing defines stays weak (KIT-079)
	HidesLocalised   bool // -g does not show a shared variable that one kernel has for itself (KIT-076)
	PlacesUndefined  bool // what -allow-undefined-globals lets pass is at 0, else at -1 (KIT-078)
	LosesAliases     bool // an alias that is not reached with its function ends the link (KIT-080)
	EarlyGraph       bool // -dump-callgraph prints, and registers rise, before memory is laid out (KIT-171)
	ListsTakers      bool // the call graph says who takes which address (KIT-072)
	ListsLostAliases bool // the prototype of an alias that is dropped stays, of symbol 0 (KIT-182)
	OmitsUndefined   bool // the call graph has no calls of what nothing defines (KIT-183)
	ResolvesPointers bool // the call graph has a call for each function that a pointer may mean (KIT-073)
	RaisesRegisters  bool // the header of a kernel's code counts the registers of what it calls (KIT-074)

	ComparesDriversHeads bool // prototypes of what the driver provides are compared up to a bar (KIT-196)
	ChoosesByAttribute   bool // where the header of code does not count its registers, the attribute does (KIT-031)

	ExtensibleIsCurrent bool   // objects of extensible whole programs must be of the same release (KIT-033)
	NamesBinaryKind     bool   // what is no binary has the message of another kind of binary (KIT-034)
	RefusesSpecific     bool   // code for a name that ends in 'a' is refused for all other targets, and no entry for them (KIT-091, KIT-149)
	JudgesMercury       bool   // virtual targets from compute_100 on take code of sm_100 and later (KIT-092)
	KeepsFamilies       bool   // those that end in 'f' take that of their family alone (KIT-092)
	ReadsCompatFirst    bool   // what Mercury code is compatible with is read before its architecture is refused (KIT-126)
	FinalizesFirst      bool   // an input of both kinds of code is a finalization that failed (KIT-127)
	TellsFailures       bool   // what the finalizer does not take is a finalization that failed, for a reason (KIT-131)
	TakesAnyBinding     bool   // symbols of a file with a Mercury half may have any binding (KIT-132)
	MercuryISA          uint16 // the latest version of Mercury instructions that the finalizer takes; 0 for any (KIT-174)
	ChecksCompat        bool   // it wants Mercury code to tell for which name it is, and no version 0 (KIT-174)
	ChecksLaterISA      bool   // it wants another version to be as that of the instructions (KIT-174)
	RefusesOldMercury   bool   // Mercury code for an architecture without it is one, too (KIT-128)
	ZeroArchTooLong     bool   // an architecture of 0 has the message of too long a name (KIT-035)

	// Memory.
	TakesLooseShared     bool // that of a kernel in which no variable stands is a variable without a name (KIT-090)
	SharedByArchitecture bool // how much shared memory an entry may use depends on the architecture (KIT-028)
	ExtendsSpecific      bool // for a target that ends in 'a' it may use all that there is (KIT-167)
	CommonGivesWay       bool // a definition without contents takes the place of a common (KIT-024)
	JoinsConstants       bool // equal constants of users stand once (KIT-023)
	PacksConstants       bool // those of users that are too large for their bank are packed first (KIT-093)
	AlignsExternShared   bool // extern __shared__ arrays have alignments of their own (KIT-017)

	// Attributes.
	BarriersInFlags       bool // how many barriers code uses stands in the flags of its section (KIT-026)
	ReversesExterns       bool // a lone kernel's list of externs is in reverse order (KIT-088)
	JoinsMinMemory        bool // the largest MIN_PER_CTA_MEMORY_SIZE becomes one of the whole file (KIT-130)
	RaisesLanguage        bool // kernels tell the source languages of what they reach (KIT-094)
	SharesCachePreference bool // the preference of loads becomes one for each kernel (KIT-018)

	// Relocations.
	RefusesReplaced bool // with -kernels-used, those of a Mercury half that gave way to another file's end the link (KIT-135)
	LinksForcedRela bool // flags of what -force-rela makes for slots say that sh_info is a section (KIT-085)
	RefusesMissing  bool // one against a symbol that the table does not have ends the link (KIT-097)
	RefusesUnknown  bool // one of a number that is no type ends the link (KIT-098)

	ToolsPatch  string // -astoolspatch in messages (KIT-148)
	KeepsShared bool   // -r leaves those against shared variables to the later link (KIT-016)

	// The inputs.
	MinFile            int    // the size in bytes of the smallest file that can be opened (KIT-101)
	TakesEmpty         bool   // a file without contents is one without objects (KIT-081)
	TakesLaterIDs      bool   // the later ids of a host object name modules too (KIT-077)
	ForgetsRuntime     bool   // libcudadevrt before all other inputs is read and forgotten (KIT-084)
	NamesArchiveFormat bool   // what is no archive has a message of its own (KIT-086)
	BoundsArchives     bool   // what goes past the end of an archive or of its long names ends the link (KIT-124)
	BoundsMembers      bool   // the first bytes of a member are its own, not those after it (KIT-125)
	ChecksTables       bool   // a cubin with attributes or relocations that cannot be is passed over (KIT-095)
	ReadsLaterFlags    bool   // flags of what is compressed in a fat binary count beyond those of LZ4 (KIT-122)
	DecodesZstd        bool   // what is a zstd frame there decodes (KIT-123)
	RefusesTotal       bool   // a fat binary whose size is beyond all numbers is no binary that it knows (KIT-140)
	RenamesEntries     bool   // code for sm_101 in a fat binary is code for sm_110 (KIT-169)
	SkipsUndecodable   bool   // what is scrambled or does not decode in a fat binary is passed over (KIT-120)
	SkipsEmptyPayload  bool   // what decodes to nothing there does not decode (KIT-121)
	RefusesUnsound     bool   // one of Mercury code that would be passed over ends the link (KIT-096)
	MinAPI             uint32 // the first release whose cubins of sm_90 it takes (KIT-013)
}

// A Finalizer is what the finalizer of a release does otherwise than that of 13.0.
type Finalizer struct {
	KeepsStack       bool // finalized code waits for the stack pointer where the compiler lets it (KIT-168)
	WaitsAtCalls     bool // finalized code waits at a call, not one instruction before (KIT-040)
	WaitsWhereNeeded bool // in finalized code branches wait for what they need alone (KIT-060)
	CountsFences     bool // in finalized code up to sm_110 a memory fence before another one is counted (KIT-062)
	CountsDoubles    bool // in finalized code of sm_100 instructions of double precision and products of integer matrices are counted (KIT-063)
	StallsFences     bool // in finalized code a memory fence before another one stalls (KIT-061)
	AddsTwo          bool // finalized code of sm_120 and later has IADD for additions of two numbers (KIT-043)
	Retimes          bool // the stalls of finalized code of sm_120 and later follow from what it has become (KIT-106)
	ShortensProducts bool // the Mercury forms of finalized products of integer matrices leave their operands to the machine code (KIT-173)
	PassesWindows    bool // in finalized code what adds the window of shared memory keeps no register, nor keeps others from it (KIT-190)
	AddsNothing      bool // in finalized code additions of nothing, not NOPs, take long times between products of matrices (KIT-109)
	SparesLast       bool // in finalized code operands that nothing in their block needs leave the last free scoreboard to others (KIT-178)
	PadsJoins        bool // in finalized code a NOP stands before each place where threads meet (KIT-041)
	ClosesDistances  bool // in finalized code nothing keeps instructions of double precision apart (KIT-050)
	DropsSelfMoves   bool // in finalized code moves of a register to itself go (KIT-143)
	Unschedules      bool // finalized code that was compiled without optimisation waits for nothing (KIT-042)
}

// Short is the version without its last number: "13.0".
func (p *Profile) Short() string { return strconv.Itoa(p.Major) + "." + strconv.Itoa(p.Minor) }

// OriginNote is the name of the section that says what a linked file was compiled for.
func (p *Profile) OriginNote() string {
	if p.EarlyNotes {
		return ".note.nv.cuver"
	}
	return ".note.nv.cuinfo"
}

// PTX is the newest version of PTX that the assembler of the release knows: 84, which is 8.4, of 12.4.
// 12.6 has that of 12.5.
func (p *Profile) PTX() int {
	version := int(p.API) - 40
	if Holds(p.API, 126, 129) {
		version--
	}
	return version
}

// Current returns the number under which the release knows an architecture: sm_101 of 12.8 and 12.9 is
// sm_110 from 13.0 on (LOAD-054).
func (p *Profile) Current(number int) int {
	const early, later = 101, 110
	if number == early && p.Lookup(later) != nil {
		return later
	}
	return number
}

// Lookup finds the architecture of a number; nil when the release does not link for it.
func (p *Profile) Lookup(number int) *Architecture {
	i := slices.IndexFunc(p.Architectures, func(a Architecture) bool { return a.Number == number })
	if i < 0 {
		return nil
	}
	return &p.Architectures[i]
}

// Parse reads a target name; false when the release does not list it (OPT:
// "Value '%s' is not defined for option 'arch'").
func (p *Profile) Parse(name string) (Target, bool) {
	for kind, prefix := range Prefixes {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		for i := range p.Architectures {
			a := &p.Architectures[i]
			suffix, ok := strings.CutPrefix(rest, strconv.Itoa(a.Number))
			if !ok {
				continue
			}
			t := Target{Name: name, Number: a.Number, Kind: Kind(kind), Profile: p}
			if t.Mercury() && p.Mercury != nil {
				t.Profile = p.Mercury
			}
			switch {
			case suffix == "":
				return t, true
			case len(suffix) == 1 && strings.Contains(a.Suffixes, suffix):
				t.Suffix = suffix[0]
				return t, true
			}
		}
	}
	return Target{}, false
}

// Names lists every target name, sorted, as --help shows them.
func (p *Profile) Names() []string {
	var names []string
	for _, prefix := range Prefixes {
		for _, a := range p.Architectures {
			base := prefix + strconv.Itoa(a.Number)
			names = append(names, base)
			for _, s := range a.Suffixes {
				names = append(names, base+string(s))
			}
		}
	}
	slices.Sort(names)
	return names
}

// TooOld reports whether a cubin of an architecture must be compiled again, by the release
// that made it: those of sm_90 of before 12.0 (KIT-013).
func (p *Profile) TooOld(number int, api uint32) bool {
	return number == onlyRecompiled && api < p.MinAPI
}

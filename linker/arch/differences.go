package arch

import "slices"

// A Difference is one behaviour in which releases differ. It applies to releases Since to Until, and sets one
// field of one phase in Profile.
type Difference struct {
	Rule         string // its id in docs/rules.md
	Since, Until uint32 // as in Profile.API; 0 is no limit
	Says         string // for docs/toolkits.md
	set          func(*Profile)
}

// Differences lists all differences between releases. Those between their architectures are in another table.
var Differences = slices.Concat(ofABI, ofRelease)

// abi8 is the first release whose linked files all have the later ABI. In 12.8 and 12.9 only files for targets
// with Mercury code have it (KIT-160).
const abi8 = 130

// ofABI lists the differences between the two ABIs of linked files. The release of a row is the one that
// introduced the later ABI.
var ofABI = []Difference{
	{"KIT-085", 130, 0, "flags of what -force-rela makes for slots say that sh_info is a section", func(p *Profile) { p.Emit.LinksForcedRela = true }},
	{"KIT-010", 0, 129, "linked files have OSABI 0x33", func(p *Profile) { p.Emit.OSABI = 0x33 }},
	{"KIT-010", 130, 0, "linked files have OSABI 0x41", func(p *Profile) { p.Emit.OSABI = 0x41 }},
	{"KIT-010", 0, 129, "linked files have ABI version 7", func(p *Profile) { p.Emit.ABIVersion = 7 }},
	{"KIT-010", 130, 0, "linked files have ABI version 8", func(p *Profile) { p.Emit.ABIVersion = 8 }},
	{"KIT-011", 130, 0, "linked files have notes of the tools and of what they were compiled for, and .nv.compat", func(p *Profile) { p.Info.Notes = true }},
	{"KIT-026", 0, 129, "how many barriers code uses stands in the flags of its section", func(p *Profile) { p.Info.BarriersInFlags = true }},
}

// ofRelease lists all other differences.
var ofRelease = []Difference{
	{"KIT-161", 0, 129, "notes are those of 12.8", func(p *Profile) { p.Info.EarlyNotes = true }},
	{"KIT-170", 0, 128, "early notes say that the file was compiled for its target", func(p *Profile) { p.Info.OriginOfTarget = true }},
	{"KIT-170", 129, 129, "early notes say what the last input was compiled for", func(p *Profile) { p.Info.OriginOfLast = true }},
	{"KIT-162", 0, 129, ".nv.compat comes with the first input that has one, and holds what the inputs say", func(p *Profile) { p.Info.LateCompat = true }},
	{"KIT-165", 0, 129, "flags of a file say that its target ends in 'a'", func(p *Profile) { p.Emit.SpecificInFlags = true }},
	{"KIT-166", 130, 0, "beside a Mercury half parameter banks, which stand last, count as local symbols", func(p *Profile) { p.Emit.CountsBanks = true }},
	{"KIT-163", 0, 128, "capsules keep the header and the records of 12.8", func(p *Profile) { p.Merge.KeepsCapsules = true }},
	{"KIT-164", 130, 0, "Mercury code of compilers before 13.0 becomes that of 13.0", func(p *Profile) { p.Finalizer.RenewsCode = true }},
	{"KIT-213", 0, 117, "linked files have no call graph and no prototypes", func(p *Profile) { p.Merge.OmitsCallGraph = true }},
	{"KIT-214", 0, 117, "sh_info of the symbol table does not count the null symbol", func(p *Profile) { p.Emit.OmitsNull = true }},
	{"KIT-214", 0, 117, "no segment loads the program headers, and there is one for code and one for data without any", func(p *Profile) { p.Emit.EarlySegments = true }},
	{"KIT-212", 0, 117, "handles of surfaces that are queried have the description of the surface after them", func(p *Profile) { p.Layout.DescribesSurfaces = true }},
	{"KIT-079", 0, 117, "such a variable keeps its type", func(p *Profile) { p.Merge.KeepsType = true }},
	{"KIT-211", 0, 117, "banks of constants have no entry size", func(p *Profile) { p.Merge.OmitsBankNumber = true }},
	{"KIT-129", 120, 0, "notes of inputs go on", func(p *Profile) { p.Merge.TakesNotes = true }},
	{"KIT-015", 130, 0, "-r makes a relocatable file", func(p *Profile) { p.Options.Relocatable = true }},
	{"KIT-012", 0, 117, ".nv.rel.action has 208 bytes", func(p *Profile) { p.Emit.RelocationAction = fullRelocationAction[:208] }},
	{"KIT-012", 118, 118, ".nv.rel.action has 224 bytes", func(p *Profile) { p.Emit.RelocationAction = fullRelocationAction }},
	{"KIT-012", 122, 0, ".nv.rel.action has 16 bytes", func(p *Profile) { p.Emit.RelocationAction = relocationAction }},
	{"KIT-021", 134, 0, "weak symbols stand among the global ones", func(p *Profile) { p.Emit.WeakIsGlobal = true }},
	{"KIT-022", 0, 134, "relocations with and without addend name a .rel section that never is", func(p *Profile) { p.Emit.NamesUnusedRel = true }},
	{"KIT-023", 118, 134, "equal constants of users stand once", func(p *Profile) { p.Layout.JoinsConstants = true }},
	{"KIT-690", 135, 0, "constants of a discarded copy end a link that pools the compiler's constants", func(p *Profile) { p.Layout.RefusesCopies = true }},
	{"KIT-024", 133, 0, "a definition without contents takes the place of a common", func(p *Profile) { p.Merge.DiscardsCommon = true }},
	{"KIT-025", 134, 0, "a shared variable that one kernel has for itself becomes local", func(p *Profile) { p.Layout.DemotedIsLocal = true }},
	{"KIT-090", 134, 0, "shared memory of a kernel in which no variable stands is a variable without a name", func(p *Profile) { p.Merge.TakesLooseShared = true }},
	{"KIT-093", 120, 0, "constants of users that are too large for their bank are packed", func(p *Profile) { p.Layout.PacksConstants = true }},
	{"KIT-016", 132, 0, "-r leaves relocations against shared variables to the later link", func(p *Profile) { p.Relocate.KeepsShared = true }},
	{"KIT-017", 131, 0, "extern __shared__ arrays have alignments of their own", func(p *Profile) { p.Layout.AlignsExternShared = true }},
	{"KIT-018", 0, 131, "the cache preference of loads becomes one for each kernel", func(p *Profile) { p.Info.SharesCachePreference = true }},
	{"KIT-088", 0, 131, "a lone kernel's list of externs is in reverse order", func(p *Profile) { p.Info.ReversesExterns = true }},
	{"KIT-130", 133, 0, "the largest MIN_PER_CTA_MEMORY_SIZE becomes one of the whole file", func(p *Profile) { p.Merge.JoinsMinMemory = true }},
	{"KIT-094", 132, 0, "kernels tell the source languages of what they reach", func(p *Profile) { p.Info.RaisesLanguage = true }},
	{"KIT-019", 0, 132, "CAN_FASTPATH_FINALIZE depends on the instructions of the code", func(p *Profile) { p.Info.LimitsFastPath = true }},
	{"KIT-262", 131, 0, "CAN_FASTPATH_FINALIZE of a target that ends in 'a' depends on INST_TCGEN05_MMA", func(p *Profile) { p.Info.TiesFastPath = true }},
	{"KIT-142", 130, 131, "the finalizer adds CAN_FASTPATH_FINALIZE", func(p *Profile) { p.Info.AddsFastPath = true }},
	{"KIT-020", 134, 134, "FINALIZER_VERSION is 0x400", func(p *Profile) { p.Info.FinalizerVersion = 0x400 }},
	{"KIT-020", 135, 0, "FINALIZER_VERSION is 0x440", func(p *Profile) { p.Info.FinalizerVersion = 0x440 }},
	{"KIT-036", 132, 0, "finalized code says NVSAL_SW_WAR", func(p *Profile) { p.Info.TellsWorkArounds = true }},
	{"KIT-037", 134, 0, "finalized code says PREEXIT_USED", func(p *Profile) { p.Info.TellsPreexit = true }},
	{"KIT-038", 134, 0, "the Mercury half has the call graph and the prototypes", func(p *Profile) { p.Emit.CopiesCallGraph = true }},
	{"KIT-039", 135, 0, "the Mercury half is in the order of the plain one, and the tables of names have what stands in the file", func(p *Profile) { p.Emit.FreshTables = true }},
	{"KIT-136", 134, 0, "copies of a Mercury half stand last in a link of machine code", func(p *Profile) { p.Merge.CopiesLast = true }},
	{"KIT-057", 0, 134, "the copy of reserved shared memory has bytes in the file", func(p *Profile) { p.Emit.FillsReserved = true }},
	{"KIT-058", 135, 0, "symbols of an input with a Mercury half are taken local ones first", func(p *Profile) { p.Merge.LocalsFirst = true }},
	{"KIT-138", 0, 134, "beside a Mercury half symbols of shared variables leave room for the system with -disable-smem-reservation, too", func(p *Profile) { p.Layout.ReservesAlways = true }},
	{"KIT-059", 0, 134, "beside a Mercury half the compiler's constants have numbers for names", func(p *Profile) { p.Merge.NumbersConstants = true }},
	{"KIT-168", 0, 129, "a wait for an unused stack pointer stays in finalized code", func(p *Profile) { p.Finalizer.KeepsStack = true }},
	{"KIT-040", 131, 0, "in finalized code the wait for a call is at the call, not one instruction before", func(p *Profile) { p.Finalizer.WaitsAtCalls = true }},
	{"KIT-060", 131, 0, "in finalized code branches wait for what they need alone, not for all that is complete by then", func(p *Profile) { p.Finalizer.WaitsOnDemand = true }},
	{"KIT-980", 131, 0, "in finalized code a fence that acquires a tensor map ends with a flush of bulk copies and a wait for it", func(p *Profile) { p.Finalizer.FlushesTensorMaps = true }},
	{"KIT-330", 131, 0, "in finalized code nothing waits for the operands of an asynchronous reduction but what overwrites them", func(p *Profile) { p.Finalizer.DropsReductionWaits = true }},
	{"KIT-178", 135, 0, "in finalized code WAR events without a consumer in their block leave the last free scoreboard to others", func(p *Profile) { p.Finalizer.ReservesLast = true }},
	{"KIT-061", 131, 0, "in finalized code a memory fence before another one stalls", func(p *Profile) { p.Finalizer.StallsFences = true }},
	{"KIT-062", 131, 0, "in finalized code up to sm_110 a memory fence before another one is counted on a scoreboard", func(p *Profile) { p.Finalizer.CountsFences = true }},
	{"KIT-063", 133, 0, "in finalized code of sm_100 FP64 instructions and integer matrix products are counted on scoreboards", func(p *Profile) { p.Finalizer.CountsDoubles = true }},
	{"KIT-041", 132, 0, "in finalized code a NOP precedes each reconvergence point", func(p *Profile) { p.Finalizer.PadsReconvergence = true }},
	{"KIT-042", 133, 0, "unoptimized code waits for nothing after finalization", func(p *Profile) { p.Finalizer.Unschedules = true }},
	{"KIT-043", 131, 0, "finalized code of sm_120 and later has IADD for additions of two numbers", func(p *Profile) { p.Finalizer.AddsTwo = true }},
	{"KIT-106", 131, 0, "the stalls of finalized code of sm_120 and later follow from the instructions as they are after the changes", func(p *Profile) { p.Finalizer.RecomputesStalls = true }},
	{"KIT-050", 134, 0, "in finalized code FP64 instructions have no issue distance", func(p *Profile) { p.Finalizer.ClosesDistances = true }},
	{"KIT-143", 133, 0, "moves of a register to itself are removed from finalized code", func(p *Profile) { p.Finalizer.DropsSelfMoves = true }},
	{"KIT-055", 131, 0, "in finalized code other instructions fill the time between matrix products", func(p *Profile) { p.Finalizer.FillsProducts = true }},
	{"KIT-173", 132, 0, "records of integer matrix products leave out their operands", func(p *Profile) { p.Finalizer.ShortensProducts = true }},
	{"KIT-190", 132, 0, "in finalized code additions of the shared window base do not take part in operand reuse", func(p *Profile) { p.Finalizer.ReusesPastWindows = true }},
	{"KIT-109", 131, 0, "in finalized code empty additions, not NOPs, fill long times between matrix products", func(p *Profile) { p.Finalizer.PadsByAdditions = true }},
	{"KIT-134", 0, 134, "beside a Mercury half relocations of jump tables stay of code that gives way to later code", func(p *Profile) { p.Merge.KeepsDiscardedTables = true }},
	{"KIT-940", 135, 0, "beside a Mercury half relocations of jump tables of discarded copies count as those of the code before which they were discarded", func(p *Profile) { p.Merge.CountsDiscardedTables = true }},
	{"KIT-942", 0, 117, "relocations of type 100 and more are unknown", func(p *Profile) { p.Relocate.KnownTypes = 100 }},
	{"KIT-942", 118, 118, "relocations of type 114 and more are unknown", func(p *Profile) { p.Relocate.KnownTypes = 114 }},
	{"KIT-135", 0, 134, "code of a Mercury half whose relocations gave way to another file's ends a link with -kernels-used", func(p *Profile) { p.Relocate.RefusesReplaced = true }},
	{"KIT-051", 135, 0, "beside a Mercury half MAX_STACK_SIZE names the symbol that has the number of its own once local ones stand first", func(p *Profile) { p.Merge.MisnamesStacks = true }},
	{"KIT-052", 135, 0, "a line program without rows has an end of sequence", func(p *Profile) { p.Emit.EndsEmptyLines = true }},
	{"KIT-440", 135, 0, "of replaced code a register whose end is not found has no begin", func(p *Profile) { p.Emit.PairsRegisters = true }},
	{"KIT-441", 0, 130, "in replaced code a register holds its variable from after the NOPs that follow an instruction", func(p *Profile) { p.Emit.PausesRegisters = true }},
	{"KIT-105", 134, 0, "call frames of finalized code tell of copies of pairs of registers", func(p *Profile) { p.Emit.TellsCopies = true }},
	{"KIT-270", 0, 130, "with -r and -g relocations in common entries of call frames are at 0", func(p *Profile) { p.Emit.LosesCommonEntries = true }},
	{"KIT-104", 135, 0, "the finalizer finds a function behind its alias", func(p *Profile) { p.Emit.FindsBehindAliases = true }},
	{"KIT-053", 135, 0, "beside a Mercury half what is said of parameters that are textures, samplers or surfaces names the symbols that have their numbers then", func(p *Profile) { p.Merge.MisnamesHandles = true }},
	{"KIT-460", 135, 0, "beside a Mercury half lists of externs name the symbols that have their numbers then", func(p *Profile) { p.Merge.MisnamesExterns = true }},
	{"KIT-176", 134, 0, "a Mercury half whose call frames are cut off is a finalization that failed", func(p *Profile) { p.Accept.ReadsFrames = true }},
	{"KIT-175", 135, 0, "headers in the plain half of an input with a Mercury half count for nothing", func(p *Profile) { p.Merge.RemakesPlain = true }},
	{"KIT-941", 135, 0, "places of code in call frames are those of the Mercury half", func(p *Profile) { p.Emit.InnerPlaces = true }},
	{"KIT-711", 135, 0, "slots of textures that -ewp has placed take the size of their bank in the Mercury half", func(p *Profile) { p.Layout.GrowsSlots = true }},
	{"KIT-139", 135, 0, "data that both halves have in one place has the header of the Mercury half", func(p *Profile) { p.Merge.InnerHeaders = true }},
	{"KIT-140", 135, 0, "a fat binary whose size is beyond all numbers is called another kind of binary", func(p *Profile) { p.Input.RefusesTotal = true }},
	{"KIT-054", 135, 0, "static functions of one name have attributes of their own", func(p *Profile) { p.Merge.OwnAttributes = true }},
	{"KIT-027", 126, 0, "-v counts the barriers of a kernel", func(p *Profile) { p.Report.CountsBarriers = true }},
	{"INFO-976", 131, 0, "-v says the last of several register counts of a kernel", func(p *Profile) { p.Report.LastRegisters = true }},
	{"KIT-089", 131, 0, "-v says of a kernel without barriers what it said of the one before", func(p *Profile) { p.Report.RepeatsBarriers = true }},
	{"KIT-099", 131, 131, "-v begins to count barriers with the size of the last input", func(p *Profile) { p.Report.CountsInput = true }},
	{"KIT-100", 132, 133, "-v begins to count barriers with the sections that do not stand in the output", func(p *Profile) { p.Report.CountsUnmade = true }},
	{"KIT-089", 134, 0, "-v begins to count barriers with the sections without contents", func(p *Profile) { p.Report.CountsEmptySections = true }},
	{"INFO-880", 130, 0, "-v counts the compiler's slots of one texture as one", func(p *Profile) { p.Report.JoinsTextures = true }},
	{"KIT-029", 128, 0, "what unwind sections say of code that gives way goes", func(p *Profile) { p.Merge.RemovesUnwinds = true }},
	{"KIT-770", 0, 118, "the copy of a function for a kernel is shown as a member of the kernel", func(p *Profile) { p.Reach.ShowsMembers = true }},
	{"KIT-171", 0, 118, "-dump-callgraph prints, and registers rise, before memory is laid out", func(p *Profile) { p.Reach.EarlyGraph = true }},
	{"KIT-030", 0, 129, "-w is obeyed", func(p *Profile) { p.Options.DisablesWarnings = true }},
	{"KIT-196", 126, 0, "prototypes of what the driver provides are compared up to a bar", func(p *Profile) { p.Merge.ComparesDriverPrototypes = true }},
	{"KIT-031", 130, 0, "where the header of weak code does not count its registers, the attribute does", func(p *Profile) { p.Merge.ChoosesByAttribute = true }},
	{"KIT-028", 124, 127, "how much shared memory an entry may use depends on the architecture", func(p *Profile) { p.Layout.SharedByArchitecture = true }},
	{"KIT-167", 130, 0, "for a target that ends in 'a' an entry may use all shared memory", func(p *Profile) { p.Layout.ExtendsSpecific = true }},
	{"KIT-034", 131, 0, "what is no binary is called another kind of binary", func(p *Profile) { p.Input.NamesBinaryKind = true }},
	{"LOAD-991", 120, 0, "below a virtual target an architecture of one digit is an unknown name", func(p *Profile) { p.Accept.NamesTwoDigits = true }},
	{"KIT-035", 131, 0, "an architecture of 0, or of more than three digits, is too long a name", func(p *Profile) { p.Accept.LimitsArchName = true }},
	{"KIT-091", 131, 0, "code for a name that ends in 'a' is refused for other targets by a message of its own", func(p *Profile) { p.Accept.RefusesSpecific = true }},
	{"KIT-092", 131, 0, "virtual targets from compute_100 on take code of sm_100 and later", func(p *Profile) { p.Accept.JudgesMercury = true }},
	{"KIT-092", 133, 0, "a virtual target that ends in 'f' takes code of its family alone", func(p *Profile) { p.Accept.KeepsFamilies = true }},
	{"KIT-070", 0, 123, "names stay of all that was ever made, in its order", func(p *Profile) { p.Emit.KeepsNames = true }},
	{"KIT-180", 120, 123, ".nv.uft.entry is among the first names", func(p *Profile) { p.Emit.NamesEntries = true }},
	{"KIT-181", 120, 122, "sh_link says 5 of the symbol table", func(p *Profile) { p.Emit.SymtabLink = 5 }},
	{"KIT-071", 124, 0, "flags of sections say that sh_info is a section", func(p *Profile) { p.Emit.LinksInfo = true }},
	{"KIT-072", 120, 0, "the call graph says who takes which address", func(p *Profile) { p.Reach.ListsTakers = true }},
	{"KIT-182", 123, 123, "the prototype of an alias that is dropped stays, of symbol 0", func(p *Profile) { p.Reach.ListsLostAliases = true }},
	{"KIT-183", 122, 122, "the call graph has no calls of what nothing defines", func(p *Profile) { p.Reach.OmitsUndefined = true }},
	{"KIT-073", 0, 120, "the call graph has a call for each function that a pointer may mean", func(p *Profile) { p.Reach.ResolvesPointers = true }},
	{"KIT-074", 0, 123, "the header of a kernel's code counts the registers of what it calls", func(p *Profile) { p.Reach.RaisesRegisters = true }},
	{"KIT-075", 0, 129, "a function without a name stands before the first undefined one", func(p *Profile) { p.Merge.AddsNameless = true }},
	{"KIT-076", 0, 118, "-g does not show a shared variable that one kernel has for itself", func(p *Profile) { p.Layout.HidesDemoted = true }},
	{"KIT-077", 130, 0, "the later ids of a host object name modules too", func(p *Profile) { p.Input.TakesLaterIDs = true }},
	{"KIT-078", 120, 0, "what -allow-undefined-globals lets pass is at 0", func(p *Profile) { p.Layout.PlacesUndefined = true }},
	{"KIT-271", 131, 0, "the linker knows how many columns tensor memory has", func(p *Profile) { p.Merge.CountsColumns = true }},
	{"KIT-079", 0, 118, "a weak variable that nothing defines stays weak", func(p *Profile) { p.Merge.KeepsWeak = true }},
	{"KIT-930", 120, 0, "a function whose symbol is marked as managed stays", func(p *Profile) { p.Reach.KeepsManaged = true }},
	{"KIT-080", 123, 0, "an alias that is not reached while its function is ends the link", func(p *Profile) { p.Reach.RefusesLostAliases = true }},
	{"KIT-101", 0, 129, "a file of 52 bytes can be opened", func(p *Profile) { p.Input.MinFile = 52 }},
	{"KIT-101", 130, 0, "a file that can be opened has 56 bytes", func(p *Profile) { p.Input.MinFile = 56 }},
	{"KIT-081", 120, 0, "a file without contents is one without objects", func(p *Profile) { p.Input.TakesEmpty = true }},
	{"KIT-084", 130, 0, "an archive libcudadevrt before all other inputs is not read", func(p *Profile) { p.Input.ForgetsRuntime = true }},
	{"KIT-086", 130, 0, "what is no archive has a message of its own", func(p *Profile) { p.Input.NamesArchiveFormat = true }},
	{"KIT-124", 134, 0, "what goes past the end of an archive or of its long names ends the link", func(p *Profile) { p.Input.BoundsArchives = true }},
	{"KIT-125", 135, 0, "the first bytes of a member are its own", func(p *Profile) { p.Input.BoundsMembers = true }},
	{"LOAD-967", 126, 0, "a value for the compiler of PTX that is longer than its buffer ends the link", func(p *Profile) { p.Input.LimitsArguments = true }},
	{"KIT-095", 131, 0, "a cubin with attributes or relocations that cannot be is passed over, and such a host object ends the link", func(p *Profile) { p.Input.ChecksTables = true }},
	{"JIT-115", 134, 0, "a link in memory refuses a cubin with tables that are invalid", func(p *Profile) { p.Input.RefusesMalformed = true }},
	{"KIT-122", 120, 0, "flags of what is compressed count beyond those of LZ4", func(p *Profile) { p.Input.ReadsLaterFlags = true }},
	{"KIT-123", 126, 0, "what is compressed as a zstd frame decodes", func(p *Profile) { p.Input.DecodesZstd = true }},
	{"KIT-120", 131, 0, "what is scrambled or does not decode in a fat binary is passed over", func(p *Profile) { p.Input.SkipsUndecodable = true }},
	{"JIT-042", 0, 130, "a link in memory for sm_103 takes no cubin for sm_100", func(p *Profile) { p.Input.StaysAtHome = true }},
	{"KIT-169", 132, 0, "code for sm_101 in a fat binary is code for sm_110", func(p *Profile) { p.Input.RenamesEntries = true }},
	{"KIT-300", 130, 0, "of equal machine code for the target's architecture in a fat binary the first is linked, not the last", func(p *Profile) { p.Input.LinksFirstEqual = true }},
	{"KIT-200", 132, 0, "images of concatenated entries of fat binaries are read", func(p *Profile) { p.Input.ReadsConcat = true }},
	{"KIT-490", 133, 0, "-v2 names the step of -lto that links modules", func(p *Profile) { p.Input.NamesLibraryStep = true }},
	{"KIT-202", 135, 0, "the program of -lto is linked before all other code", func(p *Profile) { p.Input.ProgramFirst = true }},
	{"KIT-121", 135, 0, "what decodes to nothing in a fat binary does not decode", func(p *Profile) { p.Input.SkipsEmptyPayload = true }},
	{"KIT-126", 131, 0, "what Mercury code is compatible with is read before its architecture is refused", func(p *Profile) { p.Accept.ReadsCompatFirst = true }},
	{"KIT-127", 131, 0, "an input of both kinds of code is called a finalization that failed", func(p *Profile) { p.Accept.FinalizesFirst = true }},
	{"KIT-131", 131, 0, "what the finalizer does not take is called a finalization that failed", func(p *Profile) { p.Accept.TellsFailures = true }},
	{"KIT-132", 134, 0, "symbols of a file with a Mercury half may have any binding", func(p *Profile) { p.Accept.TakesAnyBinding = true }},
	{"KIT-174", 0, 131, "the finalizer takes Mercury instructions up to version 1.1", func(p *Profile) { p.Accept.MercuryISA = 0x101 }},
	{"KIT-174", 132, 132, "the finalizer takes Mercury instructions up to version 1.2", func(p *Profile) { p.Accept.MercuryISA = 0x102 }},
	{"KIT-174", 133, 133, "the finalizer takes Mercury instructions up to version 1.3", func(p *Profile) { p.Accept.MercuryISA = 0x103 }},
	{"KIT-174", 134, 134, "the finalizer takes Mercury instructions up to version 1.4", func(p *Profile) { p.Accept.MercuryISA = 0x104 }},
	{"KIT-174", 135, 0, "the finalizer takes Mercury instructions up to version 1.5", func(p *Profile) { p.Accept.MercuryISA = 0x105 }},
	{"KIT-174", 0, 132, "a later version of Mercury instructions is refused even if another follows", func(p *Profile) { p.Accept.ChecksEachISA = true }},
	{"KIT-174", 131, 0, "Mercury code has to tell for which name it is", func(p *Profile) { p.Accept.ChecksCompat = true }},
	{"KIT-174", 133, 0, "Mercury code may not tell of a later version in record 0d either", func(p *Profile) { p.Accept.ChecksLaterISA = true }},
	{"KIT-128", 132, 0, "Mercury code for an architecture without it is called a finalization that failed", func(p *Profile) { p.Accept.RefusesOldMercury = true }},
	{"KIT-096", 131, 0, "a cubin of Mercury code that would be passed over ends the link", func(p *Profile) { p.Input.RefusesUnsound = true }},
	{"KIT-097", 133, 0, "a relocation against a symbol that the table does not have ends the link", func(p *Profile) { p.Accept.RefusesMissing = true }},
	{"KIT-098", 135, 0, "a relocation of a number that is no type ends the link", func(p *Profile) { p.Accept.RefusesUnknown = true }},
	{"KIT-148", 0, 133, "messages have -astoolspatch with two dashes", func(p *Profile) { p.Options.ToolsPatch = "--astoolspatch" }},
	{"KIT-148", 134, 0, "messages have -astoolspatch with one dash", func(p *Profile) { p.Options.ToolsPatch = "-astoolspatch" }},
	{"KIT-203", 0, 134, "-g reaches ptxas alone", func(p *Profile) { p.Options.Debug = []string{"-g"} }},
	{"KIT-203", 135, 0, "with -g ptxas does not merge basic blocks, and returns at the end of a function", func(p *Profile) { p.Options.Debug = []string{"-no-bb-merge", "-ret-end", "-g"} }},
	{"KIT-204", 130, 0, "a .ptx file for a target below sm_90 is compiled as a whole program, of which nothing is linked", func(p *Profile) { p.Input.WholePTX = true }},
	{"KIT-620", 0, 117, "an option with an equals sign and nothing behind it takes the next word", func(p *Profile) { p.Options.EmptyTakesNext = true }},
	{"KIT-621", 0, 117, "missing inputs are reported before a missing target or output", func(p *Profile) { p.Options.InputsFirst = true }},
	{"KIT-219", 0, 118, "brackets protect the commas of a list, and a backslash is an ordinary character", func(p *Profile) { p.Options.BracketLists = true }},
	{"KIT-218", 0, 129, "options that exclude each other are reported before missing ones", func(p *Profile) { p.Options.ConflictsFirst = true }},
	{"KIT-622", 0, 117, "-lto looks for its optimiser without -nvvmpath, too", func(p *Profile) { p.Options.OwnOptimiser = true }},
	{"KIT-622", 0, 117, "a file named .bc is refused without -lto only", func(p *Profile) { p.Input.TakesBitcode = true }},
	{"KIT-623", 0, 118, "the class of a cubin is compared with -m before its tables are read", func(p *Profile) { p.Input.ClassFirst = true }},
	{"KIT-624", 0, 117, "an archive that can be opened has 52 bytes", func(p *Profile) { p.Input.OpensHeaders = true }},
	{"KIT-625", 0, 117, "what is neither ELF nor known by its name is a host object, unless its type is 2", func(p *Profile) { p.Input.AnyObject = true }},
	{"KIT-626", 0, 118, "program headers of inputs are not checked", func(p *Profile) { p.Input.IgnoresSegments = true }},
	{"KIT-627", 0, 118, "architectures in fat binaries end at 255, and 0 is sm_0", func(p *Profile) { p.Input.ByteArch = true }},
	{"KIT-681", 0, 117, "kernels that no host code launches stay", func(p *Profile) { p.Input.IgnoresReferences = true }},
	{"KIT-682", 0, 117, "kernels that are not chosen are left out, even if their address is taken", func(p *Profile) { p.Reach.LeavesOutTaken = true }},
	{"KIT-683", 125, 129, "architectures of entries of kind 1, 2 and 8 are checked", func(p *Profile) { p.Input.CheckedKinds = []uint16{1, 2, 8} }},
	{"KIT-683", 130, 130, "architectures of entries of kind 1, 2, 8 and 16 are checked", func(p *Profile) { p.Input.CheckedKinds = []uint16{1, 2, 8, 16} }},
	{"KIT-683", 131, 0, "architectures of entries of kind 1, 2, 8, 16 and 128 are checked", func(p *Profile) { p.Input.CheckedKinds = []uint16{1, 2, 8, 16, 128} }},
	{"KIT-540", 120, 128, "'a' of machine code in a fat binary counts, and no other letter", func(p *Profile) { p.Input.EntryLetters = "a" }},
	{"KIT-540", 129, 0, "'a' and 'f' of entries of fat binaries count", func(p *Profile) { p.Input.EntryLetters = "af" }},
	{"KIT-541", 0, 129, "letters of PTX in a fat binary do not count", func(p *Profile) { p.Input.PlainPTX = true }},
	{"KIT-542", 0, 128, "compatibility records of entries of fat binaries do not count", func(p *Profile) { p.Input.IgnoresEntryCompat = true }},
	{"KIT-543", 131, 0, "'a' of an architecture without such a name counts in a fat binary", func(p *Profile) { p.Input.ReadsOldLetter = true }},
	{"KIT-544", 132, 0, "PTX for an 'f' name below sm_100 is for later targets of the same ten numbers", func(p *Profile) { p.Accept.OldFamilies = true }},
	{"KIT-684", 0, 118, "a file without a section table is one without sections", func(p *Profile) { p.Input.OpensSectionless = true }},
	{"KIT-685", 0, 117, "without -lto intermediate code in a fat binary serves no target", func(p *Profile) { p.Input.SkipsIntermediate = true }},
	{"KIT-702", 133, 0, "with --register-link-binaries an info names each file that is not a host object", func(p *Profile) { p.Input.ReportsNoHostCode = true }},
	{"LOAD-993", 0, 129, "a register file has a line for a file named .fatbin without code for the target", func(p *Profile) { p.Input.RegistersOthers = true }},
	{"KIT-205", 0, 118, "a cubin in a file named .o is passed over", func(p *Profile) { p.Input.SkipsObjectCubins = true }},
	{"KIT-205", 0, 118, "a file named .ltoir is read by its content", func(p *Profile) { p.Input.SkipsLTOIR = true }},
	{"KIT-208", 125, 0, "the header of a file of OSABI 0x41 is read as one of the later ABI", func(p *Profile) { p.Accept.ReadsLaterHeader = true }},
	{"KIT-208", 125, 125, "a file of OSABI 0x41 is taken if its ABI version is 7", func(p *Profile) { p.Accept.LaterABI = 7 }},
	{"KIT-215", 126, 0, "a file of OSABI 0x41 is taken if its ABI version is 8", func(p *Profile) { p.Accept.LaterABI = 8 }},
	{"KIT-216", 128, 0, "notes of a file of OSABI 0x41 say what it was compiled for", func(p *Profile) { p.Accept.ReadsOrigins = true }},
	{"KIT-216", 130, 0, "the release in .note.nv.cuinfo is read", func(p *Profile) { p.Accept.ReadsRelease = true }},
	{"KIT-013", 120, 0, "cubins of sm_90 from before 12.0 are refused", func(p *Profile) { p.Accept.MinAPI = 120 }},
}

// ofLibrary lists the behaviours in which the libnvJitLink of a release differs from its nvlink. Only the loading
// of an input asks for them.
var ofLibrary = []Difference{
	{"JIT-961", 120, 123, "a cubin is judged by its type and flags, before its sections", func(p *Profile) { p.Input.JudgesHeaders = true }},
	{"JIT-961", 120, 122, "a cubin of any type but the relocatable one is skipped", func(p *Profile) { p.Input.OnlyRelocatable = true }},
	{"JIT-962", 120, 122, "PTX in a fat binary is compiled, however it begins", func(p *Profile) { p.Input.TakesAnyPTX = true }},
	{"JIT-963", 120, 123, "a truncated fat binary is read as if zeros followed", func(p *Profile) { p.Input.ReadsPastEnd = true }},
	{"JIT-940", 120, 123, "flags of what is compressed beyond those of LZ4 do not count", func(p *Profile) { p.Input.ReadsLaterFlags = false }},
	{"JIT-940", 124, 125, "what is compressed as a zstd frame decodes", func(p *Profile) { p.Input.DecodesZstd = true }},
	{"JIT-940", 125, 125, "a file of OSABI 0x41 is taken if its ABI version is 8", func(p *Profile) { p.Accept.LaterABI = 8 }},
}

// relocationAction is the content of .nv.rel.action from 12.0 on.
var relocationAction = []byte{0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 5, 0x36}

// fullRelocationAction is its content in earlier releases.
var fullRelocationAction = []byte("" +
	"\x4b\x00\x00\x00\x00\x00\x00\x00\x00\x02\x02\x08\x10\x0a\x2f\x22" +
	"\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x08\x08\x00\x00\x00\x00" +
	"\x00\x00\x10\x08\x00\x00\x00\x00\x00\x00\x18\x08\x00\x00\x00\x00" +
	"\x00\x00\x20\x08\x00\x00\x00\x00\x00\x00\x28\x08\x00\x00\x00\x00" +
	"\x00\x00\x30\x08\x00\x00\x00\x00\x00\x00\x38\x08\x00\x00\x00\x00" +
	"\x01\x00\x00\x08\x00\x00\x00\x00\x01\x00\x08\x08\x00\x00\x00\x00" +
	"\x01\x00\x10\x08\x00\x00\x00\x00\x01\x00\x18\x08\x00\x00\x00\x00" +
	"\x01\x00\x20\x08\x00\x00\x00\x00\x01\x00\x28\x08\x00\x00\x00\x00" +
	"\x01\x00\x30\x08\x00\x00\x00\x00\x01\x00\x38\x08\x00\x00\x00\x00" +
	"\x02\x00\x00\x08\x00\x00\x00\x00\x02\x00\x08\x08\x00\x00\x00\x00" +
	"\x02\x00\x10\x08\x00\x00\x00\x00\x02\x00\x18\x08\x00\x00\x00\x00" +
	"\x02\x00\x20\x08\x00\x00\x00\x00\x02\x00\x28\x08\x00\x00\x00\x00" +
	"\x02\x00\x30\x08\x00\x00\x00\x00\x02\x00\x38\x08\x00\x00\x00\x00" +
	"\x00\x00\x00\x14\x2c\x00\x00\x00\x03\x00\x00\x0c\x00\x00\x00\x00")

// ofPatch lists the behaviours in which other builds of a release differ from the newest build. The release is
// named after the newest build.
var ofPatch = []struct {
	versions []string
	set      func(*Profile)
}{
	{[]string{"13.0.48"}, func(p *Profile) { p.Info.NamesWarpSync = true }},                      // KIT-210
	{[]string{"13.2.51", "13.2.78"}, func(p *Profile) { p.Finalizer.PadsReconvergence = false }}, // KIT-041
	{[]string{"13.2.51", "13.2.78"}, func(p *Profile) { p.Info.TellsWorkArounds = false }},       // KIT-036
}

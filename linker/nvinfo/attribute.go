package nvinfo

import "fmt"

// This table describes every attribute of .nv.info and .nv.info.<function>. Names are those printed by
// cuobjdump and nvlink. Formats and targets are those seen in the output of ptxas 13.0. The treatment of a
// record by nvlink 13.0.88 was measured with records inserted into compiled objects (INFO-002 to INFO-008,
// INFO-030 to INFO-038).

// A Scope describes the sections in which an attribute occurs.
type Scope uint8

// Attributes occur in .nv.info or in .nv.info.<function>. Those in .nv.info describe the whole file, or the
// function whose symbol is in the payload. Those in .nv.info.<function> describe that function.
const (
	Nowhere Scope = iota // not seen in any object
	Global
	Function
	Both
)

func (s Scope) String() string {
	return [...]string{"", ".nv.info", ".nv.info.<f>", "both"}[s]
}

// A Merge describes what the linker does with a record of a function that a kernel reaches.
type Merge uint8

// The kinds of merging.
const (
	Keep        Merge = iota // the record stays in its section
	Drop                     // the record is omitted from an executable
	Presence                 // every kernel that reaches the function gets the attribute too
	MaxByte                  // the kernel gets the larger low byte
	LastByte                 // the kernel gets the low byte if it is not 0; the last function prevails
	UnionWords               // the kernel gets the words that it lacks
	OrHalf                   // the kernel gets the bits as well
	SumHalf                  // the function's number is added to the kernel's; 0xffff means "unknown" and stays
	MoveWords                // the words move from the function to the kernel
	ExternWords              // the kernel also lists the externs that are undefined or kernels
	MaxFunction              // the kernel gets the largest number of the functions that it reaches
	PathSum                  // the kernel gets the largest sum along a call path
	Preference               // becomes EIATTR_EXPLICIT_CACHING of the kernels that reach it
	Computed                 // computed by the linker
)

var mergeTexts = [...]string{
	Keep: "kept", Drop: "dropped", Presence: "given to kernels", MaxByte: "maximum given to kernels",
	LastByte: "last given to kernels", UnionWords: "words given to kernels", OrHalf: "bits given to kernels", SumHalf: "sum given to kernels",
	MoveWords: "moved to kernels", ExternWords: "undefined ones given to kernels",
	MaxFunction: "maximum given to kernels", PathSum: "path sum given to kernels",
	Preference: "turned into EXPLICIT_CACHING", Computed: "made by the linker",
}

func (m Merge) String() string { return mergeTexts[m] }

// An Attribute describes the attribute with one code.
type Attribute struct {
	Name    string // without EIATTR_
	Format  Format // as seen; 0 if not seen
	Scope   Scope
	Payload string // the words of a sized record, or the meaning of the value
	Symbols SymbolWords
	Merge   Merge
	Targets string // the targets where it was seen; empty: all
	Meaning string
}

// String returns the name of the attribute c, as printed by cuobjdump.
func (c Code) String() string {
	if int(c) < len(Attributes) && Attributes[c].Name != "" {
		return "EIATTR_" + Attributes[c].Name
	}
	return fmt.Sprintf("EIATTR %#02x", uint8(c))
}

// Attributes lists every code of nvlink 13.0.88 (0x00 to 0x60), and the later codes in objects of toolkits 13.2
// and 13.5. The linker copies the later ones unchanged.
var Attributes = [...]Attribute{
	0x00: {Name: "ERROR", Merge: Drop, Meaning: "no attribute; the linker drops it"},
	0x01: {Name: "PAD", Meaning: "padding"},
	0x02: {Name: "IMAGE_SLOT", Symbols: FirstWord, Payload: "symbol, slot", Meaning: "slot of a texture or surface"},
	0x03: {Name: "JUMPTABLE_RELOCS", Payload: "offsets", Meaning: "relocations of jump tables"},
	0x04: {Name: "CTAIDZ_USED", Format: NoValue, Scope: Function, Merge: Presence, Targets: "sm_75 to sm_89", Meaning: "blockIdx.z is read"},
	0x05: {Name: "MAX_THREADS", Format: Sized, Scope: Function, Payload: "x, y, z", Meaning: "most threads of a block (.maxntid)"},
	0x06: {Name: "IMAGE_OFFSET", Symbols: FirstWord, Payload: "symbol, offset", Meaning: "place of a texture or surface header"},
	0x07: {Name: "IMAGE_SIZE", Symbols: FirstWord, Payload: "symbol, size", Meaning: "size of a texture or surface header"},
	0x08: {Name: "TEXTURE_NORMALIZED", Symbols: FirstWord, Payload: "symbol, flag", Meaning: "texture has normalised coordinates"},
	0x09: {Name: "SAMPLER_INIT", Format: Sized, Scope: Global, Symbols: FirstWord, Payload: "symbol, modes", Meaning: "initial modes of a .samplerref"},
	0x0a: {Name: "PARAM_CBANK", Format: Sized, Scope: Function, Symbols: FirstWord, Payload: "symbol of .nv.constant0.<kernel>, offset (u16) and size (u16) in bytes", Meaning: "where the kernel's parameters are"},
	0x0b: {Name: "SMEM_PARAM_OFFSETS", Payload: "offsets", Meaning: "places of parameters in shared memory"},
	0x0c: {Name: "CBANK_PARAM_OFFSETS", Payload: "offsets", Meaning: "places of parameters in the constant bank"},
	0x0d: {Name: "SYNC_STACK", Payload: "bytes", Merge: PathSum, Meaning: "stack for synchronisation: CRS_STACK_SIZE, as old code says it"},
	0x0e: {Name: "TEXID_SAMPID_MAP", Payload: "pairs", Meaning: "which sampler belongs to which texture"},
	0x0f: {Name: "EXTERNS", Format: Sized, Scope: Function, Symbols: EveryWord, Payload: "symbols", Merge: ExternWords, Meaning: "functions that the code refers to and the file does not define"},
	0x10: {Name: "REQNTID", Format: Sized, Scope: Function, Payload: "x, y, z", Meaning: "required threads of a block (.reqntid)"},
	0x11: {Name: "FRAME_SIZE", Format: Sized, Scope: Global, Symbols: FirstWord, Payload: "function, bytes", Meaning: "local memory frame of a function"},
	0x12: {Name: "MIN_STACK_SIZE", Format: Sized, Scope: Global, Symbols: FirstWord, Payload: "kernel, bytes", Merge: Computed, Meaning: "stack that a kernel needs at least: the largest sum of frames along a call path, 0xffffffff for recursion"},
	0x13: {Name: "SAMPLER_FORCE_UNNORMALIZED", Format: Sized, Scope: Global, Symbols: FirstWord, Payload: "symbol, flag", Meaning: "sampler has unnormalised coordinates"},
	0x14: {Name: "BINDLESS_IMAGE_OFFSETS", Symbols: FirstWord, Payload: "symbol, offsets", Meaning: "places of bindless texture and surface handles"},
	0x15: {Name: "BINDLESS_TEXTURE_BANK", Format: Byte, Scope: Function, Payload: "bank", Targets: "sm_75 to sm_89", Meaning: "constant bank of bindless textures"},
	0x16: {Name: "BINDLESS_SURFACE_BANK", Format: Byte, Scope: Function, Payload: "bank", Targets: "sm_75 to sm_89", Meaning: "constant bank of bindless surfaces"},
	0x17: {Name: "KPARAM_INFO", Format: Sized, Scope: Function, Symbols: FirstOrZero, Payload: "index, ordinal (u16) and offset (u16), bits: alignment 8, space 4, bank 6, size 14", Meaning: "one parameter of the kernel"},
	0x18: {Name: "SMEM_PARAM_SIZE", Payload: "bytes", Meaning: "size of the parameters in shared memory"},
	0x19: {Name: "CBANK_PARAM_SIZE", Format: Half, Scope: Function, Payload: "bytes", Meaning: "size of the parameters in the constant bank"},
	0x1a: {Name: "QUERY_NUMATTRIB", Meaning: "number of queried attributes"},
	0x1b: {Name: "MAXREG_COUNT", Format: Half, Scope: Function, Payload: "registers", Meaning: "most registers that the kernel may use; 255 when not limited"},
	0x1c: {Name: "EXIT_INSTR_OFFSETS", Format: Sized, Scope: Function, Payload: "offsets", Meaning: "places of EXIT instructions"},
	0x1d: {Name: "S2RCTAID_INSTR_OFFSETS", Payload: "offsets", Meaning: "places of instructions that read the block index"},
	0x1e: {Name: "CRS_STACK_SIZE", Format: Sized, Scope: Function, Payload: "bytes", Merge: PathSum, Meaning: "stack for calls and returns; 0xffffffff in a kernel whose calls may recurse"},
	0x1f: {Name: "NEED_CNP_WRAPPER", Meaning: "device-side launch needs a wrapper"},
	0x20: {Name: "NEED_CNP_PATCH", Meaning: "device-side launch needs a patch"},
	0x21: {Name: "EXPLICIT_CACHING", Format: NoValue, Scope: Function, Merge: Computed, Meaning: "loads are cached as asked for; made from LOAD_CACHE_REQUEST"},
	0x22: {Name: "ISTYPEP_USED", Meaning: "isspacep is used"},
	0x23: {Name: "MAX_STACK_SIZE", Format: Sized, Scope: Global, Symbols: FirstWord, Payload: "function, bytes", Merge: Drop, Meaning: "largest stack of a function; a relocatable link keeps it"},
	0x24: {Name: "SUQ_USED", Format: NoValue, Scope: Function, Meaning: "surface queries are used; dropped from an executable that has a surface"},
	0x25: {Name: "LD_CACHEMOD_INSTR_OFFSETS", Payload: "offsets", Meaning: "places of loads with a cache modifier"},
	0x26: {Name: "LOAD_CACHE_REQUEST", Symbols: FirstWord, Payload: "function, 0 or not", Merge: Preference, Meaning: "the function asks for cached loads"},
	0x27: {Name: "ATOM_SYS_INSTR_OFFSETS", Payload: "offsets", Meaning: "places of atomics of system scope"},
	0x28: {Name: "COOP_GROUP_INSTR_OFFSETS", Format: Sized, Scope: Function, Payload: "offsets", Meaning: "places of instructions that synchronise a part of a warp"},
	0x29: {Name: "COOP_GROUP_MASK_REGIDS", Format: Sized, Scope: Function, Payload: "registers", Meaning: "mask register of each of those, 0xffffffff for none"},
	0x2a: {Name: "SW1850030_WAR", Meaning: "work-around 1850030"},
	0x2b: {Name: "WMMA_USED", Format: NoValue, Scope: Function, Meaning: "warp matrix instructions are used"},
	0x2c: {Name: "HAS_PRE_V10_OBJECT", Format: NoValue, Scope: Global, Merge: Computed, Meaning: "an object older than toolkit 10 is in the executable"},
	0x2d: {Name: "ATOMF16_EMUL_INSTR_OFFSETS", Payload: "offsets", Meaning: "places of emulated half atomics"},
	0x2e: {Name: "ATOM16_EMUL_INSTR_REG_MAP", Format: Sized, Scope: Function, Payload: "offset and registers of each", Meaning: "registers of emulated 16-bit atomics"},
	0x2f: {Name: "REGCOUNT", Format: Sized, Scope: Global, Symbols: FirstWord, Payload: "function, registers", Merge: MaxFunction, Meaning: "registers of a function; a kernel gets the largest of what it reaches"},
	0x30: {Name: "SW2393858_WAR", Meaning: "work-around 2393858"},
	0x31: {Name: "INT_WARP_WIDE_INSTR_OFFSETS", Format: Sized, Scope: Function, Payload: "offsets", Meaning: "places of integer instructions of a whole warp"},
	0x32: {Name: "SHARED_SCRATCH", Meaning: "shared memory used as scratch"},
	0x33: {Name: "STATISTICS", Meaning: "statistics of the compiler"},
	0x34: {Name: "INDIRECT_BRANCH_TARGETS", Format: Sized, Scope: Function, Payload: "per branch: offset, two u16 counts, number, target offsets", Meaning: "where indirect branches go"},
	0x35: {Name: "SW2861232_WAR", Format: NoValue, Scope: Function, Targets: "sm_80 to sm_89", Meaning: "work-around 2861232"},
	0x36: {Name: "SW_WAR", Format: Sized, Scope: Function, Payload: "bits", Targets: "all but sm_80 to sm_89", Meaning: "work-arounds"},
	0x37: {Name: "CUDA_API_VERSION", Format: Sized, Scope: Function, Payload: "toolkit version: 0x82 is 13.0", Meaning: "toolkit of the compiler that made the function"},
	0x38: {Name: "NUM_MBARRIERS", Format: Half, Scope: Function, Payload: "number", Merge: SumHalf, Meaning: "mbarrier objects; 0xffff when not known"},
	0x39: {Name: "MBARRIER_INSTR_OFFSETS", Format: Sized, Scope: Function, Payload: "16 bytes of each: offset and operands", Meaning: "places of mbarrier instructions"},
	0x3a: {Name: "COROUTINE_RESUME_OFFSETS", Payload: "offsets", Meaning: "where coroutines resume; cuobjdump says COROUTINE_RESUME_ID_OFFSETS"},
	0x3b: {Name: "SAM_REGION_STACK_SIZE", Symbols: FirstWord, Payload: "function, bytes", Merge: MaxFunction, Meaning: "stack of a region; a kernel gets another record with the largest of what it calls"},
	0x3c: {Name: "PER_REG_TARGET_PERF_STATS", Meaning: "statistics for each number of registers"},
	0x3d: {Name: "CTA_PER_CLUSTER", Format: Sized, Scope: Function, Payload: "x, y, z", Targets: "sm_90 and later", Meaning: "blocks of a cluster"},
	0x3e: {Name: "EXPLICIT_CLUSTER", Format: NoValue, Scope: Function, Targets: "sm_90 and later", Meaning: "the kernel is launched in clusters"},
	0x3f: {Name: "MAX_CLUSTER_RANK", Format: Sized, Scope: Function, Payload: "number", Targets: "sm_90 and later", Meaning: "most blocks of a cluster"},
	0x40: {Name: "INSTR_REG_MAP", Format: Sized, Scope: Function, Payload: "offset and registers of each", Targets: "sm_80", Meaning: "registers of instructions that tools patch"},
	0x41: {Name: "RESERVED_SMEM_USED", Format: NoValue, Scope: Function, Merge: Presence, Meaning: "reserved shared memory is used"},
	0x42: {Name: "RESERVED_SMEM_0_SIZE", Payload: "bytes", Meaning: "size of reserved shared memory 0"},
	0x43: {Name: "UCODE_SECTION_DATA", Meaning: "data of a microcode section"},
	0x44: {Name: "UNUSED_LOAD_BYTE_OFFSET", Format: Sized, Scope: Function, Payload: "offset and byte mask of each", Meaning: "loads of which not all bytes are used"},
	0x45: {Name: "KPARAM_INFO_V2", Format: Sized, Scope: Function, Symbols: FirstOrZero, Payload: "index, ordinal (u16) and offset (u16), bits", Meaning: "one parameter of a kernel that has more than 4 KB of them"},
	0x46: {Name: "SYSCALL_OFFSETS", Payload: "offsets", Meaning: "places of calls of system functions"},
	0x47: {Name: "SW_WAR_MEMBAR_SYS_INSTR_OFFSETS", Payload: "offsets", Meaning: "work-around at MEMBAR.SYS instructions"},
	0x48: {Name: "GRAPHICS_GLOBAL_CBANK", Meaning: "graphics only"},
	0x49: {Name: "SHADER_TYPE", Meaning: "graphics only"},
	0x4a: {Name: "VRC_CTA_INIT_COUNT", Format: Byte, Scope: Function, Payload: "number", Merge: MaxByte, Targets: "sm_100 and later", Meaning: "virtual resource count at the start of a block"},
	0x4b: {Name: "TOOLS_PATCH_FUNC", Meaning: "function of a patching tool"},
	0x4c: {Name: "NUM_BARRIERS", Format: Byte, Scope: Function, Payload: "number", Merge: MaxByte, Meaning: "barriers (bar.sync) that are used"},
	0x4d: {Name: "TEXMODE_INDEPENDENT", Format: NoValue, Scope: Global, Meaning: ".target texmode_independent"},
	0x4e: {Name: "PERF_STATISTICS", Meaning: "statistics of the compiler"},
	0x4f: {Name: "AT_ENTRY_FRAGMENTS", Format: Sized, Scope: Function, Payload: "fragments", Merge: MoveWords, Targets: "sm_100a, sm_103a", Meaning: "code to run at entry; nvlink's own name is AT_ENTRY_FRAGEMENTS"},
	0x50: {Name: "SPARSE_MMA_MASK", Format: Half, Scope: Function, Payload: "bits", Merge: OrHalf, Targets: "sm_90 and later", Meaning: "sparse matrix instructions that are used; 0x8000 when not known"},
	0x51: {Name: "TCGEN05_1CTA_USED", Format: NoValue, Scope: Function, Merge: Presence, Targets: "sm_100a, sm_103a", Meaning: "tcgen05 with .cta_group::1 is used"},
	0x52: {Name: "TCGEN05_2CTA_USED", Format: NoValue, Scope: Function, Merge: Presence, Targets: "sm_100a, sm_103a", Meaning: "tcgen05 with .cta_group::2 is used"},
	0x53: {Name: "GEN_ERRBAR_AT_EXIT", Format: NoValue, Scope: Global, Meaning: "errors are waited for at exit (-G)"},
	0x54: {Name: "REG_RECONFIG", Payload: "low byte: kind", Merge: LastByte, Meaning: "the number of registers changes at run time (setmaxnreg)"},
	0x55: {Name: "ANNOTATIONS", Format: Sized, Scope: Function, Payload: "records", Meaning: "annotations of instructions"},
	0x56: {Name: "UNKNOWN", Meaning: "no attribute"},
	0x57: {Name: "STACK_CANARY_TRAP_OFFSETS", Format: Sized, Scope: Function, Payload: "offsets", Meaning: "places of traps of the stack protector"},
	0x58: {Name: "STUB_FUNCTION_KIND", Meaning: "kind of a stub function"},
	0x59: {Name: "LOCAL_CTA_ASYNC_STORE_OFFSETS", Payload: "offsets", Meaning: "places of asynchronous stores into the own block"},
	0x5a: {Name: "MERCURY_FINALIZER_OPTIONS", Format: Sized, Scope: Function, Payload: "opaque", Targets: "sm_100 and later, in .nv.merc.nv.info.<f>", Meaning: "options for the finalizer"},
	0x5b: {Name: "BLOCKS_ARE_CLUSTERS", Format: NoValue, Scope: Function, Targets: "sm_90 and later", Meaning: "the grid counts clusters (__block_size__)"},
	0x5c: {Name: "SANITIZE", Meaning: "made for a sanitizer"},
	0x5d: {Name: "SYSCALLS_FALLBACK", Meaning: "fallback of system functions"},
	0x5e: {Name: "CUDA_REQ", Meaning: "requirement"},
	0x5f: {Name: "MERCURY_ISA_VERSION", Format: Half, Scope: Both, Payload: "major and minor byte; 0 before sm_90", Meaning: "Mercury instruction set of the code"},
	0x60: {Name: "ERROR_LAST", Meaning: "end of the codes that nvlink 13.0.88 knows"},
	0x61: {Name: "RTCORE_ENTRY", Meaning: "later toolkits"},
	0x62: {Name: "CLUSTER_LAUNCH_CONTROL_USED", Format: NoValue, Scope: Function, Merge: Presence, Targets: "sm_100 and later, toolkit 13.2 and later", Meaning: "clusterlaunchcontrol.try_cancel is used"},
	0x64: {Name: "MIN_PER_CTA_MEMORY_SIZE", Meaning: "later toolkits"},
	0x65: {Name: "IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS", Meaning: "later toolkits"},
	0x66: {Name: "LANGUAGE", Format: Sized, Scope: Function, Payload: "list of numbers", Merge: UnionWords, Targets: "toolkit 13.2 and later", Meaning: "source languages"},
	0x68: {Name: "GRID_ATTRIBUTES", Format: Half, Scope: Function, Payload: "bits: 4 if multimem is used, and 8 if it writes", Merge: OrHalf, Targets: "sm_90 and later, toolkit 13.3 and later", Meaning: "properties of the grid"},
	0x69: {Name: "STACK_OFFSET", Meaning: "later toolkits"},
	0x6a: {Name: "RT_LIVESTATE_SASS_MAP", Meaning: "later toolkits"},
	0x6b: {Name: "NVSAL_SW_WAR", Format: Half, Scope: Function, Payload: "bits", Targets: "toolkit 13.5 and later", Meaning: "work-arounds"},
	0x6c: {Name: "INSTR_OFFSETS", Meaning: "later toolkits"},
	0x6d: {Name: "PREEXIT_USED", Format: Byte, Scope: Function, Targets: "toolkit 13.5 and later", Meaning: "griddepcontrol.launch_dependents is used"},
}

package suite

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// The census checks that the corpus is complete. Up to sm_90, its inputs have every attribute, section kind and
// relocation type that compilers were observed to write. Its recordings have every message that nvlink was observed to
// print. This file gives the reason for each item that is missing.

// A census counts the contents of the cubins in the corpus.
type census struct {
	attributes  map[nvinfo.Code]int
	sections    map[string]int // patterns of the catalogue
	relocations map[string]int
}

// takeCensus reads the inputs of every case.
func takeCensus(t *testing.T) *census {
	t.Helper()
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	c := &census{map[nvinfo.Code]int{}, map[string]int{}, map[string]int{}}
	for _, recorded := range cases {
		for _, sm := range recorded.Targets {
			rec, err := LoadRecording(corpus.Files, recorded, sm)
			if err != nil {
				t.Fatal(err)
			}
			for name, data := range rec.Inputs {
				if f, err := cubin.Open(name, data); err == nil && f.Type == cubin.TypeRelocatable {
					c.count(f)
				}
			}
		}
	}
	return c
}

func (c *census) count(f *cubin.File) {
	for i := range f.Sections {
		s := &f.Sections[i]
		if kind, _ := catalogue.Lookup(s.Name); kind != nil {
			c.sections[kind.Pattern]++
		}
		data, err := f.Data(uint32(i))
		if err != nil {
			continue // damaged on purpose
		}
		switch s.Type {
		case cubin.SectionInfo:
			records, _ := nvinfo.Decode(data)
			for _, r := range records {
				c.attributes[r.Code]++
			}
		case cubin.SectionRel, cubin.SectionRela:
			relocations, _ := f.Relocations(uint32(i))
			for _, r := range relocations {
				if t, known := reloc.Lookup(r.Type); known {
					c.relocations[t.Name]++
				}
			}
		}
	}
}

func TestInputsShowWhatCompilersWrite(t *testing.T) {
	have := takeCensus(t)
	for code := nvinfo.Code(0); code < 0x60; code++ {
		if writtenByCompilers[code] && have.attributes[code] == 0 {
			t.Errorf("no input has attribute %s", code)
		}
	}
	for _, name := range []string{
		".debug_frame", ".debug_<x>", ".nv_debug_line_sass", ".nv_debug_info_reg_sass", ".nv_debug_info_reg_type",
		".nv_debug_ptx_txt.<n>", ".note.nv.tkinfo", ".note.nv.cuinfo", ".nv.info", ".nv.compat", ".nv.info.<f>",
		".nv.callgraph", ".nv.prototype", ".rel.<s>", ".rela.<s>", ".nv.constant0.<f>", ".nv.constant<n>.<f>",
		".nv.constant<n>", ".text.<f>", ".nv.global.init", ".nv.global", ".nv.shared.<f>", ".nv_debug.shared",
	} {
		if have.sections[name] == 0 {
			t.Errorf("no input has a section %s", name)
		}
	}
	for _, name := range []string{
		"R_CUDA_32", "R_CUDA_64", "R_CUDA_G64", "R_CUDA_FUNC_DESC_64", "R_CUDA_ABS32_32", "R_CUDA_ABS32_LO_32",
		"R_CUDA_ABS32_HI_32", "R_CUDA_ABS47_34", "R_CUDA_ABS16_32", "R_CUDA_FUNC_DESC32_LO_32", "R_CUDA_FUNC_DESC32_HI_32",
		"R_CUDA_CONST_FIELD19_40", "R_CUDA_BINDLESSOFF14_40", "R_CUDA_CONST_FIELD21_38", "R_CUDA_YIELD_OPCODE9_0",
		"R_CUDA_YIELD_CLEAR_PRED4_87", "R_CUDA_UNUSED_CLEAR64", "R_CUDA_ABS24_40", "R_CUDA_ABS55_16_34", "R_CUDA_G8_0",
		"R_CUDA_G8_8", "R_CUDA_G8_16", "R_CUDA_ABS20_44", "R_CUDA_UNIFIED",
	} {
		if have.relocations[name] == 0 {
			t.Errorf("no input has a relocation %s", name)
		}
	}
}

// writtenByCompilers lists the attributes that compilers of toolkit 13.0 were observed to write up to sm_90.
// INSTR_REG_MAP (40) is missing, because no source of this repository makes the compiler write it.
var writtenByCompilers = map[nvinfo.Code]bool{
	0x04: true, 0x05: true, 0x09: true, 0x0a: true, 0x0f: true, 0x10: true, 0x11: true, 0x13: true, 0x15: true,
	0x16: true, 0x17: true, 0x19: true, 0x1b: true, 0x1c: true, 0x1e: true, 0x23: true, 0x28: true, 0x29: true,
	0x2b: true, 0x2e: true, 0x2f: true, 0x31: true, 0x34: true, 0x35: true, 0x36: true, 0x37: true, 0x38: true,
	0x39: true, 0x3d: true, 0x3e: true, 0x3f: true, 0x41: true, 0x44: true, 0x45: true, 0x4c: true, 0x4d: true, 0x50: true,
	0x53: true, 0x57: true, 0x5b: true, 0x5f: true,
}

// unshownMessages maps the messages of nvlink that occur in no case to the reasons.
var unshownMessages = map[string]string{
	"bitcode-without-lto":  "of release 11.2, which has no cases of the corpus (KIT-622)",
	"optimiser-load-error": "of release 11.2, which has no cases of the corpus (KIT-622)",
	"recompile-with-7.0":   "of releases before 13.0, which alone link for sm_50 (KIT-943)",
	"option-not-supported": "of release 11.8, which has no cases of the corpus (KIT-220)",
	"host-script-failed":   "needs a full or read-only disk",
	"cannot-write-file":    "needs a full or read-only disk",
	"finalization-failed":  finalizerRefuses,
	"elflink-finalization": finalizerRefuses,
	"malformed-frame":      finalizerRefuses,
	"narrow-frame":         "needs a damaged .nv.merc.debug_frame (MERC-320): testscripts/damage.100.tsv",
	"no-lto-objects":       "nvlink loads libnvvm first, which is not ours to have in a case",
	"partial-lto":          "nvlink loads libnvvm first, which is not ours to have in a case",
	"some-without-value":   needsCompiler,
	"some-without-flag":    needsCompiler,
	"flags-differ":         needsCompiler,
	"no-device-runtime":    needsCompiler,
	"jit-compile-failed":   needsCompiler,
	"nvvm-error":           needsCompiler,
}

// finalizerRefuses is the reason for the messages of 13.1 and later about inputs that the finalizer rejects.
const finalizerRefuses = "a tool of 13.0 does not end by itself where a newer one says so: cmd/culink/command.TestInputsThatCulinkAloneReads"

// needsCompiler is the reason for the messages of -lto.
const needsCompiler = "a case cannot name a compiler of -lto: cmd/culink/command.TestLTOReplay"

func TestCasesShowTheMessages(t *testing.T) {
	table, err := os.ReadFile("../../docs/messages.tsv")
	if err != nil {
		t.Fatal(err)
	}
	printed := strings.Builder{}
	files, err := attempt.ReadTree(corpus.Files, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".stderr") || strings.HasSuffix(name, ".stdout") {
			printed.Write(files[name])
		}
	}
	verb := regexp.MustCompile(`%(ll)?[dsxu]`)
	unshown := maps.Clone(unshownMessages)
	for line := range strings.Lines(string(table)) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		if len(columns) < 4 || columns[2] == "-" || columns[0] == "culink's own" {
			continue
		}
		text, id := columns[1], columns[2]
		pattern := verb.ReplaceAllString(regexp.QuoteMeta(text), ".*")
		shown := regexp.MustCompile(pattern).MatchString(printed.String())
		if _, excused := unshown[id]; excused == shown {
			t.Errorf("message %s: shown by a case: %v, excused: %v", id, shown, excused)
		}
		delete(unshown, id)
	}
	for id := range unshown {
		t.Errorf("there is no message %s", id)
	}
}

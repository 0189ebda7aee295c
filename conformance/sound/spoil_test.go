package sound_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/conformance/spoils"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/reloc"
)

// A spoil changes a sound output into one that would run incorrectly or not at all.
type spoil func(t *testing.T, link *sound.Link, output []byte) []byte

// edit replaces the first match of a pattern in the text form of the output.
func edit(pattern, replacement string) spoil {
	re := regexp.MustCompile("(?m)" + pattern)
	return func(t *testing.T, _ *sound.Link, output []byte) []byte {
		text := cubintext.Format(output)
		at := re.FindStringSubmatchIndex(text)
		if at == nil {
			t.Fatalf("nothing matches %q in\n%s", pattern, text)
		}
		replaced := text[:at[0]] + string(re.ExpandString(nil, replacement, text, at)) + text[at[1]:]
		data, err := cubintext.Parse("spoiled", replaced)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// rename replaces every occurrence of a text.
func rename(from, to string) spoil {
	return func(t *testing.T, _ *sound.Link, output []byte) []byte {
		data, err := cubintext.Parse("spoiled", strings.ReplaceAll(cubintext.Format(output), from, to))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// flip changes one bit of a section.
func flip(section string, at uint64) spoil {
	return func(t *testing.T, _ *sound.Link, output []byte) []byte {
		output = bytes.Clone(output)
		out, err := cubin.Open("output", output)
		if err != nil {
			t.Fatal(err)
		}
		output[out.Section(section).Offset+at] ^= 1
		return output
	}
}

// both applies several spoils one after the other.
func both(spoils ...spoil) spoil {
	return func(t *testing.T, link *sound.Link, output []byte) []byte {
		for _, s := range spoils {
			output = s(t, link, output)
		}
		return output
	}
}

// repoint writes another address into every operand in code that refers to a variable, as if a linker had placed the
// variable there. bank is the constant bank of a constant.
func repoint(variable string, to uint64, bank uint8) spoil {
	return func(t *testing.T, link *sound.Link, output []byte) []byte {
		output = bytes.Clone(output)
		out, err := cubin.Open("output", output)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, in := range link.Inputs {
			f, err := cubin.Open(in.Name, in.Data)
			if err != nil {
				t.Fatal(err)
			}
			symbols, _ := f.Symbols()
			for i, s := range f.Sections {
				if s.Type != cubin.SectionRel && s.Type != cubin.SectionRela {
					continue
				}
				code := &f.Sections[s.Info]
				place := out.Section(code.Name)
				list, _ := f.Relocations(uint32(i))
				for _, r := range list {
					if symbols[r.Symbol].Name != variable || place == nil || !strings.HasPrefix(code.Name, ".text") {
						continue
					}
					here := output[place.Offset : place.Offset+place.Size]
					old, _ := f.Data(s.Info)
					copy(here[r.Offset:r.Offset+16], old[r.Offset:])
					typ, _ := reloc.Lookup(r.Type)
					if err := typ.Apply(here, r.Offset, reloc.Value{Symbol: to, Addend: r.Addend, HasAddend: s.Type == cubin.SectionRela, Bank: bank}); err != nil {
						t.Fatal(err)
					}
					count++
				}
			}
		}
		if count == 0 {
			t.Fatalf("nothing names %s", variable)
		}
		return output
	}
}

// relink returns a spoil that replaces the output with that of a link of other inputs.
func relink(change func([]sound.Input) []sound.Input) spoil {
	return func(t *testing.T, link *sound.Link, _ []byte) []byte {
		var inputs []linker.Input
		for _, in := range change(slices.Clone(link.Inputs)) {
			inputs = append(inputs, linker.Input{Name: in.Name, Data: in.Data})
		}
		result := linker.Link(context.Background(), linker.Options{ToolName: "nvlink", Arch: link.Target.Name}, inputs)
		if result.Output == nil {
			t.Fatal(result.Log.Diagnostics)
		}
		return result.Output
	}
}

// first returns only the first input.
func first(in []sound.Input) []sound.Input { return in[:1] }

// altered returns a change of inputs that replaces text in the first one.
func altered(pattern, replacement string) func([]sound.Input) []sound.Input {
	return func(in []sound.Input) []sound.Input {
		re := regexp.MustCompile("(?m)" + pattern)
		data, err := cubintext.Parse("altered", re.ReplaceAllString(cubintext.Format(in[0].Data), replacement))
		if err == nil {
			in[0].Data = data
		}
		return in
	}
}

const (
	functions  = "weak/fewer-registers-wins/sm_80"
	printing   = "callgraph/printf/sm_80"
	textures   = "texture/two-kernels/sm_80"
	sharing    = "shared/disjoint-kernels/sm_80"
	sharing90  = "shared/disjoint-kernels/sm_90"
	dynamic    = "shared/dynamic/sm_80"
	constants  = "constant/user-bank/sm_80"
	compiler   = "constant/compiler-generated-two-kernels/sm_80"
	statics    = "merge/static-functions/sm_80"
	pointers   = "callgraph/same-static-name/sm_80"
	managed    = "global/managed/sm_80"
	recursive  = "callgraph/recursive-pair-and-chain/sm_80"
	attributes = "info/required-threads/sm_90"
	barriers   = "callgraph/barriers/sm_80"
	aliased    = "merge/alias/sm_80"
	commons    = "merge/common-largest/sm_80"
	stacks     = "stack/chain/sm_80"
)

// A spoiled is a spoil of a recorded output. The output is that of the first step of a case, or of the step that writes
// a file with the name of the case.
type spoiled struct {
	name, id string
	spoil    spoil
	key      string // how a finding begins
}

// Each of these outputs would run differently from what the inputs require.
func TestSpoiledOutputsAreNotSound(t *testing.T) {
	testSpoils(t, "executables", []spoiled{
		// Code.
		{"a bit of code", functions, flip(".text.kfew", 5), "code.kfew"},
		{"an instruction less", functions, edit(`(section \.text\.wf.*\n)\tu64 .*\n`, "$1"), "code.wf"},
		{"an instruction more", functions, edit(`(section \.text\.wf.*\n)(\tu64 .*\n)`, "$1$2$2"), "code.wf"},
		{"code of the copy that lost", functions, relink(altered(`(section \.text\.wf.*) regs=\w+`, "$1 regs=0xff")), "code.wf"},
		{"alignment of code", functions, edit(`section \.text\.wf`, "section .text.wf align=64"), "code.wf"},
		{"code that cannot run", functions, edit(`section \.text\.wf`, "section .text.wf flags=A"), ""},
		{"registers of a section", functions, edit(`(section \.text\.wf regs=)0x18`, "${1}8"), "code.wf.registers"},
		{"code that names another function", functions, edit(`section \.text\.wf regs=0x18`, "section .text.wf info=@kfew"), ""},

		// Symbols.
		{"value of a function", functions, edit(`symbol wf weak func \.text\.wf`, "$0 value=0x10 size=0x100"), ""},
		{"size of a function", functions, edit(`symbol wf weak func \.text\.wf`, "$0 size=0x80"), "symbol.wf.size"},
		{"entry flag", functions, edit(`(symbol kmany global func \.text\.kmany) other=entry`, "$1"), ""},
		{"kernel missing", functions, relink(first), "symbol.kmany"},
		{"function that is local", functions, edit(`symbol kmany global`, "symbol kmany local"), ""},
		{"function in other code", functions, edit(`symbol kmany global func \.text\.kmany`, "symbol kmany global func .text.kfew"), ""},
		{"function that nothing defines", functions, edit(`symbol kfew global func .*`, "$0\n\tsymbol other global func .text.kfew"), "symbol.other"},
		{"name of an undefined function", printing, rename("vprintf", "vprintg"), ""},
		{"managed flag", managed, edit(`(symbol \w+ global object .*)other=managed`, "$1"), "symbol."},
		{"alias of other code", aliased, edit(`symbol foo global func \.text\.bar`, "symbol foo global func .text.ka"), ""},

		// Relocations that the driver applies.
		{"addend", functions, edit(`ABS32_LO_32 kfew \+0x80`, "ABS32_LO_32 kfew +0x90"), "relocation."},
		{"symbol of a relocation", functions, edit(`ABS47_34 wf`, "ABS47_34 kfew"), "relocation."},
		{"no relocation", functions, edit(`\trel 0x70 R_CUDA_ABS47_34 wf\n`, ""), "relocation."},
		{"two relocations", functions, edit(`\trel 0x70 R_CUDA_ABS47_34 wf\n`, "$0$0"), "relocation."},
		{"type of a relocation", functions, edit(`R_CUDA_ABS32_HI_32 kfew`, "R_CUDA_ABS32_LO_32 kfew"), "relocation."},
		{"place of a relocation", functions, edit(`rel 0x70 R_CUDA_ABS47_34 wf`, "rel 0x60 R_CUDA_ABS47_34 wf"), "relocation."},
		{"call of the other static function", pointers, edit(`(rel 0x160 R_CUDA_ABS47_34 )\S+a_cu\S+`, "${1}_Z2kaPi"), "relocation."},
		{"string", printing, edit(`(section \.nv\.global\.init.*\n\thex .)(.)`, "${1}f"), "data.$str"},

		// Global memory.
		{"value of a variable", statics, edit(`(symbol \S+ local object \.nv\.global) size=4`, "$1 size=4 value=4"), ""},
		{"size of a variable", functions, edit(`symbol big global object \.nv\.global size=0xc8`, "symbol big global object .nv.global size=0xc0"), "symbol.big.size"},
		{"less memory than the variables", functions, edit(`section \.nv\.global size=0xc8`, "section .nv.global size=0x40"), ""},
		{"segment without room", functions, edit(`memsz=0xc8`, "memsz=0x40"), "segment."},
		{"no segment for variables", functions, edit(`segment load RW .*\n`, ""), "segment."},
		{"read-only variables", functions, edit(`segment load RW`, "segment load R"), "segment."},
		{"no segment for code", functions, edit(`segment load RX from=\.nv.*\n`, ""), "segment."},
		{"variables at one place", statics, edit(`(symbol \S+_g local object \.nv\.global\.init) value=4`, "$1"), ""},
		{"alignment of variables", statics, edit(`section \.nv\.global\.init`, "section .nv.global.init align=2"), ""},
		{"initial value", statics, edit(`(section \.nv\.global\.init.*\n\thex )03`, "${1}04"), "data."},
		{"common that is too small", commons, edit(`(symbol \S+ global object \.nv\.global.* size=)\w+`, "${1}2"), ""},

		// Constants.
		{"constant", constants, edit(`(section \.nv\.constant3.*\n\thex .{17})(.)`, "${1}f"), "data."},
		{"operand of a constant", constants, repoint("c1", 0, 3), "code."},
		{"bank of a constant", constants, repoint("c2", 0, 4), "code."},
		{"symbol of a constant", constants, edit(`symbol c1 global object \.nv\.constant3 value=8`, "symbol c1 global object .nv.constant3 value=0"), ""},
		{"number of a bank", constants, rename(".nv.constant3", ".nv.constant4"), ""},
		{"the compiler's constants", compiler, edit(`(section \.nv\.constant2\._Z2k1Pd.*\n\thex .{16})b`, "${1}c"), "data."},
		{"bank of the compiler's constants", compiler, rename(".nv.constant2._Z2k1Pd", ".nv.constant1._Z2k1Pd"), "constant."},
		{"the compiler's constants of one kernel", compiler, edit(`(section \.nv\.constant2\._Z2k3Pd.*\n)\thex (.{16})(.{16})`, "$1\thex $3$2"), "data."},
		{"parameter bank", functions, edit(`(section \.nv\.constant0\.kfew\n\tzero) 0x168`, "$1 0x160"), "data."},
		{"no parameter bank", functions, rename(".nv.constant0.kfew", ".nv.constant7.kfew"), "section."},

		// Shared memory.
		{"two live variables at one place", sharing, both(repoint("d8", 0, 6), repoint("s2", 0, 6)), "shared."},
		{"alignment of a shared variable", sharing, repoint("d8", 0x24, 6), "shared."},
		{"shared variable outside", sharing, repoint("j4", 0x400, 6), "shared."},
		{"two operands that disagree", sharing, flip(".text._Z2f2i", 0x25), ""},
		{"shared memory is too small", sharing, edit(`(section \.nv\.shared\._Z2k2Pi size=)0x30`, "${1}0x20"), "shared."},
		{"shared memory without the reserved part", sharing90, edit(`(section \.nv\.shared\._Z2k2Pi size=)0x4`, "${1}0x"), "shared."},
		{"no shared memory", sharing, edit(`section \.nv\.shared\._Z2k2Pi`, "section .nv.shared._Z2k2Pi info=.text._Z2k1Pi"), "shared."},
		{"alignment of shared memory", sharing, edit(`(section \.nv\.shared\._Z2k2Pi size=0x30) align=0x20`, "$1 align=0x10"), "shared."},
		{"dynamic memory inside of static", dynamic, repoint("dyn", 0, 6), "shared."},
		{"alignment of dynamic memory", dynamic, repoint("dyn", 0x8, 6), "shared."},
		{"dynamic memory behind the end", dynamic, repoint("dyn", 0x20, 6), "shared."},

		// Textures.
		{"texture that the driver does not fill in", textures, edit(`\trel 0x16c R_CUDA_TEX_HEADER_INDEX t2\n`, ""), "slot."},
		{"slot of another texture", textures, edit(`rel 0x16c R_CUDA_TEX_HEADER_INDEX t2`, "rel 0x16c R_CUDA_TEX_HEADER_INDEX t1"), "slot."},
		{"slot among the parameters", textures, both(repoint("t2", 0x160, 0), edit(`rel 0x16c R_CUDA_TEX_HEADER_INDEX t2`, "rel 0x160 R_CUDA_TEX_HEADER_INDEX t2")), ""},
		{"bank without room for slots", textures, edit(`(section \.nv\.constant0\.k3\n\tzero) 0x170`, "$1 0x168"), "slot."},
		{"one slot for two textures", textures, repoint("t2", 0x168, 0), ""},

		// Attributes.
		{"registers of a kernel", functions, edit(`attr REGCOUNT @kfew 0x18`, "attr REGCOUNT @kfew 0x10"), "attribute."},
		{"no registers of a kernel", functions, edit(`\tattr REGCOUNT @kfew 0x18\n`, ""), "attribute."},
		{"stack of a kernel", printing, edit(`attr MIN_STACK_SIZE @_Z1kPi 8`, "attr MIN_STACK_SIZE @_Z1kPi 0"), "attribute."},
		{"stack of a recursion", recursive, edit(`(attr MIN_STACK_SIZE @\S+) 0xffffffff`, "$1 0x40"), "attribute."},
		{"frame of a function", printing, edit(`attr FRAME_SIZE @_Z1kPi 8`, "attr FRAME_SIZE @_Z1kPi 0"), "attribute."},
		{"barriers of a kernel", barriers, edit(`attr NUM_BARRIERS .*`, "attr NUM_BARRIERS 0"), "attribute."},
		{"no place of parameters", functions, edit(`\tattr PARAM_CBANK .*\n`, ""), "attribute."},
		{"place of parameters", functions, edit(`attr PARAM_CBANK @\.nv\.constant0\.kfew`, "attr PARAM_CBANK @.nv.constant0.kmany"), "attribute."},
		{"size of parameters", functions, edit(`CBANK_PARAM_SIZE 8`, "CBANK_PARAM_SIZE 4"), "attribute."},
		{"no description of a parameter", functions, edit(`\tattr KPARAM_INFO .*\n`, ""), "attribute."},
		{"places of exits", functions, edit(`EXIT_INSTR_OFFSETS 0x90`, "EXIT_INSTR_OFFSETS 0x80"), "attribute."},
		{"required threads", attributes, edit(`REQNTID 0x40 2 1`, "REQNTID 0x40 1 1"), "attribute."},
		{"no most threads", attributes, edit(`\tattr MAX_THREADS .*\n`, ""), "attribute."},
		{"externs", printing, edit(`\tattr EXTERNS @vprintf\n`, ""), "attribute."},
		{"attributes of another function", functions, edit(`section \.nv\.info\.kfew`, "section .nv.info.kfew info=.text.wf"), ""},

		// The call graph, and the parts that a loader reads first.
		{"call", functions, edit(`\tedge kfew wf\n`, ""), "callgraph"},
		{"address that is taken", pointers, edit(`(calls taken\n)\tproto .*\n`, "$1"), "callgraph"},
		{"call through a pointer", pointers, edit(`(calls indirect\n)\tproto .*\n`, "$1"), "callgraph"},
		{"prototype", functions, edit(`proto wf "#ii"`, `proto wf "#il"`), "callgraph"},
		{"architecture", functions, edit(`header sm=80`, "header sm=86"), "header."},
		{"type of the file", functions, edit(`header sm=80 type=exec`, "header sm=80 type=rel"), "header."},
		{"relocation actions", functions, edit(`\thex 73000000000000000000001125000536\n`, "\thex 73000000000000000000001125000537\n"), "section."},
		{"virtual architecture", functions, edit(`cuinfo arch=0x4b`, "cuinfo arch=0x50"), "note."},
		{"compatibility", attributes, edit(`attr ISA_CLASS 1`, "attr ISA_CLASS 2"), "compat."},
		{"no compatibility", attributes, edit(`\tattr ISA_CLASS 1\n`, ""), "compat."},
		{"debug information", functions, flip(".debug_frame", 4), "data."},
	})
}

// testSpoils checks that no spoiled output is sound.
func testSpoils(t *testing.T, part string, list []spoiled) {
	t.Helper()
	recorded := map[string]step{}
	for _, s := range slices.Backward(steps(t)) {
		recorded[s.id] = s // the first step of a case stays
		for name := range s.want.Files {
			recorded[s.id+" "+name] = s
		}
	}
	waivers, err := plan.LoadWaivers(corpus.Files, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []spoils.Row
	for _, test := range list {
		t.Run(test.name, func(t *testing.T) {
			s, ok := recorded[test.id]
			if !ok {
				t.Fatalf("no case %s", test.id)
			}
			link, name, err := sound.FromCommand(context.Background(), s.before, s.argv)
			if err != nil {
				t.Fatal(err)
			}
			spoiled := test.spoil(t, link, s.want.Files[name])
			if bytes.Equal(spoiled, s.want.Files[name]) {
				t.Fatal("nothing is spoiled")
			}
			findings := sound.Check(*link, spoiled)
			if len(findings) == 0 {
				t.Fatal("passes as sound")
			}
			if !slices.ContainsFunc(findings, func(f sound.Finding) bool { return strings.HasPrefix(f.Key, test.key) }) {
				t.Errorf("want a finding %s, got %s", test.key, fmt.Sprint(findings))
			}
			rows = append(rows, spoils.Row{Kind: test.name, Case: caseOf(test.id), Facets: failing(t, s, name, spoiled, waivers)})
		})
	}
	if t.Failed() {
		return
	}
	if err := spoils.Write(part, rows); err != nil {
		t.Error(err)
	}
}

// failing returns the facets that fail if the cubin of an outcome is replaced with the spoiled one. It judges as a run
// with culink's waivers does.
func failing(t *testing.T, s step, name string, spoiled []byte, waivers []plan.Waiver) (facets []string) {
	t.Helper()
	got := s.want
	got.Files = maps.Clone(s.want.Files)
	got.Files[name] = spoiled
	id, sm := caseOf(s.id), s.id[strings.LastIndexByte(s.id, '_')+1:]
	for _, f := range judge.Facets {
		differences := judge.Link(t.Context(), f, suite.ExpectRecorded, attempt.Link{Before: s.before, Argv: s.argv}, &s.want, &got)
		if slices.ContainsFunc(differences, func(d judge.Difference) bool {
			return !slices.ContainsFunc(waivers, func(w plan.Waiver) bool { return w.Excuses(id, sm, 0, d) })
		}) {
			facets = append(facets, string(f))
		}
	}
	return facets
}

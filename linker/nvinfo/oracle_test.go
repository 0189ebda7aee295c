package nvinfo

import (
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// MergeCompat merges generated records of up to three inputs as nvlink does (INFO-010 to INFO-014).
func TestLiveCompat(t *testing.T) {
	o, tb := newOracle(t), t
	files := [...]string{"plain.90.cubin", "block.90.cubin", "cluster.90.cubin"}
	record := rapid.Custom(func(t *rapid.T) Record {
		r := Record{Format: Format(rapid.SampledFrom([]uint8{1, 2, 2, 2, 3, 3, 4, 5}).Draw(t, "format"))}
		r.Code = Code(rapid.SampledFrom([]uint8{0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 99, 255}).Draw(t, "code"))
		if r.Format == Sized {
			r.Payload = make([]byte, 4*rapid.IntRange(0, 3).Draw(t, "words"))
		} else {
			r.Value = rapid.SampledFrom([]uint16{0, 1, 2, 3, 4, 5, 6, 10, 0x10, 0xff, 0x100, 0x101, 0x200, 0xffff}).Draw(t, "value")
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, len(files)).Draw(t, "inputs")
		var inputs [][]Record
		var data [][]byte
		for i := range n {
			r := rapid.SliceOfN(record, 0, 9).Draw(t, "records")
			inputs = append(inputs, r)
			data = append(data, forge(tb, openTestFile(tb, files[i]), map[string][]byte{".nv.compat": Encode(r)}))
		}
		messages, f := o.link(t, "sm_90", data...)
		if f == nil {
			t.Fatalf("no output: %s", messages)
		}
		want, missing := MergeCompat(compatTarget(90, false), inputs)
		if diff := cmp.Diff(want, recordsOf(t, f, ".nv.compat")); diff != "" {
			t.Fatalf("culink -, nvlink +:\n%s", diff)
		}
		limited := 0
		for _, codes := range missing {
			limited += len(codes)
		}
		if said := strings.Count(messages, "due to missing attribute 'ISA_CLASS'"); said != limited {
			t.Fatalf("nvlink warns of %d inputs, culink of %d", said, limited)
		}
	})
}

// RaiseKernels propagates the attributes of functions to kernels as nvlink does (INFO-206, INFO-030 to
// INFO-036, INFO-052). The test uses generated records. One of its files has three kernels. The other one has
// a single kernel, and a function that the kernel does not call.
func TestLiveRaiseKernels(t *testing.T) {
	o, tb := newOracle(t), t
	tests := []struct {
		file      string
		functions []string // in the order of their sections
		lone      string
		reachedBy map[string][]string
	}{
		{"calls.90.cubin", []string{"h", "g", "kg", "q", "f", "k"}, "", map[string][]string{"h": {"k", "kg"}, "g": {"k", "kg"}, "f": {"k"}}},
		{"only.90.cubin", []string{"h", "g", "f", "k", "z"}, "k", map[string][]string{"h": {"k"}, "g": {"k"}, "f": {"k"}}},
	}
	codes := []Code{Error, CTAIDZUsed, NumMBarriers, ReservedSMemUsed, VRCCTAInitCount, NumBarriers, Externs, AtEntryFragments, SparseMMAMask, TCGen05OneCTA, TCGen05TwoCTA, RegReconfig, 0x28, 0x5c, 0x66, 0x6b, 0x6d}
	var functions, outside []uint32 // symbols of the file: all functions; those that stay in a list of externs
	record := rapid.Custom(func(t *rapid.T) Record {
		r := Record{Format: Format(rapid.IntRange(1, 4).Draw(t, "format")), Code: rapid.SampledFrom(codes).Draw(t, "code")}
		if r.Code == Externs {
			return New(r.Code, rapid.SliceOfNDistinct(rapid.SampledFrom(functions), 0, 4, rapid.ID).Draw(t, "symbols")...)
		}
		if r.Code == AtEntryFragments || r.Format == Sized && Attributes[r.Code].Merge == Keep {
			return New(r.Code, rapid.SliceOfNDistinct(rapid.Uint32Range(11, 16), 0, 4, rapid.ID).Draw(t, "words")...)
		}
		r.Format = min(r.Format, Half)
		r.Value = rapid.SampledFrom([]uint16{0, 1, 2, 16, 0xff, 0x102, 0x8001, 0xffff}).Draw(t, "value")
		return r
	})
	// Each section has at most one record of each code, as in compiler output.
	list := rapid.SliceOfNDistinct(record, 0, 6, func(r Record) Code { return r.Code })
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			f := openTestFile(t, test.file)
			functions, outside = functionSymbols(t, f)
			rapid.Check(t, func(t *rapid.T) {
				sections := map[string][]byte{}
				var infos []FunctionInfo
				for _, name := range test.functions {
					section := ".nv.info." + name
					records := slices.DeleteFunc(recordsOf(t, f, section), func(r Record) bool { return slices.Contains(codes, r.Code) })
					records = append(records, list.Draw(t, name)...)
					if rapid.IntRange(0, 9).Draw(t, "mask") > 0 && !slices.ContainsFunc(records, func(r Record) bool { return r.Code == SparseMMAMask }) {
						records = append(records, Record{Format: Half, Code: SparseMMAMask})
					}
					sections[section] = Encode(records)
					for i, r := range records {
						if r.Code == Externs {
							records[i], _ = r.MapSymbols(func(s uint32) uint32 {
								if !slices.Contains(outside, s) {
									return 0
								}
								return s
							})
						}
					}
					slices.Reverse(records)
					infos = append(infos, FunctionInfo{Kernel: test.reachedBy[name] == nil && name != "z", Lone: name == test.lone, ReversesExterns: true, Records: records})
				}
				infos = append(infos, FunctionInfo{Undefined: true})
				messages, out := o.link(t, "sm_90", forge(tb, f, sections))
				conflicts := RaiseKernels(infos, func(f int) []int {
					var kernels []int
					if infos[f].Undefined {
						return nil
					}
					for _, name := range test.reachedBy[test.functions[f]] {
						kernels = append(kernels, slices.Index(test.functions, name))
					}
					return kernels
				})
				want := ""
				for _, k := range conflicts {
					want += "nvlink error   : Function '" + test.functions[k] + "' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.\n"
				}
				if diff := cmp.Diff(want, messages); diff != "" {
					t.Fatalf("culink -, nvlink +:\n%s", diff)
				}
				if out == nil {
					return
				}
				renumber := renumbering(tb, f, out)
				for i, name := range test.functions {
					var want []Record
					for _, r := range infos[i].Records {
						if r, ok := r.MapSymbols(func(s uint32) uint32 { return renumber[s] }); ok {
							want = append(want, r)
						}
					}
					got := recordsOf(t, out, ".nv.info."+name)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s, culink -, nvlink +:\n%s", name, diff)
					}
				}
			})
		})
	}
}

// functionSymbols returns the symbols of all functions of f, and those of its kernels and undefined functions.
func functionSymbols(t testing.TB, f *cubin.File) (all, outside []uint32) {
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range symbols {
		if y.Type == cubin.SymFunc {
			all = append(all, y.Index)
			if y.IsEntry() || !y.Defined() {
				outside = append(outside, y.Index)
			}
		}
	}
	return all, outside
}

// renumbering maps each function and section symbol of in to its symbol index in out.
func renumbering(t testing.TB, in, out *cubin.File) map[uint32]uint32 {
	names := func(f *cubin.File) map[string]uint32 {
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		index := map[string]uint32{}
		for _, y := range symbols {
			switch {
			case y.Type == cubin.SymSection && int(y.Section) < len(f.Sections):
				index["section "+f.Sections[y.Section].Name] = y.Index
			case y.Type == cubin.SymFunc || y.Type == cubin.SymNone:
				index[y.Name] = y.Index
			}
		}
		return index
	}
	to := names(out)
	m := map[uint32]uint32{}
	for name, i := range names(in) {
		m[i] = to[name]
	}
	return m
}

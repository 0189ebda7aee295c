package hazard

import (
	"encoding/binary"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Attributes contain the targets of indirect branches. Damaged attributes are read up to the damage.
func TestTargetsOfAttributes(t *testing.T) {
	record := func(code nvinfo.Code, words ...uint32) nvinfo.Record {
		r := nvinfo.Record{Code: code}
		for _, w := range words {
			r.Payload = binary.LittleEndian.AppendUint32(r.Payload, w)
		}
		return r
	}
	cut := record(nvinfo.BranchTargets, 0x40, 0, 2, 0x10, 0x20)
	cut.Payload = cut.Payload[:len(cut.Payload)-1]
	for name, tt := range map[string]struct {
		records []nvinfo.Record
		want    map[uint64][]uint64
	}{
		"none":               {nil, map[uint64][]uint64{}},
		"another attribute":  {[]nvinfo.Record{record(nvinfo.BranchTargets+1, 0x40, 0, 1, 0x10)}, map[uint64][]uint64{}},
		"one target":         {[]nvinfo.Record{record(nvinfo.BranchTargets, 0x40, 0, 1, 0x10)}, map[uint64][]uint64{0x40: {0x10}}},
		"two branches":       {[]nvinfo.Record{record(nvinfo.BranchTargets, 0x40, 7, 2, 0x10, 0x20, 0x50, 0, 1, 0x30)}, map[uint64][]uint64{0x40: {0x10, 0x20}, 0x50: {0x30}}},
		"two records":        {[]nvinfo.Record{record(nvinfo.BranchTargets, 0x40, 0, 1, 0x10), record(nvinfo.BranchTargets, 0x50, 0, 1, 0x30)}, map[uint64][]uint64{0x40: {0x10}, 0x50: {0x30}}},
		"no target":          {[]nvinfo.Record{record(nvinfo.BranchTargets, 0x40, 0, 0, 0x50, 0, 1, 0x30)}, map[uint64][]uint64{0x50: {0x30}}},
		"fewer than it says": {[]nvinfo.Record{record(nvinfo.BranchTargets, 0x40, 0, 9, 0x10, 0x20)}, map[uint64][]uint64{0x40: {0x10, 0x20}}},
		"cut off":            {[]nvinfo.Record{cut}, map[uint64][]uint64{0x40: {0x10}}},
	} {
		if d := cmp.Diff(tt.want, Targets(tt.records)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// Functions are the sections of executable code.
func TestFunctions(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "mercury/operations/sm_90/1.out/out.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("out.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Functions(f)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d functions, %v", len(all), err)
	}
	for _, fn := range all {
		if fn.SM != 90 || f.Section(textPrefix+fn.Name) == nil {
			t.Errorf("%s of sm_%d", fn.Name, fn.SM)
		}
	}
	f.Section(textPrefix + all[0].Name).Flags &^= cubin.FlagExec
	if rest, err := Functions(f); err != nil || len(rest) != len(all)-1 {
		t.Errorf("one is no code: %d of %d, %v", len(rest), len(all), err)
	}
}

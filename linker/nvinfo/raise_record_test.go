package nvinfo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRaise checks which records a kernel takes over from a function. Every row was tested with nvlink
// 13.0.88 on sm_90 (INFO-206, INFO-030 to INFO-035).
func TestRaise(t *testing.T) {
	value := func(f Format, c Code, v uint16) Record { return Record{Format: f, Code: c, Value: v} }
	list := func(r ...Record) []Record { return r }
	api := New(CudaAPIVersion, 0x82)
	tests := []struct {
		name     string
		kernel   []Record
		function Record
		want     []Record
	}{
		{"INFO-030 presence is added without value", list(api), value(Byte, CTAIDZUsed, 0x103), list(api, value(NoValue, CTAIDZUsed, 0))},
		{"INFO-030 presence stays", list(value(Byte, ReservedSMemUsed, 7)), value(NoValue, ReservedSMemUsed, 0), list(value(Byte, ReservedSMemUsed, 7))},
		{"INFO-030 presence of a sized record", nil, New(TCGen05OneCTA, 0), list(value(NoValue, TCGen05OneCTA, 0))},
		{"INFO-031 barriers are added", list(api), value(Half, NumBarriers, 0x103), list(api, value(Byte, NumBarriers, 3))},
		{"INFO-031 more barriers", list(value(Byte, NumBarriers, 0x201), api), value(Byte, NumBarriers, 0x8003), list(value(Byte, NumBarriers, 0x203), api)},
		{"INFO-031 fewer barriers", list(value(Byte, NumBarriers, 16)), value(Byte, NumBarriers, 2), list(value(Byte, NumBarriers, 16))},
		{"INFO-031 a sized record counts its length", nil, New(VRCCTAInitCount, 0, 7), list(value(Byte, VRCCTAInitCount, 8))},
		{"INFO-031 the last record of two counts", list(value(Byte, NumBarriers, 3), value(Byte, NumBarriers, 2)), value(Byte, NumBarriers, 9), list(value(Byte, NumBarriers, 9), value(Byte, NumBarriers, 2))},
		{"INFO-032 sparse mask", list(value(Half, SparseMMAMask, 2)), value(Half, SparseMMAMask, 0x8001), list(value(Half, SparseMMAMask, 0x8003))},
		{"INFO-033 mbarriers add up", list(value(Half, NumMBarriers, 2)), value(Half, NumMBarriers, 0x203), list(value(Half, NumMBarriers, 0x205))},
		{"INFO-033 mbarriers overflow", list(value(Half, NumMBarriers, 0x8001)), value(Half, NumMBarriers, 0x8001), list(value(Half, NumMBarriers, 2))},
		{"INFO-033 unknown mbarriers", list(value(Half, NumMBarriers, 0xffff)), value(Half, NumMBarriers, 1), list(value(Half, NumMBarriers, 0xffff))},
		{"INFO-034 register kind of the function", list(value(NoValue, RegReconfig, 0x202)), value(NoValue, RegReconfig, 1), list(value(NoValue, RegReconfig, 0x201))},
		{"INFO-034 register kind 0", list(value(NoValue, RegReconfig, 2)), value(NoValue, RegReconfig, 0), list(value(NoValue, RegReconfig, 2))},
		{"INFO-035 fragments", list(New(AtEntryFragments, 9)), New(AtEntryFragments, 1, 9, 2), list(New(AtEntryFragments, 9, 1, 2))},
		{"INFO-035 only the first of a known word is left out", list(New(AtEntryFragments, 1, 1)), New(AtEntryFragments, 1, 1, 2), list(New(AtEntryFragments, 1, 1, 1, 2))},
		{"INFO-035 words that come twice", list(New(AtEntryFragments, 2, 5)), New(AtEntryFragments, 1, 1, 2), list(New(AtEntryFragments, 2, 5, 1, 1))},
		{"INFO-206 externs", list(New(Externs, 4), api), New(Externs, 4, 6), list(New(Externs, 4, 6), api)},
		{"KIT-947 launch control is added", list(api), value(NoValue, LaunchControlUsed, 0), list(api, value(NoValue, LaunchControlUsed, 0))},
		{"KIT-947 grid", list(value(Half, GridAttributes, 4), api), value(Half, GridAttributes, 0x108), list(value(Half, GridAttributes, 0x10c), api)},
		{"KIT-947 grid is added", list(api), value(Half, GridAttributes, 12), list(api, value(Half, GridAttributes, 12))},
		{"stays with the function", list(api), New(0x28, 16), list(api)},
		{"a code beyond the table stays", list(api), value(Half, 0xf0, 1), list(api)},
		{"later code stays", list(api), value(Half, 0x6b, 1), list(api)},
		{"code past the table stays", list(api), value(Half, 0xff, 1), list(api)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := newRaiser(test.kernel)
			k.take(test.function)
			if diff := cmp.Diff(test.want, k.records); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An attribute whose code is beyond the table has an unknown meaning, and is not passed on to kernels.
func TestRaisedBeyondTable(t *testing.T) {
	if r, ok := (Record{Format: Half, Code: Code(len(Attributes)), Value: 1}).Raised(); ok {
		t.Errorf("rises as %v", r)
	}
}

package nvinfo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/google/go-cmp/cmp"
)

// usual holds the records that ptxas 13.0 writes for sm_90, without the last one.
const usual = "\x02\x09\x00\x00\x02\x02\x01\x00\x02\x05\x05\x00\x03\x07\x01\x01\x02\x03\x00\x00\x02\x06\x01\x00"

func compats(t *testing.T, data string) []Record {
	t.Helper()
	r, err := Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMergeCompat checks how the records of several inputs are merged. Every row was tested with nvlink
// 13.0.88 (INFO-010 to INFO-014).
func TestMergeCompat(t *testing.T) {
	const (
		fast    = "\x04\x0b\x08\x00"
		zeros   = "\x00\x00\x00\x00\x00\x00\x00\x00"
		missing = "\x02\x09\x00\x00\x02\x02\x00\x00\x02\x03\x03\x00\x02\x05\x00\x00\x02\x06\x01\x00\x03\x07\x00\x01"
	)
	replace := func(old, new string) string { return strings.Replace(usual, old, new, 1) }
	tests := []struct {
		name        string
		sm          int
		accelerated bool
		inputs      []string
		want        string
		limited     int // inputs without ISA_CLASS
	}{
		{"INFO-010 what ptxas writes", 90, false, []string{usual + fast + zeros, usual + fast + zeros}, usual, 0},
		{"INFO-013 own record of an accelerated target", 90, true, []string{usual}, replace("\x02\x09\x00", "\x02\x09\x01"), 0},
		{"INFO-013 the inputs' 09 does not count", 90, false, []string{replace("\x02\x09\x00", "\x02\x09\x01")}, usual, 0},
		{"INFO-013 fast path of sm_100", 100, false, []string{usual}, usual + fast + "\x09\x00\x00\x00\x00\x00\x00\x00", 0},
		{"INFO-013 no fast path of sm_103", 103, false, []string{usual + fast + "\x09\x00\x00\x00\x00\x00\x00\x00"}, usual + fast + zeros, 0},
		{"INFO-013 fast path of sm_120", 120, false, []string{usual}, usual + fast + "\x50\x00\x00\x00\x00\x00\x00\x00", 0},
		{"INFO-010 no input has the section", 90, false, nil, "\x02\x09\x00\x00", 0},
		{"INFO-011 INFO-012 empty", 90, false, []string{""}, missing, 1},
		{"INFO-012 first empty", 90, false, []string{"", usual}, replaceAt(missing, 22, "\x01\x01"), 1},
		{"INFO-012 second empty", 90, false, []string{usual, ""}, "\x02\x09\x00\x00\x02\x02\x00\x00\x02\x05\x00\x00\x03\x07\x01\x01\x02\x03\x03\x00\x02\x06\x01\x00", 1},
		{"INFO-012 class 0 is no class missing", 90, false, []string{"\x02\x02\x00\x00", usual}, replaceAt(missing, 22, "\x01\x01"), 0},
		{"INFO-010 class: maximum", 90, false, []string{usual, replace("\x02\x02\x01", "\x02\x02\x04"), usual}, replace("\x02\x02\x01", "\x02\x02\x04"), 0},
		{"INFO-010 class: 0 stays", 90, false, []string{usual, replace("\x02\x02\x01", "\x02\x02\x00"), usual}, replace("\x02\x02\x01", "\x02\x02\x00"), 0},
		{"INFO-010 tensor map: bits", 90, false, []string{replace("\x02\x03\x00", "\x02\x03\x05"), replace("\x02\x03\x00", "\x02\x03\x0a")}, replace("\x02\x03\x00", "\x02\x03\x0f"), 0},
		{"INFO-010 tcgen05: fields", 90, false, []string{replace("\x02\x05\x05", "\x02\x05\x06"), replace("\x02\x05\x05", "\x02\x05\x0a")}, replace("\x02\x05\x05", "\x02\x05\x0a"), 0},
		{"INFO-010 tcgen05: high bits of the first", 90, false, []string{replace("\x02\x05\x05", "\x02\x05\xff"), replace("\x02\x05\x05", "\x02\x05\x04")}, replace("\x02\x05\x05", "\x02\x05\xfc"), 0},
		{"INFO-010 opportunistic: equal", 90, false, []string{replace("\x02\x06\x01", "\x02\x06\x04"), replace("\x02\x06\x01", "\x02\x06\x04")}, replace("\x02\x06\x01", "\x02\x06\x04"), 0},
		{"INFO-010 opportunistic: differ", 90, false, []string{replace("\x02\x06\x01", "\x02\x06\x04"), replace("\x02\x06\x01", "\x02\x06\x00")}, usual, 0},
		{"INFO-010 version: maximum", 90, false, []string{replace("\x03\x07\x01\x01", "\x03\x07\x03\x02"), usual}, replace("\x03\x07\x01\x01", "\x03\x07\x03\x02"), 0},
		{"INFO-010 patch version has no default", 90, false, []string{usual + "\x03\x08\x01\x00", usual + "\x02\x08\x03\x02"}, usual + "\x03\x08\x03\x02", 0},
		{"INFO-010 order of first appearance", 90, false, []string{"\x02\x06\x01\x00\x02\x03\x01\x00\x03\x08\x01\x00", "\x02\x08\x02\x00\x02\x02\x01\x00"}, "\x02\x09\x00\x00\x02\x06\x01\x00\x02\x03\x03\x00\x03\x08\x02\x00\x02\x02\x00\x00\x02\x05\x00\x00\x03\x07\x00\x01", 1},
		{"INFO-010 twice in one input", 90, false, []string{"\x02\x02\x03\x00\x02\x03\x01\x00\x02\x05\x06\x00\x03\x07\x00\x01\x02\x06\x01\x00\x02\x02\x02\x00\x02\x03\x04\x00\x02\x05\x0f\x00\x03\x07\x00\x03\x02\x06\x00\x00", usual}, "\x02\x09\x00\x00\x02\x02\x03\x00\x02\x03\x05\x00\x02\x05\x0f\x00\x03\x07\x00\x03\x02\x06\x01\x00", 0},
		{"INFO-014 other codes", 90, false, []string{usual + "\x02\x00\x01\x00\x02\x01\x01\x00\x02\x04\x01\x00\x02\x0a\x01\x00\x02\x0c\x01\x00\x03\x0d\x01\x00\x03\x0e\x01\x00\x02\x80\x01\x00\x02\xff\x01\x00"}, usual, 0},
		{"INFO-010 format does not count", 90, false, []string{usual + "\x05\x02\x04\x00"}, replace("\x02\x02\x01", "\x02\x02\x04"), 0},
		{"INFO-010 a sized record counts its length", 90, false, []string{usual + "\x04\x08\x04\x00\x01\x02\x03\x04"}, usual + "\x03\x08\x04\x00", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var inputs [][]Record
			for _, in := range test.inputs {
				inputs = append(inputs, compats(t, in))
			}
			got, missing := MergeCompat(compatTarget(test.sm, test.accelerated), inputs)
			if diff := cmp.Diff(compats(t, test.want), got); diff != "" {
				t.Error(diff)
			}
			limited := 0
			for _, codes := range missing {
				limited += len(codes)
			}
			if limited != test.limited {
				t.Errorf("missing %v, want %d inputs", missing, test.limited)
			}
		})
	}
}

// TestCompatOfReleases checks that later releases never write a record that has the default value. nvlink's
// own records about finalizers come last and replace those of the inputs (KIT-032). Every row was tested with
// these releases.
func TestCompatOfReleases(t *testing.T) {
	const (
		opportunistic = "\x02\x06\x01"
		version       = "\x03\x07\x01\x01"
		fast          = "\x04\x0b\x08\x00\x09\x00\x00\x00\x00\x00\x00\x00"
		later         = "\x02\x0c\x02\x00\x03\x0d\x00\x01"
	)
	with := func(old, new string) string { return strings.Replace(usual, old, new, 1) }
	silent := with(opportunistic+"\x00", "")
	for _, tt := range []struct {
		name, release, target string
		inputs                []string
		want                  string
	}{
		{"opportunistic by default", "13.0", "sm_90", []string{usual}, usual},
		{"opportunistic by default", "13.1", "sm_90", []string{usual}, silent},
		{"opportunistic 0", "13.1", "sm_90", []string{with(opportunistic, "\x02\x06\x00")}, with(opportunistic, "\x02\x06\x00")},
		{"opportunistic differs", "13.1", "sm_90", []string{with(opportunistic, "\x02\x06\x00"), with(opportunistic, "\x02\x06\x02")}, silent},
		{"version 1.0", "13.2", "sm_90", []string{with(version, "\x03\x07\x00\x01")}, strings.Replace(silent, version, "\x03\x07\x00\x01", 1)},
		{"version 1.0", "13.3", "sm_90", []string{with(version, "\x03\x07\x00\x01")}, strings.Replace(silent, version, "", 1) + "\x03\x0d\x00\x01"},
		{"version 0.1 and none", "13.3", "sm_90", []string{with(version, "\x03\x07\x01\x00"), with(version, "")}, strings.Replace(silent, version, "", 1) + "\x03\x0d\x00\x01"},
		{"version 0", "13.3", "sm_90", []string{with(version, "\x03\x07\x00\x00")}, strings.Replace(silent, version, "\x03\x07\x00\x00", 1) + "\x03\x0d\x00\x01"},
		{"patch 0", "13.0", "sm_90", []string{usual + "\x03\x08\x00\x00"}, usual + "\x03\x08\x00\x00"},
		{"patch 0", "13.1", "sm_90", []string{usual + "\x03\x08\x00\x00"}, silent},
		{"finalizers", "13.4", "sm_100", []string{"\x03\x0e\x00\x02\x03\x0f\x00\x02" + usual + fast + later}, silent + fast + later + "\x03\x0e\x00\x04"},
	} {
		p, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		target, _ := p.Parse(tt.target)
		var inputs [][]Record
		for _, in := range tt.inputs {
			inputs = append(inputs, compats(t, in))
		}
		got, _ := MergeCompat(target, inputs)
		if diff := cmp.Diff(compats(t, tt.want), got); diff != "" {
			t.Errorf("%s, %s: %s", tt.name, tt.release, diff)
		}
	}
}

// The file before finalization has no FINALIZER_VERSION, even if an input has one (KIT-142).
func TestUnfinalized(t *testing.T) {
	p, err := arch.Find("13.4")
	if err != nil {
		t.Fatal(err)
	}
	target, _ := p.Parse("sm_110")
	m := NewCompatMerger(target)
	m.Add(compats(t, usual+"\x03\x0e\x00\x04"))
	has := func(records []Record) bool {
		return slices.ContainsFunc(records, func(r Record) bool { return r.Code == CompatFinalizer })
	}
	if !has(m.Records()) || has(m.Unfinalized()) {
		t.Errorf("%v, before %v", m.Records(), m.Unfinalized())
	}
}

func compatTarget(sm int, accelerated bool) arch.Target {
	name := fmt.Sprintf("sm_%d", sm)
	if accelerated {
		name += "a"
	}
	target, _ := arch.Parse(name)
	return target
}

func replaceAt(s string, at int, part string) string {
	return s[:at] + part + s[at+len(part):]
}

// An output without code is not limited to the target whose name ends in 'a' (KIT-630).
func TestFastPathWithoutCode(t *testing.T) {
	p, err := arch.Find("13.5")
	if err != nil {
		t.Fatal(err)
	}
	target, _ := p.Parse("sm_120a")
	m := NewCompatMerger(target)
	m.Add(compats(t, "\x02\x02\x01\x00\x03\x07\x01\x01"))
	m.WithoutCode()
	if records, want := m.Records(), New(CompatFastPath, 0x50, 0); !slices.ContainsFunc(records, func(r Record) bool { return cmp.Equal(r, want) }) {
		t.Errorf("%v, want %v", records, want)
	}
}

// If the usual kinds of tcgen05.mma are missing, from 13.1 on the fast path of a target whose name ends in 'a'
// leads only to that target (KIT-262).
func TestFastPathOfAccelerators(t *testing.T) {
	for _, tt := range []struct {
		release, target string
		tensor          []string // the INST_TCGEN05_MMA of each input
		want            uint32
	}{
		{"13.0", "sm_120a", []string{""}, 0x50},
		{"13.1", "sm_120a", []string{""}, 0x10},
		{"13.5", "sm_120a", []string{"\x02\x05\x05\x00"}, 0x50},
		{"13.5", "sm_120a", []string{"\x02\x05\x05\x00", ""}, 0x10},
		{"13.5", "sm_120a", []string{"\x02\x05\x0f\x00"}, 0x10},
		{"13.5", "sm_120f", []string{""}, 0x50},
		{"13.5", "sm_100a", []string{""}, 1},
	} {
		p, err := arch.Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		target, _ := p.Parse(tt.target)
		m := NewCompatMerger(target)
		for _, tensor := range tt.tensor {
			m.Add(compats(t, "\x02\x02\x01\x00\x03\x07\x01\x01"+tensor))
		}
		records := m.Records()
		i := slices.IndexFunc(records, func(r Record) bool { return r.Code == CompatFastPath })
		if want := New(CompatFastPath, tt.want, 0); i < 0 || !cmp.Equal(records[i], want) {
			t.Errorf("%s by %s, %q: %v, want %v", tt.target, tt.release, tt.tensor, records, want)
		}
	}
}

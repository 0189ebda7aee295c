package arch

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestAccepts checks every cell of the recorded matrix (LOAD-001). It also checks that virtual targets accept
// code that is not newer than they are (LOAD-051).
func TestAccepts(t *testing.T) {
	f, err := os.Open("testdata/accepts.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cubins := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		from, to, ok := strings.Cut(lines.Text(), ":")
		if !ok || strings.HasPrefix(from, "#") {
			continue
		}
		cubins++
		input, ok := Parse("sm_" + from)
		if !ok {
			t.Fatalf("sm_%s is not a target", from)
		}
		taken := strings.Fields(to)
		for _, name := range Default.Names() {
			target, _ := Parse(name)
			want := slices.Contains(taken, strings.TrimPrefix(target.SM(), "sm_"))
			if target.Kind == Virtual && input.Number < MinMercury {
				want = input.Number <= target.Number
			}
			if got := target.Accepts(input.Number, input.Suffix); got != want {
				t.Errorf("cubin of sm_%s for %s: accepted = %v, want %v", from, name, got, want)
			}
		}
	}
	if cubins != 23 {
		t.Errorf("%d rows in the matrix, want 23", cubins)
	}
}

func TestAcceptsUnknownArchitectures(t *testing.T) {
	target, _ := Parse("sm_90")
	for number := range 256 {
		if number != 90 && target.Accepts(number, 0) {
			t.Errorf("sm_90 takes a cubin of sm_%d", number)
		}
	}
}

// TestAcceptsPTX checks for which targets PTX of an architecture can be compiled (LOAD-002).
func TestAcceptsPTX(t *testing.T) {
	tests := []struct {
		target string
		number int
		suffix byte
		want   bool
	}{
		{"sm_90", 80, 0, true},
		{"sm_90", 50, 0, true},
		{"sm_80", 90, 0, false},
		{"sm_90a", 90, 'a', true},
		{"sm_90", 90, 'a', false},
		{"sm_100a", 90, 'a', false},
		{"sm_103", 100, 'f', true},
		{"sm_103a", 100, 'f', true},
		{"sm_100", 103, 'f', false},
		{"sm_120", 100, 'f', false},
		{"sm_121f", 120, 'f', true},
		{"sm_90", 80, 'f', false},
		{"sm_90", 80, 'a', false},
		{"sm_90a", 80, 'a', true},
		{"sm_100a", 80, 'a', true},
	}
	for _, tt := range tests {
		target, ok := Parse(tt.target)
		if !ok {
			t.Fatalf("%s is not a target", tt.target)
		}
		if got := target.AcceptsPTX(tt.number, tt.suffix); got != tt.want {
			t.Errorf("%s takes PTX of %d%c: %v, want %v", tt.target, tt.number, tt.suffix, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	got, ok := Parse("lto_103f")
	if want := (Target{"lto_103f", 103, 'f', LTO, Default}); !ok || got != want {
		t.Errorf("Parse(lto_103f) = %v, %v; want %v", got, ok, want)
	}
	for _, name := range []string{"", "sm_", "sm_9", "sm_900", "sm_90f", "sm_80a", "sm_100b", "sm_100af", "SM_90", "90", "sm_090", "nvvm_90", "sm_72", "sm_101"} {
		if got, ok := Parse(name); ok {
			t.Errorf("Parse(%q) = %v, want none", name, got)
		}
	}
	if names := Default.Names(); len(names) != 3*23 {
		t.Errorf("%d target names, want %d", len(names), 3*23)
	}
	for _, name := range Default.Names() {
		if got, ok := Parse(name); !ok || got.Name != name {
			t.Errorf("Parse(%q) = %v, %v", name, got, ok)
		}
	}
}

// TestFind checks that a version of two numbers stands for the release of that line (KIT-001).
func TestFind(t *testing.T) {
	for _, p := range Releases() {
		for _, version := range []string{p.Version, fmt.Sprintf("%d.%d", p.Major, p.Minor)} {
			if got, err := Find(version); got != p || err != nil {
				t.Errorf("Find(%q) = %v, %v", version, got, err)
			}
		}
	}
	for _, version := range []string{"", "13", "13.", "13.0.", "13.0.88.1", "9.9", "9.9.1", "13.0.88 ", "13.0.-1", "13.0.x"} {
		if p, err := Find(version); err == nil || !strings.Contains(err.Error(), Default.Version) {
			t.Errorf("Find(%q) = %v, %v", version, p, err)
		}
	}
}

// TestFindNearest checks that an untested build is treated like the nearest one of its line. If two builds are
// equally near, the later one is used (KIT-207).
func TestFindNearest(t *testing.T) {
	for version, want := range map[string]string{
		"13.0.100": "13.0.88", "13.0.0": "13.0.48", "13.0.68": "13.0.88", "13.2.60": "13.2.51", "13.2.82": "13.2.86", "12.5.50": "12.5.40", "13.5.1": "13.5.37",
	} {
		p, err := Find(version)
		if err != nil || p.Version != want || p.IsNamed(version) || !p.IsNamed(want) {
			t.Errorf("%s: %v, %v, want %s", version, p, err, want)
		}
	}
	if p, _ := Find("13.0.48"); p.IsNamed("13.0") || !Default.IsNamed("13.0") {
		t.Error("another build goes by the line of its release")
	}
}

// TestFindPatch checks that another build of a release is found only by its whole version. The other builds of
// 13.2 treat reconvergence points differently from the newest build (KIT-201, KIT-036, KIT-041).
func TestFindPatch(t *testing.T) {
	for version, build := range map[string]string{
		"12.5.82": "34385749_0", "13.0.48": "36260728_0", "13.1.80": "36836380_0", "13.2.51": "37434383_0", "13.2.78": "37668154_0", "13.3.33": "37862127_0", "13.4.59": "38657139_0",
	} {
		p, err := Find(version)
		if err != nil {
			t.Fatal(err)
		}
		later := p.API >= 133
		if p.Version != version || !strings.HasSuffix(p.Build, "/compiler."+build) || p.Finalizer.PadsReconvergence != later || p.Info.TellsWorkArounds != later {
			t.Errorf("%s: %s, %s, pads %t, tells %t", version, p.Version, p.Build, p.Finalizer.PadsReconvergence, p.Info.TellsWorkArounds)
		}
		if of, err := Find(p.Short()); err != nil || of == p {
			t.Errorf("%s names %v, %v", p.Short(), of, err)
		}
	}
}

// TestPTX checks that each release up to 12.5, and each from 13.0 on, has its own version of PTX. The versions
// of 12.6 to 12.9 continue that of 12.5.
func TestPTX(t *testing.T) {
	for version, want := range map[string]int{"11.8": 78, "12.4": 84, "12.8": 87, "12.9": 88, "13.0": 90, "13.5": 95} {
		p, err := Find(version)
		if err != nil {
			continue // not an emulated release
		}
		if got := p.PTX(); got != want {
			t.Errorf("%s: %d, want %d", version, got, want)
		}
	}
}

// TestDifferences checks that every row changes one field, and applies to some releases but not to all, or to
// all existing ones (KIT-004).
func TestDifferences(t *testing.T) {
	for _, d := range Differences {
		var before, after Profile
		d.set(&after)
		changed := changes(reflect.ValueOf(before), reflect.ValueOf(after))
		if changed != 1 {
			t.Errorf("%s (%s) sets %d fields", d.Rule, d.Says, changed)
		}
		if !slices.ContainsFunc(Releases(), func(p *Profile) bool { return Holds(p.API, d.Since, d.Until) }) {
			t.Errorf("%s (%s) holds for no release", d.Rule, d.Says)
		}
	}
}

// Each row about a library changes one field of the release's profile (JIT-940).
func TestDifferencesOfLibraries(t *testing.T) {
	for _, p := range Releases() {
		rows := 0
		for _, d := range ofLibrary {
			if Holds(p.API, d.Since, d.Until) {
				rows++
			}
		}
		if n := changes(reflect.ValueOf(*p), reflect.ValueOf(*p.OfLibrary())); n != rows || (p == p.OfLibrary()) != (rows == 0) {
			t.Errorf("%s: %d fields differ, want %d", p.Version, n, rows)
		}
	}
}

// changes counts the fields that differ. The fields of nested structs count separately.
func changes(a, b reflect.Value) (n int) {
	if a.Kind() != reflect.Struct {
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			n++
		}
		return n
	}
	for i := range a.NumField() {
		n += changes(a.Field(i), b.Field(i))
	}
	return n
}

// TestABIOfTargets checks that in 12.8 and 12.9 targets with Mercury code have the later ABI, and the others
// the earlier one (KIT-160).
func TestABIOfTargets(t *testing.T) {
	for _, tt := range []struct {
		version, target string
		abi             uint8
		notes           bool
	}{
		{"12.4", "sm_90", 7, false},
		{"12.8", "sm_90a", 7, false},
		{"12.8", "sm_100", 8, true},
		{"12.9", "sm_90", 7, false},
		{"12.9", "sm_121a", 8, true},
		{"13.0", "sm_90", 8, true},
	} {
		p, err := Find(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		target, ok := p.Parse(tt.target)
		if got := target.Profile; !ok || got.Emit.ABIVersion != tt.abi || got.Info.Notes != tt.notes || got.Version != p.Version {
			t.Errorf("%s %s: ABI %d, notes %t, of %s", tt.version, tt.target, got.Emit.ABIVersion, got.Info.Notes, got.Version)
		}
	}
}

// TestTargetsOf12 checks that only 12.8 and 12.9 have sm_101, and that 12.9 is the first release with names
// that end in 'f' (KIT-006).
func TestTargetsOf12(t *testing.T) {
	for version, names := range map[string]string{
		"12.8": "sm_100 sm_100a sm_101 sm_101a sm_120 sm_120a",
		"12.9": "sm_100 sm_100a sm_100f sm_101 sm_101a sm_101f sm_103 sm_103a sm_103f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f",
	} {
		p, err := Find(version)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range p.Names() {
			if target, ok := p.Parse(name); ok && target.Kind == Real && target.Mercury() {
				got = append(got, name)
			}
		}
		if list := strings.Join(got, " "); list != names {
			t.Errorf("%s: %s, want %s", version, list, names)
		}
	}
}

// sm_101 is called sm_110 in releases that support sm_110 (LOAD-054).
func TestCurrent(t *testing.T) {
	for version, want := range map[string]int{"12.9": 101, "13.0": 110, "13.5": 110} {
		p, err := Find(version)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Current(101); got != want || p.Current(103) != 103 {
			t.Errorf("%s: sm_101 is sm_%d, want sm_%d", version, got, want)
		}
	}
}

// TestMaxSharedByRelease checks that in 12.4 the limit depends on the architecture. 12.8 and 12.9 have a single
// limit, and ignore the suffix 'a', unlike 13.0 (KIT-028, KIT-167).
func TestMaxSharedByRelease(t *testing.T) {
	for _, tt := range []struct {
		version, target string
		want            uint64
	}{
		{"11.8", "sm_80", 0xc000},
		{"12.4", "sm_80", 0x29000}, {"12.4", "sm_90a", 0x29000},
		{"12.8", "sm_80", 0xc000}, {"12.8", "sm_90a", 0xc000}, {"12.8", "sm_100a", 0xc000},
		{"12.9", "sm_120a", 0xc000},
		{"13.0", "sm_90a", 0x38c00},
	} {
		p, err := Find(tt.version)
		if err != nil {
			t.Fatal(err)
		}
		target, _ := p.Parse(tt.target)
		if got := target.MaxShared(false); got != tt.want {
			t.Errorf("%s %s: %#x, want %#x", tt.version, tt.target, got, tt.want)
		}
	}
}

// TestMaxShared checks the limits that nvlink's message contains (LOAD-004).
func TestMaxShared(t *testing.T) {
	for name, want := range map[string][2]uint64{ // default, extended
		"sm_75":   {0xc000, 0x10000},
		"sm_80":   {0xc000, 0x28c00},
		"sm_89":   {0xc000, 0x18c00},
		"sm_90":   {0xc000, 0x38c00},
		"sm_90a":  {0x38c00, 0x38c00},
		"sm_100f": {0xc000, 0x38c00},
		"sm_100a": {0x38c00, 0x38c00},
		"sm_121a": {0x18c00, 0x18c00},
	} {
		target, _ := Parse(name)
		if got := [2]uint64{target.MaxShared(false), target.MaxShared(true)}; got != want {
			t.Errorf("%s: shared limits %#x, want %#x", name, got, want)
		}
	}
}

// TestPortable checks which .nv.compat records allow code to run on other members of its family (LOAD-005).
func TestPortable(t *testing.T) {
	plain := "\x02\x09\x00\x00\x02\x02\x01\x00\x02\x05\x05\x00\x03\x07\x01\x01\x02\x03\x00\x00\x02\x06\x01\x00\x04\x0b\x08\x00\x09\x00\x00\x00\x00\x00\x00\x00"
	for _, tt := range []struct {
		at    int
		value byte
		want  bool
	}{
		{0, 2, true}, {2, 1, false}, {5, 0, false}, {6, 0, false}, {6, 2, true}, {6, 3, false}, {10, 9, true},
		{14, 2, false}, {15, 2, false}, {14, 0, true}, {22, 4, true}, {22, 5, false}, {28, 0, true},
	} {
		b := []byte(plain)
		b[tt.at] = tt.value
		if got := Portable(b); got != tt.want {
			t.Errorf("byte %d is %d: portable = %v, want %v", tt.at, tt.value, got, tt.want)
		}
	}
	for n, want := range map[int]bool{0: false, 4: false, 8: true, 16: true} {
		if got := Portable([]byte(plain[:n])); got != want {
			t.Errorf("%d bytes: portable = %v, want %v", n, got, want)
		}
	}
	if Portable([]byte("\x04\x0b\x08\x00\x02\x02\x01\x00\x00\x00\x00\x00")) {
		t.Error("an attribute within the value of another counts")
	}
}

// TestFinalizes checks which contents of .nv.compat the finalizer of a release requires for Mercury code
// (KIT-174).
func TestFinalizes(t *testing.T) {
	const (
		named = "\x02\x09\x00\x00"
		isa   = "\x03\x07\x01\x01"
	)
	for _, tt := range []struct {
		name, compat string
		early        bool
		first, last  string // of the releases that accept it; "" for none
	}{
		{"usual", named + isa, false, "13.0", "13.5"},
		{"no version", named, false, "13.0", "13.5"},
		{"version 1.2", named + "\x03\x07\x02\x01", false, "13.2", "13.5"},
		{"version 1.5", named + "\x03\x07\x05\x01", false, "13.5", "13.5"},
		{"version 1.6", named + "\x03\x07\x06\x01", false, "", ""},
		{"version 1.1 behind 1.6", named + "\x03\x07\x06\x01" + isa, false, "13.3", "13.5"},
		{"version 1.6 behind 1.1", named + isa + "\x03\x07\x06\x01", false, "", ""},
		{"version 0", named + "\x03\x07\x00\x00", false, "13.0", "13.0"},
		{"a version that is cut off", named + "\x03\x07\x01", false, "13.0", "13.5"},
		{"for no name", isa, false, "13.0", "13.0"},
		{"for no name, of 12.8", isa, true, "13.0", "13.5"},
		{"for an unknown name", "\x02\x09\x02\x00", false, "13.0", "13.0"},
		{"the last name counts", "\x02\x09\x02\x00" + named, false, "13.0", "13.5"},
		{"later version 0", named + isa + "\x03\x0d\x00\x00", false, "13.0", "13.2"},
		{"later version 1.4", named + isa + "\x03\x0d\x04\x01", false, "13.0", "13.5"},
	} {
		for _, release := range []string{"13.0", "13.1", "13.2", "13.3", "13.4", "13.5"} {
			p, err := Find(release)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.first != "" && release >= tt.first && release <= tt.last
			if tt.name == "later version 1.4" && release == "13.3" {
				want = false // 13.2 does not know the record
			}
			if got := p.Finalizes([]byte(tt.compat), tt.early); got != want {
				t.Errorf("%s, %s: %t, want %t", tt.name, release, got, want)
			}
		}
	}
	for _, tt := range []struct {
		compat string
		want   bool
	}{{"", false}, {named, false}, {"\x02\x09\x01\x00", true}, {"\x02\x09\x03\x00", false}, {"\x02\x09\x01\x00" + named, false}} {
		if got := Specific([]byte(tt.compat)); got != tt.want { // KIT-091
			t.Errorf("%q is for a name that ends in 'a': %t", tt.compat, got)
		}
	}
}

// An acceptTest asks whether a target of a release takes code for an architecture without a suffix.
type acceptTest struct {
	release, target string
	number          int
	want            bool
}

// checkAccepts asks accepts, a method of the target, each question.
func checkAccepts(t *testing.T, accepts func(target Target, number int, suffix byte) bool, tests []acceptTest) {
	t.Helper()
	for _, tt := range tests {
		p, err := Find(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		target, ok := p.Parse(tt.target)
		if !ok {
			t.Fatalf("%s has no %s", tt.release, tt.target)
		}
		if got := accepts(target, tt.number, 0); got != tt.want {
			t.Errorf("%s for %s takes code of %d: %t", tt.release, tt.target, tt.number, got)
		}
	}
}

// TestVirtualTargets checks which cubins virtual targets accept, on both sides of each release boundary
// (KIT-092, LOAD-990).
func TestVirtualTargets(t *testing.T) {
	checkAccepts(t, Target.Accepts, []acceptTest{
		{"13.0", "compute_110", 103, false},
		{"13.1", "compute_110", 103, true},
		{"13.1", "compute_110", 120, false},
		{"13.2", "compute_110f", 103, true},
		{"13.3", "compute_110f", 103, false},
		{"13.3", "compute_110f", 80, false},
		{"13.3", "compute_103f", 100, true},
		{"12.4", "compute_90", 35, false},
		{"12.4", "compute_90", 72, true},
		{"13.0", "compute_90", 70, false},
		{"13.1", "compute_90", 9, false},
		{"13.1", "compute_90", 10, true},
		{"13.1", "compute_90", 37, true},
		{"13.1", "compute_90", 69, true},
		{"13.1", "compute_90", 72, false},
		{"13.2", "compute_90", 69, false},
		{"13.2", "compute_90", 72, true},
		{"13.2", "compute_120", 102, true},
		{"13.5", "compute_120f", 70, false},
	})
}

// TestKnowsPTX checks for which architectures PTX is known, on both sides of each release boundary (LOAD-992).
func TestKnowsPTX(t *testing.T) {
	checkAccepts(t, Target.AcceptsPTX, []acceptTest{
		{"11.8", "sm_75", 72, true}, {"12.4", "sm_75", 69, true}, {"12.4", "sm_75", 73, false},
		{"13.0", "sm_75", 70, true}, {"13.0", "sm_75", 72, false}, {"13.0", "sm_75", 69, true}, {"13.0", "sm_75", 10, true},
		{"13.1", "sm_75", 72, false}, {"13.1", "sm_75", 69, true}, {"13.1", "sm_121", 101, false},
		{"13.2", "sm_75", 72, true}, {"13.2", "sm_75", 73, true}, {"13.2", "sm_75", 69, false}, {"13.2", "sm_75", 71, false},
		{"13.2", "sm_121", 102, true}, {"13.2", "sm_121", 107, false}, {"13.5", "sm_121", 107, true}, {"13.5", "sm_90", 85, false},
	})
}

// TestRunsOnLater checks that from 13.2 on, targets between sm_80 and sm_89 accept cubins of every earlier
// architecture (LOAD-001), and that sm_75 accepts those of sm_70, but not in 13.0 (LOAD-990).
func TestRunsOnLater(t *testing.T) {
	checkAccepts(t, Target.Accepts, []acceptTest{
		{"13.1", "sm_87", 80, false}, {"13.1", "sm_89", 87, false}, {"13.1", "sm_89", 80, true},
		{"13.2", "sm_87", 80, true}, {"13.2", "sm_88", 86, true}, {"13.2", "sm_89", 88, true}, {"13.2", "sm_87", 88, false}, {"13.5", "sm_90", 89, false},
		{"12.5", "sm_75", 70, true}, {"13.0", "sm_75", 70, false}, {"13.1", "sm_75", 70, true}, {"13.5", "sm_75", 72, false}, {"13.5", "sm_80", 70, false},
	})
}

// TestRunsOnItself checks that cubins of an architecture can be linked for this architecture, and only for
// targets that are not older (LOAD-001).
func TestRunsOnItself(t *testing.T) {
	for _, a := range architectures {
		if !slices.Contains(a.RunsOn, a.Number) || slices.Min(a.RunsOn) < a.Number {
			t.Errorf("sm_%d runs on %v", a.Number, a.RunsOn)
		}
	}
}

// TestFinalizedRecordsOf107 checks what the finalizer records about code of an architecture (MERC-315, KIT-420).
func TestFinalizedRecordsOf107(t *testing.T) {
	for number, want := range map[int]uint32{100: 8, 101: 8, 103: 8, 107: 0, 110: 8, 120: 0, 121: 0} {
		if got := WorkArounds(number); got != want {
			t.Errorf("sm_%d: work-arounds %d, want %d", number, got, want)
		}
	}
	later, err := Find("13.5")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"sm_103": false, "sm_107": true, "sm_107a": true, "sm_107f": true, "sm_110": false, "sm_120": false} {
		target, ok := later.Parse(name)
		if got := target.Adds67(); !ok || got != want {
			t.Errorf("%s: record 0x67 = %v, want %v", name, got, want)
		}
	}
}

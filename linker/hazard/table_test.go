package hazard

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tables come out of WriteTable as they were read: where nothing is learned nothing changes.
func TestWriteTable(t *testing.T) {
	want, err := os.ReadFile("least_table.go")
	if err != nil {
		t.Fatal(err)
	}
	var surveys []*Survey
	for i := range generations {
		surveys = append(surveys, Known(int(generations[i].since)))
	}
	var b bytes.Buffer
	WriteTable(&b, surveys)
	got, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(gotLines), len(wantLines)) {
			if gotLines[i] != wantLines[i] {
				t.Fatalf("line %d is %s\nwant %s", i+1, gotLines[i], wantLines[i])
			}
		}
		t.Errorf("%d lines, want %d", len(gotLines), len(wantLines))
	}
}

// Which unit gives the results of an operation in order, which one reads its operands in order, and when it takes
// them: of all operations, in ranges.
func TestUnits(t *testing.T) {
	ranges := func(of func(op uint16) string) map[string]string {
		all := map[string]string{}
		const operations = 0x200
		for from := uint16(0); from < operations; {
			to := from
			for to+1 < operations && of(to+1) == of(from) {
				to++
			}
			if name := of(from); name != "" {
				text := fmt.Sprintf("%x", from)
				if to > from {
					text += fmt.Sprintf("-%x", to)
				}
				all[name] = strings.TrimSpace(all[name] + " " + text)
			}
			from = to + 1
		}
		return all
	}
	unit := func(of func(op uint16) queue) func(op uint16) string {
		names := [...]string{"", "shared memory", "conversion", "doubles", "special", "matrices", "tensor memory", "textures", "surfaces", "reductions", "barriers", "memory"}
		return func(op uint16) string { return names[of(op)] }
	}
	for name, tt := range map[string]struct {
		got, want map[string]string
	}{
		"results": {ranges(unit(queueOf)), map[string]string{
			"barriers": "11c", "conversion": "100-102 104-109 110-113", "doubles": "28-2b", "matrices": "37 3c 3f", "reductions": "1c4",
			"shared memory": "3a-3b 44 184 188-189 18c-18d 18f 1aa", "special": "119 1c3", "surfaces": "197-19a", "tensor memory": "1ee",
			"textures": "160-161 163-164 166-167 169-16a 16c-16d 16f-170",
		}},
		"operands": {ranges(unit(readerOf)), map[string]string{
			"barriers": "11c", "conversion": "100-102 104-109 110-113", "doubles": "28-2b", "matrices": "37 3c 3f",
			"memory": "3a-3b 44 180-181 183-18f 1a3 1a6 1a8-1aa 1ae 1c4", "special": "119 1c3", "surfaces": "197-19a", "tensor memory": "1ee",
			"textures": "160-161 163-164 166-167 169-16a 16c-16d 16f-170",
		}},
		"class": {ranges(func(op uint16) string { return classOf(op).String() }), map[string]string{
			"control": "140-15f", "double": "28-2b", "half": "30-35 40", "logic": "0-1f 2c-2f 36 38-39 3b 3d-3e 41-7f", "multiply": "20-24 26-27",
			"tensor": "37 3a 3c 3f", "uniform": "80-ff", "variable": "100-13f 160-1ff", "wide": "25",
		}},
	} {
		if d := cmp.Diff(tt.want, tt.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

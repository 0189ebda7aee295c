package diff

import (
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/fuzz/craft"
)

// Fat binaries, whether their entries are single or concatenated, are compared image by image (CONF-890).
func TestParts(t *testing.T) {
	good, other := linked(t), linked(t)
	other[len(other)-1] ^= 1 // the alignment of a segment
	const ptx = ".version 8.0\n.target sm_80\n"
	entry := func(kind uint16, arch uint32, payload []byte) craft.Entry {
		return craft.Entry{Kind: kind, Arch: arch, Payload: payload}
	}
	both := []craft.Entry{entry(2, 80, good), entry(1, 80, []byte(ptx))}
	single := craft.Fatbin(both...)
	concat := func(compress string, images ...craft.Entry) []byte {
		return craft.Fatbin(craft.Entry{Kind: 0x100, Compress: compress, Images: images})
	}
	scrambled := craft.Entry{Kind: 8, Arch: 80, Flags: 1 << 4, Payload: []byte("code")}
	for _, tt := range []struct {
		name   string
		args   string
		b      []byte
		status int
		stdout string // its beginning
	}{
		{"same images", "", concat("", both...), commandline.Differs, "A and B: 2 differences; look first at\n  file.size "},
		{"same file", "", single, commandline.OK, "A and B: the same bytes\n"},
		{"packed", "-ignore file", concat("zstd", both...), commandline.OK, "A and B: equal in what was compared (2 differences left out)\n"},
		{"a cubin", "", concat("zstd", entry(2, 80, other), both[1]), commandline.Differs, "A:sm_80.elf and B:sm_80.elf: 1 difference; look first at\n  segment.3.align "},
		{"left out", "-ignore segment", concat("zstd", entry(2, 80, other), both[1]), commandline.OK, "A:sm_80.elf and B:sm_80.elf: equal in what was compared (1 difference left out)\n"},
		{"text", "", craft.Fatbin(both[0], entry(1, 80, []byte(ptx+".file\n\x00"))), commandline.Differs, "--- A:sm_80.ptx\n+++ B:sm_80.ptx\n@@ -1,2 +1,3 @@\n .version 8.0\n .target sm_80\n+.file\n"},
		{"padding that is none", "", craft.Fatbin(both[0], entry(1, 80, []byte(ptx+"\x00\x00\x00\x00\x00\x01"))), commandline.Differs, "A:sm_80.ptx and B:sm_80.ptx: 2 differences; look first at\n  file.size "},
		{"one image more", "", concat("lz4", append(both, both[0], entry(2, 90, other))...), commandline.Differs, "B:sm_80.elf: not in A\nB:sm_90.elf: not in A\n"},
		{"one image", "-q", concat("", both[1], entry(2, 90, good)), commandline.Differs, "A:sm_80.elf: not in B\n"},
		{"first of a cubin", "-q", concat("", entry(2, 80, other), both[1]), commandline.Differs, "A:sm_80.elf: segment.3.align: "},
		{"first of a text", "-q", craft.Fatbin(both[0], entry(1, 80, []byte(ptx[1:]))), commandline.Differs, "A:sm_80.ptx: line 1: "},
		{"order", "", concat("", both[1], both[0]), commandline.Differs, "A and B: order of parts: [0] sm_80.elf sm_80.ptx | [0] sm_80.ptx sm_80.elf\n"},
		{"no cubin", "", craft.Fatbin(entry(2, 80, []byte("code")), both[1]), commandline.Differs, "A:sm_80.elf is of the kind \"cubin\" and B:sm_80.elf of the kind \"no device code\": B:sm_80.elf: not an ELF file\n"},
		{"unreadable", "", craft.Fatbin(both[0], both[1], scrambled), commandline.Differs, "B:sm_80.ltoir: not in A\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, data := range map[string][]byte{"A": single, "B": tt.b} {
				if err := os.WriteFile(name, data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var stdout, stderr strings.Builder
			status := Command().Run(t.Context(), append(strings.Fields(tt.args), "A", "B"), &stdout, &stderr)
			if status != tt.status || !strings.HasPrefix(stdout.String(), tt.stdout) {
				t.Errorf("status %d, want %d\n%s%s", status, tt.status, &stdout, &stderr)
			}
		})
	}
}

// A cubin is compared with the only image of its target in another file. Other pairs of kinds are an error that names them.
// (CONF-940)
func TestCubinAndParts(t *testing.T) {
	good, other := linked(t), linked(t)
	other[len(other)-1] ^= 1 // the alignment of a segment
	image := func(kind uint16, arch uint32, payload []byte) craft.Entry {
		return craft.Entry{Kind: kind, Arch: arch, Payload: payload}
	}
	ptx := image(1, 80, []byte(".version 8.0\n.target sm_80\n"))
	for _, tt := range []struct {
		name   string
		b      []byte
		status int
		says   string // on one of the streams
	}{
		{"the same image", craft.Fatbin(ptx, image(2, 80, good)), commandline.OK, "A and B:sm_80.elf: the same bytes\n"},
		{"another image", craft.Fatbin(image(2, 80, other)), commandline.Differs, "A and B:sm_80.elf: 1 difference; look first at\n  segment.3.align "},
		{"in an archive", craft.Archive(craft.Member{Name: "b.o/", Data: good}, craft.Member{Name: "c.ptx/", Data: ptx.Payload}), commandline.OK, "A and B:b.o: the same bytes\n"},
		{"two images", craft.Fatbin(image(2, 80, good), image(2, 80, other)), commandline.Misuse, "B: fat binary with 2 cubins for sm_80, the target of A, not one; its cubins: B:sm_80.elf B:sm_80.elf"},
		{"no image", craft.Fatbin(ptx), commandline.Misuse, "B: fat binary with 0 cubins for sm_80, the target of A, not one; its cubins: "},
		{"PTX", ptx.Payload, commandline.Misuse, `A is of the kind "cubin" and B of the kind "PTX": B: not an ELF file`},
	} {
		for _, args := range [][]string{{"A", "B"}, {"B", "A"}} {
			t.Run(tt.name+" "+args[0], func(t *testing.T) {
				t.Chdir(t.TempDir())
				for name, data := range map[string][]byte{"A": good, "B": tt.b} {
					if err := os.WriteFile(name, data, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				var stdout, stderr strings.Builder
				status := Command().Run(t.Context(), args, &stdout, &stderr)
				if args[0] == "A" && !strings.Contains(stdout.String()+stderr.String(), tt.says) || status != tt.status {
					t.Errorf("status %d, want %d\n%s%s", status, tt.status, &stdout, &stderr)
				}
			})
		}
	}
}

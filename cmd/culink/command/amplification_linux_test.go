package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubintext"
)

// These small files could be expensive to link: tables and names that share bytes, code that decodes to thousands of
// times its size, patterns that all match, and response files that name each other. Each link must end within two
// seconds, with a cubin or with a message. It may use 64 MiB + 8 x (input + decoded + output) bytes (LIMIT-001).

// amplifiers returns the files of several links. The first file of each is the input.
func amplifiers(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	one := func(name string, data []byte) map[string][]byte { return map[string][]byte{name: data} }
	build := func(m *cubinText) []byte {
		data, err := cubintext.Parse("amplifier", m.String())
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	all := map[string]map[string][]byte{}
	// These files have many tables. The first is large, and the others have the offset and the size of the first.
	for kind, record := range map[string]string{
		".nv.info.":      "\tattr 0x2f01\n",
		".nv.constant3.": "\tzero 4\n",
		".rela.text.":    "\tzero 4\n",
		".rel.text.":     "\tzero 4\n",
		".nv.compat":     "\tzero 4\n",
		".debug_":        "\tzero 4\n",
		".nv.constant0.": "\tzero 4\n",
		".text.":         "",
	} {
		for _, n := range []int{9, 300, 1200} {
			var m cubinText
			for i := range n {
				m.kernel(fmt.Sprintf("k%d", i))
				name := fmt.Sprintf("%sk%d", kind, i)
				if kind == ".nv.compat" {
					name = kind
				}
				if kind == ".text." {
					continue
				}
				if i == 0 {
					m.section(name, "\tzero 100000\n")
				} else {
					m.section(name, strings.ReplaceAll(record, "attr 0x2f01", "zero 4"))
				}
			}
			if kind == ".text." {
				m.sections = strings.Replace(m.sections, "\tzero 128\n", "\tzero 65536\n", 1)
			}
			all[fmt.Sprintf("%d %s in one place", n, kind)] = one("a.cubin", craft.Overlap(build(&m), kind))
		}
	}
	var m cubinText
	m.kernel("k")
	for i := range 4000 {
		m.symbols += fmt.Sprintf("\tsymbol u%d global func undef\n", i)
	}
	m.symbols += "\tsymbol " + strings.Repeat("a", 75_000) + " global func undef\n"
	all["4,000 names in one place"] = one("a.cubin", craft.LongNames(build(&m), 10))
	all["4,000 entries with one identifier"] = one("a.fatbin", craft.OverlappingEntries(4000))
	all["16,000 entries with one identifier"] = one("a.fatbin", craft.OverlappingEntries(16000))

	// These files contain compressed code.
	zeros := make([]byte, 300<<20)
	all["zstd of 300 MiB"] = one("a.fatbin", craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: zeros, Compress: "zstd"}))
	var large cubinText
	large.kernel("k")
	large.section(".nv.global.init", "\tzero 0x1400000\n")
	object := craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: build(&large), Compress: "zstd"}), "_k")
	var members []craft.Member
	for i := range 64 {
		members = append(members, craft.Member{Name: fmt.Sprintf("m%d.o/", i), Data: object})
	}
	all["64 times zstd of 20 MiB"] = one("a.a", craft.Archive(members...))

	// These links select kernels with patterns from host code.
	var kernels, alike cubinText
	for i := range 1000 {
		kernels.kernel(fmt.Sprintf("zz%dzz", i))
	}
	for i := range 1000 {
		alike.kernel(fmt.Sprintf("%s%d", strings.Repeat("ab", 20), i))
	}
	host := func(m *cubinText, patterns string) []byte {
		return craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: build(m), Compress: "zstd"}), "_k",
			craft.Section{Name: ".nvHRKE", Data: []byte(patterns)}, craft.Section{Name: ".nvHRKI", Data: []byte{0}})
	}
	var distinct, suffixes, nested strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&distinct, "zz*%d\x00", i)
		fmt.Fprintf(&suffixes, "*%d*x\x00", i)
		fmt.Fprintf(&nested, "*ab*b%d*\x00", i)
	}
	all["20,000 equal patterns"] = one("a.o", host(&kernels, strings.Repeat("zz*zz\x00", 20000)))
	all["20,000 patterns"] = one("a.o", host(&kernels, distinct.String()))
	all["20,000 patterns without a beginning"] = one("a.o", host(&kernels, suffixes.String()))
	all["20,000 patterns that nearly fit"] = one("a.o", host(&alike, nested.String()))
	all["50,000 stars"] = one("a.o", host(&alike, strings.Repeat("*", 50000)+"x\x00"))
	all["25,000 stars between letters"] = one("a.o", host(&alike, strings.Repeat("*a", 25000)+"\x00"))
	all["200,000 empty names"] = one("a.o", host(&kernels, strings.Repeat("\x00", 200_000)))
	all["100,000 modules"] = one("a.o", craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: build(&kernels), Compress: "zstd"}),
		strings.Repeat("m\x00", 100_000)))

	// These files have many pairs of kernels and functions.
	var pairs cubinText
	var taken, indirect strings.Builder
	for i := range 2000 {
		pairs.symbols += fmt.Sprintf("\tsymbol f%d global func .text.f%d\n", i, i)
		pairs.info += fmt.Sprintf("\tattr REGCOUNT @f%d 8\n", i)
		pairs.section(fmt.Sprintf(".text.f%d", i), "\tzero 16\n")
		fmt.Fprintf(&taken, "\tproto f%d \"#v\"\n", i)
	}
	for i := range 2000 {
		pairs.kernel(fmt.Sprintf("k%d", i))
		fmt.Fprintf(&indirect, "\tproto k%d \"#v\"\n", i)
	}
	pairs.section(".nv.callgraph", "\tcalls direct\n\tcalls taken\n"+taken.String()+"\tcalls indirect\n"+indirect.String())
	all["2,000 kernels that call 2,000 functions through a pointer"] = one("a.cubin", build(&pairs))

	// These response files name each other.
	tree := one("a.cubin", testCubin(t, "k1.cubin"))
	for i := range 10 {
		tree[fmt.Sprintf("r%d", i)] = fmt.Appendf(nil, "-optf r%[1]d -optf r%[1]d -optf r%[1]d -optf r%[1]d", i+1)
	}
	tree["r10"] = []byte("-g")
	all["ten levels of response files"] = tree

	// This thin archive names one file many times.
	var again []craft.Member
	for range 2000 {
		again = append(again, craft.Member{Name: "m.o/"})
	}
	member := craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: bytes.Clone(build(&large)), Compress: "zstd"}), "_k")
	member = append(member, make([]byte, 1<<20)...)
	all["a thin archive that names one file 2,000 times"] = map[string][]byte{"a.a": craft.Thin(again...), "m.o": member}
	return all
}

// A cubinText is a cubin in the text form.
type cubinText struct{ symbols, info, sections string }

func (m *cubinText) kernel(name string) {
	m.symbols += fmt.Sprintf("\tsymbol %s global func .text.%s other=entry\n", name, name)
	m.info += fmt.Sprintf("\tattr REGCOUNT @%s 8\n", name)
	m.sections += fmt.Sprintf("section .text.%s\n\tzero 128\n", name)
}

func (m *cubinText) section(name, contents string) { m.sections += "section " + name + "\n" + contents }

func (m *cubinText) String() string {
	return "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n" + m.symbols +
		"section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n" + m.info + m.sections
}

// TestAmplification links each amplifier with the command.
func TestAmplification(t *testing.T) {
	linker, err := conformance.BuildReference(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range amplifiers(t) {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			args := []string{"-arch=sm_90", "-o", "out.cubin", "--register-link-binaries=r.c"}
			size := 0
			for file, data := range files {
				write(t, file, data)
				size += len(data)
				if strings.HasPrefix(file, "a.") {
					args = append(args, file)
				}
			}
			if files["r0"] != nil {
				args = append(args, "-optf", "r0")
			}
			var stderr bytes.Buffer
			peak, took := 0, time.Duration(0)
			for tries := 0; peak == 0 && tries < 20; tries++ {
				cmd := exec.Command(linker.Command[0], args...)
				stderr.Reset()
				cmd.Stderr = &stderr
				peak = peakMemory(t, cmd)
				took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			output := stderr.Len()
			if info, err := os.Stat("out.cubin"); err == nil {
				output += int(info.Size())
			} else if stderr.Len() == 0 {
				t.Error("no output, and no word about it")
			}
			if strings.Contains(stderr.String(), "goroutine ") {
				t.Errorf("a trace: %.300s", stderr.String())
			}
			bound := 64<<20 + 8*(size+output)
			if strings.Contains(name, "64 times") {
				bound += 8 * 256 << 20 // the bytes that the limit lets it decode
			}
			if peak > bound {
				t.Errorf("%d bytes of memory, %d promised", peak, bound)
			}
			if took > 2*time.Second && size <= 1<<20 {
				t.Errorf("%v", took)
			}
			first, _, _ := strings.Cut(stderr.String(), "\n")
			t.Logf("%d bytes: %v, %d bytes of memory of %d; %.140s", size, took, peak, bound, first)
		})
	}
}

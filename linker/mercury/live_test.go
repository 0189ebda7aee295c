package mercury

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/sass"
)

var record = flag.Bool("record", false, "write testdata/*.cubin.gz anew; needs CULINK_ORACLE")

// A build is a way to compile and link a source file in testdata.
type build struct {
	source string
	sm     string // of the compiler
	target string // of the link; if empty, same as sm
	flag   string // of the compiler
}

// String returns a name for the build, which is also a file name.
func (b build) String() string {
	s := strings.TrimSuffix(b.source, filepath.Ext(b.source)) + "." + b.sm
	if b.target != "" {
		s += "." + b.target
	}
	if b.flag != "" {
		s += strings.NewReplacer("-Xptxas=", "", "=", "").Replace(b.flag)
	}
	return s
}

// recorded are the builds whose files are in testdata. Their sources include no other files.
var recorded = []build{
	{source: "small.cu", sm: "sm_100"},
	{source: "small.cu", sm: "sm_100", target: "sm_103"},
	{source: "small.cu", sm: "sm_110", flag: "-lineinfo"},
	{source: "small.cu", sm: "sm_120", target: "sm_121"},
	{source: "debug.cu", sm: "sm_120", flag: "-G"},
	{source: "small.cu", sm: "sm_103", flag: "-Xptxas=-O0"},
}

// run compiles and links with the toolkit in dir.
func (b build) run(t testing.TB, dir string) (in, out []byte) {
	t.Helper()
	work := t.TempDir()
	tool := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "bin", name), args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s: %v\n%s", b, name, err, out)
		}
	}
	target := b.target
	if target == "" {
		target = b.sm
	}
	files := [2]string{filepath.Join(work, "in.cubin"), filepath.Join(work, "out.cubin")}
	compile := []string{"-w", "-arch=" + b.sm, "-rdc=true", "-cubin", "-I" + filepath.Join(dir, "include", "cccl"), "-o", files[0], b.source}
	if b.flag != "" {
		compile = append(compile, b.flag)
	}
	t.Chdir("testdata") // the files contain the name of the source
	tool("nvcc", compile...)
	tool("nvlink", "-w", "-arch="+target, files[0], "-o", files[1], "-L"+filepath.Join(dir, "lib"), "-lcudadevrt")
	t.Chdir("..")
	return machinetest.Must(os.ReadFile(files[0]))(t), machinetest.Must(os.ReadFile(files[1]))(t)
}

func (b build) pair(t testing.TB, in, out []byte) pair {
	t.Helper()
	return pair{
		link: b.String(),
		in:   machinetest.Must(cubin.Open(b.String(), in))(t),
		out:  machinetest.Must(cubin.Open(b.String()+" linked", out))(t),
	}
}

func readRecorded(t testing.TB, name string) []byte {
	t.Helper()
	file := machinetest.Must(os.Open(filepath.Join("testdata", name+".cubin.gz")))(t)
	defer file.Close()
	return machinetest.Must(io.ReadAll(machinetest.Must(gzip.NewReader(file))(t)))(t)
}

func writeRecorded(t testing.TB, name string, data []byte) {
	t.Helper()
	var b bytes.Buffer
	w := machinetest.Must(gzip.NewWriterLevel(&b, gzip.BestCompression))(t)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", name+".cubin.gz"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRecorded compares Finalize, and everything that depends on its maps, with nvlink's recorded outputs for
// the same files. It covers MERC-101, MERC-103, MERC-111, MERC-112, MERC-113, MERC-114, MERC-115, MERC-120,
// MERC-121, MERC-130, MERC-131, MERC-132, MERC-133, MERC-134.
func TestRecorded(t *testing.T) {
	total := map[string]int{}
	for _, b := range recorded {
		b.pair(t, readRecorded(t, b.String()+".in"), readRecorded(t, b.String()+".out")).check(t, total)
	}
	t.Logf("functions by what changes: %v", total)
	for _, changes := range []Changes{Clean, Fences, Reallocated, Fences | Reallocated, Timing, Target, Fences | Target} {
		if total[changes.String()] == 0 {
			t.Errorf("no recorded function is %v", changes)
		}
	}
}

// TestWaitsAtExit checks that barriers are inserted before an EXIT if the capsule counts several instructions
// for it, one of which is ERRBAR.
func TestWaitsAtExit(t *testing.T) {
	waits := 0
	for _, b := range recorded {
		out := machinetest.Must(cubin.Open("out", readRecorded(t, b.String()+".out")))(t)
		for i, s := range out.Sections {
			section := out.Section(".nv.capmerc" + s.Name)
			if section == nil {
				continue
			}
			text, records := slices.Clone(machinetest.Must(out.Data(uint32(i)))(t)), machinetest.Must(out.Data(section.Index))(t)
			if !WaitsAtExit(text, records) {
				continue
			}
			waits++
			for at := 0; at < len(text); at += machine.Size {
				if x := machine.Body(text[at : at+machine.Size]); len(x) > 0 && x[0].Op() == sass.OpERRBAR {
					binary.LittleEndian.PutUint16(text[at:], 0x7918) // NOP
				}
			}
			if WaitsAtExit(text, records) {
				t.Errorf("%v: %s waits without a barrier", b, s.Name)
			}
		}
	}
	if waits == 0 {
		t.Error("no recorded function waits at its exit")
	}
}

// TestLive compares Finalize with nvlink itself on more sources. It also compiles the recorded sources again.
func TestLive(t *testing.T) {
	dir := toolstest.Oracle(t)
	builds := slices.Clone(recorded)
	for i, source := range []string{"fence.cu", "misc.cu", "sw.cu", "tma.cu", "async.cu", "odd.cu"} {
		other := []string{"sm_103", "sm_110", "sm_121"}[i%3]
		builds = append(builds, build{source: source, sm: "sm_100"}, build{source: source, sm: "sm_120", flag: "-lineinfo"},
			build{source: source, sm: "sm_100", flag: "-G"}, build{source: source, sm: other, flag: "-Xptxas=-O1"})
	}
	total := map[string]int{}
	if *record {
		builds = recorded
	}
	for _, b := range builds {
		in, out := b.run(t, dir)
		if *record {
			writeRecorded(t, b.String()+".in", in)
			writeRecorded(t, b.String()+".out", out)
		}
		b.pair(t, in, out).check(t, total)
	}
	t.Logf("functions by what changes: %v", total)
}

package command

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubintext"
)

// These tests check promises of docs/security.md. They need to observe the process.

// For inputs that are large, decode to much more, or state wrong sizes, the command uses at most 64 MiB + 8 x (input +
// decoded + output) bytes.
func TestMemory(t *testing.T) {
	linker, err := conformance.BuildReference(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const head = "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n\tsymbol k global func .text.k other=entry\n%s" +
		"section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n\tattr REGCOUNT @k 8\nsection .text.k\n\tu64 0x000000000000794d 0x000fea0003800000\n%s"
	build := func(symbols, sections string) []byte {
		data, err := cubintext.Parse("large", fmt.Sprintf(head, symbols, sections))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	variables := func(n int) []byte {
		var symbols strings.Builder
		for i := range n {
			fmt.Fprintf(&symbols, "\tsymbol v%d global data .nv.global other=global value=%d size=4\n", i, 4*i)
		}
		return build(symbols.String(), fmt.Sprintf("section .nv.global size=%d\n", 4*n))
	}
	data := build("", "section .nv.global.init\n\tzero 0x2000000\n")
	packed := func(payload []byte) []byte {
		return craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: payload, Compress: "zstd"})
	}
	lie := packed(build("", ""))
	binary.LittleEndian.PutUint64(lie[16+craft.EntryDecodedSize:], 1<<30)
	var members []craft.Member
	for i := range 2000 {
		object := craft.RDC(packed(build(fmt.Sprintf("\tsymbol u%d global func undef\n", i), "")), "_k")
		members = append(members, craft.Member{Name: fmt.Sprintf("m%d.o/", i), Data: object})
	}
	for _, c := range []struct {
		name    string
		file    string
		data    []byte
		decoded int
	}{
		{"32 MiB of data", "a.cubin", data, 0},
		{"32 MiB of data, compressed", "a.fatbin", packed(data), len(data)},
		{"1 GiB that is not there", "a.fatbin", lie, 0},
		{"100,000 relocations", "a.cubin", build("", "section .rela.nv.global.init\n\tzero 2400000\nsection .nv.global.init\n\tzero 8\n"), 0},
		{"30,000 variables", "a.cubin", variables(30_000), 0},
		{"16 MiB of padding", "a.cubin", build("", "section .nv.global.init align=0x1000000\n\tzero 8\nsection .b align=4\n\tzero 8\n"), 0},
		{"an archive", "a.a", craft.Archive(members...), 2000 * len(build("", ""))},
		{"a section of 2^60 bytes", "a.cubin", build("", "section .nv.global size=0x1000000000000000\n"), 0},
	} {
		t.Chdir(t.TempDir())
		write(t, c.file, c.data)
		peak := 0
		for tries := 0; peak == 0 && tries < 100; tries++ { // a short run may end before it is measured
			peak = peakMemory(t, exec.Command(linker.Command[0], "-arch=sm_90", c.file, "-o", "out.cubin"))
		}
		output := 0
		if info, err := os.Stat("out.cubin"); err == nil {
			output = int(info.Size())
		}
		bound := 64<<20 + 8*(len(c.data)+c.decoded+output)
		if peak == 0 || peak > bound {
			t.Errorf("%s: %d bytes of memory, %d promised", c.name, peak, bound)
		}
		t.Logf("%s: input %d, decoded %d, output %d: %d bytes of %d", c.name, len(c.data), c.decoded, output, peak, bound)
	}
}

// peakMemory runs a command to its end and returns its peak memory. It does not use the peak that the system reports at
// the end, because that includes the memory of this process at the time of the fork.
func peakMemory(t *testing.T, command *exec.Cmd) int {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- command.Wait() }()
	peak := 0
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
		if _, after, ok := strings.Cut(string(status), "\nVmHWM:"); ok && strings.Contains(string(status), "Name:\tnvlink\n") {
			var kib int
			fmt.Sscan(after, &kib)
			peak = kib << 10
		}
		select {
		case <-done:
			return peak
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// A link opens only files on the command line and writes only outputs. The test watches the folders of the link.
func TestFilesTouched(t *testing.T) {
	k1, k2 := testCubin(t, "k1.cubin"), testCubin(t, "k2.cubin")
	t.Chdir(t.TempDir())
	library := craft.Archive(craft.Member{Name: "h.o/", Data: craft.HostObject()})
	for name, data := range map[string][]byte{
		"k1.cubin": k1, "k2.cubin": k2, "options": []byte("-lx"), "d/libx.a": library,
		// The command line names none of these files.
		"k3.cubin": k1, "k1": k1, "out": k1, "libx.a": library, "libcudadevrt.a": library, "d/liby.a": library, "d/k1.cubin": k1,
		"nvlink.profile": nil, "tmp/x": nil, "home/.nvlink": nil,
	} {
		write(t, name, data)
	}
	for variable, folder := range map[string]string{"TMPDIR": "tmp", "HOME": "home", "XDG_CACHE_HOME": "home"} {
		t.Setenv(variable, mustAbs(t, folder))
	}
	watch := watchFolders(t, ".", "d", "tmp", "home")
	var stdout, stderr bytes.Buffer
	exit := run(t.Context(), []string{"nvlink", "-arch=sm_90", "-optf", "options", "k1.cubin", "k2.cubin", "-Ld", "-o", "out.cubin",
		"--register-link-binaries=register.c", "--map", "map.txt"}, &stdout, &stderr)
	if exit != 0 {
		t.Fatalf("exit status %d: %s", exit, stderr.String())
	}
	opened, written := watch()
	if d := cmp.Diff([]string{"d/libx.a", "k1.cubin", "k2.cubin", "options"}, opened); d != "" {
		t.Errorf("opened (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"map.txt", "out.cubin", "register.c"}, written); d != "" {
		t.Errorf("written (-want +got):\n%s", d)
	}
}

// watchFolders starts to watch folders. The returned function returns the files that were opened since then, and the
// files that were created, changed or removed.
func watchFolders(t *testing.T, folders ...string) func() (opened, written []string) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK)
	if err != nil {
		t.Skip("the system cannot watch folders: ", err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	folderOf := map[int32]string{}
	for _, folder := range folders {
		wd, err := syscall.InotifyAddWatch(fd, folder, syscall.IN_ALL_EVENTS)
		if err != nil {
			t.Fatal(err)
		}
		folderOf[int32(wd)] = folder
	}
	return func() (opened, written []string) {
		reads, writes := map[string]bool{}, map[string]bool{}
		buffer := make([]byte, 1<<16)
		n, err := syscall.Read(fd, buffer)
		if err != nil {
			t.Fatal(err)
		}
		for buffer = buffer[:n]; len(buffer) > 0; {
			event := (*syscall.InotifyEvent)(unsafe.Pointer(&buffer[0]))
			size := syscall.SizeofInotifyEvent + int(event.Len)
			name := filepath.ToSlash(filepath.Join(folderOf[event.Wd], strings.TrimRight(string(buffer[syscall.SizeofInotifyEvent:size]), "\x00")))
			if strings.HasPrefix(filepath.Base(name), "#") { // an unnamed file (package output)
				buffer = buffer[size:]
				continue
			}
			if event.Mask&syscall.IN_OPEN != 0 {
				reads[name] = true
			}
			if event.Mask&(syscall.IN_CREATE|syscall.IN_MODIFY|syscall.IN_ATTRIB|syscall.IN_DELETE|syscall.IN_MOVE) != 0 {
				writes[name] = true
			}
			buffer = buffer[size:]
		}
		return slices.Sorted(maps.Keys(reads)), slices.Sorted(maps.Keys(writes))
	}
}

package jitlink_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/jitlink"
)

// An executable cubin contributes nothing, but for a Mercury target it must not hold plain machine code (JIT-760).
func TestExecutables(t *testing.T) {
	const class, osABI, fileType, flagsAt, executable = 4, 7, 16, 48, 2
	forge := func(change func(data []byte)) []byte {
		data := bytes.Clone(testCubins(t)[1])
		data[fileType] = executable
		change(data)
		return data
	}
	flags := func(bits uint32) func([]byte) {
		return func(data []byte) { binary.LittleEndian.PutUint32(data[flagsAt:], 0x6006400|bits) }
	}
	plain := forge(func([]byte) {})
	class32 := forge(func(data []byte) { data[class] = 1 })
	damaged := forge(func(data []byte) { // its first section has no place
		at := binary.LittleEndian.Uint64(data[40:])
		const next, sizeAt = 64, 32
		binary.LittleEndian.PutUint64(data[at+next+sizeAt:], 1<<40)
	})
	inFatbin := func(data []byte) []byte {
		return craft.Fatbin(craft.Entry{Kind: 2, Arch: 100, Payload: data})
	}
	const (
		sass      = "Mercury or Capmerc target was requested, but SASS input in was found.\n"
		mismatch  = "Target binary format and input (in) binary format mismatch\n"
		malformed = "ERROR 1: bad input: malformed cubin ELFin\n"
	)
	for _, c := range []struct {
		what, toolkit, arch string
		kind                jitlink.InputType
		data                []byte
		want                string
	}{
		{"machine code", "13.0", "100", jitlink.InputCubin, plain, sass},
		{"machine code", "13.1", "100", jitlink.InputCubin, plain, mismatch},
		{"machine code", "13.5", "120", jitlink.InputAny, plain, mismatch},
		{"machine code", "13.5", "90", jitlink.InputCubin, plain, ""},
		{"machine code in a fat binary", "13.0", "100", jitlink.InputFatbin, inFatbin(plain), sass},
		{"machine code for the target", "13.0", "100", jitlink.InputCubin, forge(flags(4)), sass},
		{"both kinds of code", "13.4", "100", jitlink.InputCubin, forge(flags(6)), mismatch},
		{"no kind of code", "13.0", "100", jitlink.InputCubin, forge(flags(0)), ""},
		{"Mercury code", "13.0", "100", jitlink.InputCubin, forge(flags(2)), ""},
		{"Mercury code for another target of the family", "13.0", "103", jitlink.InputCubin, forge(flags(2)), ""},
		{"machine code by CUDA 12", "13.0", "100", jitlink.InputCubin, forge(func(data []byte) {
			flags(0)(data)
			data[osABI], data[flagsAt+1] = 0x33, 0
		}), sass},
		{"class 32", "13.3", "90", jitlink.InputCubin, class32, ""},
		{"class 32 in a fat binary", "13.3", "100", jitlink.InputFatbin, inFatbin(class32), ""},
		{"class 32", "13.4", "90", jitlink.InputCubin, class32, malformed},
		{"a damaged one", "13.3", "90", jitlink.InputCubin, damaged, ""},
		{"a damaged one", "13.4", "90", jitlink.InputCubin, damaged, malformed},
		{"a damaged one for a Mercury target", "13.3", "100", jitlink.InputCubin, damaged, mismatch},
		{"a damaged one for a Mercury target", "13.4", "100", jitlink.InputFatbin, inFatbin(damaged), malformed},
	} {
		toolkit, err := jitlink.Release(13, c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_" + c.arch})
		result := library.AddData(h, c.kind, c.data, "in")
		log, _ := library.ErrorLog(h)
		if got := strings.TrimSuffix(string(log), "\x00"); got != c.want || (result == jitlink.InvalidInput) != (c.want != "") || c.want == "" && result != jitlink.Success {
			t.Errorf("%s, by %s for %s: %v, %q; want %q", c.what, c.toolkit, c.arch, result, got, c.want)
		}
	}
}

// -time has a line for a cubin that reaches the link: not for one in a form that is refused before, nor after the link (JIT-014).
func TestTimeOfCubins(t *testing.T) {
	const line = "nvJitLink time until Add_Cubin"
	executable := bytes.Clone(testCubins(t)[1])
	executable[16] = 2 // e_type
	for _, c := range []struct {
		what, toolkit, arch string
		data                []byte
		after               bool // a link without input
		lines               int
	}{
		{"code for the target", "13.1", "90", testCubins(t)[1], false, 1},
		{"by 13.0", "13.0", "90", testCubins(t)[1], false, 0},
		{"code for another target", "13.1", "80", testCubins(t)[1], false, 1},
		{"an executable", "13.1", "90", executable, false, 1},
		{"machine code for a Mercury target", "13.1", "100", executable, false, 0},
		{"a damaged one", "13.4", "90", testCubins(t)[1][:300], false, 0},
		{"code after the link", "13.1", "90", craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: testCubins(t)[1]}), true, 0},
	} {
		toolkit, err := jitlink.Release(13, c.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		library := &jitlink.Library{Toolkit: toolkit}
		h, _ := library.Create([]string{"-arch=sm_" + c.arch, "-time"})
		if c.after {
			library.Complete(h)
		}
		library.AddData(h, jitlink.InputAny, c.data, "in")
		if log, _ := library.InfoLog(h); strings.Count(string(log), line) != c.lines {
			t.Errorf("%s: %q, want %d lines", c.what, log, c.lines)
		}
	}
}

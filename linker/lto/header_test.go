package lto

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/culink/culink/linker/arch"
)

// TestCheckHeader checks the headers that CUDA 13.0 reads (LTO-010). libnvJitLink was tested with
// all values of each byte.
func TestCheckHeader(t *testing.T) {
	for _, tt := range []struct {
		name   string
		length int
		change map[int]byte // bytes of a good header
		want   error
	}{
		{"good", 28, nil, nil},
		{"no more than a header", 24, nil, nil},
		{"too short", 23, nil, ErrNoCode},
		{"no magic", 28, map[int]byte{3: 0x7e}, ErrNoCode},
		{"major before", 28, map[int]byte{4: 0}, ErrOtherVersion},
		{"major after", 28, map[int]byte{4: 2}, ErrOtherVersion},
		{"minor before", 28, map[int]byte{5: 0}, nil},
		{"minor after", 28, map[int]byte{5: 0x42}, ErrOtherVersion},
		{"second major", 28, map[int]byte{6: 1}, ErrOtherVersion},
		{"second minor before", 28, map[int]byte{7: 0}, nil},
		{"second minor after", 28, map[int]byte{7: 0x63}, ErrOtherVersion},
		{"third major", 28, map[int]byte{8: 4}, ErrOtherVersion},
		{"third minor before", 28, map[int]byte{9: 0}, nil},
		{"third minor after", 28, map[int]byte{9: 3}, ErrOtherVersion},
		{"fourth last", 28, map[int]byte{10: 20}, nil},
		{"fourth after", 28, map[int]byte{10: 21}, ErrOtherVersion},
		{"fourth of two bytes", 28, map[int]byte{11: 1}, ErrOtherVersion},
	} {
		data := header(900)
		for at, b := range tt.change {
			data[at] = b
		}
		err := CheckHeader(data[:tt.length], arch.Default.Version)
		if !errors.Is(err, tt.want) || tt.want == ErrNoCode && errors.Is(err, ErrOtherVersion) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// Releases before 13.0 read earlier versions, and 12.4 only one fourth version (LTO-010).
func TestCheckHeaderByRelease(t *testing.T) {
	for _, tt := range []struct {
		toolkit                      string
		first, second, third, fourth byte
		ok                           bool
	}{
		{"12.9", 0x40, 0x5d, 2, 0x14, true},
		{"12.9", 0x41, 0x5d, 2, 0x14, false},
		{"12.9", 0x40, 0x5e, 2, 0x14, false},
		{"12.8", 0x40, 0x59, 2, 0x14, true},
		{"12.8", 0x40, 0x5a, 2, 0x14, false},
		{"12.6", 0x3e, 0x54, 1, 7, true},
		{"12.6", 0x3e, 0x54, 2, 7, false},
		{"12.6", 0x3e, 0x54, 1, 8, false},
		{"12.5", 0x3e, 0x53, 1, 7, false},
		{"12.5", 0x3d, 0x53, 1, 6, true},
		{"12.4", 0x3d, 0x47, 1, 7, true},
		{"12.4", 0x3d, 0x48, 1, 7, false},
		{"12.4", 0x3d, 0x47, 1, 6, false},
		{"12.4", 0x3d, 0x47, 1, 8, false},
	} {
		data := header(900)
		data[5], data[7], data[9], data[10] = tt.first, tt.second, tt.third, tt.fourth
		if err := CheckHeader(data, tt.toolkit); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrOtherVersion) {
			t.Errorf("%s: 1.%d, 2.%d, 3.%d, %d: %v, want %t", tt.toolkit, tt.first, tt.second, tt.third, tt.fourth, err, tt.ok)
		}
	}
}

// The architecture number exists only after a header of the usual size (JIT-063).
func TestArch(t *testing.T) {
	data := header(1030)
	if got := Arch(data); got != 103 {
		t.Errorf("%d, want 103", got)
	}
	if got := Arch(data[:27]); got != 0 {
		t.Errorf("cut off: %d, want 0", got)
	}
	data[offHeaderSize] = 32
	if got := Arch(data); got != 0 {
		t.Errorf("a longer header: %d, want 0", got)
	}
}

// Code for a later architecture is passed on as code for the target (LTO-010).
func TestAtMost(t *testing.T) {
	later := header(1000)
	if got := AtMost(later, 90); Arch(got) != 90 || Arch(later) != 100 {
		t.Errorf("for %d, and the file itself for %d", Arch(got), Arch(later))
	}
	for _, same := range [][]byte{header(900), header(750), header(900)[:20]} {
		if got := AtMost(same, 90); &got[0] != &same[0] {
			t.Errorf("a file for %d is changed", Arch(same))
		}
	}
}

// header returns the start of a file for an architecture. arch is ten times the number of the
// architecture.
func header(arch uint16) []byte {
	data := append([]byte(magic), 1, 0x41, 2, 0x62, 3, 2, 7, 0, headerSize, 0)
	data = append(data, make([]byte, 14)...)
	binary.LittleEndian.PutUint16(data[offArch:], arch)
	return data
}

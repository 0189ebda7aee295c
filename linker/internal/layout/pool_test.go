package layout

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
)

// ofKernels is a constant of the kernels of pooled.
var ofKernels = strings.Repeat("constant", 8)

// pooled returns a program with two kernels that call one function. The constants of each kernel exceed a bank, and
// share one place in the pool. The function has one constant, and another one in a discarded copy.
func pooled(t *testing.T, toolkit, discarded string) *programtest.Program {
	p := programtest.New(t, program.Options{})
	release, err := arch.Find(toolkit)
	if err != nil {
		t.Fatal(err)
	}
	p.Target, _ = release.Parse("sm_80")
	f := p.Device("f")
	for _, name := range []string{"a", "b"} {
		k := p.Kernel(name)
		p.Call(k, f)
		const size = 64 // of a constant
		s := p.Bank(k, 2, []byte(strings.Repeat(ofKernels, cubin.MaxConstant/size+1)))
		s.Align = 8
		for at := uint64(0); at < s.Size; at += size {
			s.Internals = append(s.Internals, p.Local(program.Symbol{Name: "c", Section: s, Value: at, Size: size}))
		}
	}
	s := p.Bank(f, 2, []byte("of f    "))
	s.Align = 8
	s.Internals = []*program.Symbol{p.Local(program.Symbol{Name: "c", Section: s, Size: 8})}
	s.Add(program.Piece{Offset: 8, Size: uint64(len(discarded)), Data: []byte(discarded)})
	s.Size = 8 + uint64(len(discarded))
	p.Discarded[s] = []uint64{8}
	return p
}

// TestPoolOfCopies checks that the constants of a discarded copy are in the pool, once if their size is compared and once
// for each bank otherwise, and that the null symbol has their place only if they move. (LAYOUT-112.5)
func TestPoolOfCopies(t *testing.T) {
	for _, tt := range []struct {
		discarded, want string
		null            uint64
	}{
		{"of copy.", "of f    of copy.", 72},
		{"of f    ", "of f    ", 64},
		{"of the copy", "of f    of the copy.....of the copy", cubin.MaxConstant + 72},
	} {
		p := pooled(t, "13.4", tt.discarded)
		l, said := memory(p)
		if said != "" {
			t.Fatal(said)
		}
		for _, k := range l.Kernels {
			got := strings.ReplaceAll(string(k.Fn.CompilerConstants().Bytes()), "\x00", ".")
			if got != ofKernels+tt.want || l.NullValue != tt.null {
				t.Errorf("%q: bank of %s %q, null symbol %d; want %q, %d", tt.discarded, k.Fn.Symbol.Name, got, l.NullValue, tt.want, tt.null)
			}
		}
	}
}

// TestPoolOfCopiesByRelease checks that the constants of a discarded copy end a pooled link from 13.5 on. (KIT-690)
func TestPoolOfCopiesByRelease(t *testing.T) {
	for toolkit, want := range map[string]string{"13.4": "", "13.5": "ed->symidx = 0"} {
		if _, said := memory(pooled(t, toolkit, "of copy.")); !strings.Contains(said, want) || (said == "") != (want == "") {
			t.Errorf("%s: said %q, want %q", toolkit, said, want)
		}
	}
}

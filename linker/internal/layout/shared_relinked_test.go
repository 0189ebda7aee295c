package layout

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/programtest"
)

// TestLostShared checks a variable whose relocations an earlier -r has dropped. If its kernel has no
// other variable, it is placed at an offset equal to its alignment (RELOC-407).
func TestLostShared(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  program.Options
		add  func(p *programtest.Program, k *program.Function) *program.SharedObject // its result has lost relocations too, unless it is nil
		size uint64
		want uint64 // place of the variable
	}{
		{"alone", program.Options{}, nil, 40, 16},
		{"alone, its loss accepted", program.Options{AcceptLostRelocations: true}, nil, 40, 0},
		{"as large as can be", program.Options{}, nil, 0xc000 - 16, 16},
		{"too large", program.Options{}, nil, 0xc000 - 15, 0},
		{"beside another", program.Options{}, func(p *programtest.Program, k *program.Function) *program.SharedObject {
			return p.OwnShared(k, "other", 4, 4)
		}, 40, 0},
		{"beside another kernel's", program.Options{}, func(p *programtest.Program, k *program.Function) *program.SharedObject {
			return p.OwnShared(p.Kernel("l"), "other", 4, 4)
		}, 40, 16},
		{"beside one outside of kernels", program.Options{}, func(p *programtest.Program, k *program.Function) *program.SharedObject {
			return p.Shared("other", 4, 4)
		}, 40, 0},
		{"beside one that the kernel reaches", program.Options{}, func(p *programtest.Program, k *program.Function) *program.SharedObject {
			p.Use(k, p.Shared("other", 4, 4))
			return nil
		}, 40, 0},
		{"beside an extern array", program.Options{}, func(p *programtest.Program, k *program.Function) *program.SharedObject {
			p.Use(k, p.ExternShared("other"))
			return nil
		}, 40, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := programtest.New(t, tt.opt)
			k := p.Kernel("k")
			lost := p.OwnShared(k, "lost", tt.size, 16)
			in := program.Relinked{Object: &object.Object{File: &cubin.File{}}, SymbolOf: []*program.Symbol{nil, lost.Symbol}}
			if tt.add != nil {
				if other := tt.add(p, k); other != nil {
					in.SymbolOf = append(in.SymbolOf, other.Symbol)
				}
			}
			p.Relinked = []program.Relinked{in}
			memory(p)
			if lost.Symbol.Value != tt.want {
				t.Errorf("at %d, want %d", lost.Symbol.Value, tt.want)
			}
		})
	}
}

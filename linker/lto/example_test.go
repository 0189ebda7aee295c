package lto_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/culink/culink/linker/lto"
)

// The options as a compiler takes them.
func ExampleOptions_Args() {
	opt := lto.Options{Arch: "sm_90", Arithmetic: []string{"-ftz=1"}, LineInfo: true, KernelsUsed: []string{"k"}}
	fmt.Println(opt.Args())
	// Output: [-arch=sm_90 -lineinfo -ftz=1 -kernels-used=k]
}

// A compiler is any program that takes the words of docs/lto.md. Where it cannot be
// started the error says so.
func ExampleCompile() {
	ptx, err := lto.Compile(context.Background(), lto.Compiler{Command: []string{"no-such-compiler"}},
		&lto.Options{Arch: "sm_90"}, []lto.Input{{Name: "a.o", Data: []byte("code")}})
	fmt.Println(ptx != nil, errors.Is(err, exec.ErrNotFound))
	// Output: false true
}

// Which functions does a program leave to others?
func ExampleExterns() {
	fmt.Println(lto.Externs([]byte(`.version 9.0
.target sm_90
.extern .func vprintf
(
	.param .b32 ret
)
;
.visible .entry k() { ret; }
`)))
	// Output: [vprintf]
}

package lto_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/culink/culink/linker/lto"
)

// Args returns the options as compiler arguments.
func ExampleOptions_Args() {
	opt := lto.Options{Arch: "sm_90", Arithmetic: []string{"-ftz=1"}, LineInfo: true, KernelsUsed: []string{"k"}}
	fmt.Println(opt.Args())
	// Output: [-arch=sm_90 -lineinfo -ftz=1 -kernels-used=k]
}

// A compiler is any program that implements the protocol of docs/lto.md. If it cannot be started, the error
// reports this.
func ExampleCompile() {
	ptx, err := lto.Compile(context.Background(), lto.Compiler{Command: []string{"no-such-compiler"}},
		&lto.Options{Arch: "sm_90"}, []lto.Input{{Name: "a.o", Data: []byte("code")}})
	fmt.Println(ptx != nil, errors.Is(err, exec.ErrNotFound))
	// Output: false true
}

// Externs lists the functions that a program calls and does not define.
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

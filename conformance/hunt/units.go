package hunt

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Units are small modules of PTX, each with one feature of the language that reaches the object file. They are files of
// the archives units/*.txtar, without the directives that every module begins with, and the lines of units/*.txt: each a
// name, a colon and the instructions of a kernel (see wrapper).

//go:embed units
var unitFiles embed.FS

// optionUnits is the archive of the units that the options of a compiler are tried on.
const optionUnits = "options"

// A unit is a small module of PTX.
type unit struct {
	group string // the file that it is in, without its extension
	name  string
	text  string
}

// modesMark begins the first line of a unit whose .target directive names modes beside the target, such as
// texmode_independent.
const modesMark = "// modes: "

// wrapper is the kernel around the instructions of a line: its registers, a shared buffer, and a result.
const wrapper = `.visible .entry k(.param .u64 p, .param .u32 n)
{
	.reg .pred %%p<8>; .reg .b16 %%h<16>; .reg .b32 %%r<64>; .reg .b64 %%rd<32>; .reg .f32 %%f<64>; .reg .f64 %%fd<16>;
	.shared .align 128 .b8 buf[4096];
	ld.param.u64 %%rd0, [p]; cvta.to.global.u64 %%rd1, %%rd0; ld.param.u32 %%r0, [n];
	mov.u32 %%r1, %%tid.x; mov.u32 %%r2, buf; mov.u32 %%r9, 0;
	%s
	st.global.u32 [%%rd1], %%r9;
	ret;
}
`

// readUnits returns the units of all files, in the order of their names, and in a file in its order.
func readUnits() (list []unit, err error) {
	files, err := fs.Glob(unitFiles, "units/*")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := unitFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		group := strings.TrimSuffix(path.Base(file), path.Ext(file))
		if path.Ext(file) == ".txtar" {
			for _, f := range txtar.Parse(text).Files {
				list = append(list, unit{group, f.Name, string(f.Data)})
			}
			continue
		}
		for line := range strings.Lines(string(text)) {
			name, instructions, found := strings.Cut(strings.TrimSpace(line), ": ")
			if found && !strings.HasPrefix(name, "#") {
				list = append(list, unit{group, name, fmt.Sprintf(wrapper, instructions)})
			}
		}
	}
	return list, nil
}

// ptx is the unit as a whole module for a target, such as "90a", in a version of PTX, such as 92 for 9.2. A unit that
// says its own version stays as it is.
func (u unit) ptx(version int, target string) string {
	if strings.HasPrefix(u.text, ".version") {
		return u.text
	}
	modes, rest := "", u.text
	if line, after, _ := strings.Cut(u.text, "\n"); strings.HasPrefix(line, modesMark) {
		modes, rest = ", "+strings.TrimPrefix(line, modesMark), after
	}
	return fmt.Sprintf(".version %d.%d\n.target sm_%s%s\n.address_size 64\n%s", version/10, version%10, target, modes, rest)
}

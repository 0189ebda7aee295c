package hunt

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// A unit is a small PTX module with one feature of the language that affects the object file. The archives units/*.txtar
// have a unit in each file, without the directives with which every module begins. The files units/*.txt have a unit in
// each line: a name, a colon and the instructions of a kernel (see wrapper).

//go:embed units
var unitFiles embed.FS

// optionUnits is the archive of the units with which the options of a compiler are tried.
const optionUnits = "options"

// A unit is a small module of PTX.
type unit struct {
	group string // name of the file with the unit, without its extension
	name  string
	text  string
}

// modesMark begins the first line of a unit whose .target directive has modes after the target, such as
// texmode_independent.
const modesMark = "// modes: "

// wrapper is the kernel around the instructions of a line. It declares registers and a shared buffer, and stores a
// result.
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

// readUnits returns the units of all files. The files are sorted by name, and the units of a file keep their order.
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

// ptx returns the unit as a complete module for a target, such as "90a", and a version of PTX, such as 92 for 9.2. A
// unit with its own .version directive is returned unchanged.
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

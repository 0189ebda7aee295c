package generate

import (
	"fmt"
	"strings"
)

// A shape is the signature of a device function. All functions of a shape have the same prototype string in their
// cubins. So an indirect call with this prototype reaches every function of the shape whose address is taken.
type shape struct {
	result     string   // parameter declaration with "%s" for the name; empty: none
	parameters []string // the same
}

// shapes lists all shapes. A value is passed in the first 32-bit parameter, and an address in the first 64-bit
// parameter.
var shapes = []shape{
	{".param .b32 %s", []string{".param .b32 %s", ".param .b64 %s"}},
	{"", []string{".param .b64 %s", ".param .b32 %s"}},
	{".param .b64 %s", []string{".param .b64 %s", ".param .b32 %s", ".param .b32 %s"}},
	{".param .align 8 .b8 %s[16]", []string{".param .b32 %s", ".param .b64 %s"}},
	{".param .b32 %s", []string{".param .b32 %s", ".param .b64 %s", ".param .align 8 .b8 %s[24]"}},
	{".param .b32 %s", nil},
	{".param .b32 %s", []string{".param .b64 %s", ".param .b32 %s", ".param .b32 %s", ".param .b32 %s", ".param .b32 %s", ".param .b32 %s", ".param .b32 %s", ".param .b32 %s"}},
}

// named lists the parameters with the names prefix0, prefix1, ...
func (s *shape) named(prefix string) string {
	list := make([]string, len(s.parameters))
	for i, p := range s.parameters {
		list[i] = fmt.Sprintf(p, fmt.Sprint(prefix, i))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func (s *shape) returned(name string) string {
	if s.result == "" {
		return ""
	}
	return "(" + fmt.Sprintf(s.result, name) + ") "
}

// head returns the signature of a function after its linkage.
func (s *shape) head(name string) string {
	return ".func " + s.returned("result") + name + s.named("in")
}

// prototype returns the signature without names, which an indirect call refers to.
func (s *shape) prototype(label string) string {
	list := make([]string, len(s.parameters))
	for i, p := range s.parameters {
		list[i] = fmt.Sprintf(p, "_")
	}
	return fmt.Sprintf("    %s: .callprototype %s_ (%s);\n", label, s.returned("_"), strings.Join(list, ", "))
}

// prologue returns code that sets x and p from the parameters.
func (s *shape) prologue() string {
	var b strings.Builder
	b.WriteString("  .reg .u32 x;\n  .reg .u64 p;\n")
	x, p := "  mov.u32 x, 7;\n", "  mov.u64 p, %clock64;\n"
	for i := len(s.parameters) - 1; i >= 0; i-- {
		switch {
		case strings.Contains(s.parameters[i], ".b32"):
			x = fmt.Sprintf("  ld.param.u32 x, [in%d];\n", i)
		case strings.Contains(s.parameters[i], ".b64"):
			p = fmt.Sprintf("  ld.param.u64 p, [in%d];\n", i)
		}
	}
	return b.String() + x + p
}

func (s *shape) epilogue() string {
	switch {
	case s.result == "":
		return "  st.global.u32 [p], x;\n  ret;\n"
	case strings.Contains(s.result, ".b64"):
		return "  { .reg .u64 y; cvt.u64.u32 y, x; st.param.b64 [result], y; }\n  ret;\n"
	}
	return "  st.param.b32 [result], x;\n  ret;\n"
}

// call returns code that passes x and p to a function and adds the result to x. callee is a function, or a register with
// an address. label is the label of the prototype.
func (s *shape) call(callee, label string) string {
	var b strings.Builder
	b.WriteString("    .reg .u32 y;\n")
	var arguments []string
	for i, p := range s.parameters {
		name := fmt.Sprint("out", i)
		arguments = append(arguments, name)
		fmt.Fprintf(&b, "    "+p+";\n", name)
		switch {
		case strings.Contains(p, ".b32"):
			fmt.Fprintf(&b, "    st.param.b32 [%s], x;\n", name)
		case strings.Contains(p, ".b64"):
			fmt.Fprintf(&b, "    st.param.b64 [%s], p;\n", name)
		default:
			fmt.Fprintf(&b, "    st.param.b64 [%s], p;\n    st.param.b32 [%s+8], x;\n", name, name)
		}
	}
	to := ""
	if s.result != "" {
		fmt.Fprintf(&b, "    "+s.result+";\n", "back")
		to = "(back), "
	}
	if label != "" {
		label = ", " + label
	}
	fmt.Fprintf(&b, "    call %s%s, (%s)%s;\n", to, callee, strings.Join(arguments, ", "), label)
	switch {
	case s.result == "":
		b.WriteString("    mov.u32 y, 1;\n")
	case strings.Contains(s.result, ".b64"):
		b.WriteString("    { .reg .u64 w; ld.param.b64 w, [back]; cvt.u32.u64 y, w; }\n")
	default:
		b.WriteString("    ld.param.b32 y, [back];\n")
	}
	b.WriteString("    add.u32 x, x, y;\n")
	return b.String()
}

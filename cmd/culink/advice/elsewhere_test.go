package advice

import "testing"

// The target of a PTX file is that of its first .target directive.
func TestVirtualTarget(t *testing.T) {
	for text, want := range map[string]string{
		".version 9.0\n  .target\tsm_90a, debug\n.target sm_80\n": "compute_90a",
		"// .target sm_75\n.target texmode\n.target sm_\n":        "an unknown target",
		".target": "an unknown target",
	} {
		if got := virtualTarget([]byte(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// PTX defines the names that it makes visible. It does not define names that it only declares, calls or takes the
// address of (DIAG-512).
func TestDefinesInText(t *testing.T) {
	for text, want := range map[string]bool{
		".visible .func (.param .b32 r) f(.param .b32 x) { ret; }":             true,
		".weak .func f() { ret; }":                                             true,
		".visible .entry f(.param .b32 x) { ret; }":                            true,
		".visible .global .align 4 .u32 f = 1;":                                true,
		".visible .const .align 4 .b8 f[8] = {1, 2};":                          true,
		".common .global .align 4 .u32 f;":                                     true,
		".visible .func f();":                                                  false, // a prototype
		".extern .func f();":                                                   false,
		".func f() { ret; }":                                                   false, // static
		".visible .func ff() { ret; }":                                         false,
		".visible .func g() { call f; }":                                       false,
		".visible .global .align 8 .u64 g = f;":                                false,
		".visible .global .align 8 .u64 g[3] = {f, generic(f), 0};":            false,
		".extern .func f();\n.visible .const .align 8 .u64 g[2] = {0, f};\n\n": false,
	} {
		if got := definesInText([]byte(text), "f"); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

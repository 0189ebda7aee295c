package input

import (
	"strings"
	"testing"
)

// Only those options of an entry that take no file name reach the compiler (LOAD-503).
func TestPTXOptions(t *testing.T) {
	for words, refused := range map[string]string{
		"":               "",
		"--compile-only": "",
		"-g --dont-merge-basicblocks --return-at-end": "",
		"-maxrregcount=32 -O1 -O 1 --opt-level 3":     "",
		"-dlcm=ca -warn-spills --entry k -v":          "",
		"-optf /etc/passwd":                           "-optf",
		"-optf=/etc/passwd":                           "-optf=/etc/passwd",
		"--options-file=/etc/passwd":                  "--options-file=/etc/passwd",
		"-v --output-file x":                          "--output-file",
		"-o x":                                        "-o",
		"-ox":                                         "-ox",
		"-O":                                          "",
		"-O1x":                                        "-O1x",
		"-ias x":                                      "-ias",
		"/etc/passwd":                                 "/etc/passwd",
		"-v x.ptx":                                    "x.ptx",
		"-e k x.ptx":                                  "x.ptx",
		"-e=k x.ptx":                                  "x.ptx",
		"-bogus":                                      "-bogus",
		"@file":                                       "@file",
		"-":                                           "-",
	} {
		err := CheckPTXOptions(strings.Fields(words))
		if (err != nil) != (refused != "") || err != nil && !strings.Contains(err.Error(), `"`+refused+`"`) {
			t.Errorf("%s: %v, want %q", words, err, refused)
		}
	}
}

// The lists contain the options of ptxas 13.0, with the long and the short name in turn. valued has the options
// with a value. The word after any other option is a separate argument, and would be a file.
func TestPTXOptionValues(t *testing.T) {
	const valued = `
Ofast-compile Ofc allow-expensive-optimizations allow-expensive-optimizations def-load-cache dlcm
def-store-cache dscm device-function-maxrregcount func-maxrregcount device-stack-protector
device-stack-protector entry e fmad fmad force-load-cache flcm force-store-cache fscm gpu-name arch machine m
maxntid maxntid maxrregcount maxrregcount minnctapersm minnctapersm opt-level O position-independent-code pic
register-usage-level regUsageLevel sanitize sanitize split-compile split-compile`
	const plain = `
compile-as-tools-patch astoolspatch compile-only c compiler-annotations annotate device-debug g
disable-optimizer-constants disable-optimizer-consts disable-warnings w dont-merge-basicblocks no-bb-merge
extensible-whole-program ewp g-tensor-memory-access-check g-tmem-access-check generate-line-info lineinfo
gno-tensor-memory-access-check gno-tmem-access-check help h legacy-bar-warp-wide-behavior
legacy-bar-warp-wide-behavior list-version version-ls make-errors-visible-at-exit make-errors-visible-at-exit
optimize-float-atomics opt-fp-atomics override-directive-values override-directive-values preserve-relocs
preserve-relocs return-at-end ret-end sp-bounds-check sp-bounds-check
suppress-async-bulk-multicast-advisory-warning suppress-async-bulk-multicast-advisory-warning
suppress-debug-info suppress-debug-info suppress-double-demote-warning suppress-double-demote-warning
suppress-sparse-mma-advisory-info suppress-sparse-mma-advisory-info suppress-stack-size-warning
suppress-stack-size-warning verbose v version V warn-on-double-precision-use warn-double-usage
warn-on-local-memory-usage warn-lmem-usage warn-on-spills warn-spills warning-as-error Werror`
	rows := 0
	for i, names := range []string{valued, plain} {
		list := strings.Fields(names)
		rows += len(list) / 2
		for k, name := range list {
			option := "--" + name
			if k%2 == 1 {
				option = "-" + name
			}
			if err := CheckPTXOptions([]string{option}); err != nil {
				t.Error(err)
			}
			if refused := CheckPTXOptions([]string{option, "file"}) != nil; refused != (i == 1) {
				t.Errorf("%s file: refused %t", option, refused)
			}
		}
	}
	if rows != len(ptxOptions) {
		t.Errorf("%d options, %d in the list", rows, len(ptxOptions))
	}
}

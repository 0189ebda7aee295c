package input

import (
	"fmt"
	"strings"
)

// An entry with PTX contains options for its compiler. nvcc writes them, but so can anybody else. nvlink passes
// them on unchanged. A fat binary can thus make the compiler read any file and print its lines. culink passes
// on only the options of a list: those of ptxas 13.0 that do not take a file name (LOAD-503).

// A ptxOption is a row of the list.
type ptxOption struct {
	long, short string
	value       bool // has a value, in the same word or the next
}

// ptxOptions lists the options that an entry may contain.
var ptxOptions = []ptxOption{
	{"Ofast-compile", "Ofc", true},
	{"allow-expensive-optimizations", "allow-expensive-optimizations", true},
	{"compile-as-tools-patch", "astoolspatch", false},
	{"compile-only", "c", false},
	{"compiler-annotations", "annotate", false},
	{"def-load-cache", "dlcm", true},
	{"def-store-cache", "dscm", true},
	{"device-debug", "g", false},
	{"device-function-maxrregcount", "func-maxrregcount", true},
	{"device-stack-protector", "device-stack-protector", true},
	{"disable-optimizer-constants", "disable-optimizer-consts", false},
	{"disable-warnings", "w", false},
	{"dont-merge-basicblocks", "no-bb-merge", false},
	{"entry", "e", true},
	{"extensible-whole-program", "ewp", false},
	{"fmad", "fmad", true},
	{"force-load-cache", "flcm", true},
	{"force-store-cache", "fscm", true},
	{"g-tensor-memory-access-check", "g-tmem-access-check", false},
	{"generate-line-info", "lineinfo", false},
	{"gno-tensor-memory-access-check", "gno-tmem-access-check", false},
	{"gpu-name", "arch", true},
	{"help", "h", false},
	{"legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", false},
	{"list-version", "version-ls", false},
	{"machine", "m", true},
	{"make-errors-visible-at-exit", "make-errors-visible-at-exit", false},
	{"maxntid", "maxntid", true},
	{"maxrregcount", "maxrregcount", true},
	{"minnctapersm", "minnctapersm", true},
	{"opt-level", "O", true},
	{"optimize-float-atomics", "opt-fp-atomics", false},
	{"override-directive-values", "override-directive-values", false},
	{"position-independent-code", "pic", true},
	{"preserve-relocs", "preserve-relocs", false},
	{"register-usage-level", "regUsageLevel", true},
	{"return-at-end", "ret-end", false},
	{"sanitize", "sanitize", true},
	{"sp-bounds-check", "sp-bounds-check", false},
	{"split-compile", "split-compile", true},
	{"suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning", false},
	{"suppress-debug-info", "suppress-debug-info", false},
	{"suppress-double-demote-warning", "suppress-double-demote-warning", false},
	{"suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", false},
	{"suppress-stack-size-warning", "suppress-stack-size-warning", false},
	{"verbose", "v", false},
	{"version", "V", false},
	{"warn-on-double-precision-use", "warn-double-usage", false},
	{"warn-on-local-memory-usage", "warn-lmem-usage", false},
	{"warn-on-spills", "warn-spills", false},
	{"warning-as-error", "Werror", false},
}

// CheckPTXOptions refuses the first word that is neither an option of the list nor the value of such an option.
func CheckPTXOptions(words []string) error {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		o := findPTXOption(word)
		if o == nil {
			return fmt.Errorf("its options hold %q, which nobody but the user may ask for", word)
		}
		if o.value && len(words) > 0 && !strings.Contains(word, "=") && !o.attached(word) {
			words = words[1:]
		}
	}
	return nil
}

func findPTXOption(word string) *ptxOption {
	name, _, _ := strings.Cut(word, "=")
	for i := range ptxOptions {
		if o := &ptxOptions[i]; name == "--"+o.long || name == "-"+o.short || o.attached(word) {
			return o
		}
	}
	return nil
}

// attached reports whether the word is -O or -m with its value attached.
func (o *ptxOption) attached(word string) bool {
	digits, ok := strings.CutPrefix(word, "-"+o.short)
	return ok && (o.short == "O" || o.short == "m") && digits != "" && strings.Trim(digits, "0123456789") == ""
}

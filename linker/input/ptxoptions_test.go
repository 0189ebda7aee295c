package input

import (
	"strings"
	"testing"
)

// Of the options in an entry, those that name no file reach the compiler (LOAD-503).
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

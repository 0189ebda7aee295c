package linker_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/inspect"
)

// TestNote checks that a link without a note gets the note of a command line with the same options
// (OPT-030).
func TestNote(t *testing.T) {
	inputs := []linker.Input{build("dir/k.cubin", caller), build("f.cubin", callee)}
	for _, tt := range []struct {
		opt  linker.Options
		want string // tool, options, object
	}{
		{linker.Options{}, "culink|-arch sm_80|"},
		{linker.Options{ToolName: "nvlink", Relocatable: true, Verbose: true}, "nvlink|-arch sm_80 -v  -r|"},
		{linker.Options{KernelsUsed: []string{"k", "m"}}, "culink|-arch sm_80 -kernels-used k,m|"},
		{linker.Options{Debug: true, Object: "out.cubin"}, "culink|k.cubin,f.cubin -o out.cubin -g  -arch sm_80|out.cubin"},
		{linker.Options{Note: "mine"}, "|mine|"},
	} {
		tt.opt.Arch = "sm_80"
		r := linker.Link(t.Context(), tt.opt, inputs)
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		tool := inspect.Read("out", r.Output).Cubin.Tools[0]
		if got := strings.Join([]string{tool.Name, tool.Options, tool.Object}, "|"); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.opt, got, tt.want)
		}
	}
}

// TestOptionsInNote checks that each option that nvlink's note would have is in the note.
func TestOptionsInNote(t *testing.T) {
	inputs := []linker.Input{build("k.cubin", caller), build("f.cubin", callee)}
	note := func(opt linker.Options) string {
		opt.Arch = "sm_80"
		r := linker.Link(t.Context(), opt, inputs)
		if err := r.Err(); err != nil {
			return err.Error()
		}
		var output bytes.Buffer
		if _, err := r.WriteTo(&output); err != nil {
			t.Fatal(err)
		}
		return inspect.Read("out", output.Bytes()).Cubin.Tools[0].Options
	}
	plain := note(linker.Options{})
	unrecorded := map[string]bool{ // culink's own options, and those that nvlink's help hides
		"KeepRelocs": true, "AcceptLostRelocations": true, "Map": true, "Stream": true,
		"Dot": true, "NoReservedShared": true, "ReserveNullPointer": true, "AllowUndefinedGlobals": true,
		"ForceRela": true, "ExtendedShared": true, "Specific": true,
		"HostKernelsFirst": true, // follows from the inputs
	}
	fields := reflect.TypeFor[linker.Options]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Type.Kind() != reflect.Bool {
			continue
		}
		var opt linker.Options
		reflect.ValueOf(&opt).Elem().Field(i).SetBool(true)
		if unrecorded[f.Name] == (note(opt) != plain) {
			t.Errorf("%s: the note is %q, as without it: %t", f.Name, note(opt), note(opt) == plain)
		}
	}
}

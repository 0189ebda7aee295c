package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// loaded is what the files of the command line hold.
type loaded struct {
	inputs  []linker.Input
	modules []string // the ids of the linked modules, for --register-link-binaries
}

// checkSideInputs opens the files beside the inputs that options name.
func checkSideInputs(s *option.Settings, log *diag.Log) {
	if s.LTO() {
		library := filepath.Join(s.NVVMPath, "lib64", "libnvvm.so")
		if f, err := os.Open(library); err != nil {
			log.Add(diag.New(diag.LibraryLoadError).Because(err))
		} else {
			f.Close()
		}
	}
}

// loadInputs reads the cubins of the command line.
func loadInputs(_ context.Context, s *option.Settings, log *diag.Log) (*loaded, error) {
	target, _ := arch.Parse(s.Arch)
	l := &loaded{}
	for _, name := range s.Inputs {
		data, err := os.ReadFile(name)
		if err != nil || 0 < len(data) && len(data) < 56 {
			d := diag.New(diag.CannotOpenInput, name).Because(err)
			log.Add(d)
			return l, d
		}
		if len(data) == 0 || filepath.Ext(name) != ".cubin" {
			continue
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			d := diag.New(diag.NotELF).Because(err)
			log.Add(d)
			return l, d
		}
		if !target.Accepts(f.SM(), 0) {
			d := diag.New(diag.ArchMismatch, name, s.Arch)
			log.Add(d)
			return l, d
		}
		l.inputs = append(l.inputs, linker.Input{Name: name, Data: data})
		l.modules = append(l.modules, moduleID(name))
	}
	return l, nil
}

package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/hazard/kernels"
)

// Random functions are assembled in modules, for each SM in turn. Each module is measured and removed at once,
// so that any number of them needs little disk space.

// defaultSMs are the SMs from sm_75 to sm_121 that the assembler of the reference release supports, except for
// those equivalent to others.
const defaultSMs = "75,80,86,89,90,100,103,110,120,121"

// parseSMs parses a list such as 75,80.
func parseSMs(list string) (sms []int, err error) {
	for field := range strings.SplitSeq(list, ",") {
		sm, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("-sm: %w", err)
		}
		sms = append(sms, sm)
	}
	return sms, nil
}

// random assembles at least count functions for each SM, measures them, and reports its progress. If keep is
// not "", modules with a function that is not safe are kept in that folder.
func random(toolkit string, sms []int, count int, seed uint64, keep string, functions *functions, progress func(sm int)) error {
	dir := keep
	if keep == "" {
		var err error
		if dir, err = os.MkdirTemp("", "measure"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	} else if err := os.MkdirAll(keep, 0o777); err != nil {
		return err
	}
	for number := range uint64((count + kernels.PerModule - 1) / kernels.PerModule) {
		for _, sm := range sms {
			name := fmt.Sprintf("sm_%d-%d-%d.cubin", sm, seed, number)
			path := filepath.Join(dir, name)
			switch err := kernels.Assemble(toolkit, path, sm, seed, number); {
			case errors.Is(err, kernels.ErrCrashed):
				log.Printf("%v: left out", err)
				continue
			case err != nil:
				return err
			}
			if worst := functions.inFile(os.DirFS(dir), name); keep == "" || worst == hazard.Safe {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
			progress(sm)
		}
	}
	return nil
}

package input_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/input"
)

// damagedLiterals returns a fat binary with a cubin whose literals a decoder may accept that checks less than culink's.
func damagedLiterals(t *testing.T) []byte {
	t.Helper()
	few := rand.New(rand.NewPCG(1, 2))
	payload := make([]byte, 3000)
	for i := range payload {
		if payload[i] = byte(min(few.IntN(60), few.IntN(60), few.IntN(60))); i%50 > 40 {
			payload[i] = payload[i-40] // the encoder writes no codes of literals without a match
		}
	}
	whole := craft.Fatbin(craft.Entry{Kind: 2, Arch: 80, Payload: payload, Compress: "zstd"})
	for i := 8 * 100; i < 8*len(whole); i++ {
		damaged := bytes.Clone(whole)
		damaged[i/8] ^= 1 << (i % 8)
		entries, err := fatbin.Parse(damaged)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entries[0].Decode(); errors.Is(err, fatbin.ErrOthersDecode) {
			return damaged
		}
	}
	t.Fatal("no damage of this kind")
	return nil
}

// A payload that nvlink may decode ends the link by each release: it is not passed over, as others are from 13.1 on
// (E-460, KIT-120).
func TestPayloadsThatOthersDecode(t *testing.T) {
	files := fstest.MapFS{"a.fatbin": {Data: damagedLiterals(t)}}
	for _, toolkit := range []string{"13.0", "13.1", "13.5"} {
		var log diag.Log
		_, err := input.Load(t.Context(), input.Options{Arch: "sm_80", Toolkit: toolkit, Files: []string{"a.fatbin"}, FS: files}, &log)
		if err == nil || log.ExitStatus() != diag.ExitFatal {
			t.Errorf("%s: %v, exit status %d", toolkit, err, log.ExitStatus())
		}
	}
}

package jitlink

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkLink links two small cubins with the calls that a client makes.
func BenchmarkLink(b *testing.B) {
	var code [2][]byte
	for i, name := range []string{"a.90.cubin", "b.90.cubin"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "conformance", "library", "recorded", "in", name))
		if err != nil {
			b.Fatal(err)
		}
		code[i] = data
	}
	var l Library
	b.ReportAllocs()
	for b.Loop() {
		h, result := l.Create([]string{"-arch=sm_90"})
		for _, data := range code {
			result = max(result, l.AddData(h, InputCubin, data, "input.cubin"))
		}
		result = max(result, l.Complete(h))
		image, read := l.LinkedCubin(h)
		_, infos := l.InfoLog(h)
		_, errs := l.ErrorLog(h)
		if max(result, read, infos, errs, l.Destroy(h)) != Success || image == nil {
			b.Fatal("the link fails")
		}
	}
}

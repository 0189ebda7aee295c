package craft

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestZstdForms: what is written in rare forms is read as it was.
func TestZstdForms(t *testing.T) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b []byte
	for i := range 20 {
		b = append(b, "text"...)
		b = append(b, make([]byte, 30+i*9)...)
		b = append(b, bytes.Repeat([]byte("more text"), i)...)
		got, err := r.DecodeAll(ZstdForms(b), nil)
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
	}
}

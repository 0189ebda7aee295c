package craft

import (
	"bytes"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A decoder restores the bytes that ZstdForms compressed.
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

// A decoder restores the bytes that ZstdHeaders stored.
func TestZstdHeaders(t *testing.T) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, n := range []int{0, 1, 255, 256, 300, 900, 1000, 9000, 9600, 20000, 200000} {
		b := bytes.Repeat([]byte("text"), n/4+1)[:n]
		got, err := r.DecodeAll(ZstdHeaders(b), nil)
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// A decoder restores the bytes that ZstdMatches compressed.
func TestZstdMatches(t *testing.T) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	head := []byte("what comes first, ")
	for _, b := range [][]byte{
		nil, head, bytes.Repeat(head, 3), slices.Concat(head, make([]byte, 120000), []byte("end")),
		slices.Concat(head, make([]byte, 99000), []byte("and"), head, bytes.Repeat([]byte("x"), 1<<17)),
		slices.Concat(head, []byte("and"), head, make([]byte, 98302)),
	} {
		got, err := r.DecodeAll(ZstdMatches(b), nil)
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
	}
}

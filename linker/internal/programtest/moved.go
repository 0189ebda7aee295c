package programtest

import (
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/codemap"
)

// Moved returns the finalizer's map for code from which it drops a fence, five instructions at 0x30. The code
// after it moves down by 0x50 bytes. The function is one of the samples of package mercury.
func Moved(t testing.TB) codemap.Map {
	t.Helper()
	const name = "../../mercury/testdata/small.sm_100.in.cubin.gz"
	packed, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	file, err := cubin.Open(name, data)
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := func(name string) []byte {
		data, err := file.Data(file.Section(name).Index)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	result, err := mercury.Finalize(mercury.Function{
		Text: bytesOf(".text.fenced"), Capsule: bytesOf(".nv.capmerc.text.fenced"), Entry: true, Input: 100, Target: 100,
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := result.Map; m.Offset(0x30) != 0x30 || m.Offset(0x90) != 0x40 || m.Offset(0xa0) != 0x50 {
		t.Fatalf("places 0x30, 0x90 and 0xa0 go to %#x, %#x and %#x", m.Offset(0x30), m.Offset(0x90), m.Offset(0xa0))
	}
	return result.Map
}

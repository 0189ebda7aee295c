package replay_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/culink/culink/conformance/replay"
	"github.com/culink/culink/linker/repro"
)

// The inputs of a packed link are unpacked into a folder, and the command line is written there too.
func ExampleUnpack() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	p := &repro.Package{
		Tool: "nvlink", Args: []string{"-arch=sm_90", "in/a.cubin"},
		Inputs: map[string][]byte{"in/a.cubin": []byte("what was read")},
	}
	if err := replay.Unpack(p, filepath.Join(dir, "link")); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"culink.args", "in/a.cubin"} {
		data, err := os.ReadFile(filepath.Join(dir, "link", name))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %q\n", name, data)
	}
	// Output:
	// culink.args: "\"-arch=sm_90\"\n\"in/a.cubin\"\n"
	// in/a.cubin: "what was read"
}

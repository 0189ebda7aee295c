package limit

import (
	"fmt"
	"io"
	"os"
)

// MostOfFile is the maximum size in bytes of files that the tools around the linker read.
const MostOfFile = 1 << 30

// ReadFile reads a file of at most most bytes. It allocates no more memory than it reads, whatever size a
// sparse file or a device reports.
func ReadFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Size() > most {
		return nil, fmt.Errorf("%s: %d bytes are more than %d", name, info.Size(), most)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: more than %d bytes", name, most)
	}
	return data, err
}

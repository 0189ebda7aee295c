package input

import (
	"os"
	"syscall"
)

// mapFile maps the first size bytes of a file, for reading. They stay until the process ends.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
}

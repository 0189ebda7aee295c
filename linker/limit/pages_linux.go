package limit

import "syscall"

// Release returns the pages of data to the system. The pages of a mapped file are loaded again when they are read. Other
// memory then holds zeros. data begins at a page and ends with one.
func Release(data []byte) { _ = syscall.Madvise(data, syscall.MADV_DONTNEED) }

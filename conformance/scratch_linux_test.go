package conformance

import "golang.org/x/sys/unix"

// memoryFolder returns a folder in memory for the files of the tests, or "" if there is none with room for them that
// may hold programs. The tests write and remove some 20,000 small files. On ext4, which looks for an inode that was not
// removed lately, that takes more time than the links.
func memoryFolder() string {
	const folder, room = "/dev/shm", 2 << 30
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil || s.Type != unix.TMPFS_MAGIC || s.Flags&unix.ST_NOEXEC != 0 {
		return ""
	}
	if s.Bavail*uint64(s.Bsize) < room || unix.Access(folder, unix.W_OK) != nil {
		return ""
	}
	return folder
}

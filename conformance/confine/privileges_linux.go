package confine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// hide keeps other processes of the user, and root without capabilities, from looking into this process: its memory, its
// environment, its open files.
func hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// dropCapabilities takes from this thread, and all that it starts, what root may do beyond other users. As root it reaches the
// files of root all the same: these Landlock keeps.
func dropCapabilities() error {
	for capability := range uintptr(unix.CAP_LAST_CAP + 1) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) { // an ordinary user has none to drop, an older kernel fewer
			break
		}
		if err != nil {
			return fmt.Errorf("capabilities: %w", err)
		}
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var nothing [2]unix.CapUserData
	if err := unix.Capset(&head, &nothing[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

package confine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// hide keeps other processes of the user, and root without capabilities, from looking into this process: its memory, its
// environment, its open files. A process that is confined itself may not.
func hide() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) {
		return err
	}
	return nil
}

// dropCapabilities takes from this thread, and all that it starts, what root may do beyond other users; without new privileges no
// program gives it back. As root it reaches the files of root all the same: these Landlock keeps.
func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var nothing [2]unix.CapUserData
	if err := unix.Capset(&head, &nothing[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

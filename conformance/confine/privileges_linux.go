package confine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// hide prevents other processes of the user, and root without capabilities, from inspecting the memory, environment and
// open files of this process. It fails in a process that is itself confined.
func hide() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) {
		return err
	}
	return nil
}

// dropCapabilities drops the privileges of root for this thread and everything that it starts. Because of no_new_privs,
// no program can restore them. A program that runs as root can still access root's files, from which Landlock protects.
func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var nothing [2]unix.CapUserData
	if err := unix.Capset(&head, &nothing[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

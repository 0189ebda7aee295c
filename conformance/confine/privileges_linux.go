package confine

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// hide prevents other processes of the user, and root without capabilities, from inspecting this process: its memory,
// its environment, its open files. It fails in a process that is confined itself.
func hide() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) {
		return err
	}
	return nil
}

// dropCapabilities drops the privileges of root for this thread and everything that it starts. Because of no_new_privs
// no program can restore them. A program that runs as root still has access to root's files; Landlock protects these.
func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var nothing [2]unix.CapUserData
	if err := unix.Capset(&head, &nothing[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

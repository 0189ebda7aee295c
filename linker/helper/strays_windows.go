package helper

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// adopt puts the process, and all processes that it starts from now on, into a job. Windows ends the processes of a
// job when its last handle is closed. That happens when this process ends, in whatever way. If the system refuses the
// job, a helper may outlive a process that is killed.
func adopt() []int {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	size := uint32(unsafe.Sizeof(limits))
	if _, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), size); err == nil {
		err = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
	}
	if err != nil {
		windows.CloseHandle(job)
	}
	return nil
}

// endStrays leaves them to the end of the job.
func endStrays(map[int]bool) {}

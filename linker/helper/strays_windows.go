package helper

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// adopt puts the process, and with it all that it starts from now on, into a job whose processes Windows ends when the
// last handle of the job is closed: at the end of this process, however it ends. Where that is refused a helper may
// outlive a process that is killed.
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

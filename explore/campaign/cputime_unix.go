//go:build unix

package campaign

import (
	"syscall"
	"time"
)

// CPUTime is the processor time so far, of the program and of the system on its behalf; 0 if it is not known. What
// other programs take of a busy machine is not in it. It differs from run to run.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

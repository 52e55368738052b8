//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used is the processor time so far, of the program and of the system on its behalf; 0 if it is not known.
func Used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

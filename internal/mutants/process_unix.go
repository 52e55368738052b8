//go:build linux || darwin

package mutants

import (
	"runtime/debug"
	"syscall"
	"time"
)

// Process ends the process when it has used that much processor time, or more memory
// than any healthy campaign: a mutant may loop without end or allocate without bound.
func Process(cpu time.Duration) error {
	debug.SetMaxStack(64 << 20)
	seconds := uint64(cpu/time.Second) + 1
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds + 5}); err != nil {
		return err
	}
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 4 << 30, Max: 4 << 30})
}

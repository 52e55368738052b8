//go:build unix

package checkpoint

import (
	"os"
	"syscall"
)

// Lock keeps other processes from the file until this one ends, however it ends.
func Lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

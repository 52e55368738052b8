package recording

import (
	"errors"
	"os"
	"syscall"
)

// gone reports whether there is no process with a number. Where that cannot be asked there
// always is one.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

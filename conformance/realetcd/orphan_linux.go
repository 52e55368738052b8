package realetcd

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill the server when this process ends without
// a chance to do so: a test that panics or runs into its timeout.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

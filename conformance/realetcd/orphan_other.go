//go:build !linux

package realetcd

import "os/exec"

// dieWithParent has no counterpart outside Linux: there, a test that panics may
// leave a server behind.
func dieWithParent(*exec.Cmd) {}

//go:build !linux && !darwin

package killer

import "time"

var start = time.Now()

// Limit cannot be enforced here; cmd/mutants ends a process that takes too long.
func Limit(time.Duration) error { return nil }

// cpuTime is wall-clock time where processor time is not known.
func cpuTime() time.Duration { return time.Since(start) }

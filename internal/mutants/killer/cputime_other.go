//go:build !linux && !darwin

package killer

import "time"

var start = time.Now()

// cpuTime is wall-clock time where processor time is not known.
func cpuTime() time.Duration { return time.Since(start) }

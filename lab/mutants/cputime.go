package main

import (
	"time"

	"github.com/watchbed/watchbed/explore/campaign"
)

var start = time.Now()

// cpuTime is the processor time that this process has used so far, or wall-clock time where that is
// not known.
func cpuTime() time.Duration {
	if used := campaign.CPUTime(); used > 0 {
		return used
	}
	return time.Since(start)
}

//go:build !unix

package campaign

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }

//go:build !unix

package explore

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }

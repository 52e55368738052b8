//go:build !unix

package campaign

import "time"

// CPUTime is not known here.
func CPUTime() time.Duration { return 0 }

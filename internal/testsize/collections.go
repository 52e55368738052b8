package testsize

import (
	"os"
	"runtime/debug"
)

// percent is how much the heap grows before the collector begins, in percent of what is
// alive.
const percent = 400

// Ground is alive all the time, so that a campaign of a megabyte fills five times this much
// before the collector begins. It is never read or written, and takes no memory. Ground is
// exported so that it counts as used.
var Ground []byte

const groundBytes = 16 << 20

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
		Ground = make([]byte, groundBytes)
	}
}

// Package fewcollections makes a test binary collect garbage more rarely. Campaigns keep
// a few megabytes and leave garbage with every run, so that at Go's default the collector
// takes a sixth of their processor time. Tests that run campaigns import the package for
// its effect; the environment variable GOGC goes before it.
//
// The package must never import anything of this module, and only tests import it.
package fewcollections

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

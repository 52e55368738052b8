// Package testsize says how much of a campaign a test runs. What a campaign says is worth
// as much as it is long, and `go test ./...` has to end within minutes, so that a test has
// two sizes:
//
//	full    what the figures of the repository rest on: `make full`, each night (WATCHBED_TESTS=full)
//	usual   what a change breaks is most likely seen: `go test ./...`, at each push
//
// A flag of a test, such as -alarm.schedules, goes before all of them.
//
// A test binary that imports the package collects garbage more rarely. Campaigns keep a few megabytes and
// leave garbage with every run, so that at Go's default the collector takes a sixth of their processor time.
// The environment variable GOGC goes before it.
//
// The package must never import anything of this module, and only tests import it.
package testsize

import (
	"fmt"
	"os"
	"runtime/debug"
)

const variable = "WATCHBED_TESTS"

// Of is one of the two sizes.
func Of[N any](full, usual N) N {
	if Full() {
		return full
	}
	return usual
}

// Full reports whether tests have their full size.
func Full() bool {
	switch value := os.Getenv(variable); value {
	case "":
		return false
	case "full":
		return true
	default:
		panic(fmt.Sprintf("%s=%s: want full, or nothing", variable, value))
	}
}

// Flag is the value of a flag that was given, and else one of the two sizes.
func Flag[N int | uint64](given, full, usual N) N {
	if given != 0 {
		return given
	}
	return Of(full, usual)
}

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

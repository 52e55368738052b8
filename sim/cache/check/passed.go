package check

import "github.com/watchbed/watchbed/sim/option"

// PassedCheck is the value of the option passed-check.
type PassedCheck uint8

// PassedChecks is the seam of what a check that finds no difference does beside allowing
// snapshots: true: those that there are go.
var PassedChecks = option.NewSeam[PassedCheck, bool]("passed-check", "what becomes of the snapshots when a consistency check finds no difference").
	Shipped("keeps-snapshots", "they stay", false)

// PassedCheckDrops is what snapshotter.SetEnabled of k8s.io/apiserver v0.38.0-alpha.2 comes to: it resets
// whenever it is called, and not only when the switch changes.
var PassedCheckDrops = PassedChecks.Register("drops-snapshots", "they go, and the next event brings the first new one: as v0.38.0-alpha.2 ships it", true)

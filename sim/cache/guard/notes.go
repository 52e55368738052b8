package guard

import "github.com/watchbed/watchbed/sim"

var (
	versionHeard   = sim.NewNote("guard.versionHeard", "learns that endpoint %d of etcd is %s: %s")
	versionUnknown = sim.NewNote("guard.versionUnknown", "gets no version from endpoint %d of etcd")
	warning        = sim.NewNote("guard.warning", "warns: %s")
	aborted        = sim.NewNote("guard.aborted", "does not start: %s")
)

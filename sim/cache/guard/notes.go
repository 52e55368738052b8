package guard

import "github.com/watchbed/watchbed/sim"

var (
	versionHeard   = sim.NewNote3[int, string, string]("guard.versionHeard", "learns that endpoint %d of etcd is %s: %s")
	versionUnknown = sim.NewNote1[int]("guard.versionUnknown", "gets no version from endpoint %d of etcd")
	warning        = sim.NewNote1[string]("guard.warning", "warns: %s")
	aborted        = sim.NewNote1[string]("guard.aborted", "does not start: %s")
)

package guard

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type (
	// versionHeard: an endpoint has answered with its version.
	versionHeard struct {
		endpoint int
		version  string
		fixed    bool
	}
	// versionUnknown: an endpoint has not given its version.
	versionUnknown struct{ endpoint int }
	// warning is what the API server logs when it starts.
	warning struct{ text string }
	// aborted: the API server ends before it serves.
	aborted struct{ refusal *wire.Error }
)

func (n versionHeard) Text(*sim.World) string {
	if n.fixed {
		return fmt.Sprintf("learns that endpoint %d of etcd is %s: new enough", n.endpoint, n.version)
	}
	return fmt.Sprintf("learns that endpoint %d of etcd is %s: too old, its progress notifications are not trusted", n.endpoint, n.version)
}

func (n versionUnknown) Text(*sim.World) string {
	return fmt.Sprintf("gets no version from endpoint %d of etcd", n.endpoint)
}

func (n warning) Text(*sim.World) string { return "warns: " + n.text }
func (n aborted) Text(*sim.World) string { return "does not start: " + n.refusal.Message }

package progress

import "github.com/watchbed/watchbed/sim"

// requested: a request for a progress notification was sent.
type requested struct{}

// Text implements sim.Note.
func (requested) Text(*sim.World) string { return "asks etcd for progress" }

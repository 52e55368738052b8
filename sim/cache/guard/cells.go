package guard

import "github.com/watchbed/watchbed/sim"

var (
	// cellEndpoints is what each endpoint has answered so far; an item is the
	// number of an endpoint, from 1.
	cellEndpoints = sim.NewCell("cache: versions of endpoints")
	// cellTrust is what follows: whether progress notifications are trusted, and
	// whether the server serves.
	cellTrust = sim.NewCell("cache: trust in etcd")
)

package wire

import "github.com/watchbed/watchbed/sim"

// ReadyzRequest asks a cache to say when it may be read. It stands for the load
// balancer, or the client, that polls /readyz of an API server and sends nothing
// before: a poll that is answered "not yet" changes nothing on either side, so
// one request with a late answer is the same as many.
type ReadyzRequest struct{}

func (*ReadyzRequest) Digest(d sim.Digest) sim.Digest { return d.Text("readyz") }
func (*ReadyzRequest) Label() string                  { return "readyz" }

// ReadyzResponse says that the cache may be read.
type ReadyzResponse struct{}

func (*ReadyzResponse) Digest(d sim.Digest) sim.Digest { return d.Text("ready") }
func (*ReadyzResponse) Label() string                  { return "ready" }

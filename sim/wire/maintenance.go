package wire

import "github.com/watchbed/watchbed/sim"

// StatusRequest is etcdserverpb.Maintenance.Status of one endpoint, which the
// API server asks for its version when it starts (KEP-2340, "Bug in etcd
// progress notification").
type StatusRequest struct {
	// Endpoint is the number of the endpoint in the client's list, or ServingEndpoint.
	Endpoint int
}

// ServingEndpoint is the member that the connection leads to.
const ServingEndpoint = -1

func (r *StatusRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("status").Int(int64(r.Endpoint))
}

func (*StatusRequest) Label() string { return "status" }

// StatusResponse is etcdserverpb.StatusResponse, reduced to the fields that are
// read.
type StatusResponse struct {
	// Version of the server: "3.5.13".
	Version string
}

func (r *StatusResponse) Digest(d sim.Digest) sim.Digest { return d.Text("version").Text(r.Version) }
func (r *StatusResponse) Label() string                  { return "version " + r.Version }

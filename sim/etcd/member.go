package etcd

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Member is one member of the cluster, as clients see it: its endpoint, and its
// release, which may differ from that of others.
//
// There is one store and one server all the same: the member that serves. The
// cluster moves to another one by restarting as that one (Failover): to clients
// it is the same, whether the server they were connected to came back or another
// one took over. So all streams and reads of all clients are one member's at a
// time.
type Member struct {
	// Version is what the member answers to Status: "3.5.13", or what is no version.
	Version string  `cell:"-"`
	Options Options `cell:"-"`
	// Down: it does not answer Status, until it serves.
	Down bool
}

// members are those of the cluster.
type members struct {
	state.Cell[members] `cell:"etcd: members"`

	all []member
	// serving is the member that this server is now.
	serving    int
	downgraded bool
}

// member is what changes about a Member in a run.
type member struct {
	Member
	// status is immutable: messages share it.
	status *wire.StatusResponse `cell:"-"`
}

// Clear makes it a new one, and keeps its memory.
func (ms *members) Clear() { *ms = members{Cell: ms.Cell, all: ms.all[:0]} }

// reset makes the cluster that of the configuration. The first member
// serves.
func (ms *members) reset(c *Config) {
	ms.Clear()
	for i := range c.Members {
		ms.add(c.Members[i])
	}
	if len(ms.all) == 0 {
		ms.add(Member{Version: c.Version, Options: c.Options})
	}
	ms.serve(0)
}

func (ms *members) add(m Member) {
	m.Options.setDefaults()
	n, version := len(ms.all), strings.TrimPrefix(m.Version, "v")
	var status *wire.StatusResponse
	if n < cap(ms.all) {
		status = ms.all[:n+1][n].status
	}
	if status == nil || status.Version != version {
		status = &wire.StatusResponse{Version: version}
	}
	ms.all = append(ms.all, member{Member: m, status: status})
}

// replace makes all members the same one.
func (ms *members) replace(m Member) {
	n := len(ms.all)
	ms.all, ms.downgraded = ms.all[:0], true
	for range n {
		ms.add(m)
	}
}

func (ms *members) serve(i int) {
	ms.serving = i
	ms.all[i].Down = false
}

// next is the member that serves after the present one.
func (ms *members) next() int { return (ms.serving + 1) % len(ms.all) }

// options are those of the member that serves.
func (ms *members) options() *Options { return &ms.all[ms.serving].Options }

// status is the answer to Maintenance.Status. It depends on nothing that changes
// while the cluster runs.
func (ms *members) status(env *sim.Env, r *wire.StatusRequest) sim.Payload {
	ms.Read(env)
	switch {
	case r.Endpoint == wire.ServingEndpoint:
		return ms.all[ms.serving].status
	case r.Endpoint < 0 || r.Endpoint >= len(ms.all):
		return v3rpc.ErrUnknown
	case ms.all[r.Endpoint].Down:
		env.Cover(coverStatusDown)
		return v3rpc.ErrDown
	default:
		return ms.all[r.Endpoint].status
	}
}

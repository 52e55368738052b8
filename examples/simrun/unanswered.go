package main

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
)

// One changed option of the simulated etcd: a server that takes
// progress requests and answers none. With --set progress=unanswered it stands in for
// every release.
var _ = v3rpc.ProgressSeam.Register("unanswered", "it is taken, and nothing comes of it", unanswered{})

// unanswered implements v3rpc.ProgressRequests. It keeps nothing.
type unanswered struct{}

func (unanswered) Request(*sim.Env, *v3rpc.ServerWatchStream) {}
func (unanswered) Sent(*sim.Env, *v3rpc.ServerWatchStream)    {}
func (unanswered) Rule() mvcc.ProgressRule                    { return mvcc.IfSynced }

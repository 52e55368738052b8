package client_test

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/wire"
)

// Values of seams that no release has, as another module would register them.
var (
	everyStream = clientv3.ProgressScopes.Register("every-stream", "the watches of all streams", func(env *sim.Env, s *clientv3.Stream, p *wire.WatchResponse) {
		s.Deliver(env, p)
		for _, other := range s.Others(env) {
			other.Deliver(env, p)
		}
	})
	passes = etcd3.MissingPrevKvs.Register("ignored", "nothing", func(*sim.Env, *wire.Event) *wire.Error { return nil })
)

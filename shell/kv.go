package shell

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// kv is the node that puts the cache's unary requests to etcd, each in a
// goroutine of its own. clientv3 repeats reads that etcd was not there for.
type kv struct {
	passive
	loop    *loop
	clients *clients
	client  *clientv3.Client
	sizes   *sizes
	// shares: a request may be on behalf of several calls, so that it has the context of none.
	shares bool
	// checker is nil if the version check wants answers of its own.
	checker *FeatureSupportChecker
}

func (k *kv) Receive(env *sim.Env, m *sim.Message) {
	if _, gone := m.Payload.(*sim.Hangup); gone {
		return
	}
	if version := k.known(m.Payload); version != nil {
		// At once: no request of a caller comes between.
		env.Send(m.Conn, version)
		return
	}
	self, conn, cause, question := env.Self(), m.Conn, m.Cause, m.Payload
	asked := k.clients.asking[cause]
	ctx, cancel := k.contextOf(asked)
	k.loop.start(func(context.Context) {
		defer cancel()
		sent := time.Now()
		answer := k.ask(ctx, question)
		answered := time.Now()
		k.loop.post(self, func(env *sim.Env) {
			if asked != nil {
				asked.watch.asked(sent, answered)
			}
			env.Under(cause)
			env.Send(conn, answer)
		})
	})
}

// known is the version of an endpoint that has answered another cache; nil if that is not
// asked for, or not known.
func (k *kv) known(request sim.Payload) *wire.StatusResponse {
	r, asks := request.(*wire.StatusRequest)
	if !asks {
		return nil
	}
	endpoints := k.client.Endpoints()
	if r.Endpoint < 0 || r.Endpoint >= len(endpoints) {
		return nil
	}
	version, known := k.checker.version(endpoints[r.Endpoint])
	if !known {
		return nil
	}
	return &wire.StatusResponse{Version: version}
}

// contextOf is that of the caller on whose behalf etcd is asked, if there is one; it ends with
// the cache as well.
func (k *kv) contextOf(asked *call) (context.Context, context.CancelFunc) {
	if asked == nil || k.shares {
		return context.WithCancel(k.loop.ctx)
	}
	ctx, cancel := context.WithCancel(asked.ctx)
	stop := context.AfterFunc(k.loop.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

func (k *kv) ask(ctx context.Context, request sim.Payload) sim.Payload {
	switch r := request.(type) {
	case *wire.RangeRequest:
		res, err := k.client.Get(ctx, r.Key, rangeOptions(r)...)
		if err != nil {
			return refusal(err)
		}
		if !r.KeysOnly {
			k.sizes.put(res.Kvs...)
		}
		return rangeResponse(res)
	case *wire.StatusRequest:
		endpoints := k.client.Endpoints()
		if r.Endpoint >= len(endpoints) {
			return &wire.Error{Code: wire.Unavailable, Message: fmt.Sprintf("the client has no endpoint %d", r.Endpoint)}
		}
		res, err := k.client.Status(ctx, endpoints[r.Endpoint])
		if err != nil {
			return refusal(err)
		}
		k.checker.answered(endpoints[r.Endpoint], res.Version)
		return &wire.StatusResponse{Version: res.Version}
	default:
		return &wire.Error{Code: wire.Internal, Message: fmt.Sprintf("the shell has no such request: %T", r)}
	}
}

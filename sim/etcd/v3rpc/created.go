package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/option"
)

// Created is the way of the answer to a create request that was not refused.
type Created interface {
	// Answer answers that watch id is created, at a revision, and ends the request.
	// It returns false if the watch channel has to have room first: then it is
	// called again when a response was taken from there.
	Answer(env *sim.Env, sws *ServerWatchStream, id, rev int64) bool
}

// CreatedWay is a value of the option created.
type CreatedWay uint8

// CreatedSeam is the option created.
var CreatedSeam = option.NewSeam[CreatedWay, Created]("created", "the way of the answer to a create request")

var (
	// CreatedPastChannel is what all releases do.
	CreatedPastChannel = CreatedSeam.Register("past-channel", "through ctrlStream, past progress in the watch channel: all releases", createdPastChannel{})
	// CreatedInOrder is what no release does.
	CreatedInOrder = CreatedSeam.Register("in-order", "through the watch channel: no release", createdInOrder{})
)

// createdPastChannel answers through ctrlStream. The answer can be sent before
// progress for all watches of the stream that was queued when the watch did not
// exist yet, which the client then takes for progress of the new watch too.
type createdPastChannel struct{}

func (createdPastChannel) Answer(env *sim.Env, sws *ServerWatchStream, id, rev int64) bool {
	sws.SendCreated(env, id, rev)
	return true
}

// createdInOrder answers through the watch channel, behind what was queued before.
type createdInOrder struct{}

func (createdInOrder) Answer(env *sim.Env, sws *ServerWatchStream, id, rev int64) bool {
	return sws.QueueCreated(env, id, rev)
}

// SendCreated answers a create request through ctrlStream.
func (sws *ServerWatchStream) SendCreated(env *sim.Env, id, rev int64) {
	resp := sws.server.responses.New()
	resp.Revision, resp.WatchID, resp.Created = rev, id, true
	sws.pushCtrl(env, resp, recvIdle)
}

// QueueCreated answers a create request through the watch channel. It returns false
// if that is full.
func (sws *ServerWatchStream) QueueCreated(env *sim.Env, id, rev int64) bool {
	if sws.watch.Chan.Full(env) {
		return false
	}
	sws.watch.Post(env, &mvcc.WatchResponse{ID: id, Revision: rev, Created: true})
	sws.goesOn(env, recvIdle)
	return true
}

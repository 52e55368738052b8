package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// asksAll is a guest that asks etcd in each way as it starts: a Range, a Txn, a RangeStream and a watch, in this order.
func asksAll(_ *scripted, h engine.Host, _ uint32, _ *protocol.Reader) {
	h.Send(asksRange(protocol.Range, 1))
	h.Send(message(protocol.Txn, 2).Text("/registry/pods/a").Int(0).Bool(true).Bool(true).Text("v").Bytes)
	h.Send(asksRange(protocol.RangeStream, 3))
	h.Send(message(protocol.Open, 4).Bool(false).Bytes)
	h.Send(createsWatch(4))
}

const (
	theRange = iota
	theTxn
	theRangeStream
	theWatch
)

// says is a guest that answers a LIST with one object, the pod a.
func says(value string, resourceVersion int64) func(*scripted, engine.Host, uint32, *protocol.Reader) {
	return func(_ *scripted, h engine.Host, conn uint32, _ *protocol.Reader) {
		w := message(protocol.Listed, conn).Int(resourceVersion).Text("").Int(0).Byte(protocol.FromCache).Int(1)
		h.Send(w.Text("/registry/pods/a").Text(value).Int(resourceVersion).Bool(false).Bytes)
	}
}

// An object of Kubernetes has no create revision and no version. What a client is told has those that etcd has sent
// with it, in whatever message that was.
func TestObjectHasTheRevisionsThatEtcdSent(t *testing.T) {
	sent := kv("a", "v", 2, 5)
	for name, send := range map[string]struct {
		on      int
		payload sim.Payload
	}{
		"Range":       {theRange, &wire.RangeResponse{Revision: 5, Count: 1, Kvs: []*wire.KeyValue{sent}}},
		"failed Txn":  {theTxn, &wire.TxnResponse{Revision: 5, Responses: []wire.ResponseOp{{Range: &wire.RangeResponse{Kvs: []*wire.KeyValue{sent}}}}}},
		"RangeStream": {theRangeStream, &wire.RangeStreamResponse{Revision: 5, Count: 1, Kvs: []*wire.KeyValue{sent}}},
		"event":       {theWatch, &wire.WatchResponse{Revision: 5, Events: []wire.Event{{Type: wire.Put, Kv: sent}}}},
		"previous value": {theWatch, &wire.WatchResponse{
			Revision: 6, Events: []wire.Event{{Type: wire.Delete, Kv: &wire.KeyValue{Key: sent.Key, ModRevision: 6}, PrevKv: sent}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll, protocol.List: says("v", 5)})
			b.deliver()
			b.ask(&wire.ListRequest{Prefix: "/registry/pods/"})
			require.Equal(t, &wire.KeyValue{Key: sent.Key, Value: "v", ModRevision: 5}, answered[*wire.ListResponse](b).Items[0], "etcd has not sent it")
			b.answer(send.on, send.payload)
			b.ask(&wire.ListRequest{Prefix: "/registry/pods/"})
			require.Equal(t, sent, answered[*wire.ListResponse](b).Items[0])
		})
	}
}

// What etcd never had must not look as if it had: the value of the object is the guest's own.
func TestObjectThatEtcdNeverHadKeepsWhatTheGuestSays(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll, protocol.List: says("other", 5)})
	b.deliver()
	b.answer(theRange, &wire.RangeResponse{Revision: 5, Count: 1, Kvs: []*wire.KeyValue{kv("a", "v", 2, 5)}})
	b.ask(&wire.ListRequest{Prefix: "/registry/pods/"})
	require.Equal(t, &wire.KeyValue{Key: "/registry/pods/a", Value: "other", ModRevision: 5}, answered[*wire.ListResponse](b).Items[0])
}

// DELETED comes with the object as it was, at the resourceVersion of the deletion.
func TestDeletedObjectIsTheOneBeforeTheDeletion(t *testing.T) {
	deletes := func(_ *scripted, h engine.Host, conn uint32, _ *protocol.Reader) {
		h.Send(message(protocol.Event, conn).Byte(protocol.Removed).Bool(false).Text("/registry/pods/a").Text("new").Int(9).Bytes)
	}
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll, protocol.Watch: deletes})
	b.deliver()
	b.answer(theWatch, &wire.WatchResponse{Revision: 7, Events: []wire.Event{
		{Type: wire.Put, Kv: kv("a", "old", 2, 5)}, {Type: wire.Put, Kv: kv("a", "new", 2, 7)},
	}})
	b.admit(clientID, func(env *sim.Env) { env.Send(env.Open(cacheID), &wire.WatchRequest{Prefix: "/registry/pods/"}) })
	b.deliver()
	e := answered[*wire.WatchEvent](b)
	require.Equal(t, kv("a", "new", 2, 7), e.Item)
	require.EqualValues(t, 9, e.ResourceVersion)
}

// A search follows a world and its clone apart.
func TestCloneKnowsNothingOfWhatComesLater(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll, protocol.List: says("v", 5)})
	b.deliver()
	b.guest.shown = shows(0, 0, comparison{4, protocol.Pending})
	b.answer(theTxn, &wire.TxnResponse{Revision: 4, Succeeded: true})
	before, err := b.w.Clone()
	require.NoError(t, err)
	sent := kv("a", "v", 2, 5)
	b.guest.shown = shows(5, 0, comparison{4, protocol.Inconsistent})
	b.answer(theRange, &wire.RangeResponse{Revision: 5, Count: 1, Kvs: []*wire.KeyValue{sent}})
	require.EqualValues(t, 5, b.node.ResourceVersion())
	require.Equal(t, check.Inconsistent, b.node.Detections()[0].Outcome)

	b.w = before
	old := before.Node(cacheID).(*node.Node)
	require.Zero(t, old.ResourceVersion())
	require.Equal(t, check.Pending, old.Detections()[0].Outcome)
	b.ask(&wire.ListRequest{Prefix: "/registry/pods/"})
	require.Zero(t, answered[*wire.ListResponse](b).Items[0].CreateRevision)
	b.answer(theRange, &wire.RangeResponse{Revision: 5, Count: 1, Kvs: []*wire.KeyValue{sent}})
	b.ask(&wire.ListRequest{Prefix: "/registry/pods/"})
	require.Equal(t, sent, answered[*wire.ListResponse](b).Items[0], "its call is still open")
}

package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// createsWatch is a watch of the guest over all pods, on a stream that is open.
func createsWatch(stream uint32) []byte {
	w := message(protocol.CreateWatch, stream).Text("/registry/pods/").Text("/registry/pods0").Int(3).Bool(true)
	return w.Byte(0).Bool(true).Int(0).Bool(false).Bytes
}

func TestAnswerHasTheNumberOfTheCall(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll})
	b.deliver()
	asked := b.told(etcdID)
	require.Equal(t, &wire.RangeRequest{Key: "/registry/pods/", RangeEnd: "/registry/pods0"}, asked[theRange].Payload)
	b.answer(theTxn, &wire.TxnResponse{Revision: 2, Succeeded: true})
	b.answer(theRange, &wire.Error{Code: wire.Unavailable, Message: "no server"})
	b.answer(theWatch, &wire.WatchResponse{Revision: 2, Created: true})
	require.Equal(t, []handed{{protocol.Start, 0}, {protocol.Txned, 2}, {protocol.Refused, 1}, {protocol.WatchResponse, 4}}, b.guest.handed)
}

func TestCallThatIsGivenUpIsNotAnswered(t *testing.T) {
	for name, of := range map[string]struct {
		number uint32
		at     int
		answer sim.Payload
	}{
		"Range":       {1, theRange, &wire.RangeResponse{Revision: 2}},
		"RangeStream": {3, theRangeStream, &wire.RangeStreamResponse{Revision: 2}},
		"watch":       {4, theWatch, &wire.WatchResponse{Revision: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			givesUp := func(_ *scripted, h engine.Host, _ uint32, _ *protocol.Reader) {
				h.Send(message(protocol.CloseStream, of.number).Bytes)
			}
			b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll, protocol.Readyz: givesUp})
			b.deliver()
			b.ask(&wire.ReadyzRequest{})
			before := len(b.guest.handed)
			_, isCall := of.answer.(*wire.RangeResponse)
			require.Equal(t, isCall, b.w.IsOpen(b.told(etcdID)[of.at].Conn), "a stream ends, and the answer to a call is dropped")
			b.answer(of.at, of.answer)
			require.Len(t, b.guest.handed, before)
		})
	}
}

// A Range that is streamed ends with an error, or as its stream ends, and the guest is told the parts in between.
func TestStreamedRangeEndsOnce(t *testing.T) {
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll})
	b.deliver()
	conn := b.told(etcdID)[theRangeStream].Conn
	b.answer(theRangeStream, &wire.RangeStreamResponse{Revision: 2, More: true})
	b.answer(theRangeStream, &wire.RangeStreamResponse{Revision: 2})
	b.answer(theRangeStream, &wire.Error{Code: wire.Unavailable})
	require.Equal(t, []handed{{protocol.Start, 0}, {protocol.Streamed, 3}, {protocol.Streamed, 3}, {protocol.Refused, 3}}, b.guest.handed)
	require.False(t, b.w.IsOpen(conn))
}

// clientv3 opens streams at one endpoint after the other. gRPC metadata goes with the request that opens a stream, so
// that WithRequireLeader counts on the first message only.
func TestStreamsAreOpenedAtOneMemberAfterTheOther(t *testing.T) {
	opens := func(_ *scripted, h engine.Host, _ uint32, _ *protocol.Reader) {
		h.Send(message(protocol.Open, 1).Bool(true).Bytes)
		h.Send(createsWatch(1))
		h.Send(createsWatch(1))
		h.Send(message(protocol.Open, 2).Bool(true).Bytes)
		h.Send(message(protocol.RequestProgress, 2).Bytes)
		h.Send(message(protocol.Open, 3).Bool(false).Bytes)
		h.Send(createsWatch(3))
	}
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: opens})
	b.deliver()
	watch := func(requireLeader bool) *wire.WatchCreateRequest {
		return &wire.WatchCreateRequest{
			Key: "/registry/pods/", RangeEnd: "/registry/pods0", StartRevision: 3, ProgressNotify: true, PrevKv: true, RequireLeader: requireLeader,
		}
	}
	at, other := b.told(etcdID), b.told(otherEtcdID)
	require.Len(t, at, 3)
	require.Equal(t, watch(true), at[0].Payload)
	require.Equal(t, watch(false), at[1].Payload)
	require.Equal(t, watch(false), at[2].Payload)
	require.Equal(t, at[0].Conn, at[1].Conn)
	require.NotEqual(t, at[0].Conn, at[2].Conn)
	require.Len(t, other, 1)
	require.Equal(t, &wire.WatchProgressRequest{RequireLeader: true}, other[0].Payload)
}

// The guest is told that a stream of its own has ended, or that a client is gone, and which of the two.
func TestHangupSaysWhoseConnectionItWas(t *testing.T) {
	type ended struct {
		number           uint32
		ofClient, broken bool
	}
	var told []ended
	hears := func(_ *scripted, _ engine.Host, conn uint32, r *protocol.Reader) {
		told = append(told, ended{conn, r.Bool(), r.Bool()})
	}
	b := newBed(t, sim.Untimed, guests.Schedule{}, script{protocol.Start: asksAll, protocol.Hangup: hears})
	b.deliver()
	own := b.told(etcdID)[theWatch].Conn
	b.admit(etcdID, func(env *sim.Env) { env.Abort(own) })
	b.deliver()
	var client sim.Conn
	b.admit(clientID, func(env *sim.Env) {
		client = env.Open(cacheID)
		env.Send(client, &wire.WatchRequest{Prefix: "/registry/pods/"})
	})
	b.deliver()
	b.admit(clientID, func(env *sim.Env) { env.Close(client) })
	b.deliver()
	require.Equal(t, []ended{{4, false, true}, {uint32(client), true, false}}, told)
}

package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// etcdCrashes breaks all calls that etcd has.
func (b *bench) etcdCrashes() {
	b.do("inject restart etcd")
	b.settle()
}

func TestUnaryCallsArePassedOn(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.call(&wire.RangeRequest{Key: "/a/"})
	b.call(&wire.PutRequest{Key: "/a/x", Value: "1"})
	b.settle()
	require.Equal(t, []string{"0 Range /a/", "1 Put /a/x=1"}, b.etcd.take())
	b.respond(1, &wire.PutResponse{Revision: 5})
	b.respond(0, &wire.Error{Code: wire.ErrCompacted})
	b.settle()
	require.ElementsMatch(t, []string{"0 error: compacted", "1 rev 5"}, b.cache.take())
}

func TestReadsAreRepeatedAndWritesAreNot(t *testing.T) {
	b := newBench(t, config(t, newest))
	for _, p := range []sim.Payload{&wire.RangeRequest{Key: "/a/"}, &wire.RangeRequest{Key: "/a/"}, &wire.PutRequest{Key: "/a/x"},
		&wire.TxnRequest{}, &wire.DeleteRangeRequest{Key: "/a/x"}, &wire.CompactionRequest{Revision: 3}} {
		b.call(p)
	}
	b.settle()
	b.etcd.take()
	b.etcdCrashes()
	require.Equal(t, []string{"0 error: unavailable", "1 error: unavailable", "2 error: unavailable", "3 error: unavailable"}, b.cache.take())
	b.etcd.conns = nil
	require.True(t, b.enabled("fire client retry Range /a/ #2"))
	b.do("fire client retry Range /a/")
	b.do("fire client retry Range /a/ #2")
	b.settle()
	require.Equal(t, []string{"0 Range /a/", "1 Range /a/"}, b.etcd.take())
	b.respond(0, &wire.RangeResponse{Revision: 7})
	b.respond(1, &wire.RangeResponse{Revision: 8})
	b.cache.conns = nil
	b.settle()
	require.Equal(t, []string{"0 rev 7: 0 items", "1 rev 8: 0 items"}, b.cache.take())
}

func TestAReadIsGivenUpAfterAllRetries(t *testing.T) {
	cfg := config(t, newest)
	cfg.Library.MaxUnaryRetries = 3
	b := newBench(t, cfg)
	b.call(&wire.RangeRequest{Key: "/a/"})
	for range 2 {
		b.settle()
		b.etcdCrashes()
		require.Empty(t, b.cache.take())
		b.do("fire client retry")
	}
	b.settle()
	// That etcd says so is the same as hearing nothing.
	b.respond(2, &wire.Error{Code: wire.Unavailable})
	b.settle()
	require.Equal(t, []string{"0 error: unavailable"}, b.cache.take())
	require.Len(t, b.etcd.take(), 3)
	require.False(t, b.enabled("fire client"))
}

func TestTheCallOfACallerThatIsGoneIsDropped(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.call(&wire.RangeRequest{Key: "/a/"})
	b.settle()
	b.etcdCrashes()
	b.call(&wire.PutRequest{Key: "/a/x"})
	b.settle()
	b.do("inject restart cache")
	b.settle()
	require.False(t, b.enabled("fire client"), "the read has no caller")
	require.Contains(t, b.etcd.take(), "1 Put /a/x=")
	b.respond(1, &wire.PutResponse{Revision: 4})
	b.settle()
	require.Empty(t, b.cache.take())
	require.EqualValues(t, 2, b.count("the caller of a unary request goes away"))
}

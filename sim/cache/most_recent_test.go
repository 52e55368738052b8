package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/wire"
)

// TestMostRecent: the cache answers a LIST with "resourceVersion="0" and
// resourceVersionMatch=MostRecent" once the cache is as new as etcd was when the LIST came,
// also in designs in which etcd or a stale cache answers other LISTs. The answer has no
// pages (KEP-3157, the fix for kubernetes/kubernetes#59848). No release knows the match.
func TestMostRecent(t *testing.T) {
	serves := func(o cache.Options) cache.Options {
		o, err := o.With("most-recent", "served")
		require.NoError(t, err)
		return o
	}
	gateOff := serves(options(t, "kep-2340"))
	gateOff.Guard.ConsistentListFromCache = guard.GateDisabled
	mostRecent := wire.MatchMostRecent
	for _, x := range []struct {
		name string
		of   cache.Options
		row  listRow
		want string
	}{
		{"as KEP-3157 proposes it", serves(options(t, "kep-2340")), listRow{rv: 0, match: mostRecent}, fresh},
		{"a limit does not count at 0", serves(options(t, "kep-2340")), listRow{rv: 0, match: mostRecent, limit: 2}, fresh},
		{"where others are stale", serves(options(t, "stale")), listRow{rv: 0, match: mostRecent}, fresh},
		{"where etcd answers consistent ones", gateOff, listRow{rv: 0, match: mostRecent}, fresh},
		{"where etcd answers all", serves(options(t, "direct")), listRow{rv: 0, match: mostRecent}, quorum},
		{"with a token", serves(options(t, "kep-2340")), listRow{rv: 0, match: mostRecent, token: true}, invalid},
		{"of a version", serves(options(t, "kep-2340")), listRow{rv: 6, match: mostRecent}, invalid},
		{"without a version", serves(options(t, "kep-2340")), listRow{rv: unset, match: mostRecent}, invalid},
		{"as KEP-2340 has it", options(t, "kep-2340"), listRow{rv: 0, match: mostRecent}, invalid},
		{"as v0.37.2 does it", shipped(t), listRow{rv: 0, match: mostRecent}, invalid},
	} {
		t.Run(x.name, func(t *testing.T) { require.Equal(t, x.want, listOutcome(t, x.of, x.row.request())) })
	}
}

// TestMostRecentThatDoesNotCome: "reject the request if waitUntilFreshAndBlock times out",
// even where etcd answers other LISTs then.
func TestMostRecentThatDoesNotCome(t *testing.T) {
	o, err := options(t, "kep-2340-fallback").With("most-recent", "served")
	require.NoError(t, err)
	b := tableBed(t, o)
	b.ask(&wire.ListRequest{Prefix: prefix, Match: wire.MatchMostRecent})
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 9})
	b.do("fire cache timeout of read 0: LIST")
	b.settle()
	refusal, _ := take[*wire.Error](b, b.down)
	require.Equal(t, wire.TooLargeResourceVersion, refusal.Code)
}

package seats

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// fallbackParams: a LIST from the cache takes one of ten seats, one from etcd two. etcd
// answers one in 100 ms.
func fallbackParams() testbed.Params {
	p := clogged(20, 100)
	p.Cache = "kep-2340-fallback"
	p.Settings = option.Settings("seats=10", "hand-size=5", "range-time=1ms", "item-time=1ms")
	return p
}

var Fallback = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-fallback",
	Summary: "a clogged watch behind API Priority and Fairness: LISTs admitted as reads of the cache fall back, and etcd has more to do than seats allow",
	Doc: `The watch of an API server is clogged for up to eight seconds, while other resources are written. Ten LISTs at a time have
seats, one for each since the cache is to answer them, and wait for it for three seconds. If they fall back to etcd, each costs
two seats there, and the priority level does not admit them again: KEP-2340 ("Per-request override") is against a fallback because "cost of request
would change after the APF decision". on-timeout=reject and throttle put none to etcd. With fallback-seats=at-etcd a LIST
takes another seat before it falls back, or is refused with 429. Figures are in scenarios/guards.md.`,
	Params: fallbackParams(),
	Claims: []*testbed.Property{caches.SeatsKept, caches.WithinSeats},
	Known: slices.Concat(
		known.When(known.FallsBack, known.TrustsEtcd, testbed.Unless(known.ServesStale)).Violates(caches.WithinSeats).
			Because("seats were taken for reads of the cache, and etcd answers them at twice the cost"),
		known.When(known.BypassesCache, known.TrustsEtcd).Violates(caches.WithinSeats).
			Because("seats are estimated as if there were a cache, and etcd answers every LIST"),
		known.When(known.AwaitsNotifications).Violates(caches.WithinSeats).
			Because("until etcd sends its first progress notification it answers all LISTs, which were admitted as reads of the cache"),
	),
})

package seats

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

var Waits = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "seats-waits",
	Summary: "more LISTs than seats while a watch is clogged: each waits in its queue for two seconds at most, and is then refused",
	Doc: `With a clock. The watch of an API server is clogged for up to eight seconds, and a LIST that has a seat has it for three,
until the cache is fresh or the LIST is refused. Twelve clients share three queues, and what finds no seat waits there. When the oldest
of a queue has waited for two seconds, it is refused with 429, and those that came later wait on.`,
	Params: func() testbed.Params {
		p := clogged(12, 10)
		p.Settings = option.Settings("seats=4", "queues=3", "hand-size=1", "queue-wait=2s")
		return p
	}(),
	Claims: []*testbed.Property{caches.SeatsKept, caches.TimersOwned},
})

package testbed

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Clock says how time goes in a run, and when the run ends.
type Clock struct {
	Mode sim.Mode
	// AtRest has an untimed run begin when the caches have listed and watch.
	AtRest bool
	// ToRest has an untimed run go on until nothing more can happen, so that what is
	// still to come has come. Otherwise it ends with the programs of the clients.
	ToRest bool
	// Network and Scheduling are the longest delays of a message and of a loop that
	// has work, timed.
	Network, Scheduling time.Duration
	// Transfer is how long each object takes on its way from an API server to a client,
	// in a LIST or an event, EtcdTransfer how long from etcd in the answer to a Range, timed.
	// 0 is no time.
	Transfer, EtcdTransfer time.Duration
	// Horizon is when a timed run ends at the latest. Steps bounds any run.
	Horizon time.Duration
	Steps   int
}

// Unread reports whether a run never looks at an option of the clock: an untimed one has no time.
func (c *Clock) Unread(name string) bool {
	return c.Mode == sim.Untimed && slices.Contains([]string{"network", "scheduling", "transfer", "etcd-transfer", "horizon"}, name)
}

var clockGroup = option.NewGroup("clock",
	option.Choice("mode", func(c *Clock) *sim.Mode { return &c.Mode }, "how time goes",
		option.Value{Name: "untimed", Doc: "any armed timer may fire at any point (for safety)"},
		option.Value{Name: "timed", Doc: "every delay is chosen, and the earliest timer fires next (for liveness and cost)"}),
	option.Switch("at-rest", func(c *Clock) *bool { return &c.AtRest }, "an untimed run begins when the caches have listed and watch"),
	option.Switch("to-rest", func(c *Clock) *bool { return &c.ToRest }, "an untimed run goes on until nothing more can happen"),
	option.Duration("network", func(c *Clock) *time.Duration { return &c.Network }, "", "longest one-way delay of a message, timed"),
	option.Duration("scheduling", func(c *Clock) *time.Duration { return &c.Scheduling }, "", "longest wait of a loop that has work, timed"),
	option.Duration("transfer", func(c *Clock) *time.Duration { return &c.Transfer }, "", "how long each object takes from an API server to a client, timed"),
	option.Duration("etcd-transfer", func(c *Clock) *time.Duration { return &c.EtcdTransfer }, "", "how long each object takes from etcd in the answer to a range, timed"),
	option.Duration("horizon", func(c *Clock) *time.Duration { return &c.Horizon }, "", "when a run ends at the latest, timed"),
	option.Count("steps", func(c *Clock) *int { return &c.Steps }, "", "maximum number of steps of a run"),
)

package testbed

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Clock says how time goes in a run, and when the run ends. An untimed run ends with the programs of the clients,
// unless ToRest.
type Clock struct {
	Mode         sim.Mode      `option:"mode"`
	AtRest       bool          `option:"at-rest" doc:"an untimed run begins when the caches have listed and watch"`
	ToRest       bool          `option:"to-rest" doc:"an untimed run goes on until nothing more can happen"`
	Network      time.Duration `option:"network" doc:"longest one-way delay of a message, timed"`
	Scheduling   time.Duration `option:"scheduling" doc:"longest wait of a loop that has work, timed"`
	Transfer     time.Duration `option:"transfer" doc:"how long each object takes from an API server to a client, timed"`
	EtcdTransfer time.Duration `option:"etcd-transfer" doc:"how long each object takes from etcd in the answer to a range, timed"`
	Horizon      time.Duration `option:"horizon" doc:"when a run ends at the latest, timed"`
	Latency      bool          `option:"latency" doc:"measure how long events take from etcd to the clients of caches, stage by stage, timed"`
	Steps        int           `option:"steps" doc:"maximum number of steps of a run"`
}

// Unread reports whether a run never looks at an option of the clock: an untimed one has no time.
func (c *Clock) Unread(name string) bool {
	return c.Mode == sim.Untimed && slices.Contains([]string{"network", "scheduling", "transfer", "etcd-transfer", "latency", "horizon"}, name)
}

// OnlyMeasures reports whether an option of the clock changes nothing that happens.
func (c *Clock) OnlyMeasures(name string) bool { return name == "latency" }

var clockGroup = option.Fields("clock",
	option.Choice("mode", func(c *Clock) *sim.Mode { return &c.Mode }, "how time goes",
		option.Val("untimed", "any armed timer may fire at any point (for safety)"),
		option.Val("timed", "every delay is chosen, and the earliest timer fires next (for liveness and cost)")),
)

package flowcontrol

import "github.com/watchbed/watchbed/sim"

var (
	executedAtOnce = sim.NewSituation("flow control: request executed at once")
	executedLater  = sim.NewSituation("flow control: request executed after a wait")
	requestQueued  = sim.NewSituation("flow control: request waits for seats")
	tooFewSeats    = sim.NewSituation("flow control: some seats are free, too few for the next request")
	queueFull      = sim.NewSituation("flow control: request refused, its queue is full")
	waitedTooLong  = sim.NewSituation("flow control: request refused, it has waited too long")
	leftQueue      = sim.NewSituation("flow control: watch ended while it waited for seats")
	costsMore      = sim.NewSituation("flow control: list put to etcd costs more than was estimated")
	tooCostly      = sim.NewSituation("flow control: list refused, too few seats for what it costs at etcd")
)

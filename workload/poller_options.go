package workload

import (
	"time"

	"github.com/watchbed/watchbed/sim/option"
)

// PollingOptions are about clients that list again and again, and do not give up.
type PollingOptions struct {
	// Clients is how many there are. They are spread over the API servers.
	Clients int
	// Patience is how long one waits for an answer, and what the API server allows a
	// request.
	Patience time.Duration
	// Honour: a client that is refused waits for the Retry-After of the answer.
	Honour bool
	// Settle is how long after the faults clients may still be refused: the property
	// recovers-in-time judges what they ask later.
	Settle time.Duration
}

var pollingGroup = option.NewGroup("clients",
	option.Count("pollers", func(o *PollingOptions) *int { return &o.Clients }, "", "clients that list again and again, and do not give up"),
	option.Duration("patience", func(o *PollingOptions) *time.Duration { return &o.Patience }, "", "how long each of them waits for an answer, and an API server works on it"),
	option.Switch("honour", func(o *PollingOptions) *bool { return &o.Honour }, "they come back when retry-after says so"),
	option.Duration("settle", func(o *PollingOptions) *time.Duration { return &o.Settle }, "", "how long after the faults clients may still be refused"),
)

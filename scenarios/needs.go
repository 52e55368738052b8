package scenarios

import (
	"time"

	"github.com/watchbed/watchbed/sim/cache"
)

// notifyInterval is the one that the draft of 2019 plans: 250 ms.
const notifyInterval = 250 * time.Millisecond

// Needs lists the parameters without which nobody would run a design: how etcd
// has to be configured for it. They are for those who compare designs; a run
// takes what it is given.
func Needs(design string) []Parameter {
	o, err := cache.ForDesign(design)
	if err == nil && o.ProgressRequests == cache.ProgressNotify {
		return []Parameter{{"notify", notifyInterval.String()}}
	}
	return nil
}

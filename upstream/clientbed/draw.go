package clientbed

import (
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// The kinds of operations, of which each is as likely as its share. The first is the plainest.
const (
	get = iota
	put
	remove
)

var shares = [...]int{get, get, get, put, put, remove}

// keyPrefix is how the names of the keys of clients begin.
const keyPrefix = "key-"

func isDrawn(key string) bool { return strings.HasPrefix(key, keyPrefix) }

// draw is how a client of a process draws what it asks for. Each value is written once.
func (s *subject) draw(client string, process sim.NodeID) workload.Draw {
	return func(env *sim.Env) []workload.Step {
		var program []workload.Step
		for i := range s.config.Operations {
			var p sim.Payload
			kind := shares[env.Choose(len(shares), "kind of operation")]
			key := fmt.Sprintf(keyPrefix+"%d", 1+env.Choose(s.config.Keys, "key"))
			switch kind {
			case get:
				p = &wire.RangeRequest{Key: key}
			case put:
				p = &wire.PutRequest{Key: key, Value: fmt.Sprintf("%s:%d", client, i+1)}
			case remove:
				p = &wire.DeleteRangeRequest{Key: key}
			}
			program = append(program, workload.Step{
				To: process, Payload: p, Request: workload.Request(p), Think: sim.Delay{Max: s.config.Think, Steps: delaySteps},
			})
		}
		return program
	}
}

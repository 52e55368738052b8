package testbed

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/sim/cache/progress"
)

// Bound is how long something may take in the liveness phase, with what it is
// made of.
type Bound struct {
	Total      time.Duration
	Derivation string
}

// Plus adds a part to a bound; text says what it is.
func (b Bound) Plus(part time.Duration, text string) Bound {
	if b.Derivation != "" {
		text = b.Derivation + ", " + text
	}
	return Bound{b.Total + part, text}
}

// The parts of a bound that do not come from the declared delays: etcd's
// watchResyncPeriod and Kubernetes' progressRequestPeriod.
const (
	SyncInterval = 100 * time.Millisecond
	pollPeriod   = 100 * time.Millisecond
)

// DeliveryBound is how long it may take until an event has come from etcd to a
// cache: 8 messages there and back, a turn of a loop behind each end of them, and
// the events that are under way, which go through the same loops before it. In the
// worst case the watcher is unsynced: the next sync comes within its interval.
func (s *System) DeliveryBound() Bound {
	const messages, loops, loopsPerWrite = 8, 16, 4
	c := &s.params.Clock
	n := loops + loopsPerWrite*s.params.Workload.ObjectWrites()
	var b Bound
	b = b.Plus(messages*c.Network, fmt.Sprintf("%d messages of at most %v", messages, c.Network))
	b = b.Plus(time.Duration(n)*c.Scheduling, fmt.Sprintf("%d turns of a loop of at most %v", n, c.Scheduling))
	return b.Plus(SyncInterval, fmt.Sprintf("a sync interval of %v", SyncInterval))
}

// ReadBound is how long a consistent read may take in the liveness phase. It costs
// its own round trip and that of the revision read (4 messages). The first
// progress request after the sync comes within two polls (one may have been
// dropped just before). The request and its answer take 4 messages through the
// client library.
//
// A read that takes an echoed progress request for its proof cannot use one that
// was sent before it came, nor the event that it waits for: one poll more. One
// that waits until etcd tells by itself has its ticks for polls, which may come a
// tenth late, and leave out a watch that was sent an event.
//
// Of servers with different options it is what the slowest of them may take.
func (s *System) ReadBound() Bound {
	var longest Bound
	for _, c := range s.caches {
		for _, of := range c.servers {
			if b := s.readBound(of.Cache.ProgressRequests); b.Total > longest.Total {
				longest = b
			}
		}
	}
	return longest
}

func (s *System) readBound(requests progress.Requests) Bound {
	polls, period, name := 2, pollPeriod, "polls"
	switch requests {
	case progress.Echo:
		polls++
	case progress.Notify:
		period, name = s.nodes.notifyInterval()*11/10, "ticks"
	}
	return s.DeliveryBound().Plus(time.Duration(polls)*period, fmt.Sprintf("%d %s of %v", polls, name, period))
}

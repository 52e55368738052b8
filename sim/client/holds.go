package client

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
)

// Held is what a client has in memory on behalf of its callers.
type Held struct {
	// Watches are those of Kubernetes' watcher, Orphans the ones of which no cache holds
	// the other end. LibraryWatches are those that the client library has for them: a
	// watch that still lists has none.
	Watches, Orphans, LibraryWatches int
	// Calls are unary calls and lists that are streamed, Waiting the requests and closing watches that wait for a
	// stream, Queued the events that were not sent to their cache.
	Calls, Waiting, Queued int
}

// Holds is for judges.
func (c *Client) Holds(w *sim.World) Held {
	var h Held
	h.LibraryWatches, h.Calls, h.Waiting = c.library.Holds()
	h.Watches, h.Orphans, h.Queued = c.watcher.Holds(w)
	h.Calls += c.watcher.Lists()
	return h
}

// Ownerless are the timers that are set for no stream or call that waits for its next attempt, and for no event that is
// decoded.
func (c *Client) Ownerless(armed sim.Armed) (found []sim.Timer) {
	for t := range armed.All {
		i, owned := int(t)/timersEach, false
		switch timer := int(t) % timersEach; timer {
		case timerBackoff:
			owned = c.library.StreamBacksOff(i)
		case timerRetry:
			owned = c.library.CallBacksOff(i)
		default:
			owned = c.watcher.Decodes(i, timer-timerDecode)
		}
		if !owned {
			found = append(found, t)
		}
	}
	return found
}

// Library is the client library, for judges.
func (c *Client) Library() *clientv3.Client { return &c.library }

// Outages are the times between a break of a watch stream and its next opening, timed.
// They must not be changed.
func (c *Client) Outages() []clientv3.Outage { return c.library.Outages() }

// LongestQueue is the number of events that Kubernetes' watcher has queued of one watch at
// most, and the number that the buffer of a watch holds.
func (c *Client) LongestQueue() (queued, size int) { return c.watcher.LongestQueue() }

var _ sim.Visible = (*Client)(nil)

func (c *Client) Show(visit sim.PartVisitor) {
	c.library.Show(visit)
	c.watcher.Show(visit)
}

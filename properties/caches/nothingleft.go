package caches

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// NothingLeft looks at a cache when nothing more can happen. What it still has in memory on behalf of clients must
// have a client: its watches are those that clients have there, and each request must have been answered. A watch
// that drains has ended by then, and so has each read. What passes through the cache has passed: its channels are
// empty, but for what clients have no room for. Rests of lists that are kept for the next page have expired, and
// there is at most one snapshot for each event that the history has room for and one for the list. No timer is set
// then, or more could happen. It is exercised by each cache once in a run that comes to rest, and by each run that
// cannot, because etcd's ticker goes on (draft-2019). Timed, caches go on with checks, and informers watch again, so
// that no scenario with a clock claims it: few runs of one come to rest.
var NothingLeft = testbed.RegisterProperty(&testbed.Property{
	Name: "nothing-left", Kind: testbed.Safety, AfterRestore: true,
	Promise:  "When nothing more can happen, a cache has answered each request, and holds no read, no write, no comparison with etcd, nothing that it still has to pass on, no page for later, no snapshot beyond its history, and exactly the watches that clients have open, with a watch of etcd for each that etcd serves.",
	Violated: "left behind in the cache",
	Labels: map[string]string{
		"unanswered": "request without an answer", "reads": "reads left in the cache", "waits": "waits left in the cache",
		"writes": "writes left in the cache", "comparisons": "comparison without an end", "watches": "watches left in the cache", "dead": "watch missing in the cache", "silent": "delegated watch without events",
		"asking": "question left in the cache", "queued": "events left in the cache", "pages": "pages left in the cache", "snapshots": "snapshots left in the cache", "connections": "connection without an owner",
	},
	Monitor: testbed.Monitor{Runs: testbed.Untimed, AtRest: true},
	New:     testbed.AtRest(nothingLeft),
})

func nothingLeft(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for c, of := range testbed.Capable[cache.Holding](s) {
		all.Exercised++
		left := &left{Held: of.Holds(), waits: waitsOf(c), cache: c.Name, open: w.Accepted(c.ID)}
		_, left.forgotten = w.Opened(c.ID)
		left.unanswered, left.first = unanswered(s, c)
		if from := cmp.Or(left.First.From, left.Queued.For); from != 0 {
			left.first = w.NodeName(from)
		}
		// Questions for readiness are open until the cache is ready: a cache that does not start
		// never answers them.
		for _, of := range []struct {
			label string
			is    bool
		}{
			{"unanswered", left.unanswered > 0}, {"reads", left.Reads > 0}, {"waits", left.waits > 0}, {"writes", left.Writes > 0},
			{"comparisons", left.Comparisons > 0}, {"asking", left.Asking > 0 && c.Ready()}, {"queued", left.Queued != (dispatch.Queued{})},
			{"pages", left.Pages > 0}, {"snapshots", left.Snapshots > 0}, {"watches", left.Watches != left.open-left.Asking},
			{"connections", left.forgotten > 0},
		} {
			if of.is {
				all.Violate(of.label, left)
			}
		}
		watchesAgree(s, w, c, of, all)
	}
}

// unanswered is how many clients wait for an answer of a cache, and the name of the first.
func unanswered(s *testbed.System, c *testbed.Cache) (n int, first string) {
	for _, x := range s.Clients() {
		if spans := x.Spans(); x.Asked() == c.ID && !spans[len(spans)-1].Answered {
			n, first = n+1, cmp.Or(first, x.Name())
		}
	}
	return n, first
}

// waitsOf is how many reads a cache counts as waiting, 0 if it does not say.
func waitsOf(c *testbed.Cache) int {
	if c.Waiting == nil {
		return 0
	}
	return c.Waiting.Waiting()
}

// watchesAgree compares the watches of a cache with its clients' watches there, both ways. A watch whose client takes
// nothing more does not hear that it is over.
func watchesAgree(s *testbed.System, w *sim.World, c *testbed.Cache, of cache.Holding, all *testbed.Tally) {
	var held []sim.Conn
	of.Watches(func(client, upstream sim.Conn) {
		held = append(held, client)
		if upstream != sim.NoConn && !w.IsOpen(upstream) {
			all.Violatef("silent", testbed.Concern{Node: c.Name}, "nothing more can happen, and %s holds a watch that etcd serves, and no watch of etcd for it", c.Name)
		}
	})
	for o := range s.OpenWatches() {
		if o.To != c.ID {
			continue
		}
		at := slices.Index(held, o.Conn)
		switch {
		case at >= 0:
			held = slices.Delete(held, at, at+1)
		case w.IsOpen(o.Conn):
			all.Violatef("dead", testbed.Concern{Node: o.Client}, "nothing more can happen, and %s waits for events of a watch that %s does not have", o.Client, c.Name)
		}
	}
	if len(held) > 0 {
		all.Violatef("watches", testbed.Concern{Node: c.Name}, "nothing more can happen, and %s holds watches that no client has: %d", c.Name, len(held))
	}
}

// left is what a cache still has.
type left struct {
	cache.Held
	cache       string
	waits, open int
	// unanswered is how many clients wait for an answer.
	unanswered int
	// forgotten is how many connections of the cache belong to nothing that it holds.
	forgotten int
	// first is the client of the first read or event that is left, or the first waiting client.
	first string
}

func (l *left) String() string {
	var holds []string
	for _, of := range []struct {
		n    int
		what string
	}{
		{l.unanswered, "requests without an answer"}, {l.Reads, "reads"}, {l.waits, "reads that it counts as waiting"}, {l.Writes, "writes"}, {l.Watches, "watches"},
		{l.Comparisons, "comparisons"}, {l.Asking, "questions for readiness"}, {l.Queued.Incoming, "events in the incoming channel"},
		{l.Queued.Unsent, "events in channels of watches"}, {l.Queued.Ending, "watches that are to end"}, {l.Pages, "rests of lists"},
		{l.Snapshots, "snapshots beyond its history"},
		{l.forgotten, "connections of its own that belong to nothing"},
	} {
		if of.n > 0 {
			holds = append(holds, fmt.Sprintf("%s: %d", of.what, of.n))
		}
	}
	if l.Queued.Dispatching {
		holds = append(holds, "an event that has not reached all watches")
	}
	if len(holds) == 0 {
		holds = []string{"nothing"}
	}
	text := fmt.Sprintf("nothing more can happen, and %s has %s and still holds %s", l.cache, sim.Some(l.open, "open connection"), strings.Join(holds, ", "))
	if l.First.Request != nil {
		text += fmt.Sprintf(". The first of the reads is %s's %s", l.first, l.First.Request.Label())
	}
	return text
}

func (l *left) Concern() testbed.Concern {
	return testbed.Concern{Node: cmp.Or(l.first, l.cache), Revision: l.Queued.Oldest}
}

package load

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/memory"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
)

// StaysUp judges what KEP-3157 and KEP-4988 begin with: an API server that sends more
// than it has memory for is killed, its clients ask the next one, and that one may be
// killed in turn. It is exercised by each list and stream of everything that an API
// server with a memory-limit has sent to an informer, and by each that is killed. No
// answer is wrong, and the server is not there for a while, so it counts as liveness.
var StaysUp = testbed.RegisterProperty(&testbed.Property{
	Name: "stays-up", Kind: testbed.Liveness,
	Promise:  "No API server is killed because it is out of memory.",
	Violated: "API server out of memory",
	Labels: map[string]string{
		"alone":   "API server out of memory",
		"in turn": "out of memory after another one",
	},
	Weight:    10,
	TimedPast: testbed.NoPast,
	New: func(s *testbed.System) testbed.Judge {
		testbed.Shared(s, newOOMWarnings)
		return &staysUp{s}
	},
})

type staysUp struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*staysUp) Reset() {}

// Finding implements testbed.Judge. One that is killed in turn is told of, if there is
// any: that the first one was killed is part of its story.
func (j *staysUp) Finding(*sim.World) explore.Finding {
	var all testbed.Tally
	all.Exercised = j.sent()
	var alone *outOfMemory
	for _, c := range j.system.Caches() {
		for i := range kills(c) {
			all.Exercised++
			k := &outOfMemory{cache: c, kill: &kills(c)[i]}
			for _, share := range k.kill.For {
				if j.cameFromKilled(share.Client, c, k.kill.At) {
					k.others += share.Taken
				}
			}
			switch {
			case k.kill.Taken-k.others <= k.limit():
				all.Violate("in turn", k)
			case alone == nil || k.kill.At < alone.kill.At:
				alone = k
			}
		}
	}
	if alone != nil {
		all.Violate("alone", alone)
	}
	return all.Finding()
}

// sent is how many lists and streams of everything came from servers with a limit.
func (j *staysUp) sent() int {
	n := 0
	for _, i := range j.system.Informers() {
		for k := range i.Exchanges() {
			x := &i.Exchanges()[k]
			if x.Complete && j.system.Cache(x.To).Server().Cache.MemoryLimit > 0 {
				n++
			}
		}
	}
	return n
}

// cameFromKilled reports whether a client is at an API server because another one was
// killed while it was connected to it, by the last of its connections that broke.
func (j *staysUp) cameFromKilled(client sim.NodeID, at *testbed.Cache, now sim.Time) bool {
	role := j.system.Role(client)
	if role.Part != testbed.InformerNode {
		return false
	}
	var from *informer.Exchange
	exchanges := j.system.Informers()[role.Place].Exchanges()
	for k := range exchanges {
		if x := &exchanges[k]; x.End == informer.Broken && x.Over <= now {
			from = x
		}
	}
	if from == nil || from.To == at.ID {
		return false
	}
	for _, k := range kills(j.system.Cache(from.To)) {
		if from.Sent <= k.At && k.At <= from.Over {
			return true
		}
	}
	return false
}

type kill = memory.Kill

func kills(c *testbed.Cache) []kill {
	if killed, ok := c.Node.(cache.Killable); ok {
		return killed.Kills()
	}
	return nil
}

// outOfMemory is an API server that was killed.
type outOfMemory struct {
	cache *testbed.Cache
	kill  *kill
	// others is what it took for clients of servers that had been killed before.
	others int
}

func (k *outOfMemory) limit() int { return k.cache.Server().Cache.MemoryLimit }

func (k *outOfMemory) String() string {
	text := fmt.Sprintf("%s takes memory for %d objects for %d clients, and has it for %d", k.cache.Name, k.kill.Taken, len(k.kill.For), k.limit())
	if k.others > 0 {
		text += fmt.Sprintf("; %d of them are for clients of an API server that was killed before", k.others)
	}
	return text
}

// Concerns implements explore.Concerned.
func (k *outOfMemory) Concerns() explore.Concern { return explore.Concern{Node: k.cache.Name} }

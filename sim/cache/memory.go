package cache

import (
	"slices"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Killer is the kernel's, as far as it is about one API server: it ends the process that
// takes more memory for its clients than it may (KEP-3157 and KEP-4988, "Motivation").
//
// What is taken are Taken for each answer to a LIST, and an object for each slot in use
// of the channels of watchers. The process starts again at once; a kubelet would wait.
type Killer struct {
	// limit is in objects, 0 is none; process are the nodes that go down.
	limit   int
	process []sim.NodeID
	// kills are all since the run began. Nothing in the process reads them, so they are
	// part of no cell.
	kills []Kill
}

// Kill is one end of the process.
type Kill struct {
	At sim.Time
	// Taken is what it took when it was killed, For says for which clients.
	Taken int
	For   []Share
}

// Share is what a process takes for one client.
type Share struct {
	Client sim.NodeID
	Taken  int
}

// Reset begins a run.
func (k *Killer) Reset(limit int, process []sim.NodeID) {
	*k = Killer{limit: limit, process: process, kills: k.kills[:0]}
}

// Reconfigure is for a process with another limit, which is started next.
func (k *Killer) Reconfigure(limit int) { k.limit = limit }

// Kills are all since the run began. They must not be changed.
func (k *Killer) Kills() []Kill { return k.kills }

// Clone is the Killer of a copy of the process.
func (k *Killer) Clone() Killer { return Killer{k.limit, k.process, slices.Clip(k.kills)} }

// Look ends the process if it takes too much. It depends on what the world has
// delivered, which no cell of a node says.
func (k *Killer) Look(env *sim.Env) {
	if k.limit == 0 {
		return
	}
	env.TouchAll()
	taken := 0
	var shares []Share
	for _, n := range k.process {
		env.UnderWayFrom(n, func(first *sim.Message, count int) {
			if of := takenFor(first, count); of > 0 {
				taken += of
				shares = append(shares, Share{first.To, of})
			}
		})
	}
	if taken <= k.limit {
		return
	}
	env.Cover(processKilled)
	env.Add(processKills, 1)
	killed.Say(env, taken, k.limit)
	k.kills = append(k.kills, Kill{env.Now(), taken, shares})
	env.Crash(k.process)
}

// takenFor is what is taken for the messages of one connection.
func takenFor(first *sim.Message, count int) int {
	switch p := first.Payload.(type) {
	case *wire.ListResponse:
		return Taken(p)
	case *wire.WatchEvent:
		return count
	}
	return 0
}

// What an answer takes beside its objects are factors of KEP-3157: "around
// O(5*the_response_from_etcd)" if it comes from etcd ("Motivation"), and
// "O({2,3}*the-size-of-the-page)" if it comes from the cache ("Alternatives"), of which
// this is the greater.
const (
	factorOfEtcd  = 5
	factorOfCache = 3
)

// Taken is what a process takes for an answer until its client has all of it, in
// objects.
func Taken(answer *wire.ListResponse) int {
	if answer.Origin == wire.FromCache {
		return factorOfCache * len(answer.Items)
	}
	return factorOfEtcd * len(answer.Items)
}

var (
	processKilled = sim.NewCoveragePoint("cache: process killed because it is out of memory")
	processKills  = metric.NewCounter("process_oom_kills_total", metric.Counted, "times that an API server was killed because it was out of memory")
	killed        = sim.NewNote2[int, int]("memory.killed", "takes memory for %d objects, more than the %d that it may: its process is killed")
)

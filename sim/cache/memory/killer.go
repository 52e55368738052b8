package memory

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

var processKilled = sim.NewSituation("cache: process killed because it is out of memory")

var processKills = metric.NewCounter("process_oom_kills_total", metric.Counted, "times that an API server was killed because it was out of memory")

// Reset begins a run.
func (k *Killer) Reset(limit int, process []sim.NodeID) {
	*k = Killer{limit: limit, process: process, kills: k.kills[:0]}
}

// Reconfigure is for a process with another limit, which is started next.
func (k *Killer) Reconfigure(limit int) { k.limit = limit }

// Kills are all since the run began. They must not be changed.
func (k *Killer) Kills() []Kill { return k.kills }

// Clone is the one of a copy of the process.
func (k *Killer) Clone() Killer {
	c := *k
	c.kills = slices.Clip(k.kills)
	return c
}

// Look ends the process if it takes too much. It depends on what the world has
// delivered, which no cell of a node says.
func (k *Killer) Look(env *sim.Env) {
	if k.limit == 0 {
		return
	}
	env.TouchesAll()
	taken := 0
	each := func(first *sim.Message, count int) { taken += takenFor(first, count) }
	for _, n := range k.process {
		env.UnderWayFrom(n, each)
	}
	if taken <= k.limit {
		return
	}
	env.Cover(processKilled)
	env.Add(processKills, 1)
	if env.Noting() {
		env.Note(killed.Of(taken, k.limit))
	}
	k.kills = append(k.kills, Kill{At: env.Now(), Taken: taken, For: k.shares(env)})
	env.Crash(k.process)
}

func (k *Killer) shares(env *sim.Env) []Share {
	var all []Share
	for _, n := range k.process {
		env.UnderWayFrom(n, func(first *sim.Message, count int) {
			if taken := takenFor(first, count); taken > 0 {
				all = append(all, Share{first.To, taken})
			}
		})
	}
	return all
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

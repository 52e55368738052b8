package races

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
)

// The clients of a race, as indices into the clients of its recording.
const (
	stream = iota
	writer
	reader
)

// names are those of the clients' nodes.
var names = [...]string{stream: "stream", writer: "writer", reader: "reader"}

// Race is what was recorded of one.
type Race struct {
	Version string
	// Begin is the revision of the store when the race began, Compacted the one that it
	// was compacted at before, 0 for none. No key of the race existed.
	Begin, Compacted int64
	// OnFollower: the stream and the reader are clients of a member that follows, the writer
	// one of the leader.
	OnFollower bool
	Moments    []Moment
}

// States is how many a search enters at most: about two minutes and 50 MB on an idle machine. Of
// 3,000 races none took more than 287,000.
const States = 1_000_000

// In searches the simulated server of a version for a schedule of the race, in so many states at
// most.
func (r *Race) In(version string, states int) (Result, error) {
	cfg, err := etcd.DefaultConfig(version)
	if err != nil {
		return Result{}, err
	}
	return r.with(cfg, states)
}

func (r *Race) with(cfg etcd.Config, states int) (Result, error) {
	cfg.InitialRevision, cfg.Compacted = r.Begin, r.Compacted
	// A reader may be behind what the stream was sent before.
	cfg.Store.VisibleLater = true
	w := sim.NewWorld(sim.Options{Mode: sim.Untimed, Untraced: true})
	recording := &Recording{Moments: r.Moments, AtRest: true}
	writes, serves := r.addServers(w, cfg)
	prompt := &promptness{leader: writes, follower: serves}
	recording.Prompt = prompt.of
	recording.Hopeless = newForesight(r.Moments, serves).hopeless
	for i, name := range names {
		c := Client{Node: w.Add(name, Idle{}), Server: serves, Stream: i == stream}
		switch i {
		case writer:
			c.Server = writes
		case reader:
			prompt.reader = c.Node
		}
		recording.Clients = append(recording.Clients, c)
	}
	w.Start(unasked{})
	return Search(w, recording, states)
}

// addServers adds the one that takes the writes, and the one that serves the other clients.
func (r *Race) addServers(w *sim.World, cfg etcd.Config) (writes, serves sim.NodeID) {
	if !r.OnFollower {
		server := w.Add("etcd", etcd.New(cfg))
		return server, server
	}
	follower := cfg
	// What the leader's own readers see matters to no client.
	cfg.Replicated, cfg.Store.VisibleLater = true, false
	follower.Leader = w.Add("etcd", etcd.New(cfg))
	return follower.Leader, w.Add("follower", etcd.New(follower))
}

// unasked is a chooser of a server that has begun and been sent nothing.
type unasked struct{}

func (unasked) Pick(*sim.World, []sim.Action) int { panic("races: a step before the race") }

func (unasked) Choose(_ *sim.World, _ int, what string) int {
	panic("races: asked before the race: " + what)
}

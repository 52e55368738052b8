package races

import (
	"github.com/watchbed/watchbed/explore/reach"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
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
	Moments          []reach.Moment
}

// states is how many a search may enter: about 10 s and 10 MB. Of 600 races the longest
// search took 60,000.
const states = 200_000

// In searches the simulated server of a version for a schedule of the race.
func (r *Race) In(version string) (reach.Result, error) {
	cfg, err := etcd.DefaultConfig(version)
	if err != nil {
		return reach.Result{}, err
	}
	return r.with(cfg)
}

func (r *Race) with(cfg etcd.Config) (reach.Result, error) {
	cfg.InitialRevision, cfg.Compacted = r.Begin, r.Compacted
	// A reader may be behind what the stream was sent before.
	cfg.Store.VisibleRevision = mvcc.AfterEvents
	w := sim.NewWorld(sim.Options{Mode: sim.Untimed, Untraced: true})
	recording := &reach.Recording{Moments: r.Moments, AtRest: true}
	recording.Server = w.Add("etcd", etcd.New(cfg))
	for i, name := range names {
		recording.Clients = append(recording.Clients, reach.Client{Node: w.Add(name, reach.Idle{}), Stream: i == stream})
	}
	w.Start(unasked{})
	return reach.Search(w, recording, states)
}

// unasked is a chooser of a server that has begun and been sent nothing.
type unasked struct{}

// Pick implements sim.Chooser.
func (unasked) Pick(*sim.World, []sim.Action) int { panic("races: a step before the race") }

// Choose implements sim.Chooser.
func (unasked) Choose(_ *sim.World, _ int, what string) int {
	panic("races: asked before the race: " + what)
}

package clusternode

import (
	"errors"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// Boot runs copies of the members until they have a leader, without faults and delays, so that each run can begin with
// them (Become). A client may come behind them, which is done then.
func Boot(members []*Node, client sim.Node, done func() bool) ([]*Node, error) {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	var booted []*Node
	for i, m := range members {
		other := m.other
		if other != nil {
			other = other.Clone()
		}
		booted = append(booted, New(m.cfg, m.first.Clone(), other))
		w.Add(m.cfg.Peers[i].Name, booted[i])
	}
	if client != nil {
		w.Add("client", client)
	}
	w.Start(plain{})
	w.Heal()
	for w.Now() < sim.Time(bootsWithin) {
		if !w.Step(plain{}) {
			break
		}
		if w.Now() >= sim.Time(BootsFor) && (client == nil || done()) && rest(w, booted) {
			return booted, nil
		}
	}
	return nil, errors.New("the members do not become a cluster by themselves")
}

// bootsWithin is when a cluster must have a leader at the latest, BootsFor how long it runs at least, so that members
// have told each other of themselves.
const (
	bootsWithin = 60 * time.Second
	BootsFor    = 5 * time.Second
)

// rest reports whether all members wait for time to pass.
func rest(w *sim.World, members []*Node) bool {
	for _, m := range members {
		under := false
		w.UnderWay(m.cfg.Peers[m.cfg.Self].Node, func(*sim.Message, int) { under = true })
		if under || !m.AtRest() {
			return false
		}
	}
	return true
}

// plain makes the first choice always.
type plain struct{}

// Pick implements sim.Chooser.
func (plain) Pick(*sim.World, []sim.Action) int { return 0 }

// Choose implements sim.Chooser.
func (plain) Choose(*sim.World, int, string) int { return 0 }

package testbed

import (
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
)

// Monitor is how a search over states judges a property. It sees states without the steps before
// them: what a property still needs to know of these is the state of its monitor.
type Monitor struct {
	// Runs are those that a search can judge.
	Runs Runs
	// State mixes in the state of the monitor. It is a function of what clients have recorded so far, of
	// the store of etcd, and of what is remembered (Remembering). If it is nil, the judge has the state
	// (MonitorState), or there is none: each state, or each answer, holds or violates the property by itself.
	State func(s *System, d sim.Digest) sim.Digest
	// AtRest: the judge says something only of a state in which nothing more can happen
	// (System.IsOver). A search judges it if runs go on until then (Clock.ToRest).
	AtRest bool
	// Bound is how long what the property promises may take in a timed run; nil if it promises no time.
	Bound func(*System) Bound
	// Liveness is what has to come sooner or later; nil if the property is not about what never comes.
	Liveness func(*System) prove.Liveness
}

// Runs are runs without a clock, runs with one, or both.
type Runs uint8

// The runs that a search judges.
const (
	Untimed Runs = 1 << iota
	Timed
	EveryRun = Untimed | Timed
)

// Judges reports whether a search can judge the property in runs with this clock.
func (m *Monitor) Judges(c *Clock) bool {
	if c.Mode == sim.Timed {
		return m.Runs&Timed != 0
	}
	return m.Runs&Untimed != 0 && (!m.AtRest || c.ToRest)
}

// MonitorState is the state of a monitor. A search keeps it in the place of the history: it goes on
// once from two schedules that led to nodes in the same state and to the same states of monitors.
// Recorded and AfterSteps take it from what they judge by, if that has the method.
type MonitorState interface {
	// Digest mixes it in. One that is also of other nodes than clients and etcd is a Follower.
	Digest(d sim.Digest) sim.Digest
}

// Monitored is implemented by a judge with a monitor's state; nil if there is none.
type Monitored interface {
	MonitorState() MonitorState
}

// monitorState is that of the i-th claim, nil if it has none.
func (s *System) monitorState(i int) MonitorState {
	if of := s.claims[i].Monitor.State; of != nil {
		return stateOf{s, i}
	}
	if j, ok := s.judges[i].(Monitored); ok {
		return j.MonitorState()
	}
	return nil
}

// stateOf is the state of a claim that follows from the system.
type stateOf struct {
	system *System
	claim  int
}

// Digest implements MonitorState.
func (p stateOf) Digest(d sim.Digest) sim.Digest {
	return p.system.claims[p.claim].Monitor.State(p.system, d)
}

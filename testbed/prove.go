package testbed

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/compactor"
	"github.com/watchbed/watchbed/sim/etcd"
)

// maxWaiting is how many clients Liveness can tell apart.
const maxWaiting = 64

// Searched is a system whose states a search judges, and what the search alone needs of it.
type Searched struct {
	*System
	// monitors are the states of the monitors of claims, ofSteps says whose judges look at steps.
	monitors []MonitorState
	ofSteps  []bool
	// remembering is what a search carries along from state to state.
	remembering []Remembering
	// judgesRest: a claim is also about where nothing more can happen.
	judgesRest bool
	// liveness is that of a claim, nil if none has one.
	liveness prove.Liveness
}

// Provable puts a scenario together for a search over its states. The system claims those
// properties that a search can judge, and not those that are about where nothing more can
// happen if runs end before; the second result are the scenario's other claims, which the
// search does not judge.
func (sc *Scenario) Provable(p Params) (*Searched, []*Property, error) {
	judged, left := *sc, []*Property(nil)
	judged.Claims = nil
	for _, c := range sc.Claims {
		if c.Monitor.CanJudge(&p.Clock) {
			judged.Claims = append(judged.Claims, c)
		} else {
			left = append(left, c)
		}
	}
	of, err := judged.New(p)
	if err != nil {
		return nil, nil, err
	}
	of.scenario = sc
	s := &Searched{System: of}
	if err := s.checkHorizon(); err != nil {
		return nil, nil, err
	}
	if err := s.makeMonitors(); err != nil {
		return nil, nil, err
	}
	return s, left, nil
}

// checkHorizon refuses a horizon before which nothing that the system claims can come too late.
func (s *Searched) checkHorizon() error {
	for _, c := range s.claims {
		if c.Monitor.Bound == nil {
			continue
		}
		if horizon, b := s.params.Clock.Horizon, c.Monitor.Bound(s.System); horizon <= b.Total {
			return fmt.Errorf("horizon=%v: %s promises something within %v (%s), so that nothing could come too late; set a longer horizon, such as horizon=%v",
				horizon, c.Name, b.Total, b.Derivation, (2 * b.Total).Round(time.Millisecond))
		}
	}
	return nil
}

// ProvableByHistory is Provable for a search that judges schedules at their ends: claims about
// the steps on the way, and about what must come sooner or later, are among those that it does
// not judge.
func (sc *Scenario) ProvableByHistory(p Params) (*Searched, []*Property, error) {
	s, left, err := sc.Provable(p)
	if err != nil {
		return nil, nil, err
	}
	judged := *sc
	judged.Claims = nil
	for i, c := range s.claims {
		if s.ofSteps[i] || c.Monitor.Liveness != nil || s.ofMemory[i] {
			left = append(left, c)
		} else {
			judged.Claims = append(judged.Claims, c)
		}
	}
	if s, _, err = judged.Provable(p); err != nil {
		return nil, nil, err
	}
	s.scenario = sc
	return s, left, nil
}

var (
	_ prove.Subject = (*Searched)(nil)
	_ prove.Horizon = (*Searched)(nil)
)

// makeMonitors makes the states of the claims' monitors, each once, and finds out which judges look at steps.
func (s *Searched) makeMonitors() error {
	for i, c := range s.claims {
		_, steps := s.judges[i].(StepObserver)
		s.ofSteps = append(s.ofSteps, steps)
		if s.params.Clock.Mode == sim.Untimed {
			s.judgesRest = s.judgesRest || c.Monitor.AtRest || c.Kind == Liveness && c.Monitor.Liveness == nil
			if c.Monitor.Liveness != nil {
				if s.liveness = c.Monitor.Liveness(s.System); len(s.clients.history.nodes) > maxWaiting {
					return fmt.Errorf("a search for requests that are never answered follows at most %d clients, and there are %d", maxWaiting, len(s.clients.history.nodes))
				}
				continue
			}
		}
		if p := s.monitorState(i); p != nil && !slices.Contains(s.monitors, p) {
			s.monitors = append(s.monitors, p)
		}
	}
	s.remembering = append(capable[Remembering](s.observers), capable[Remembering](s.judges)...)
	return nil
}

func (s *Searched) Liveness() prove.Liveness { return s.liveness }

// Adopt implements prove.Subject: the nodes of the system are those of this world from now
// on.
func (s *Searched) Adopt(w *sim.World) {
	t := s.topology
	s.etcd.server = w.Node(t.Etcd).(etcd.Node).Simulated()
	if s.etcd.follower != nil {
		s.etcd.follower = w.Node(t.Watches).(*etcd.Server)
	}
	for i := range s.servers {
		a := s.servers[i]
		a.client = w.Node(a.Client).(*client.Client)
		if a.compactor != nil {
			a.compactor = w.Node(a.Compactor).(*compactor.Compactor)
		}
	}
	for _, c := range s.caches {
		c.use(w.Node(c.ID))
	}
	for n, role := range s.roles {
		if f := s.clients.all[role.Part]; f != nil {
			f.adopt(role.Place, w.Node(sim.NodeID(n)))
		}
	}
	s.clients.ended, s.waitedFrom = 0, 0
	s.etcd.resetTruth(&s.truth)
}

func (s *Searched) Monitors(d sim.Digest) sim.Digest {
	for _, p := range s.monitors {
		d = p.Digest(d)
	}
	return d
}

// IsMonitored implements prove.Subject: monitors are made of what clients recorded and compactors wrote, of what etcd
// had at which revision, of what is remembered, and of the nodes that a monitor says itself (Follower).
func (s *Searched) IsMonitored(n sim.NodeID) bool {
	part := s.roles[n].Part
	return part == EtcdMember || part >= CompactorNode || s.isRemembered(n) ||
		slices.ContainsFunc(s.monitors, func(p MonitorState) bool { f, ok := p.(Follower); return ok && f.Follows(part) })
}

// SeesNodes implements prove.Subject. What clients recorded, and what etcd had at which revision, says
// whether a run is over, and what is judged of it at its end.
func (s *Searched) SeesNodes() bool {
	return s.remembering == nil && !s.judgesRest && !slices.Contains(s.ofSteps, true)
}

// isJudged reports whether anything is judged after a step of a node: clients, and a leader that lags behind a member.
func (s *Searched) isJudged(n sim.NodeID) bool {
	part := s.roles[n].Part
	return part >= HistoryClient || part == EtcdMember && s.topology.Lagging
}

// JudgeStep implements prove.Subject. What clients recorded is judged after their own
// steps, and the state of nodes by what looks at their steps. A member that is ahead of the
// leader sends what the leader has still to apply: that is judged after etcd's steps. What
// must be so when nothing more can happen is judged after any step, and so is, timed, what must come
// in time.
func (s *Searched) JudgeStep(w *sim.World, a sim.Action) []explore.Finding {
	recorded := s.isJudged(a.Node)
	rests := s.judgesRest && s.IsOver(w)
	if recorded || rests {
		for _, p := range s.preparers {
			p.BeginJudging(w)
		}
	}
	s.findings = s.findings[:0]
	for i, j := range s.judges {
		f := explore.Finding{Property: s.claims[i].Name}
		switch {
		case w.Mode() == sim.Timed && s.claims[i].Kind == Liveness:
			f = j.Finding(w)
		case s.claims[i].Monitor.Liveness != nil:
			// Whether it comes is a question to all the states together.
		case s.ofSteps[i]:
			if _, remembers := j.(Remembering); !remembers {
				j.Reset()
				j.(StepObserver).AfterStep(w, a)
			}
			f = j.Finding(w)
		case recorded, rests:
			f = j.Finding(w)
		}
		f.Property = s.claims[i].Name
		s.findings = append(s.findings, f)
	}
	return s.findings
}

func (s *Searched) CutOff(w *sim.World) bool {
	return w.Now() >= sim.Time(s.params.Clock.Horizon) && !s.clients.programsEnded()
}

// Endless implements prove.Subject: a client has a plan that ends.
func (s *Searched) Endless(n sim.NodeID) bool {
	switch s.roles[n].Part {
	case HistoryClient, WatcherNode, StreamNode, ListWatcherNode, DrawnWatcherNode:
		return false
	}
	return true
}

func (s *Searched) Remembers() bool { return s.remembering != nil }

func (s *Searched) Remembered(w *sim.World) any {
	if w.Mode() == sim.Timed {
		// A run starts here, and another one has started before.
		for _, r := range s.remembering {
			r.Reset()
		}
	}
	for _, p := range s.preparers {
		p.BeginJudging(w)
	}
	return s.memories()
}

func (s *Searched) memories() []any {
	all := make([]any, len(s.remembering))
	for i, r := range s.remembering {
		all[i] = r.Memory()
	}
	return all
}

func (s *Searched) Recall(memory any) {
	for i, m := range memory.([]any) {
		s.remembering[i].Recall(m)
	}
}

func (s *Searched) Remember(before any, w *sim.World, a sim.Action) any {
	if !s.isRemembered(a.Node) {
		return before
	}
	s.Recall(before)
	for _, r := range s.remembering {
		if follows(r, s.roles[a.Node].Part) {
			r.AfterStep(w, a)
		}
	}
	return s.memories()
}

// isRemembered reports whether steps of a node are.
func (s *Searched) isRemembered(n sim.NodeID) bool {
	return slices.ContainsFunc(s.remembering, func(r Remembering) bool { return follows(r, s.roles[n].Part) })
}

func follows(o StepObserver, p Part) bool {
	f, ok := o.(Follower)
	return !ok || f.Follows(p)
}

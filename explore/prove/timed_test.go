package prove_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// guest asks the host once, some time after the start.
type guest struct {
	sim.Idle
	asks            sim.Conn
	called, waited  sim.Time
	asked, answered bool
}

func (g *guest) Start(env *sim.Env) {
	env.Arm(0, time.Millisecond*sim.Duration(env.Choose(5, "think")))
}

func (g *guest) Fire(env *sim.Env, _ sim.Timer) {
	g.asked, g.called, g.asks = true, env.Now(), env.Call(2, word("ask"))
}

func (g *guest) Receive(env *sim.Env, _ *sim.Message) {
	g.answered, g.waited = true, env.Now()-g.called
}

func (g *guest) Clone() sim.Node {
	c := *g
	return &c
}

func (g *guest) Fingerprint(d sim.Digest) sim.Digest {
	return d.Bool(g.asked).Bool(g.answered).Int(int64(g.called)).Int(int64(g.waited))
}

// host answers when its ticker ticks, behind a turn of its loop.
type host struct {
	sim.Idle
	calls []sim.Conn
	// restless: the loop goes on for ever, with one turn more each time.
	restless bool
	turns    int
}

const tick = 3 * time.Millisecond

func (h *host) Start(env *sim.Env) {
	env.Arm(0, tick-time.Millisecond*sim.Duration(env.Choose(3, "phase")))
	if h.restless {
		env.Enable(0)
	}
}

func (h *host) Receive(_ *sim.Env, m *sim.Message) { h.calls = append(h.calls, m.Conn) }

func (h *host) Fire(env *sim.Env, _ sim.Timer) {
	env.Arm(0, tick)
	if len(h.calls) > 0 {
		env.Enable(0)
	}
}

func (h *host) Run(env *sim.Env, _ sim.Task) {
	for _, c := range h.calls {
		env.Send(c, word("answer"))
	}
	h.calls = nil
	if h.restless {
		h.turns++
		env.Enable(0)
	}
}

func (h *host) TaskName(sim.Task) string   { return "answer" }
func (h *host) TimerName(sim.Timer) string { return "tick" }

func (h *host) Clone() sim.Node {
	c := *h
	c.calls = append([]sim.Conn(nil), h.calls...)
	return &c
}

func (h *host) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(len(h.calls))).Int(int64(h.turns))
}

type word string

func (p word) Digest(d sim.Digest) sim.Digest { return d.Text(string(p)) }
func (p word) Label() string                  { return string(p) }

// visit is a timed subject: a guest who must be answered within a bound. The safety phase, in which all
// takes longer, ends at a time; the run ends at a later one.
type visit struct {
	toys.Proved
	network, scheduling sim.Delay
	heal, horizon       time.Duration
	bound               time.Duration
	restless            bool
	guest               *guest
	// seen is called for each state in which the subject is asked whether the run is over.
	seen func(w *sim.World)
}

func (s *visit) Options() sim.Options {
	slow := sim.Delay{Min: s.network.Min, Max: 2 * s.network.Max, Steps: s.network.Steps}
	return sim.Options{
		Mode: sim.Timed, Safety: sim.Bounds{Network: slow, Scheduling: s.scheduling},
		Liveness: sim.Bounds{Network: s.network, Scheduling: s.scheduling},
	}
}

func (s *visit) Build(w *sim.World) {
	w.Add("guest", &guest{})
	w.Add("host", &host{restless: s.restless})
	s.Adopt(w)
}

func (s *visit) Liveness() prove.Liveness      { return nil }
func (s *visit) Adopt(w *sim.World)            { s.guest = w.Node(1).(*guest) }
func (s *visit) IsMonitored(n sim.NodeID) bool { return n == 1 }
func (s *visit) SeesNodes() bool               { return true }

func (s *visit) Over(w *sim.World) bool {
	if w.Phase() == sim.Safety && w.Now() >= sim.Time(s.heal) {
		w.Heal()
	}
	if s.seen != nil {
		s.seen(w)
	}
	return s.guest.answered || w.Now() >= sim.Time(s.horizon)
}

func (s *visit) CutOff(*sim.World) bool { return !s.guest.answered }

// waited is how long the guest has waited.
func (s *visit) waited(w *sim.World) sim.Duration {
	switch {
	case s.guest.answered:
		return sim.Duration(s.guest.waited)
	case s.guest.asked:
		return w.Now().Sub(s.guest.called)
	}
	return 0
}

func (s *visit) Judge(w *sim.World) []explore.Finding {
	f := explore.Finding{Property: "in time"}
	if s.guest.asked {
		f.Verdict, f.Exercised = model.Holds, 1
	}
	if s.waited(w) > s.bound {
		f.Verdict, f.Label = model.Violated, "late"
	}
	return []explore.Finding{f}
}

func (s *visit) JudgeStep(w *sim.World, _ sim.Action) []explore.Finding { return s.Judge(w) }

func searchVisit(t *testing.T, s visit, cfg prove.Config) *prove.Result {
	t.Helper()
	r, err := prove.Search(context.Background(), func() prove.Subject { c := s; return &c }, []string{"in time"}, cfg)
	require.NoError(t, err)
	return r
}

// odometer takes one schedule after the other, until it has taken all of them.
type odometer struct {
	taken, options []int
	at             int
}

func (o *odometer) digit(n int) int {
	if o.at == len(o.taken) {
		o.taken, o.options = append(o.taken, 0), append(o.options, n)
	}
	o.at++
	return o.taken[o.at-1]
}

func (o *odometer) Pick(_ *sim.World, enabled []sim.Action) int { return o.digit(len(enabled)) }
func (o *odometer) Choose(_ *sim.World, n int, what string) int { return o.digit(n) }

func (o *odometer) next() bool {
	i := len(o.taken) - 1
	for ; i >= 0 && o.taken[i]+1 == o.options[i]; i-- {
	}
	if i < 0 {
		return false
	}
	o.taken, o.options, o.at = o.taken[:i+1], o.options[:i+1], 0
	o.taken[i]++
	return true
}

// everything is what all schedules come to, taken one by one and to their ends, with nothing kept.
type everything struct {
	schedules, cut int
	states         map[sim.Digest]bool
	longest        sim.Duration
	// steps is the length of the shortest schedule in which the guest has waited for more than so long.
	steps map[sim.Duration]int
}

func takeAll(t *testing.T, s visit) *everything {
	t.Helper()
	all := &everything{states: map[sim.Digest]bool{}, steps: map[sim.Duration]int{}}
	s.seen = func(w *sim.World) {
		behaviour, err := w.Behaviour()
		require.NoError(t, err)
		all.states[behaviour] = true
		took := s.waited(w)
		all.longest = max(all.longest, took)
		for bound := sim.Duration(0); bound < took; bound += time.Millisecond / 2 {
			if least, ok := all.steps[bound]; !ok || w.Steps() < least {
				all.steps[bound] = w.Steps()
			}
		}
	}
	runner, o := explore.NewRunner(&s, 0), &odometer{}
	cut := map[sim.Digest]bool{}
	for more := true; more; more = o.next() {
		result := runner.Run(o)
		require.False(t, result.Truncated)
		if all.schedules++; !s.guest.answered {
			last, err := runner.World().Behaviour()
			require.NoError(t, err)
			cut[last] = true
		}
	}
	all.cut = len(cut)
	return all
}

// A search of timed runs comes to all states that there are, and finds a run that takes too long whenever
// there is one, with as few steps: for each bound on the time that a guest may wait.
func TestTimedSearchAgreesWithEverySchedule(t *testing.T) {
	ms := time.Millisecond
	for name, s := range map[string]visit{
		"no delays":           {horizon: 12 * ms},
		"network":             {horizon: 12 * ms, network: sim.Delay{Max: 2 * ms, Steps: 4}},
		"loops":               {horizon: 12 * ms, scheduling: sim.Delay{Max: ms, Steps: 2}},
		"both, at first slow": {horizon: 14 * ms, heal: 2 * ms, network: sim.Delay{Max: ms, Steps: 2}, scheduling: sim.Delay{Max: ms, Steps: 1}},
		"cut off":             {horizon: 4 * ms, network: sim.Delay{Max: 2 * ms, Steps: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			all := takeAll(t, s)
			t.Logf("%d schedules, %d states, the longest wait is %v", all.schedules, len(all.states), all.longest)
			require.Greater(t, all.schedules, 10)
			s.bound = all.longest
			r := searchVisit(t, s, prove.Config{Workers: 2})
			require.Equal(t, prove.Proved, r.Verdict)
			require.Equal(t, len(all.states), r.States)
			require.Equal(t, all.cut, r.CutStates)
			require.Zero(t, r.Rested)
			require.Empty(t, r.Cut)
			for s.bound = 0; s.bound < all.longest; s.bound += ms / 2 {
				r := searchVisit(t, s, prove.Config{Workers: 2})
				require.Equal(t, prove.Violated, r.Verdict, "within %v", s.bound)
				require.Equal(t, all.steps[s.bound], r.Failures[0].Path.Len(), "within %v", s.bound)
				// The runner comes to the same on this path.
				subject := s
				result := explore.NewRunner(&subject, 0).Run(r.Failures[0].Path)
				require.Equal(t, model.Violated, result.Findings[0].Verdict)
				require.Equal(t, r.Failures[0].Path.Len(), result.Steps)
			}
		})
	}
}

// A search that looks at some answers to each question says to which, and finds a path that answers so.
func TestSpreadAnswersAreSaid(t *testing.T) {
	s := visit{horizon: 12 * time.Millisecond, network: sim.Delay{Max: 2 * time.Millisecond, Steps: 4}, bound: math.MaxInt64}
	whole := searchVisit(t, s, prove.Config{})
	require.Empty(t, whole.Spread)
	some := searchVisit(t, s, prove.Config{Bounds: prove.Bounds{Answers: 3}})
	require.Equal(t, []prove.Spread{{Question: "network delay", Answers: 5, Looked: 3}, {Question: "think", Answers: 5, Looked: 3}}, some.Spread)
	require.Less(t, some.States, whole.States)
	// The same as if there were no others.
	s.network.Steps = 2
	fewer := searchVisit(t, s, prove.Config{Bounds: prove.Bounds{Answers: 3}})
	require.Equal(t, some.States, fewer.States)
	require.Equal(t, []prove.Spread{{Question: "think", Answers: 5, Looked: 3}}, fewer.Spread)
	s.bound = 6 * time.Millisecond
	r := searchVisit(t, s, prove.Config{Bounds: prove.Bounds{Answers: 2}})
	require.Equal(t, prove.Violated, r.Verdict)
	result := explore.NewRunner(&s, 0).Run(r.Failures[0].Path)
	require.Equal(t, model.Violated, result.Findings[0].Verdict)
}

// Where no time passes no horizon ends a run.
func TestTimeThatDoesNotPassIsSaid(t *testing.T) {
	s := visit{horizon: time.Second, bound: math.MaxInt64, restless: true}
	r := searchVisit(t, s, prove.Config{})
	require.Equal(t, prove.Unknown, r.Verdict)
	require.Contains(t, r.Why, "no time passes")
	require.Contains(t, r.Why, "--depth N")
	r = searchVisit(t, s, prove.Config{Bounds: prove.Bounds{Depth: 50}})
	require.Contains(t, r.Why, "schedules of more than 50 steps")
}

func TestTimedSearchGoesOnFromDisk(t *testing.T) {
	s := visit{horizon: 14 * time.Millisecond, network: sim.Delay{Max: 2 * time.Millisecond, Steps: 4}, bound: 5 * time.Millisecond}
	for _, bound := range []time.Duration{5 * time.Millisecond, time.Second} {
		s.bound = bound
		subject := func() prove.Subject { c := s; return &c }
		cfg := prove.Config{Workers: 2, Bounds: prove.Bounds{Answers: 4}}
		whole := searchVisit(t, s, cfg)
		cfg.Keep = keepIn(t.TempDir())
		times, kept := interrupted(t, subject, "in time", cfg)
		require.Positive(t, times)
		require.Equal(t, same(whole), same(kept), fmt.Sprint(bound))
	}
}

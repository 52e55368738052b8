package prove_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// walker is a node that takes so many steps, and then does nothing. A clock fires a timer
// for ever instead. A dice asks in its step which of three sides is up, and may have more
// questions.
type walker struct {
	sim.Idle
	steps, done, side int
	clock, dice       bool
	questions         int
	// ring is after how many steps it is where it began, 0 for never.
	ring int
}

func (n *walker) Start(env *sim.Env)         { n.again(env) }
func (n *walker) TaskName(sim.Task) string   { return "step" }
func (n *walker) TimerName(sim.Timer) string { return "tick" }

func (n *walker) again(env *sim.Env) {
	switch {
	case n.clock:
		env.Arm(0, time.Second)
	case n.done < n.steps:
		env.Enable(0)
	}
}

func (n *walker) Run(env *sim.Env, _ sim.Task) {
	n.done++
	if n.ring > 0 {
		n.done %= n.ring
	}
	if n.dice {
		n.side = env.Choose(3, "side")
	}
	for range n.questions {
		env.Choose(2, "question")
	}
	n.again(env)
}

func (n *walker) Fire(env *sim.Env, _ sim.Timer) {
	n.done++
	n.again(env)
}

func (n *walker) Clone() sim.Node {
	c := *n
	return &c
}

func (n *walker) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(n.done)).Int(int64(n.side))
}

// walk is a subject of walkers. wrong says in which states it is violated.
type walk struct {
	toys.Proved
	nodes []walker
	wrong func(at []*walker) bool
	now   []*walker
}

func (s *walk) Build(w *sim.World) {
	for i := range s.nodes {
		n := s.nodes[i]
		w.Add(string(rune('a'+i)), &n)
	}
	s.Adopt(w)
}

func (s *walk) Liveness() prove.Liveness { return nil }
func (s *walk) Adopt(w *sim.World) {
	s.now = s.now[:0]
	for i := range s.nodes {
		s.now = append(s.now, w.Node(sim.NodeID(i+1)).(*walker))
	}
}

func (s *walk) Endless(n sim.NodeID) bool { return s.nodes[n-1].clock }
func (s *walk) Judge(*sim.World) []explore.Finding {
	f := explore.Finding{Property: "right", Verdict: model.Holds, Exercised: 1}
	if s.wrong != nil && s.wrong(s.now) {
		f.Verdict, f.Label = model.Violated, "there"
	}
	return []explore.Finding{f}
}

func (s *walk) JudgeStep(w *sim.World, _ sim.Action) []explore.Finding { return s.Judge(w) }

func search(t *testing.T, cfg prove.Config, wrong func([]*walker) bool, nodes ...walker) *prove.Result {
	subject := func() prove.Subject { return &walk{nodes: nodes, wrong: wrong} }
	r, err := prove.Search(context.Background(), subject, []string{"right"}, cfg)
	require.NoError(t, err)
	return r
}

func TestSearchCountsEachStateOnce(t *testing.T) {
	r := search(t, prove.Config{}, nil, walker{steps: 3}, walker{steps: 4}, walker{steps: 5})
	require.Equal(t, prove.Proved, r.Verdict)
	require.Equal(t, 4*5*6, r.States)
	// Each of the three walkers steps out of each state in which it is not at its end.
	require.Equal(t, 3*5*6+4*4*6+4*5*5, r.Transitions)
	require.Equal(t, 3+4+5, r.Depth)
	require.Equal(t, 1, r.Rested)
	require.Equal(t, r.Transitions, r.Checked["right"])
	require.Empty(t, r.Cut)
}

func TestSearchTakesEveryAnswer(t *testing.T) {
	r := search(t, prove.Config{}, nil, walker{steps: 2, dice: true}, walker{steps: 1})
	// Before its first throw a dice is in one state, after each in three.
	require.Equal(t, (1+3+3)*2, r.States)
}

func TestSearchIsTheSameOnAnyNumberOfWorkers(t *testing.T) {
	nodes := []walker{{steps: 12}, {steps: 12}, {steps: 12}, {steps: 3, dice: true}}
	one := search(t, prove.Config{Workers: 1}, nil, nodes...)
	four := search(t, prove.Config{Workers: 4}, nil, nodes...)
	one.Seconds, four.Seconds = 0, 0
	require.Equal(t, one, four)
}

// Workers that begin anew again and again come to the same.
func TestSearchIsTheSameIfWorkersBeginAnew(t *testing.T) {
	nodes := []walker{{steps: 12}, {steps: 12}, {steps: 8}, {steps: 2, dice: true}, {clock: true}}
	cfg := prove.Config{Workers: 2, Bounds: prove.Bounds{TimerBound: 2}}
	once := search(t, cfg, nil, nodes...)
	again := search(t, prove.Forgetful(cfg, 20), nil, nodes...)
	require.Greater(t, once.States, 30_000)
	once.Seconds, again.Seconds = 0, 0
	require.Equal(t, once, again)
}

func TestSearchFindsAShortestSchedule(t *testing.T) {
	wrong := func(at []*walker) bool { return at[0].done == 2 && at[1].done == 3 && at[2].side == 2 }
	nodes := []walker{{steps: 9}, {steps: 9}, {steps: 9, dice: true}}
	r := search(t, prove.Config{Workers: 2}, wrong, nodes...)
	require.Equal(t, prove.Violated, r.Verdict)
	require.Len(t, r.Failures, 1)
	f := r.Failures[0]
	require.Equal(t, explore.Failure{Property: "right", Label: "there"}, f.Failure)
	require.Equal(t, 2+3+1, f.Path.Len())

	// The runner comes to the same on this path.
	result := explore.NewRunner(&walk{nodes: nodes, wrong: wrong}, 0).Run(f.Path)
	require.Equal(t, model.Violated, result.Findings[0].Verdict)
	require.Equal(t, f.Path.Len(), result.Steps)
}

func TestBoundOfFiringsIsSaid(t *testing.T) {
	r := search(t, prove.Config{Bounds: prove.Bounds{TimerBound: 3}}, nil, walker{clock: true}, walker{steps: 2})
	require.Equal(t, prove.Proved, r.Verdict)
	require.Equal(t, 4*3, r.States)
	// Once for each state of b.
	require.Equal(t, []prove.Cut{{Node: "a", Timer: "tick", Times: 3}}, r.Cut)
	require.Equal(t, 1, r.CutStates)
	require.Zero(t, r.Rested)
}

func TestSearchThatIsCutOffIsUnknown(t *testing.T) {
	nodes := []walker{{steps: 30}, {steps: 30}, {steps: 30}}
	for name, cfg := range map[string]prove.Config{
		"states": {States: 1000},
		"memory": {Bytes: 1},
		"depth":  {Bounds: prove.Bounds{Depth: 20}},
		"time":   {For: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := search(t, cfg, nil, nodes...)
			require.Equal(t, prove.Unknown, r.Verdict)
			require.NotEmpty(t, r.Why)
			require.Positive(t, r.Left)
			require.Less(t, r.States, 31*31*31)
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := prove.Search(ctx, func() prove.Subject { return &walk{nodes: nodes} }, []string{"right"}, prove.Config{})
	require.NoError(t, err)
	require.Equal(t, prove.Unknown, r.Verdict)
}

func TestWhatIsTooLargeEndsASearchThatKeepsWhatItHas(t *testing.T) {
	// The last of these steps asks more than a search can take down.
	r := search(t, prove.Config{}, nil, walker{steps: 5}, walker{steps: 1, dice: true, questions: 22})
	require.Equal(t, prove.Unknown, r.Verdict)
	require.Contains(t, r.Why, "combinations of answers")
	require.Positive(t, r.Left)
}

func TestPropertyThatIsNeverCheckedIsVacuous(t *testing.T) {
	subject := func() prove.Subject { return &unchecked{walk{nodes: []walker{{steps: 2}}}} }
	r, err := prove.Search(context.Background(), subject, []string{"right"}, prove.Config{})
	require.NoError(t, err)
	require.Equal(t, prove.Vacuous, r.Verdict)
}

type unchecked struct{ walk }

func (s *unchecked) JudgeStep(*sim.World, sim.Action) []explore.Finding {
	return []explore.Finding{{Property: "right"}}
}

func TestCollisionBound(t *testing.T) {
	r := &prove.Result{States: 1 << 20}
	require.InEpsilon(t, 2.98e-8, r.Collision(), 0.01)
}

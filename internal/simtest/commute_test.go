package simtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
)

var (
	cellLeft  = sim.NewCell("commute test: left")
	cellRight = sim.NewCell("commute test: right")
)

// register has two loops, each with a cell of its own; shared makes both of them
// use the left one.
type register struct {
	sim.Idle
	left, right int64
	shared      bool
	// declared is false in a node that does not say that it uses the left cell.
	declared bool
}

func (r *register) Start(env *sim.Env) {
	env.Enable(0)
	env.Enable(1)
}

func (r *register) Run(env *sim.Env, t sim.Task) {
	switch t {
	case 0:
		env.Write(cellLeft, 0)
		r.left = r.left*3 + 1
	case 1:
		env.Write(cellRight, 0)
		r.right++
		if r.shared {
			if r.declared {
				env.Read(cellLeft, 0)
			}
			r.right += r.left
		}
	}
	env.Enable(t)
}

func (r *register) TaskName(t sim.Task) string { return []string{"left", "right"}[t] }
func (r *register) Clone() sim.Node            { c := *r; return &c }
func (r *register) Fingerprint(d sim.Digest) sim.Digest {
	return d.Int(r.left).Int(r.right)
}

func swap(n *register) *simtest.Swapper {
	w := sim.NewWorld(sim.Options{})
	w.Add("register", n)
	s := simtest.NewSwapper(1)
	w.Start(s)
	for range 200 {
		w.Step(s)
	}
	return s
}

func TestIndependentStepsAreSwapped(t *testing.T) {
	s := swap(&register{})
	assert.Empty(t, s.Wrong)
	assert.Greater(t, s.Swapped, 50)
}

func TestStepsThatShareADeclaredCellAreNotSwapped(t *testing.T) {
	s := swap(&register{shared: true, declared: true})
	assert.Empty(t, s.Wrong)
	assert.Greater(t, s.Pairs, 50)
	assert.Zero(t, s.Swapped)
}

func TestAnUndeclaredCellIsFound(t *testing.T) {
	s := swap(&register{shared: true})
	assert.NotEmpty(t, s.Wrong)
	assert.Contains(t, s.Wrong[0], "the other way round register")
}

// celledRegister lists its cells. A step of the right loop changes the left one.
type celledRegister struct{ register }

func (r *celledRegister) Run(env *sim.Env, t sim.Task) {
	r.register.Run(env, t)
	if t == 1 {
		r.left++
	}
}

func (r *celledRegister) Clone() sim.Node { c := *r; return &c }
func (r *celledRegister) Cells(visit func(sim.CellKind, int, sim.Digest)) {
	visit(cellLeft, 0, sim.NewDigest.Int(r.left))
	visit(cellRight, 0, sim.NewDigest.Int(r.right))
}

func TestAChangedCellThatIsNotDeclaredIsFound(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	w.Add("register", &celledRegister{})
	s := simtest.NewSwapper(1)
	w.Start(s)
	for range 50 {
		w.Step(s)
	}
	assert.Greater(t, s.Changed, 50)
	assert.Contains(t, s.Wrong, `"run register right" changes commute test: left 0 of register and does not declare it`)
	for _, wrong := range s.Wrong {
		assert.NotContains(t, wrong, `"run register left" changes`)
	}
}

package sim_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// bystanders has so many loops that could run, of which one runs again and again: the
// watchers of a cache, of which a step concerns one.
type bystanders int

func (n bystanders) Start(env *sim.Env) {
	for t := range n {
		env.Enable(sim.Task(t))
	}
}
func (bystanders) Receive(*sim.Env, *sim.Message) {}
func (bystanders) Fire(*sim.Env, sim.Timer)       {}
func (bystanders) Run(env *sim.Env, t sim.Task)   { env.Enable(t) }
func (bystanders) TaskName(sim.Task) string       { return "" }
func (bystanders) TimerName(sim.Timer) string     { return "" }

// beside is a world with so many enabled actions.
func beside(n int) (*sim.World, *walk) {
	w := sim.NewWorld(sim.Options{})
	w.Add("a", bystanders(n))
	r := &walk{}
	w.Start(r)
	return w, r
}

// BenchmarkStepBeside is a step beside so many others that could be taken.
func BenchmarkStepBeside(b *testing.B) {
	for _, n := range []int{4, 256, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			w, r := beside(n)
			for b.Loop() {
				w.Step(r)
			}
		})
	}
}

// A step must not make the list of a thousand enabled actions anew: that takes 62 times as long as with a list of
// four where it takes 20 times as long otherwise. The bound is a ratio, because machines differ.
func TestStepGrowsLittleWithWhatIsEnabled(t *testing.T) {
	fastest := func(n int) time.Duration {
		w, r := beside(n)
		best := time.Hour
		for range 20 {
			start := time.Now()
			for range 5000 {
				w.Step(r)
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	require.Less(t, float64(fastest(1000))/float64(fastest(4)), 35.0)
}

// scattered are loops each of which lets another one run: the list shrinks slowly.
type scattered struct{ bystanders }

func (s scattered) Run(env *sim.Env, t sim.Task) {
	env.Enable((t*7 + 1) % sim.Task(s.bystanders))
}
func (s scattered) Clone() sim.Node { return s }

// A long list is changed by each step, and a clone makes its own anew: they are equal.
func TestLongListIsTheSameAsMadeAnew(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	w.Add("a", scattered{200})
	r := &walk{}
	w.Start(r)
	lengths := map[int]bool{}
	for range 400 {
		list := w.Enabled()
		c, err := w.Clone()
		require.NoError(t, err)
		require.Equal(t, c.Enabled(), list)
		lengths[len(list)] = true
		w.Step(r)
	}
	require.Greater(t, len(lengths), 50, "the list got shorter meanwhile")
}

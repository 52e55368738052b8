package reflector

import "github.com/watchbed/watchbed/sim"

// Turn is one ListAndWatch in a timed run. Properties judge when the next one begins;
// the reflector does not read it, so it is part of no cell.
type Turn struct {
	Began, Over sim.Time
	// Ended is false while it goes on, and for the last turn of a process or of a cache
	// that was replaced: the next one does not wait for it.
	Ended bool
}

// turns are all since the run began.
type turns []Turn

func (t *turns) begin(env *sim.Env) {
	if env.Mode() == sim.Timed {
		*t = append(*t, Turn{Began: env.Now()})
	}
}

func (t turns) end(env *sim.Env) {
	if n := len(t); n > 0 {
		t[n-1].Over, t[n-1].Ended = env.Now(), true
	}
}

// forget is called when what comes next does not follow the last turn.
func (t turns) forget() {
	if n := len(t); n > 0 {
		t[n-1].Ended = false
	}
}

// Turns are all since the run began. They must not be changed.
func (r *Reflector) Turns() []Turn { return r.turns }

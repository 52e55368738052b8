package reflector

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Ending is the end of a watch of etcd, and what the reflector did then.
type Ending struct {
	// Began and Over are when the watch was requested and when it ended, Events how many
	// events and notifications came.
	Began, Over sim.Time
	Events      int
	// Err is the error that ended it, nil if it closed without one.
	Err *wire.Error
	// Reached is the resourceVersion of the list, event or bookmark that came last, Next where the watch begins that
	// resumes it, wire.Unset if none does.
	Reached, Next int64
	// First: no watch has ended with another error than a compaction since the list.
	First bool
	// Relisted: the reflector lists again. Otherwise it watches again.
	Relisted bool
}

// Turn is one ListAndWatch in a timed run.
type Turn struct {
	Began, Over sim.Time
	// Ended is false while it goes on, and for the last turn of a process or of a cache
	// that was replaced: the next one does not wait for it.
	Ended bool
}

// record is what properties judge. The reflector does not read it, so it is part of no cell.
type record struct {
	endings []Ending
	turns   []Turn
	// events came on the present watch. resumes: the last watch of this list has ended.
	events  int
	resumes bool
	// failed: a watch has ended with an error since the list.
	failed bool
}

// Endings are those of all watches after a list, since the run began. They must not be changed.
func (r *record) Endings() []Ending { return r.endings }

// Turns are all since the run began. They must not be changed.
func (r *record) Turns() []Turn { return r.turns }

// noteStart notes where a watch begins.
func (r *record) noteStart(at int64) {
	if r.resumes {
		r.endings[len(r.endings)-1].Next, r.resumes = at, false
	}
}

func (r *record) began(env *sim.Env) {
	if env.Mode() == sim.Timed {
		r.turns = append(r.turns, Turn{Began: env.Now()})
	}
}

// over notes the end of a ListAndWatch, of which the last watch may be known to have ended.
func (r *record) over(env *sim.Env, watched bool) {
	if n := len(r.endings); n > 0 && watched {
		r.endings[n-1].Relisted = true
	}
	if n := len(r.turns); n > 0 {
		r.turns[n-1].Over, r.turns[n-1].Ended = env.Now(), true
	}
}

// forget is called when what comes next does not follow the last turn.
func (r *record) forget() {
	if n := len(r.turns); n > 0 {
		r.turns[n-1].Ended = false
	}
}

// ended notes the end of the present watch.
func (r *record) ended(env *sim.Env, of *watch, err *wire.Error) {
	r.endings = append(r.endings, Ending{Began: of.began, Over: env.Now(), Events: r.events, Reached: of.reached, Next: wire.Unset, Err: err, First: !r.failed})
	r.resumes = true
	r.failed = r.failed || err != nil && err.Code != wire.ErrCompacted
}

package reflector

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Ending is the end of a watch of etcd, and what the reflector did then. Properties
// judge it; the reflector does not read it, so it is part of no cell.
type Ending struct {
	// Began and Over are when the watch was requested and when it ended, Events how many
	// events and notifications came.
	Began, Over sim.Time
	Events      int
	// Err is the error that ended it, nil if it closed without one.
	Err *wire.Error
	// First: no watch has ended with another error than a compaction since the list.
	First bool
	// Relisted: the reflector lists again. Otherwise it watches again.
	Relisted bool
}

// endings are those of watches after a list, with what is known of the present watch.
type endings struct {
	all    []Ending
	events int
	// failed: a watch has ended with an error since the list.
	failed bool
}

// Endings are all since the run began. They must not be changed.
func (r *Reflector) Endings() []Ending { return r.endings.all }

// ended notes the end of the present watch.
func (r *Reflector) ended(env *sim.Env, err *wire.Error) {
	e := &r.endings
	e.all = append(e.all, Ending{Began: r.watch.began, Over: env.Now(), Events: e.events, Err: err, First: !e.failed})
	e.failed = e.failed || err != nil && err.Code != wire.ErrCompacted
}

// relisted notes that the last watch is followed by a list.
func (r *Reflector) relisted() {
	if n := len(r.endings.all); n > 0 && r.state >= watching {
		r.endings.all[n-1].Relisted = true
	}
}

package workload

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// ReadingOptions say how Watchers take what a cache sends them.
type ReadingOptions struct {
	// Habit is "fast", "slow", "hiccup", "stopped", or "every": one way after the other.
	Habit string
	// After is how many events one takes at once before it pauses or stops.
	After int
	// Pace is the time between two events of one that is slow, Hiccup the longest pause of one
	// that pauses, both timed.
	Pace, Hiccup time.Duration
	// Retries is how often one watches again, beside those of a run with faults.
	Retries int
}

var readingGroup = option.NewGroup("clients",
	option.Text("watch-reading", func(o *ReadingOptions) *string { return &o.Habit }, checkReading, "fast, slow, hiccup, stopped or every", "how watchers take what they are sent"),
	option.Count("watch-stall-after", func(o *ReadingOptions) *int { return &o.After }, "1", "events that a watcher takes before its hiccup, or before it stops"),
	option.Duration("watch-pace", func(o *ReadingOptions) *time.Duration { return &o.Pace }, "", "time between two events of a slow watcher, timed"),
	option.Duration("watch-hiccup", func(o *ReadingOptions) *time.Duration { return &o.Hiccup }, "", "longest hiccup of a watcher, timed"),
	option.Count("watch-retries", func(o *ReadingOptions) *int { return &o.Retries }, "", "more times that a watcher watches again"),
)

func checkReading(v string) error {
	if _, ok := habits[v]; !ok {
		return fmt.Errorf("watch-reading=%s: want fast, slow, hiccup, stopped or every", v)
	}
	return nil
}

var habits = map[string][]Habit{
	"": {Fast}, "fast": {Fast}, "slow": {Slow}, "hiccup": {Hiccup}, "stopped": {Stopped}, "every": {Fast, Slow, Hiccup, Stopped},
}

// Of is how the watcher of a number reads.
func (o *ReadingOptions) Of(number int) Reading {
	of := habits[o.Habit]
	return Reading{Habit: of[number%len(of)], After: max(o.After, 1), Pace: o.Pace, Hiccup: o.Hiccup}
}

// Habit is a way to read.
type Habit uint8

const (
	// Fast takes each event as it comes.
	Fast Habit = iota
	// Slow takes one event at a time.
	Slow
	// Hiccup pauses once.
	Hiccup
	// Stopped takes nothing more from some event on, and does not leave.
	Stopped
)

// Reading is how a watcher takes what it is sent.
type Reading struct {
	Habit
	After        int
	Pace, Hiccup sim.Duration
}

// hiccupSteps is how finely the length of a hiccup is chosen, timed.
const hiccupSteps = 4

// read takes no more from the connection for now, or ever, after some number of events.
func (w *Watcher) read(env *sim.Env, number int) {
	r := &w.reading
	switch {
	case r.Habit == Slow:
		w.pause(env, r.Pace)
	case r.Habit == Hiccup && number == r.After && !w.paused:
		env.Writes(cellPlan, 0)
		w.paused = true
		pause := r.Hiccup
		if env.Mode() == sim.Timed {
			pause = pause * sim.Duration(env.Choose(hiccupSteps, "hiccup")+1) / hiccupSteps
		}
		w.pause(env, pause)
	case r.Habit == Stopped && number == r.After:
		env.Writes(cellPlan, 0)
		w.stopped = true
		env.Hold(w.conn)
	}
}

func (w *Watcher) pause(env *sim.Env, d sim.Duration) {
	env.Hold(w.conn)
	if env.Mode() == sim.Timed {
		env.Arm(readOn, d)
		return
	}
	env.Enable(0)
}

// ReadsAtOnce reports whether the watcher takes each event as it comes.
func (w *Watcher) ReadsAtOnce() bool { return w.reading.Habit == Fast }

// HasStopped reports whether it takes nothing more, and does not leave.
func (w *Watcher) HasStopped() bool { return w.stopped }

package flowcontrol

import "slices"

// The state of a level between two steps, for judges. It must not be changed.

// Options are those of the level, with the defaults.
func (l *Level) Options() *Options { return &l.cfg.Options }

// Arrivals is how many requests have come since the process began.
func (l *Level) Arrivals() int { return l.arrivals }

// Executing are the requests that have seats.
func (l *Level) Executing() []Request { return l.executing }

// Begun reports whether a request that has seats is being executed.
func (r *Request) Begun() bool { return r.begun }

// Waiting calls f for each request that waits, queue by queue.
func (l *Level) Waiting(f func(*Request)) {
	for n := range l.queues {
		for i := range l.queues[n].waiting {
			f(&l.queues[n].waiting[i])
		}
	}
}

// Refusals are all since the run began.
func (l *Level) Refusals() []Refusal { return l.refusals }

// CloneTo copies the level to that of another cache.
func (l *Level) CloneTo(c *Level, around Surroundings) {
	*c = *l
	c.cfg.Surroundings = around
	c.dealt = nil
	c.executing = slices.Clone(l.executing)
	c.refusals = slices.Clip(l.refusals)
	c.queues = slices.Clone(l.queues)
	for i := range c.queues {
		c.queues[i].waiting = slices.Clone(c.queues[i].waiting)
	}
}

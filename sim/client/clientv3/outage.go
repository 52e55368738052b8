package clientv3

import "github.com/watchbed/watchbed/sim"

// Outage is the time between a break of a watch stream and its next opening, in a timed
// run. Properties judge how long it is; the client library does not read it, so it is
// part of no cell.
type Outage struct {
	// Breaks is how often the stream had broken by then, this time included.
	Breaks          int
	Broke, Reopened sim.Time
	// Over is false if the stream was not opened again: its last watch was closed, or the
	// process ended.
	Over bool
}

// broke notes that a stream has broken.
func (s *Stream) broke(env *sim.Env) {
	if env.Mode() != sim.Timed {
		return
	}
	l := s.loop.Value()
	l.breaks++
	l.outage = len(s.c.outages)
	s.c.outages = append(s.c.outages, Outage{Breaks: l.breaks, Broke: env.Now()})
}

// reopened notes that a stream is opened again.
func (s *Stream) reopened(env *sim.Env) {
	if env.Mode() == sim.Timed {
		o := &s.c.outages[s.loop.Value().outage]
		o.Reopened, o.Over = env.Now(), true
	}
}

// Outages are those of all streams since the run began, in the order of their breaks.
// They must not be changed.
func (c *Client) Outages() []Outage { return c.outages }

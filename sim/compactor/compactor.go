package compactor

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

const (
	timerCompact sim.Timer = iota
	timerWatch
)

// Compactor is upstream's type of that name. It implements sim.Node with all
// optional capabilities.
type Compactor struct {
	cfg   Config
	timed bool
	// lives counts the starts of the process.
	lives int

	compactRevision int64
	loop            compactLoop
	watch           watchLoop
	// asking are the caches that wait to hear of a revision above another.
	asking []question
	// done are the compactions that this server had etcd do.
	done int
}

type question struct {
	conn  sim.Conn
	above int64
}

var (
	_ sim.Node          = (*Compactor)(nil)
	_ sim.Restarter     = (*Compactor)(nil)
	_ sim.Cloner        = (*Compactor)(nil)
	_ sim.Fingerprinter = (*Compactor)(nil)
)

// New returns a compactor that has not started yet.
func New(cfg Config) *Compactor {
	c := &Compactor{}
	c.Reset(cfg)
	return c
}

// Reset makes the compactor a new one for another run, and keeps its memory.
func (c *Compactor) Reset(cfg Config) {
	cfg.setDefaults()
	*c = Compactor{cfg: cfg, asking: c.asking[:0]}
}

// Start implements sim.Node.
func (c *Compactor) Start(env *sim.Env) {
	c.timed = env.Mode() == sim.Timed
	c.loop.turns, c.watch.turns = c.cfg.Rounds, c.cfg.Rounds
	c.loop.sleep(env, c)
	if c.cfg.Watch != 0 {
		c.watch.sleep(env, c)
	}
}

// Restart implements sim.Restarter: the process is a new one. The turns that are
// left of an untimed run are not the process's memory.
func (c *Compactor) Restart(env *sim.Env) {
	turns, watchTurns := c.loop.turns, c.watch.turns
	*c = Compactor{cfg: c.cfg, lives: c.lives + 1, done: c.done, asking: c.asking[:0]}
	c.Start(env)
	c.loop.turns, c.watch.turns = turns, watchTurns
}

// CompactRevision is up to which revision the compactor knows etcd to be
// compacted, or about to be: the key is written before etcd is asked.
func (c *Compactor) CompactRevision() int64 { return c.compactRevision }

// Compactions is how often this server had etcd compacted.
func (c *Compactor) Compactions() int { return c.done }

// updateCompactRevision keeps the greatest revision heard of, and answers whom
// it is news to.
func (c *Compactor) updateCompactRevision(env *sim.Env, rev int64) {
	if rev <= c.compactRevision {
		return
	}
	c.compactRevision = rev
	if env.Noting() {
		env.Say("knows etcd to be compacted at revision " + strconv.FormatInt(rev, 10))
	}
	waiting := c.asking[:0]
	for _, q := range c.asking {
		if q.above < rev {
			c.answer(env, q.conn)
		} else {
			waiting = append(waiting, q)
		}
	}
	c.asking = waiting
}

func (c *Compactor) answer(env *sim.Env, conn sim.Conn) {
	env.Send(conn, &wire.CompactRevisionResponse{Revision: c.compactRevision})
}

// Receive implements sim.Node.
func (c *Compactor) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.CompactRevisionRequest:
		if p.Above < c.compactRevision {
			c.answer(env, m.Conn)
		} else {
			c.asking = append(c.asking, question{m.Conn, p.Above})
		}
		return
	case *sim.Hangup:
		c.asking = slices.DeleteFunc(c.asking, func(q question) bool { return q.conn == m.Conn })
	}
	switch m.Conn {
	case c.loop.call:
		c.loop.call = sim.NoConn
		c.compactAnswered(env, m.Payload)
	case c.watch.call:
		c.watch.call = sim.NoConn
		c.keyRead(env, m.Payload)
	case c.watch.stream:
		c.keyChanged(env, m.Payload)
	}
}

// Fire implements sim.Node.
func (c *Compactor) Fire(env *sim.Env, t sim.Timer) {
	if t == timerCompact {
		c.compact(env)
	} else {
		c.readKey(env)
	}
}

// Run implements sim.Node; a compactor has no loops besides its timers.
func (c *Compactor) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (c *Compactor) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (c *Compactor) TimerName(t sim.Timer) string {
	if t == timerCompact {
		return "compact interval"
	}
	return "watch again"
}

// Clone implements sim.Cloner.
func (c *Compactor) Clone() sim.Node {
	d := *c
	d.asking = slices.Clone(c.asking)
	return &d
}

// Fingerprint implements sim.Fingerprinter.
func (c *Compactor) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(c.compactRevision).Int(int64(len(c.asking)))
	for _, q := range c.asking {
		d = d.Int(q.above)
	}
	return c.watch.fingerprint(c.loop.fingerprint(d))
}

// parse reads the value of the key; one that is no number counts as none.
func parse(value string) int64 {
	rev, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0
	}
	return rev
}

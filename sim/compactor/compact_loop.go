package compactor

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type compactState uint8

const (
	// compactSleeping: between two tries.
	compactSleeping compactState = iota
	// compactTrying: the transaction on the key is under way.
	compactTrying
	// compactCompacting: the transaction succeeded, and etcd was asked to
	// compact.
	compactCompacting
)

// compactLoop is upstream's runCompactLoop.
type compactLoop struct {
	state compactState
	turns int
	call  sim.Conn
	cause sim.Cause
	// compactTime is the version of the key when this server saw it last, rev
	// etcd's revision then: the next try is to compact to it.
	compactTime, rev int64
	// previous is the value of rev when the present try began, and the revision that
	// the server compacts at if the try succeeds.
	previous int64
	tries    int
}

// sleep waits for the next turn.
func (l *compactLoop) sleep(env *sim.Env, c *Compactor) {
	env.Writes(cellLoop, 0)
	l.state = compactSleeping
	if !c.timed {
		if l.turns == 0 {
			return
		}
		l.turns--
	}
	env.Arm(timerCompact, c.cfg.Interval)
}

// compact tries to be the server that compacts.
func (c *Compactor) compact(env *sim.Env) {
	env.Reads(cellCompactTime, 0)
	env.Reads(cellRev, 0)
	env.Writes(cellLoop, 0)
	env.Writes(cellPrevious, 0)
	l := &c.loop
	l.cause = env.Begin("compact", c.lives<<16|l.tries)
	l.tries++
	l.state = compactTrying
	l.previous = l.rev
	l.call = env.Call(c.cfg.KV, &wire.TxnRequest{
		Compare: Guards.Of(c.cfg.Guard)(env, l.compactTime),
		Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: wire.CompactRevKey, Value: strconv.FormatInt(l.rev, 10)}}},
		Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: wire.CompactRevKey}}},
	})
}

func (c *Compactor) compactAnswered(env *sim.Env, p sim.Payload) {
	env.Reads(cellPrevious, 0)
	env.LooksAt(cellLoop, 0)
	switch p := p.(type) {
	case *wire.TxnResponse:
		c.tried(env, p)
		return
	case *wire.CompactionResponse:
		env.Cover(compacted)
		c.done++
		c.updateCompactRevision(env, c.loop.previous)
	default:
		// The transaction may have taken effect. If it did, the next one loses
		// against it. A compaction is not repeated: the next one goes further.
		if c.loop.state == compactTrying {
			env.Cover(tryFailed)
		} else {
			env.Cover(compactFailed)
		}
	}
	c.loop.sleep(env, c)
}

// tried goes on after the transaction. Won or lost, the revision of the answer is
// the one to compact to next time.
func (c *Compactor) tried(env *sim.Env, p *wire.TxnResponse) {
	l := &c.loop
	env.Writes(cellRev, 0)
	env.Writes(cellCompactTime, 0)
	l.rev = p.Revision
	switch {
	case !p.Succeeded:
		env.Cover(lost)
		// API servers never delete the key. Without the key the next try is like the
		// first one.
		l.compactTime = 0
		if kvs := p.Responses[0].Range.Kvs; len(kvs) > 0 {
			l.compactTime = kvs[0].Version
			c.updateCompactRevision(env, parse(kvs[0].Value))
		}
		l.sleep(env, c)
	case l.previous == 0:
		// There is no revision of an interval ago yet.
		env.Cover(bootstrapped)
		l.compactTime++
		l.sleep(env, c)
	default:
		env.Cover(won)
		l.compactTime++
		if to := Goals.Of(c.cfg.Goal)(l.previous, p.Revision); to != l.previous {
			env.Writes(cellPrevious, 0)
			l.previous = to
		}
		if env.Noting() {
			env.Note(tryWon{l.previous})
		}
		env.Writes(cellLoop, 0)
		l.state = compactCompacting
		env.Under(l.cause)
		l.call = env.Call(c.cfg.KV, &wire.CompactionRequest{Revision: l.previous})
	}
}

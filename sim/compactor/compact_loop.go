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
	// etcd's revision then: what to compact to next time.
	compactTime, rev int64
	// previous is what rev was when the present try began.
	previous int64
	tries    int
}

// sleep waits for the next turn.
func (l *compactLoop) sleep(env *sim.Env, c *Compactor) {
	l.state = compactSleeping
	if !c.timed {
		if l.turns == 0 {
			return
		}
		l.turns--
	}
	env.Arm(timerCompact, c.cfg.Interval)
}

// compact tries to be the one who compacts.
func (c *Compactor) compact(env *sim.Env) {
	l := &c.loop
	l.cause = env.Begin("compact", c.lives<<16|l.tries)
	l.tries++
	l.state = compactTrying
	l.previous = l.rev
	l.call = env.Call(c.cfg.KV, &wire.TxnRequest{
		Compare: []wire.Compare{{Key: wire.CompactRevKey, Target: wire.CompareVersion, Result: wire.CompareEqual, Operand: l.compactTime}},
		Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: wire.CompactRevKey, Value: strconv.FormatInt(l.rev, 10)}}},
		Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: wire.CompactRevKey}}},
	})
}

func (c *Compactor) compactAnswered(env *sim.Env, p sim.Payload) {
	switch p := p.(type) {
	case *wire.TxnResponse:
		c.tried(env, p)
		return
	case *wire.CompactionResponse:
		env.Cover(compacted)
		c.done++
		c.updateCompactRevision(env, c.loop.previous)
	default:
		// Whether the transaction took effect is not known. If it did, the next
		// one loses against it. A compaction is not tried again: the next one
		// goes further.
		if c.loop.state == compactTrying {
			env.Cover(tryFailed)
		} else {
			env.Cover(compactFailed)
		}
	}
	c.loop.sleep(env, c)
}

// tried goes on where the transaction has ended. The revision of the answer is
// what to compact to next time, whoever won.
func (c *Compactor) tried(env *sim.Env, p *wire.TxnResponse) {
	l := &c.loop
	l.rev = p.Revision
	switch {
	case !p.Succeeded:
		env.Cover(lost)
		// The key is never deleted; if somebody did it, the next try is as the
		// first.
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
		if env.Noting() {
			env.Say("is the one to compact, at revision " + strconv.FormatInt(l.previous, 10))
		}
		l.state = compactCompacting
		env.Under(l.cause)
		l.call = env.Call(c.cfg.KV, &wire.CompactionRequest{Revision: l.previous})
	}
}

func (l *compactLoop) fingerprint(d sim.Digest) sim.Digest {
	return d.Word(uint64(l.state)).Int(int64(l.turns)).Int(l.compactTime).Int(l.rev).Int(l.previous)
}

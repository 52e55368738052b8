package compactor

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
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
	at    state.Var[turn[compactState]] `cell:"compactor: runCompactLoop"`
	call  sim.Conn
	cause sim.Cause
	// compactTime is the version of the key when this server saw it last, rev
	// etcd's revision then: the next try is to compact to it.
	compactTime state.Var[int64] `cell:"compactor: compactTime"`
	rev         state.Var[int64] `cell:"compactor: rev"`
	// previous is the value of rev when the present try began, and the revision that
	// the server compacts at if the try succeeds.
	previous state.Var[int64] `cell:"compactor: revision of the present try"`
	tries    int
}

// turn is where a loop is, and how many turns it has left in an untimed run.
type turn[S ~uint8] struct {
	state S
	turns int
}

// sleep waits in a state, and reports whether another turn comes.
func (t *turn[S]) sleep(in S, timed bool) bool {
	t.state = in
	if timed {
		return true
	}
	if t.turns == 0 {
		return false
	}
	t.turns--
	return true
}

// sleep waits for the next turn.
func (l *compactLoop) sleep(env *sim.Env, c *Compactor) {
	if l.at.Change(env).sleep(compactSleeping, c.timed) {
		env.Arm(timerCompact, c.cfg.Interval)
	}
}

// compact tries to be the server that compacts.
func (c *Compactor) compact(env *sim.Env) {
	l := &c.loop
	rev := l.rev.Get(env)
	l.cause = env.Begin("compact", c.lives<<16|l.tries)
	l.tries++
	l.at.Change(env).state = compactTrying
	l.previous.Set(env, rev)
	txn := &wire.TxnRequest{
		Compare: c.condition(env),
		Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: wire.CompactRevKey, Value: strconv.FormatInt(rev, 10)}}},
		Failure: []wire.RequestOp{{Range: &wire.RangeRequest{Key: wire.CompactRevKey}}},
	}
	c.writes = append(c.writes, Write{env.Tick(), txn})
	l.call = env.Call(c.cfg.KV, txn)
}

// condition lets one server compact in an interval: no other has written the key since its last try.
func (c *Compactor) condition(env *sim.Env) []wire.Compare {
	compactTime := c.loop.compactTime.Get(env)
	if c.cfg.Uncontested {
		uncontested.Say(env)
		return nil
	}
	return []wire.Compare{{Key: wire.CompactRevKey, Target: wire.CompareVersion, Result: wire.CompareEqual, Operand: compactTime}}
}

func (c *Compactor) compactAnswered(env *sim.Env, p sim.Payload) {
	switch p := p.(type) {
	case *wire.TxnResponse:
		c.tried(env, p)
		return
	case *wire.CompactionResponse:
		env.Cover(compacted)
		c.done++
		c.updateCompactRevision(env, c.loop.previous.Get(env))
	default:
		// The transaction may have taken effect. If it did, the next one loses
		// against it. A compaction is not repeated: the next one goes further.
		if c.loop.at.Look(env).state == compactTrying {
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
	previous := l.previous.Get(env)
	l.rev.Set(env, p.Revision)
	switch {
	case !p.Succeeded:
		env.Cover(lost)
		// API servers never delete the key. Without the key the next try is like the
		// first one.
		l.compactTime.Set(env, 0)
		if kvs := p.Responses[0].Range.Kvs; len(kvs) > 0 {
			l.compactTime.Set(env, kvs[0].Version)
			c.updateCompactRevision(env, parse(kvs[0].Value))
		}
		l.sleep(env, c)
	case previous == 0:
		// There is no revision of an interval ago yet.
		env.Cover(bootstrapped)
		*l.compactTime.Change(env)++
		l.sleep(env, c)
	default:
		env.Cover(won)
		*l.compactTime.Change(env)++
		if c.cfg.CompactsPresent && p.Revision != previous {
			previous = p.Revision
			l.previous.Set(env, previous)
		}
		tryWon.Say(env, previous)
		l.at.Change(env).state = compactCompacting
		env.Under(l.cause)
		l.call = env.Call(c.cfg.KV, &wire.CompactionRequest{Revision: previous})
	}
}

type watchState uint8

const (
	// watchSleeping: before the first watch, or after one that ended.
	watchSleeping watchState = iota
	// watchReading: the read of the key is under way.
	watchReading
	// watchWatching: the next event has not come yet.
	watchWatching
)

// watchLoop is upstream's runWatchLoop.
type watchLoop struct {
	at     state.Var[turn[watchState]] `cell:"compactor: runWatchLoop"`
	call   sim.Conn
	stream sim.Conn
	cause  sim.Cause
	begun  int
}

func (l *watchLoop) sleep(env *sim.Env, c *Compactor) {
	l.stream = sim.NoConn
	if l.at.Change(env).sleep(watchSleeping, c.timed) {
		env.Arm(timerWatch, c.cfg.WatchRetry)
	}
}

// readKey is getCompactRev.
func (c *Compactor) readKey(env *sim.Env) {
	l := &c.watch
	l.cause = env.Begin("watch compactions", c.lives<<16|l.begun)
	l.begun++
	l.at.Change(env).state = watchReading
	l.call = env.Call(c.cfg.KV, &wire.RangeRequest{Key: wire.CompactRevKey})
}

func (c *Compactor) keyRead(env *sim.Env, p sim.Payload) {
	l := &c.watch
	read, ok := p.(*wire.RangeResponse)
	if !ok {
		env.Cover(keyUnread)
		l.sleep(env, c)
		return
	}
	if len(read.Kvs) > 0 {
		c.updateCompactRevision(env, parse(read.Kvs[0].Value))
	}
	l.at.Change(env).state = watchWatching
	env.Under(l.cause)
	l.stream = env.Open(c.cfg.Watch)
	env.Send(l.stream, &wire.WatchStart{Prefix: wire.CompactRevKey, Revision: read.Revision})
}

// keyChanged is one turn of the loop over the watch's responses.
func (c *Compactor) keyChanged(env *sim.Env, p sim.Payload) {
	l := &c.watch
	e, ok := p.(*wire.WatchEvent)
	switch {
	case !ok:
		env.Cover(watchEnded)
		l.sleep(env, c)
	case e.Type == wire.Failed:
		env.Cover(watchEnded)
		env.Close(l.stream)
		l.sleep(env, c)
	case e.Item != nil && e.Item.Key == wire.CompactRevKey:
		env.Cover(heard)
		c.updateCompactRevision(env, parse(e.Item.Value))
	}
}

package compactor

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

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

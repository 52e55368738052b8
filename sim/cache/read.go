package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

type readState uint8

const (
	readFree readState = iota
	// readAccumulating: waits for the others that share its revision read.
	readAccumulating
	// readCurrentRevision: etcd was asked for its revision (getCurrentRV).
	readCurrentRevision
	// readWaiting: in cond.Wait, until somebody broadcasts.
	readWaiting
	// readWoken: out of cond.Wait, and not yet at the lock again.
	readWoken
	// readDelegated: etcd was asked the client's own question.
	readDelegated
)

// read is one LIST or GET that could not be answered on the spot.
type read struct {
	state readState
	// Exactly one of list, get and watcher is set. A watch is here until the cache
	// is fresh enough for it to begin.
	list    *wire.ListRequest
	get     *wire.GetRequest
	watcher *dispatch.Watcher
	// conn is the client's, call the one to etcd.
	conn, call sim.Conn
	from       sim.NodeID
	cause      sim.Cause
	// asked is when the request came; it decides nothing.
	asked sim.Time
	// consistent: the read must not be older than itself.
	consistent bool
	// exact is the one resourceVersion that the list is to be of, 0 if there is
	// none, and start the key that it begins at, for pages after the first.
	exact int64
	start string
	// wanted is the resourceVersion that the cache has to reach, began when the
	// read began to wait for it.
	wanted int64
	began  sim.Time
	// atMost is how long it waits, 0 for Amounts.BlockTimeout.
	atMost sim.Duration
	// echo is the progress that proves the cache fresh in place of a
	// resourceVersion, 0 if there is none.
	echo int64
	// countsForProgress: progress is asked for while this read waits.
	countsForProgress bool
	// expired: BlockTimeout has passed since the read began to wait.
	expired bool
	// origin says in whose name etcd answers, if it does.
	origin wire.Origin
	// selection is what was selected so far of a delegated list with a selector.
	selection *selection
}

func (r *read) label() string {
	switch {
	case r.list != nil:
		return r.list.Label()
	case r.watcher != nil:
		return r.watcher.Request().Label()
	}
	return r.get.Label()
}

// newRead finds room for a read. Numbers are small: they number the world's
// tasks and timers too.
func (c *Cache) newRead(env *sim.Env, m *sim.Message) int {
	i := 0
	for i < len(c.reads) && c.reads[i].state != readFree {
		i++
	}
	if i == len(c.reads) {
		c.reads = append(c.reads, read{})
	}
	c.reads[i] = read{conn: m.Conn, from: m.From, cause: m.Cause, asked: env.Now()}
	return i
}

// waitUntilFresh is waitUntilFreshLocked up to cond.Wait.
func (c *Cache) waitUntilFresh(env *sim.Env, i int, wanted int64) {
	r := &c.reads[i]
	r.wanted = wanted
	if c.isFresh(env, r) && !c.deadlocked {
		env.Cover(readFreshAtOnce)
		c.measureNoWait(env, r)
		if r.consistent {
			c.slow = false
		}
		c.serve(env, i)
		return
	}
	env.Cover(readWaits)
	if env.Noting() {
		what := "resourceVersion " + number(wanted)
		if r.echo != 0 {
			what = "the answer to a progress request that is still to be sent"
		}
		env.Say(env.NodeName(r.from) + "'s " + r.label() + " waits for " + what + "; the cache is at " + number(c.store.ResourceVersion(env)))
	}
	r.state, r.began = readWaiting, env.Now()
	c.waiting++
	env.Arm(readTimer(i), c.blockTimeout(r))
	if c.guard.ConsistentReadSupported(env) && (r.get == nil || c.cfg.Defects.GetWait == GetWaitAsks) {
		r.countsForProgress = true
		c.requester.add(env)
	}
}

// isFresh reports whether the cache has got to where a read wants it.
func (c *Cache) isFresh(env *sim.Env, r *read) bool {
	if r.echo != 0 {
		return r.echo <= c.requester.echoed
	}
	return r.wanted <= c.store.ResourceVersion(env)
}

// broadcast wakes every read that waits. Each looks again in a step of its own.
func (c *Cache) broadcast(env *sim.Env) {
	if c.waiting == 0 {
		return
	}
	for i := range c.reads {
		if c.reads[i].state == readWaiting {
			c.reads[i].state = readWoken
			env.Enable(readTask(i))
		}
	}
}

// expire is the goroutine beside the read that sleeps for BlockTimeout: it does
// not end the read, it makes it look.
func (c *Cache) expire(env *sim.Env, i int) {
	c.reads[i].expired = true
	c.broadcast(env)
}

// runRead is one turn of the loop around cond.Wait.
func (c *Cache) runRead(env *sim.Env, i int) {
	r := &c.reads[i]
	env.Under(r.cause)
	switch {
	case c.deadlocked:
		// Behind the event that waits for the lock.
	case c.isFresh(env, r):
		if r.expired {
			env.Cover(readFreshAtTheLast)
		}
		c.stopWaiting(env, i)
		if r.consistent && c.cfg.DynamicFallback == FallbackByWait {
			c.slow = env.Elapsed(r.began, c.cfg.FallbackAfter)
		}
		env.Cover(readFreshAfterWait)
		c.serve(env, i)
	case r.expired:
		c.stopWaiting(env, i)
		c.timeOut(env, i)
	default:
		env.Cover(readWokenEarly)
		r.state = readWaiting
	}
}

func (c *Cache) stopWaiting(env *sim.Env, i int) {
	c.waiting--
	c.measureWait(env, &c.reads[i])
	env.Disarm(readTimer(i))
	if c.reads[i].countsForProgress {
		c.requester.remove()
	}
}

// timeOut is what GetList does with a read that waited in vain.
func (c *Cache) timeOut(env *sim.Env, i int) {
	if env.Noting() {
		env.Say("gives up on " + env.NodeName(c.reads[i].from) + "'s " + c.reads[i].label() + ": it is still at resourceVersion " + number(c.store.ResourceVersion(env)) + ", not at " + number(c.reads[i].wanted))
	}
	if !c.reads[i].consistent {
		env.Cover(readTimedOut)
		c.finish(env, i, tooLarge)
		return
	}
	c.slow = c.cfg.DynamicFallback == FallbackByWait
	switch c.cfg.OnTimeout {
	case OnTimeoutFallback:
		env.Cover(consistentFallback)
		c.askEtcd(env, i, wire.FromFallback)
	case OnTimeoutThrottle:
		env.Cover(consistentThrottled)
		c.finish(env, i, throttled)
	default:
		env.Cover(consistentRejected)
		c.finish(env, i, tooLarge)
	}
}

// answered takes what etcd said to a read, or to several that asked together;
// it returns false if no read asked.
func (c *Cache) answered(env *sim.Env, m *sim.Message) bool {
	found := false
	for i := range c.reads {
		if c.reads[i].call == m.Conn && c.reads[i].state != readFree {
			found = true
			c.takeAnswer(env, i, m.Payload)
		}
	}
	return found
}

func (c *Cache) takeAnswer(env *sim.Env, i int, p sim.Payload) {
	c.reads[i].call = sim.NoConn
	switch p := p.(type) {
	case *wire.RangeResponse:
		traffic.Answered(env, c.reads[i].operation(), p)
		if c.reads[i].state == readCurrentRevision {
			if env.Noting() {
				env.Say("hears from etcd that it is at revision " + number(p.Revision))
			}
			if c.reads[i].watcher != nil {
				c.watchVersionKnown(env, i, p.Revision)
				return
			}
			c.currentRevisionKnown(env, i, p.Revision)
			return
		}
		c.relay(env, i, p)
	case *wire.Error:
		env.Cover(etcdRefused)
		c.finish(env, i, interpretError(p))
	default:
		env.Cover(etcdUnavailable)
		c.finish(env, i, unavailable)
	}
}

func (r *read) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(r.state)<<32 | uint64(r.from)<<8 | uint64(r.origin)).Int(r.wanted).Bool(r.expired)
	d = d.Int(int64(r.began)).Int(r.echo)
	switch {
	case r.list != nil:
		return r.selection.fingerprint(r.list.Digest(d))
	case r.get != nil:
		return r.get.Digest(d)
	case r.watcher != nil:
		return r.watcher.Request().Digest(d.Int(int64(r.watcher.Number())))
	}
	return d
}

var (
	tooLarge = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
	// tooLargeForEtcd is the same from etcd's own store, which does not say when
	// to come back.
	tooLargeForEtcd = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version for etcd"}
	// throttled is what the gate ConsistentListFromCacheSkipTimeoutFallback
	// makes of it.
	throttled   = &wire.Error{Code: wire.TooManyRequests, Message: "Too large resource version: retry after 1 s", RetryAfter: 1}
	unavailable = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)

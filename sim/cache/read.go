package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

type readState uint8

const (
	readFree readState = iota
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
	// Exactly one of list and get is set.
	list *wire.ListRequest
	get  *wire.GetRequest
	// conn is the client's, call the one to etcd.
	conn, call sim.Conn
	from       sim.NodeID
	cause      sim.Cause
	// wanted is the resourceVersion that the cache has to reach.
	wanted int64
	// expired: BlockTimeout has passed since the read began to wait.
	expired bool
	// origin says in whose name etcd answers, if it does.
	origin wire.Origin
}

func (r *read) isConsistent() bool {
	return r.list != nil && r.list.ResourceVersion == wire.Unset
}

func (r *read) label() string {
	if r.list != nil {
		return r.list.Label()
	}
	return r.get.Label()
}

// newRead finds room for a read. Numbers are small: they number the world's
// tasks and timers too.
func (c *Cache) newRead(m *sim.Message) int {
	i := 0
	for i < len(c.reads) && c.reads[i].state != readFree {
		i++
	}
	if i == len(c.reads) {
		c.reads = append(c.reads, read{})
	}
	c.reads[i] = read{conn: m.Conn, from: m.From, cause: m.Cause}
	return i
}

// getList is CacheDelegator.GetList up to the point where it first blocks.
func (c *Cache) getList(env *sim.Env, m *sim.Message, req *wire.ListRequest) {
	if err := validateList(req); err != nil {
		env.Cover(listInvalid)
		env.Send(m.Conn, err)
		return
	}
	i := c.newRead(m)
	c.reads[i].list = req
	switch {
	case c.shouldDelegateList(req):
		env.Cover(listDelegated)
		c.askEtcd(env, i, wire.FromEtcd)
	case !c.ready.ok && shouldDelegateListOnNotReadyCache(req):
		env.Cover(listDelegatedUnready)
		c.askEtcd(env, i, wire.FromEtcd)
	case !c.ready.ok:
		env.Cover(listRefusedUnready)
		c.finish(env, i, c.ready.refusal(env.Now()))
	case req.ResourceVersion == wire.Unset && c.cfg.Freshness == FreshnessConsistent:
		c.reads[i].state = readCurrentRevision
		c.reads[i].call = env.Call(c.cfg.KV, c.currentRevision)
	default:
		// Unset is below every resourceVersion: FreshnessNone does not wait.
		c.waitUntilFresh(env, i, req.ResourceVersion)
	}
}

// getObject is CacheDelegator.Get. A GET that gives no resourceVersion is
// etcd's in every design.
func (c *Cache) getObject(env *sim.Env, m *sim.Message, req *wire.GetRequest) {
	i := c.newRead(m)
	c.reads[i].get = req
	switch {
	case req.ResourceVersion == wire.Unset || c.cfg.Freshness == FreshnessDirect:
		env.Cover(getDelegated)
		c.askEtcd(env, i, wire.FromEtcd)
	case !c.ready.ok:
		env.Cover(getDelegatedUnready)
		c.askEtcd(env, i, wire.FromEtcd)
	default:
		c.waitUntilFresh(env, i, req.ResourceVersion)
	}
}

// waitUntilFresh is waitUntilFreshLocked up to cond.Wait.
func (c *Cache) waitUntilFresh(env *sim.Env, i int, wanted int64) {
	r := &c.reads[i]
	r.wanted = wanted
	if wanted <= c.watchCache.resourceVersion {
		env.Cover(readFreshAtOnce)
		c.serve(env, i)
		return
	}
	env.Cover(readWaits)
	if env.Noting() {
		env.Note(env.NodeName(r.from) + "'s " + r.label() + " waits for resourceVersion " + number(wanted) + "; the cache is at " + number(c.watchCache.resourceVersion))
	}
	r.state = readWaiting
	c.waiting++
	env.Arm(readTimer(i), c.cfg.BlockTimeout)
	c.requester.add(env)
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
	case r.wanted <= c.watchCache.resourceVersion:
		if r.expired {
			env.Cover(readFreshAtTheLast)
		}
		c.stopWaiting(env, i)
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
	env.Disarm(readTimer(i))
	c.requester.remove()
}

// timeOut is what GetList does with a read that waited in vain.
func (c *Cache) timeOut(env *sim.Env, i int) {
	if env.Noting() {
		env.Note("gives up on " + env.NodeName(c.reads[i].from) + "'s " + c.reads[i].label() + ": it is still at resourceVersion " + number(c.watchCache.resourceVersion) + ", not at " + number(c.reads[i].wanted))
	}
	if !c.reads[i].isConsistent() {
		env.Cover(readTimedOut)
		c.finish(env, i, tooLarge)
		return
	}
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

// serve answers from the store as it is now.
func (c *Cache) serve(env *sim.Env, i int) {
	r := &c.reads[i]
	if !c.ready.ok {
		env.Cover(servedUnready)
	}
	if env.Noting() {
		env.Note("answers " + env.NodeName(r.from) + "'s " + r.label() + " at resourceVersion " + number(c.watchCache.resourceVersion))
	}
	if r.get != nil {
		c.key.Key = r.get.Key
		item, _ := c.watchCache.store.Get(&c.key)
		c.finish(env, i, c.answers.get(item, wire.FromCache))
		return
	}
	prefix := preparePrefix(r.list.Prefix)
	limit := computeListLimit(r.list)
	if c.cfg.Freshness == FreshnessNone && r.isConsistent() {
		limit = 0
	}
	items, more := c.answers.collect(c, prefix, limit)
	token := ""
	if more {
		env.Cover(listTruncated)
		token = encodeContinue(c.watchCache.resourceVersion, items[len(items)-1].Key)
	}
	c.finish(env, i, c.answers.list(c.watchCache.resourceVersion, items, token, wire.FromCache))
}

// finish answers the client and ends the read.
func (c *Cache) finish(env *sim.Env, i int, answer sim.Payload) {
	conn := c.reads[i].conn
	c.reads[i] = read{}
	env.Send(conn, answer)
}

// answered takes what etcd said to a read; it returns false if no read asked.
func (c *Cache) answered(env *sim.Env, m *sim.Message) bool {
	for i := range c.reads {
		if c.reads[i].call == m.Conn && c.reads[i].state != readFree {
			c.takeAnswer(env, i, m.Payload)
			return true
		}
	}
	return false
}

func (c *Cache) takeAnswer(env *sim.Env, i int, p sim.Payload) {
	c.reads[i].call = sim.NoConn
	switch p := p.(type) {
	case *wire.RangeResponse:
		if c.reads[i].state == readCurrentRevision {
			if env.Noting() {
				env.Note("hears from etcd that it is at revision " + number(p.Revision))
			}
			c.waitUntilFresh(env, i, p.Revision)
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
	switch {
	case r.list != nil:
		return r.list.Digest(d)
	case r.get != nil:
		return r.get.Digest(d)
	}
	return d
}

var (
	tooLarge = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version"}
	// throttled is what the gate ConsistentListFromCacheSkipTimeoutFallback
	// makes of it.
	throttled   = &wire.Error{Code: wire.TooManyRequests, Message: "Too large resource version: retry after 1 s"}
	unavailable = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)

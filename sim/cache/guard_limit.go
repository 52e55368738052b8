package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// mayAskEtcd says whether a read may be put to etcd, and answers it if not: there
// are as many lists under way already as this API server lets through, or the
// request's own time is up, whose context etcd's client looks at first.
//
// The limit is what API Priority and Fairness comes to for reads that the cache
// does not answer (KEP-2340, "What if the watch cache is stale?"): so many seats,
// no queue, and 429 for the rest.
func (c *Cache) mayAskEtcd(env *sim.Env, i int) bool {
	r := &c.reads[i]
	if c.timed && c.cfg.RequestTimeout > 0 && env.Now().Sub(r.asked) >= c.cfg.RequestTimeout {
		env.Cover(requestTimedOut)
		c.finish(env, i, requestTimeout)
		return false
	}
	if c.cfg.DelegatedLimit == 0 || r.list == nil {
		return true
	}
	under := 0
	for j := range c.reads {
		if o := &c.reads[j]; j != i && o.state == readDelegated && o.list != nil {
			under++
		}
	}
	if under < c.cfg.DelegatedLimit {
		return true
	}
	env.Cover(delegationLimited)
	if env.Noting() {
		env.Say("refuses " + env.NodeName(r.from) + "'s " + r.label() + ": " + number(int64(under)) + " lists are with etcd already")
	}
	c.finish(env, i, tooManyDelegated)
	return false
}

var (
	delegationLimited = sim.NewSituation("cache: list refused, too many are with etcd")
	requestTimedOut   = sim.NewSituation("cache: request out of time before etcd was asked")

	tooManyDelegated = &wire.Error{Code: wire.TooManyRequests, Message: "too many lists are with etcd: retry after 1 s", RetryAfter: 1}
	// requestTimeout is told to nobody: whoever asked has hung up.
	requestTimeout = &wire.Error{Code: wire.Unavailable, Message: "request did not complete within its timeout"}
)

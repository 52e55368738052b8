package etcdcache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// requestor is progressRequestor: while reads wait, etcd is asked for progress once a period.
type requestor struct {
	waiting int
	// fired: the tick of the timer waits for a read.
	fired bool
}

func (c *Cache) addWaiting(env *sim.Env) {
	q := c.request.Change(env)
	q.waiting++
	if q.fired {
		env.Enable(taskProgress)
	}
}

func (c *Cache) removeWaiting(env *sim.Env) { c.request.Change(env).waiting-- }

// progressTimer takes the tick of the timer.
func (c *Cache) progressTimer(env *sim.Env) {
	c.request.Change(env).fired = true
	c.signalled(env)
}

// signalled requests progress if a read waits.
func (c *Cache) signalled(env *sim.Env) {
	q := c.request.Change(env)
	if q.waiting == 0 || !q.fired {
		return
	}
	q.fired = false
	env.Arm(timerProgress, c.cfg.ProgressRequestPeriod)
	requestsProgress.Say(env)
	// A call that waits until its stream is open again is the only one: no other connection has the number.
	c.client.RequestProgress(env, sim.NoConn, &progressRequest)
}

var progressRequest wire.ProgressRequest

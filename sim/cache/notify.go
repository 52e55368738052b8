package cache

import "github.com/watchbed/watchbed/sim"

// notifyOverdue reports whether etcd seems to send no progress notifications:
// none has come yet, or none for Config.NotifyWithin (the draft of 2019,
// "Determining if etcd is sending progress notify events"). Events do not count,
// as the draft has it, although etcd leaves out the notification of a watch that
// was sent an event since the last one.
func (c *Cache) notifyOverdue(env *sim.Env) bool {
	if c.cfg.NotifyDetection == NotifyTrusted {
		return false
	}
	return !c.notified || env.Elapsed(c.notifiedAt, c.cfg.NotifyWithin)
}

// sawNotification takes down that etcd has told of its progress.
func (c *Cache) sawNotification(env *sim.Env) {
	c.notified = true
	c.notifiedAt = env.Now()
}

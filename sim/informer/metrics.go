package informer

import "github.com/watchbed/watchbed/sim"

// What it costs a process to have its store: no step depends on it.

func (r *Informer) measureBegin(env *sim.Env) {
	r.began, r.asked, r.follows = env.Now(), 0, false
}

func (r *Informer) measureRequest() { r.asked++ }

func (r *Informer) measureSync(env *sim.Env) {
	env.Record(syncDuration, int64(env.Now().Sub(r.began)))
}

// measureFollowing is called when the process has a store and a watch that keeps it up to
// date.
func (r *Informer) measureFollowing(env *sim.Env) {
	if !r.follows {
		env.Record(followingRequests, int64(r.asked))
		r.follows = true
	}
}

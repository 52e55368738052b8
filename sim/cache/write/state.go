package write

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// objState is what the store takes the object for (objState, origStateIsCurrent).
type objState struct {
	// object is nil if there is none.
	object *wire.KeyValue
	// current: it comes from etcd, and not from the cache.
	current bool
	// value is what an update makes of it.
	value string
	// doubted: etcd was asked although there was a suggestion. same: the update had left that
	// as it was.
	doubted, same bool
}

// fetch asks etcd for the object (getCurrentState).
func (w *Write) fetch(env *sim.Env) {
	w.state = fetching
	w.call = env.Call(w.d.cfg.KV, &wire.RangeRequest{Key: w.key})
}

// fetched takes the object from etcd.
func (w *Write) fetched(env *sim.Env, p *wire.RangeResponse) {
	var found *wire.KeyValue
	if len(p.Kvs) > 0 {
		found = p.Kvs[0]
	}
	doubted, same := w.doubted, w.same
	if !w.take(env, found, p.Revision) {
		return
	}
	switch {
	case same && w.object != nil && (w.object.Value == w.value || w.d.rules.trust.Settles):
		w.finish(env, &wire.ObjectResponse{Item: w.object})
		return
	case doubted:
		env.Cover(beginsAgain)
		if env.Noting() {
			env.Note(looksAt{w.resourceVersion()})
		}
	}
	w.attempt(env)
}

// take makes what etcd has the state of the write, at a revision at which etcd was looked at. It
// returns false if the write is over because there is no object (getState).
func (w *Write) take(env *sim.Env, found *wire.KeyValue, revision int64) bool {
	w.object, w.current, w.doubted, w.same = found, true, false, false
	if found != nil || w.update != nil && w.update.IgnoreNotFound {
		return true
	}
	env.Cover(notFound)
	w.finish(env, &wire.Error{
		Code: wire.KeyNotFound, Message: "no object " + w.key, ResourceVersion: w.d.rules.notFound(revision),
	})
	return false
}

// resourceVersion is that of the state, 0 if there is no object.
func (w *Write) resourceVersion() int64 {
	if w.object == nil {
		return 0
	}
	return w.object.ModRevision
}

// fails ends the write with the error of a check, if the state is etcd's. If it is a suggestion
// the error may be of an old object: the check is made again on that of etcd. Upstream returns
// the error if that is the same object; the check gives it once more.
func (w *Write) fails(env *sim.Env, c Check, err *wire.Error) {
	if w.current || w.d.rules.trust.trusts(c) {
		w.finish(env, err)
		return
	}
	w.doubt(env)
}

// doubt asks etcd for the object in place of the suggestion.
func (w *Write) doubt(env *sim.Env) {
	env.Cover(suggestionDoubted)
	if env.Noting() {
		env.Note(looksAgain{})
	}
	w.doubted = true
	w.fetch(env)
}

// checkPrecondition is Preconditions.Check: nil if the object is as required.
func (w *Write) checkPrecondition(required int64) *wire.Error {
	if required == 0 || w.resourceVersion() == required {
		return nil
	}
	return conflict(w.key, required, w.resourceVersion())
}

func conflict(key string, required, found int64) *wire.Error {
	return &wire.Error{
		Code: wire.Conflict, Message: key + " is required to have resourceVersion " + number(required) + ", and has " + number(found),
	}
}

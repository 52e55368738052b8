package write

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// objState is what the store takes the object for (objState, origStateIsCurrent).
type objState struct {
	// object is nil if there is none.
	object *wire.KeyValue
	// current: it is not older than the write (ObjState.Current). stored: it comes from etcd itself
	// (ObjState.FromStorage).
	current, stored bool
	// value is what an update makes of it.
	value string
	// doubted: the object was looked for again although there was a suggestion. same: the update had left that
	// as it was.
	doubted, same bool
	// conflicted: the last transaction failed.
	conflicted bool
}

// refresh gets the current object (TxnDelegator.GetCurrentState).
func (w *Write) refresh(env *sim.Env) {
	if w.cached {
		w.getCurrentState(env)
	} else {
		w.fetch(env)
	}
}

// fetch asks etcd for the object (store.getCurrentState).
func (w *Write) fetch(env *sim.Env) {
	traffic.GetForWrite.Asked(env)
	w.state = fetching
	w.asked++
	w.call = env.Call(w.d.cfg.KV, &wire.RangeRequest{Key: w.key})
}

// fetched takes the object from etcd.
func (w *Write) fetched(env *sim.Env, p *wire.RangeResponse) {
	traffic.GetForWrite.Answered(env, p)
	found := firstOf(p.Kvs)
	doubted, same := w.doubted, w.same
	if !w.take(env, found, p.Revision) {
		return
	}
	w.stored = true
	switch {
	case same && w.object != nil && (w.object.Value == w.value || w.d.cfg.Suggestion == settled):
		w.finish(env, &wire.ObjectResponse{Item: w.object})
		return
	case doubted:
		env.Cover(beginsAgain)
		if env.Noting() {
			found := ": etcd has no such object"
			if w.object != nil {
				found = " with etcd's object, of resourceVersion " + number(w.resourceVersion())
			}
			env.Note(looksAt.Of(w.resourceVersion(), found))
		}
	}
	w.attempt(env)
}

// take makes the present object the state of the write, at a revision at which etcd or the cache was looked at. It
// returns false if the write is over because there is no object (getState).
func (w *Write) take(env *sim.Env, found *wire.KeyValue, revision int64) bool {
	w.objState = objState{object: found, current: true, value: w.value}
	if found != nil || w.update != nil && w.update.IgnoreNotFound {
		return true
	}
	env.Cover(notFound)
	if w.d.cfg.NotFoundUnversioned {
		revision = 0
	}
	w.finish(env, &wire.Error{Code: wire.KeyNotFound, Message: "no object " + w.key, ResourceVersion: revision})
	return false
}

// resourceVersion is that of the state, 0 if there is no object.
func (w *Write) resourceVersion() int64 {
	if w.object == nil {
		return 0
	}
	return w.object.ModRevision
}

// fail ends the write with the error of a check, if the state is etcd's. If it is a suggestion
// the error may be of an old object: the check is made again on that of etcd. Upstream returns
// the error if that is the same object; the check gives it once more.
func (w *Write) fail(env *sim.Env, c check, err *wire.Error) {
	if w.current || w.d.cfg.Suggestion.trusts(c) {
		w.finish(env, err)
		return
	}
	w.doubt(env)
}

// doubt looks for the object again, in place of the suggestion (refreshOnError).
func (w *Write) doubt(env *sim.Env) {
	env.Cover(suggestionDoubted)
	w.doubted = true
	if w.cached && !w.same {
		w.getCurrentState(env)
		return
	}
	looksAgain.Say(env)
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

// attemptUpdate is the loop of store.GuaranteedUpdate.
func (w *Write) attemptUpdate(env *sim.Env) {
	r := w.update
	if err := w.checkPrecondition(r.Precondition); err != nil {
		w.fail(env, updatePrecondition, err)
		return
	}
	if r.Expected != 0 && r.Expected != w.resourceVersion() {
		w.fail(env, updateFunction, conflict(w.key, r.Expected, w.resourceVersion()))
		return
	}
	value := w.updated()
	if w.object == nil || value != w.object.Value {
		w.commit(env, value)
		return
	}
	w.value = value
	w.leave(env)
}

// leave answers with the object as it is, if etcd has said so: no write is needed. An object of the cache is looked at
// in etcd each time (store.updateOnce).
func (w *Write) leave(env *sim.Env) {
	env.Cover(nothingToDo)
	if w.stored || w.d.cfg.Suggestion.trusts(noChange) {
		w.finish(env, &wire.ObjectResponse{Item: w.object})
		return
	}
	w.same = true
	w.doubt(env)
}

// updated is what the update function makes of the object.
func (w *Write) updated() string {
	switch {
	case w.object == nil:
		return w.update.Add
	case holds(w.object, w.update.Add):
		return w.object.Value
	}
	return w.object.Value + wire.MemberSeparator + w.update.Add
}

// holds reports whether an object has a member.
func holds(o *wire.KeyValue, member string) bool {
	return slices.Contains(strings.Split(o.Value, wire.MemberSeparator), member)
}

// attemptDelete is the loop of store.conditionalDelete.
func (w *Write) attemptDelete(env *sim.Env) {
	r := w.remove
	if err := w.checkPrecondition(r.Precondition); err != nil {
		w.fail(env, deletePrecondition, err)
		return
	}
	if r.Holding != "" && !holds(w.object, r.Holding) {
		w.fail(env, validation, &wire.Error{Code: wire.Forbidden, Message: w.key + " is not to be deleted without " + r.Holding})
		return
	}
	w.send(env, wire.RequestOp{DeleteRange: &wire.DeleteRangeRequest{Key: w.key}})
}

// commit puts what becomes of the object (store.Create, GuaranteedUpdate).
func (w *Write) commit(env *sim.Env, value string) {
	w.value = value
	if w.d.cfg.Suggestion == live && w.object != nil && !w.current {
		w.overwrite(env)
	}
	w.send(env, wire.RequestOp{Put: &wire.PutRequest{Key: w.key, Value: value}})
}

// overwrite changes the object of the cache itself, which has no resourceVersion from then on
// (PrepareObjectForStorage).
func (w *Write) overwrite(env *sim.Env) {
	o := *w.object
	o.Value, o.ModRevision = w.value, 0
	w.d.cfg.Store.Overwrite(env, &o)
}

// send puts the transaction to etcd: it succeeds if the object is what the store takes it for, and otherwise brings
// along what there is (GetOnFailure), but for a creation.
func (w *Write) send(env *sim.Env, op wire.RequestOp) {
	txn := &wire.TxnRequest{
		Compare: []wire.Compare{{Key: w.key, Target: wire.CompareMod, Result: wire.CompareEqual, Operand: w.resourceVersion()}},
		Success: []wire.RequestOp{op},
	}
	if w.create == nil && !w.cached {
		txn.Failure = []wire.RequestOp{{Range: &wire.RangeRequest{Key: w.key}}}
	}
	traffic.Write.Asked(env)
	w.state = committing
	w.call = env.Call(w.d.cfg.KV, txn)
}

// committed takes the outcome of the transaction.
func (w *Write) committed(env *sim.Env, p *wire.TxnResponse) {
	switch {
	case p.Succeeded:
		w.finish(env, &wire.ObjectResponse{Item: w.written(p.Revision)})
		return
	case w.create != nil:
		env.Cover(exists)
		w.finish(env, &wire.Error{Code: wire.KeyExists, Message: w.key + " is there already"})
		return
	}
	env.Cover(conflicted)
	w.conflicts++
	if !w.current {
		env.Cover(suggestionConflicted)
	}
	if w.cached {
		w.awaitChange(env, p.Revision)
		return
	}
	refusal := p.Responses[0].Range
	traffic.Write.Answered(env, refusal)
	found := firstOf(refusal.Kvs)
	if found == nil && w.remove != nil && w.d.cfg.VanishedIsDeleted {
		w.finish(env, &wire.ObjectResponse{Item: w.written(p.Revision)})
		return
	}
	if w.take(env, found, p.Revision) {
		w.stored = true
		changedMeanwhile.Say(env, w.resourceVersion())
		w.attempt(env)
	}
}

// written is the object that the transaction has put at a revision, or the object that it has
// deleted, with the revision of the deletion.
func (w *Write) written(revision int64) *wire.KeyValue {
	o := &wire.KeyValue{Key: w.key, Value: w.value, CreateRevision: revision, Version: 1}
	if w.object != nil {
		*o = *w.object
		if w.remove == nil {
			o.Value = w.value
			o.Version++
		}
	}
	o.ModRevision = revision
	return o
}

func firstOf(kvs []*wire.KeyValue) *wire.KeyValue {
	if len(kvs) == 0 {
		return nil
	}
	return kvs[0]
}

var (
	suggestionDoubted    = sim.NewCoveragePoint("cache: write looks whether its suggestion is old")
	beginsAgain          = sim.NewCoveragePoint("cache: write begins again with the current object in place of its suggestion")
	conflicted           = sim.NewCoveragePoint("cache: write begins again because the object has changed")
	suggestionConflicted = sim.NewCoveragePoint("cache: transaction of a write failed because its suggestion was old")
	nothingToDo          = sim.NewCoveragePoint("cache: update that changes nothing")
	notFound             = sim.NewCoveragePoint("cache: write of an object that is not there")
	exists               = sim.NewCoveragePoint("cache: creation of an object that is there")
)

package write

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// commit puts what the update has made of the object.
func (w *Write) commit(env *sim.Env) {
	if w.d.rules.trust.Live && !w.current {
		w.overwrite(env)
	}
	w.send(env, &wire.TxnRequest{
		Compare: w.unchanged(),
		Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: w.key, Value: w.value}}},
		Failure: w.readBack(),
	})
}

// overwrite changes the object of the cache itself, which has no resourceVersion from then on
// (PrepareObjectForStorage).
func (w *Write) overwrite(env *sim.Env) {
	o := *w.object
	o.Value, o.ModRevision = w.value, 0
	w.d.cfg.Store.Overwrite(env, &o)
}

// unchanged: the object is what the store takes it for.
func (w *Write) unchanged() []wire.Compare {
	return []wire.Compare{{Key: w.key, Target: wire.CompareMod, Result: wire.CompareEqual, Operand: w.resourceVersion()}}
}

// readBack brings the object along if it is another one (GetOnFailure).
func (w *Write) readBack() []wire.RequestOp {
	return []wire.RequestOp{{Range: &wire.RangeRequest{Key: w.key}}}
}

func (w *Write) send(env *sim.Env, r *wire.TxnRequest) {
	w.state = committing
	w.call = env.Call(w.d.cfg.KV, r)
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
	if !w.current {
		env.Cover(suggestionConflicted)
	}
	var found *wire.KeyValue
	if kvs := p.Responses[0].Range.Kvs; len(kvs) > 0 {
		found = kvs[0]
	}
	if found == nil && w.remove != nil && w.d.rules.vanished {
		w.finish(env, &wire.ObjectResponse{Item: w.written(p.Revision)})
		return
	}
	if w.take(env, found, p.Revision) {
		if env.Noting() {
			env.Note(changedMeanwhile{w.resourceVersion()})
		}
		w.attempt(env)
	}
}

// written is the object that the transaction has put at a revision, or the one that it has
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

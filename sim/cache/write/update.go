package write

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// attemptUpdate is the loop of store.GuaranteedUpdate.
func (w *Write) attemptUpdate(env *sim.Env) {
	r := w.update
	if err := w.checkPrecondition(r.Precondition); err != nil {
		w.fails(env, UpdatePrecondition, err)
		return
	}
	if r.Expected != 0 && r.Expected != w.resourceVersion() {
		w.fails(env, UpdateFunction, conflict(w.key, r.Expected, w.resourceVersion()))
		return
	}
	w.value = w.updated()
	if w.object != nil && w.value == w.object.Value {
		w.leave(env)
		return
	}
	w.commit(env)
}

// leave answers with the object as it is, if it is etcd's: no write is needed.
func (w *Write) leave(env *sim.Env) {
	env.Cover(nothingToDo)
	if w.current || w.d.rules.trust.trusts(NoChange) {
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
	for m := range strings.SplitSeq(o.Value, wire.MemberSeparator) {
		if m == member {
			return true
		}
	}
	return false
}

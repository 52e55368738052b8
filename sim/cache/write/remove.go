package write

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// attemptDelete is the loop of store.conditionalDelete.
func (w *Write) attemptDelete(env *sim.Env) {
	r := w.remove
	if err := w.checkPrecondition(r.Precondition); err != nil {
		w.fails(env, DeletePrecondition, err)
		return
	}
	if r.Holding != "" && !holds(w.object, r.Holding) {
		w.fails(env, Validation, &wire.Error{Code: wire.Forbidden, Message: w.key + " is not to be deleted without " + r.Holding})
		return
	}
	w.send(env, &wire.TxnRequest{
		Compare: w.unchanged(),
		Success: []wire.RequestOp{{DeleteRange: &wire.DeleteRangeRequest{Key: w.key}}},
		Failure: w.readBack(),
	})
}

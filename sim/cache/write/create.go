package write

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// commitCreate puts an object that is not there (store.Create): the transaction does not read
// what is there instead.
func (w *Write) commitCreate(env *sim.Env) {
	w.value = w.create.Value
	w.send(env, &wire.TxnRequest{
		Compare: w.unchanged(),
		Success: []wire.RequestOp{{Put: &wire.PutRequest{Key: w.key, Value: w.value}}},
	})
}

package linearizability

import "github.com/watchbed/watchbed/model"

type Explanation struct{}

func explain(w *Witness, p Property, f fault) *Explanation { return nil }

var _ = model.Put

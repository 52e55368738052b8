package recorded

import (
	"fmt"
	"math/rand/v2"

	"github.com/watchbed/watchbed/model"
)

const prefix = "/registry/pods/"

// keys are few, so that most operations meet others on the same key.
var keys = []string{prefix + "a", prefix + "b", prefix + "c", prefix + "d"}

// workload invents one client's requests.
type workload struct {
	rng  *rand.Rand
	name string
	n    int
	// seen is the newest item this client was shown of each key, the usual
	// operand of its next transaction.
	seen map[string]*model.Item
}

func newWorkload(seed uint64, name string) *workload {
	stream := uint64(0)
	for _, b := range []byte(name) {
		stream = stream<<8 | uint64(b)
	}
	return &workload{rng: rand.New(rand.NewPCG(seed, stream)), name: name, seen: map[string]*model.Item{}}
}

func (w *workload) next() *model.Request {
	key := keys[w.rng.IntN(len(keys))]
	switch p := w.rng.IntN(100); {
	case p < 28:
		return &model.Request{Kind: model.Put, Key: key, Value: w.value()}
	case p < 36:
		return &model.Request{Kind: model.Delete, Key: key}
	case p < 38:
		r := deleteMiddle()
		return &r
	case p < 62:
		return w.transaction(key)
	case p < 78:
		return &model.Request{Kind: model.Get, Key: key}
	default:
		return w.list()
	}
}

// value is unique in the history, so that a value that is read names its write.
func (w *workload) value() string {
	w.n++
	return fmt.Sprintf("%s.%d", w.name, w.n)
}

// transaction is Kubernetes' create, update or delete, which compare the mod
// revision, or the same on the version.
func (w *workload) transaction(key string) *model.Request {
	cond := model.Compare{Key: key, Target: model.CompareMod}
	known := w.seen[key]
	if w.rng.IntN(3) == 0 {
		cond.Target = model.CompareVersion
	}
	if known != nil {
		cond.Operand = known.ModRevision
		if cond.Target == model.CompareVersion {
			cond.Operand = known.Version
		}
	}
	success := []model.Request{{Kind: model.Put, Key: key, Value: w.value()}}
	switch {
	case known != nil && w.rng.IntN(3) == 0:
		success = []model.Request{{Kind: model.Delete, Key: key}}
	case key == keys[0] && w.rng.IntN(3) == 0:
		// Several changes of one revision. etcd refuses a put into a range that
		// the same transaction deletes.
		success = append(success, deleteMiddle())
	}
	return &model.Request{
		Kind:    model.Txn,
		Compare: []model.Compare{cond},
		Success: success,
		Failure: []model.Request{{Kind: model.Get, Key: key}},
	}
}

// deleteMiddle removes a range of two keys.
func deleteMiddle() model.Request {
	return model.Request{Kind: model.Delete, Key: keys[1], End: keys[3]}
}

func (w *workload) list() *model.Request {
	r := &model.Request{Kind: model.List, Key: prefix, End: model.PrefixEnd(prefix)}
	switch w.rng.IntN(6) {
	case 0:
		r.Limit = 1 + w.rng.Int64N(3)
	case 1:
		r.CountOnly = true
	case 2:
		r.KeysOnly = true
	}
	return r
}

// observe remembers what an answer says of the keys.
func (w *workload) observe(r *model.Request, res *model.Result) {
	switch r.Kind {
	case model.Get, model.List:
		if r.CountOnly {
			return
		}
		if r.Kind == model.Get {
			delete(w.seen, r.Key)
		}
		for _, it := range res.Items {
			w.seen[it.Key] = it
		}
	case model.Txn:
		if !res.Succeeded {
			w.observe(&r.Failure[0], &res.Results[0])
		}
	}
}

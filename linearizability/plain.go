package linearizability

import (
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/watchbed/watchbed/model"
)

// A history that never speaks of revisions is one of registers: values that are written,
// read and compared. Two orders that leave the same values leave the same store then,
// and keys that no operation touches together can be judged by themselves. Both make a
// search short that would take for ever with revisions to guess.

// isPlain reports whether no call depends on revisions.
func (p *Porcupine) isPlain() bool {
	return !slices.ContainsFunc(p.calls, func(c call) bool {
		return c.made != 0 || c.observed != 0 || !plainRequest(c.request) || c.result != nil && !plainResult(c.result)
	})
}

// plainRequest reports whether a request means the same at all revisions. Compared with 0,
// they only say whether a key is there.
func plainRequest(r *model.Request) bool {
	if r.Lease != 0 {
		return false
	}
	s := r.Selection
	if s.MinMod != 0 || s.MaxMod != 0 || s.MinCreate != 0 || s.MaxCreate != 0 || s.SortBy != model.ByKey && s.SortBy != model.ByValue {
		return false
	}
	if slices.ContainsFunc(r.Compare, func(c model.Compare) bool {
		return c.Target == model.CompareLease || c.Target != model.CompareValue && c.Operand != 0
	}) {
		return false
	}
	for _, branch := range [...][]model.Request{r.Success, r.Failure} {
		for i := range branch {
			if !plainRequest(&branch[i]) {
				return false
			}
		}
	}
	return true
}

func plainResult(res *model.Result) bool {
	numbered := func(it *model.Item) bool {
		return it.CreateRevision != 0 || it.ModRevision != 0 || it.Version != 0 || it.Lease != 0
	}
	return !slices.ContainsFunc(res.Items, numbered) && !slices.ContainsFunc(res.Prev, numbered) && !slices.ContainsFunc(res.Results, func(r model.Result) bool { return !plainResult(&r) })
}

// parts are the operations that can be judged apart. An order of all of them exists if
// one of each part does, as linearizability is local (Herlihy and Wing, 1990, section
// 3.3). Sequential consistency is not.
func (p *Porcupine) parts(prop Property) [][]porcupine.Operation {
	whole := [][]porcupine.Operation{p.operations}
	if !p.plain || prop == Sequential {
		return whole
	}
	at := map[string]int{}
	var parts [][]porcupine.Operation
	for i := range p.calls {
		key, ok := onlyKey(p.calls[i].request)
		if !ok {
			return whole
		}
		n, known := at[key]
		if !known {
			n = len(parts)
			at[key] = n
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], p.operations[i])
	}
	return parts
}

// onlyKey is the one key that a request is about.
func onlyKey(r *model.Request) (key string, ok bool) {
	ok = true
	ranges(r, func(k, end string) {
		ok = ok && end == "" && (key == "" || k == key)
		key = k
	})
	return key, ok && key != ""
}

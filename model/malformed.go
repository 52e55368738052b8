package model

import "slices"

// maxTxnOps is how many compares, and how many operations in a branch, etcd takes:
// --max-txn-ops.
const maxTxnOps = 128

// Malformed reports whether etcd has to refuse a request whatever the contents of the store are: a key is missing, a
// value or a lease is given although the request keeps the old one, a transaction has too many parts, or it writes a
// key twice.
func (r *Request) Malformed() bool {
	switch r.Kind {
	case Compact, LeaseGrant, LeaseRevoke, LeaseKeepAlive, LeaseTimeToLive:
		return false
	case Txn:
		return r.malformedTxn(maxTxnOps) || writesTwice(r)
	}
	return r.malformedOperation()
}

func (r *Request) malformedOperation() bool {
	return r.Key == "" || r.IgnoreValue && r.Value != "" || r.IgnoreLease && r.Lease != 0
}

// malformedTxn: a transaction within another one may have as many parts as the longest list
// of the outer one leaves.
func (r *Request) malformedTxn(most int) bool {
	longest := max(len(r.Compare), len(r.Success), len(r.Failure))
	malformed := func(op Request) bool {
		if op.Kind == Txn {
			return op.malformedTxn(most - longest)
		}
		return op.malformedOperation()
	}
	return longest > most || slices.ContainsFunc(r.Compare, func(c Compare) bool { return c.Key == "" }) ||
		slices.ContainsFunc(r.Success, malformed) || slices.ContainsFunc(r.Failure, malformed)
}

// written is a put or a deletion of a transaction. Its place is, level by level, the branch
// and the number in that.
type written struct {
	op    *Request
	place []int
}

// collect adds what the branches of a transaction write.
func collect(all []written, r *Request, place []int) []written {
	for side, branch := range [...][]Request{r.Success, r.Failure} {
		for i := range branch {
			switch op, at := &branch[i], append(slices.Clone(place), side, i); op.Kind {
			case Put, Delete:
				all = append(all, written{op, at})
			case Txn:
				all = collect(all, op, at)
			}
		}
	}
	return all
}

// writesTwice reports whether a key is put that is put or deleted by another operation.
// Deletes may overlap.
func writesTwice(r *Request) bool {
	all := collect(nil, r, nil)
	for i := range all {
		for k := range all {
			if i != k && all[i].op.Kind == Put && clash(&all[i], &all[k]) {
				return true
			}
		}
	}
	return false
}

// clash reports whether a put and another write may not be in one transaction. They may if
// they are in two branches of the same transaction. etcd takes the end "\x00" literally here:
// a deletion of everything from a key on overlaps nothing. Nor does it see that a key is
// deleted which a transaction before that one has put, side by side with it.
func clash(put, other *written) bool {
	if other.op.Kind == Put && other.op.Key != put.op.Key ||
		other.op.Kind == Delete && (other.op.End == "\x00" || !InRange(put.op.Key, other.op.Key, other.op.End)) {
		return false
	}
	p, o := put.place, other.place
	for p[0] == o[0] && p[1] == o[1] {
		p, o = p[2:], o[2:]
	}
	exclusive := p[0] != o[0]
	unseen := other.op.Kind == Delete && len(p) > 2 && len(o) > 2 && p[1] < o[1]
	return !exclusive && !unseen
}

package model

import "slices"

func (s *Store) applyTxn(r *Request, shown *Result) Result {
	if !s.Keeps(r) {
		return Result{Revision: s.revision, Err: Invalid}
	}
	before := s
	if r.nests() {
		before = s.Clone()
	}
	rev, changed := s.revision+1, false
	res := s.execute(r, shown, before, rev, &changed)
	if changed {
		s.revision = rev
	}
	res.Revision = s.revision
	return res
}

// nests reports whether there is a transaction within a transaction.
func (r *Request) nests() bool {
	isTxn := func(r Request) bool { return r.Kind == Txn }
	return slices.ContainsFunc(r.Success, isTxn) || slices.ContainsFunc(r.Failure, isTxn)
}

// execute carries the branch out that a transaction takes, as the contents before the whole
// of it decide.
func (s *Store) execute(r *Request, shown *Result, before *Store, rev int64, changed *bool) Result {
	res := Result{Succeeded: before.compares(r)}
	branch := r.Branch(res.Succeeded)
	for i := range branch {
		b := &branch[i]
		var out Result
		like := shown.at(i)
		switch b.Kind {
		case Put, Delete:
			out.Prev = s.before(b)
			out.Deleted = s.write(b, rev)
			*changed = *changed || b.Kind == Put || out.Deleted > 0
		case Txn:
			out = s.execute(b, like, before, rev, changed)
		default:
			out = s.read(b, like)
			out.Revision = 0
		}
		res.Results = append(res.Results, out)
	}
	return res
}

// compares are the conditions of a transaction: all of them hold.
func (s *Store) compares(r *Request) bool {
	return !slices.ContainsFunc(r.Compare, func(c Compare) bool { return !c.Holds(s.in(c.Key, c.End)) })
}

// taken calls f for the operations that a write consists of in these contents, without the
// transactions that they are in. It goes on until f says stop, and reports whether it did not.
func (s *Store) taken(r *Request, f func(op *Request) bool) bool {
	if r.Kind != Txn {
		return f(r)
	}
	branch := r.Branch(s.compares(r))
	for i := range branch {
		if !s.taken(&branch[i], f) {
			return false
		}
	}
	return true
}

// Keeps reports whether the contents have what the puts of a request keep, and the leases that
// they name. etcd refuses a request of which they do not.
func (s *Store) Keeps(r *Request) bool {
	return s.taken(r, func(op *Request) bool {
		return (!op.IgnoreValue && !op.IgnoreLease || s.Get(op.Key) != nil) && (op.Kind != Put || op.Lease == 0 || s.Lease(op.Lease) != nil)
	})
}

// write carries one put or deletion out, at a revision, and returns how many keys it deleted.
func (s *Store) write(op *Request, rev int64) (deleted int64) {
	if op.Kind == Delete {
		return s.deleteRange(op.Key, op.End)
	}
	value, lease := op.Value, op.Lease
	if op.IgnoreValue {
		value = s.Get(op.Key).Value
	}
	if op.IgnoreLease {
		lease = s.Get(op.Key).Lease
	}
	s.put(op.Key, value, lease, rev)
	return 0
}
